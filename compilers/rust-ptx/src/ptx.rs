//! The last changes to LLVM's PTX: a line table of only the kernel's file, reports of panics, and a check for variables in
//! global memory.

use crate::panics::Panics;
use std::fmt::Write;

/// The last directive at the beginning of every PTX file.
const BEFORE_KERNELS: &str = ".address_size 64\n";

/// Returns the PTX with a line table of one file, `name` with the text `source`. Refuses a variable in global memory.
///
/// A place in core or in `device` is replaced by the place in the kernel's file into which it was inlined, because that is
/// the line that a fault should name.
pub fn finish(ptx: &str, name: &str, source: &str) -> Result<String, String> {
    let mut text = String::with_capacity(ptx.len());
    let mut panics = Panics::new(name, source);
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default().trim();
        if let Some(variable) = global_variable(code) {
            return Err(in_global_memory(variable, name, source));
        }
        match code.split_whitespace().next() {
            Some(".loc") => {
                if let Some((number, column)) = location(line, name) {
                    panics.go_to(number, line);
                    let _ = writeln!(text, "\t.loc\t1 {number} {column}");
                }
            }
            Some(".file" | ".section") => {}
            Some("trap;") => text.extend([&panics.call(), "\t", code, "\n"]),
            // Whole-line comments, and LLVM's labels for debuggers.
            None if !line.trim().is_empty() => panics.read(line.trim()),
            _ if code.starts_with("$L__tmp") || code.starts_with("$L__func_") => {}
            _ => text.extend([line.split("//").next().unwrap_or_default().trim_end(), "\n"]),
        }
    }
    let _ = writeln!(text, "\t.file\t1 \"{name}\"");
    let text = text.replacen(BEFORE_KERNELS, &format!("{BEFORE_KERNELS}{}", panics.declarations()), 1);
    Ok(straighten(text.trim_start()))
}

/// Returns the error for a variable in global memory, with the line that declares it.
fn in_global_memory(variable: &str, name: &str, source: &str) -> String {
    let variable = last_name(variable);
    let declares = |line: &str| line.contains("static") && line.contains(variable);
    let line = source.lines().position(declares).map_or_else(String::new, |line| format!(":{}", line + 1));
    format!(
        "{name}{line}: `{variable}` would lie in global memory, which all blocks share: use `shared!`, or `constant!`, or \
         compute it"
    )
}

/// Returns the last name of a mangled symbol, `TILE` of `_RNvCsl7L7n58I0Vr_6kernel4TILE`. A number before each name is its
/// length.
fn last_name(symbol: &str) -> &str {
    let ends = (1..symbol.len()).filter(|&end| symbol.is_char_boundary(end));
    let mut names = ends.filter_map(|end| {
        let (before, name) = symbol.split_at(end);
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        (before[before.len() - digits..].parse() == Ok(name.len())).then_some(name)
    });
    names.next().unwrap_or(symbol)
}

/// Replaces a branch over another branch by the second one, with the opposite condition:
///
/// ```text
/// @%p1 bra $B;
/// bra.uni  $A;   →   @!%p1 bra $A;
/// $B:                $B:
/// ```
///
/// LLVM would do this in block placement, which is disabled.
fn straighten(ptx: &str) -> String {
    let lines: Vec<&str> = ptx.lines().collect();
    let mut text = String::with_capacity(ptx.len());
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let opposite = lines.get(next..next + 3).and_then(|three| opposite([three[0], three[1], three[2]]));
        match opposite {
            Some(branch) => {
                text.extend([branch.as_str(), "\n"]);
                next += 2;
            }
            None => {
                text.extend([line, "\n"]);
                next += 1;
            }
        }
    }
    text
}

/// Returns the branch that replaces the first two lines, if the first branches over the second to the third.
fn opposite([over, other, label]: [&str; 3]) -> Option<String> {
    let (predicate, target) = over.trim().strip_prefix("@%")?.split_once(" bra")?;
    let target = target.trim().strip_suffix(';')?;
    let goes_here = label.strip_suffix(':') == Some(target);
    let other = other.trim().strip_prefix("bra.uni")?.trim();
    goes_here.then(|| format!("\t@!%{predicate} bra \t{other}"))
}

/// Returns the name of the variable in global memory that a line declares, if it declares one.
fn global_variable(code: &str) -> Option<&str> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let is_global = words.iter().take(2).any(|word| *word == ".global");
    let declared = code.split(['[', '=', ';']).next()?;
    if is_global { declared.split_whitespace().next_back() } else { None }
}

/// Returns the innermost line and column of the file `name` in the comment after `.loc`, such as
/// `// core/src/iter/range.rs:900:12 @[ kernels/01_x.rs:16:14 ]`; `None` if the file does not occur or its line is 0.
fn location(line: &str, name: &str) -> Option<(u32, u32)> {
    let (_, comment) = line.split_once("//")?;
    let places = comment.split("@[").map(|place| place.trim().trim_end_matches([']', ' ']));
    let own = places.filter_map(|place| place.strip_prefix(name)?.strip_prefix(':'));
    let numbers = own.map(|place| {
        let mut numbers = place.split(':').map(|number| number.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    });
    numbers.into_iter().find(|(line, _)| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "kernels/01_x.rs";

    #[test]
    fn lines_are_those_of_the_kernel_from_which_others_were_inlined() {
        let own = "\t.loc\t2 17 29                         // kernels/01_x.rs:17:29";
        assert_eq!(location(own, NAME), Some((17, 29)));
        let inlined = "\t.loc\t4 900 12  // /lib/range.rs:900:12 @[ /lib/range.rs:985:14 @[ kernels/01_x.rs:16:14 ] ]";
        assert_eq!(location(inlined, NAME), Some((16, 14)));
        let nested = "\t.loc\t2 5 1  // kernels/01_x.rs:5:1 @[ kernels/01_x.rs:30:9 ]";
        assert_eq!(location(nested, NAME), Some((5, 1)));
        assert_eq!(location("\t.loc\t2 0 0  // kernels/01_x.rs:0", NAME), None);
        assert_eq!(location("\t.loc\t4 900 12  // /lib/range.rs:900:12", NAME), None);
    }

    #[test]
    fn variables_in_global_memory_are_refused() {
        let refused = |line: &str| finish(&format!(".version 8.1\n{line}\n"), NAME, "").unwrap_err();
        assert!(refused(".visible .global .align 4 .b8 TABLE[4096];").contains("`TABLE` would lie in global memory"));
        assert!(refused(".global .align 4 .u32 COUNT = 1;").contains("`COUNT`"));
        let mangled = ".address_size 64\n.global .align 4 .b8 _RNvCsl7L7n58I0Vr_6kernel4TILE[4];\n";
        let error = finish(mangled, NAME, "use x;\nstatic mut TILE: u32 = 1;\n").unwrap_err();
        assert!(error.starts_with("kernels/01_x.rs:2: `TILE` would lie in global memory"), "{error}");
        finish(".visible .const .align 16 .b8 atoms[65536];\n\tld.global.b32 %r1, [%rd1];\n", NAME, "")
            .expect("no variable");
    }

    #[test]
    fn a_branch_over_a_branch_is_one() {
        let two = "\t@%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2:\n\tret;\n";
        assert_eq!(straighten(two), "\t@!%p1 bra \t$L__BB0_1;\n$L__BB0_2:\n\tret;\n");
        let elsewhere = two.replace("$L__BB0_2:", "$L__BB0_3:");
        assert_eq!(straighten(&elsewhere), elsewhere);
    }

    #[test]
    fn what_is_for_debuggers_alone_goes() {
        let ptx = "//\n// Generated\n//\n.version 8.1\n\n$L__tmp1:\n$L__BB0_1:   // %bb3\n\tret;\n\t.section\t.debug\t{\t}\n\t.file\t1 \"/a\"\n";
        let expected = ".version 8.1\n\n$L__BB0_1:\n\tret;\n\t.file\t1 \"kernels/01_x.rs\"\n";
        assert_eq!(finish(ptx, NAME, ""), Ok(expected.into()));
    }
    #[test]
    fn a_trap_tells_what_did_not_hold_in_the_kernels_line() {
        let ptx = ".address_size 64\n\t.loc\t2 9 1 // core/panicking.rs:9:1 @[ kernels/01_x.rs:2:5 ]\n\
            \t// begin inline asm\n\t// panicked: index < length\n\t// end inline asm\n\ttrap; exit;\n";
        let text = finish(ptx, NAME, "one\n  x[i]\n").expect("no variable");
        let mut panics = Panics::new(NAME, "one\nx[i]");
        panics.go_to(2, "");
        panics.read("// panicked: index < length");
        let call = panics.call();
        let expected = format!(
            ".address_size 64\n{}\t.loc\t1 2 5\n{call}\ttrap; exit;\n\t.file\t1 \"{NAME}\"\n",
            panics.declarations()
        );
        assert_eq!(text, expected);
    }
}
