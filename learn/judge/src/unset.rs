//! Variables that are read before they have a value.
//!
//! NVRTC warns of few of them, and the registers that it leaves without a value are zero on the emulator, where a sum may then be
//! right by accident. Such registers get another value here. A kernel whose results then differ depends on them.

use std::fmt::Write;

/// A kernel's PTX with other values in the registers that are read before they are written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Poisoned {
    /// The PTX.
    pub ptx: String,
    /// The source line of the first such read, if the PTX names it.
    pub line: Option<usize>,
}

/// Instructions whose first operand is read too.
const WITHOUT_RESULT: [&str; 7] = ["st.", "red.", "bra", "bar.", "barrier.", "cp.async", "membar"];

/// Registers of a declaration: `.reg .f32 %f<23>;` declares `%f0` to `%f22`.
struct Family<'a> {
    prefix: &'a str,
    value: &'a str,
}

/// Returns the kernel with poisoned registers; `None` if no register is read in a line before the first that writes it.
///
/// The order of the lines is that of the compilers, which put a block after those that lead to it.
pub(crate) fn poisoned(ptx: &str) -> Option<Poisoned> {
    let mut text = String::new();
    let mut line = None;
    let mut families: Vec<Family<'_>> = Vec::new();
    // Where the declarations of the function end, the registers in use, and those that were read first.
    let mut place = 0;
    let mut written: Vec<&str> = Vec::new();
    let mut unset: Vec<&str> = Vec::new();
    let mut first = None;
    for row in ptx.lines() {
        let code = row.split("//").next().unwrap_or_default().trim();
        if let Some(family) = code.strip_prefix(".reg").and_then(declared) {
            if written.is_empty() && unset.is_empty() {
                families.push(family);
            }
            let _ = writeln!(text, "{row}");
            place = text.len();
            continue;
        }
        if let Some(location) = code.strip_prefix(".loc") {
            line = location.split_whitespace().nth(1).and_then(|number| number.parse().ok());
        }
        let _ = writeln!(text, "{row}");
        if row.starts_with('}') {
            insert(&mut text, place, &unset, &families);
            (families, written, unset) = (Vec::new(), Vec::new(), Vec::new());
        } else if code.ends_with(';') && !code.starts_with('.') {
            let (results, operands) = parts(code);
            for register in registers(operands) {
                if !written.contains(&register) && !unset.contains(&register) && value(register, &families).is_some() {
                    unset.push(register);
                    first = first.or(Some(line));
                }
            }
            written.extend(registers(results));
        }
    }
    first.map(|line| Poisoned { ptx: text, line })
}

/// Writes values to registers at a place of the text.
fn insert(text: &mut String, place: usize, unset: &[&str], families: &[Family<'_>]) {
    let values = unset.iter().filter_map(|register| Some((register, value(register, families)?)));
    let moves: String = values.map(|(register, value)| format!("\tmov{value};\n").replace('R', register)).collect();
    text.insert_str(place, &moves);
}

/// Returns the registers of a declaration. Those that are not numbered are of an assembly statement; predicates stay.
fn declared(declaration: &str) -> Option<Family<'_>> {
    let mut words = declaration.split_whitespace();
    let value = match words.next()? {
        ".f32" => ".f32 R, 0f7FFFFFFF",
        ".f64" => ".f64 R, 0d7FFFFFFFFFFFFFFF",
        ".b16" | ".u16" | ".s16" => ".b16 R, 0x7FFF",
        ".b32" | ".u32" | ".s32" => ".b32 R, 0x7FFFFFFF",
        ".b64" | ".u64" | ".s64" => ".b64 R, 0x7FFFFFFFFFFFFFFF",
        _ => return None,
    };
    Some(Family { prefix: words.next()?.split_once('<')?.0, value })
}

/// Returns the end of the instruction that writes to a register.
fn value<'a>(register: &str, families: &[Family<'a>]) -> Option<&'a str> {
    let prefix = register.trim_end_matches(|digit: char| digit.is_ascii_digit());
    families.iter().find(|family| family.prefix == prefix).map(|family| family.value)
}

/// Splits an instruction into its results, with the name, and what it reads, with the guard.
fn parts(code: &str) -> (&str, &str) {
    let code = code.trim_start_matches(['{', ' ', '\t']);
    let start = if code.starts_with('@') { code.find(char::is_whitespace).unwrap_or(0) } else { 0 };
    let name = code[start..].trim_start();
    if WITHOUT_RESULT.iter().any(|begin| name.starts_with(begin)) {
        return ("", code);
    }
    let mut depth = 0;
    let end = name.find(|character| {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    });
    name.split_at(end.unwrap_or(name.len()))
}

/// Returns the names of registers in a text.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').map(|(start, _)| {
        let rest = &text[start + 1..];
        let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        &text[start..start + 1 + end.unwrap_or(rest.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = ".entry sum()\n{\n\t.reg .f32 \t%f<4>;\n\t.reg .b64 \t%rd<2>;\n";

    #[test]
    fn a_register_that_is_read_first_gets_a_value() {
        let body = "\t.loc\t1 5 3\n\tmov.u64 %rd1, total;\nloop:\n\tadd.f32 \t%f2, %f2, 0f3F800000;\n\tst.global.f32 [%rd1], %f2;\n}\n";
        let found = poisoned(&format!("{START}{body}")).expect("a register");
        assert_eq!(found, Poisoned { ptx: format!("{START}\tmov.f32 %f2, 0f7FFFFFFF;\n{body}"), line: Some(5) });
    }

    #[test]
    fn a_register_that_is_written_first_stays() {
        for body in [
            "mov.u64 %rd1, total;\n@%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1];\nadd.f32 %f3, %f1, %f2;\n}\n",
            "mov.u32 %r1, %tid.x;\n}\n",
        ] {
            assert_eq!(poisoned(&format!("{START}{body}")), None, "{body}");
        }
    }

    #[test]
    fn the_results_of_one_function_are_not_those_of_the_next() {
        let text = format!("{START}mov.f32 %f1, 0f00000000;\n}}\n{START}add.f32 %f2, %f1, %f1;\n}}\n");
        let found = poisoned(&text).expect("a register").ptx;
        assert_eq!(found.matches("mov.f32 %f1, 0f7FFFFFFF;").count(), 1, "{found}");
    }
}
