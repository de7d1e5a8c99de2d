//! Loops that end in one branch instead of two.
//!
//! LLVM's target for PTX cannot invert the condition of a branch, so that many a loop ends with
//!
//! ```text
//!     @%p1 bra  $after;
//!     bra.uni   $begin;
//! $after:
//! ```
//!
//! where NVRTC writes `@!%p1 bra $begin`. A driver's compiler makes one instruction of both, and the emulator counts what is
//! written.

/// Returns PTX in which no branch only jumps over the next one.
pub(super) fn invert(ptx: &str) -> String {
    let lines: Vec<&str> = ptx.lines().collect();
    let mut text = String::with_capacity(ptx.len());
    let mut left_out = None;
    for (index, line) in lines.iter().enumerate() {
        if left_out == Some(index) {
            continue;
        }
        match invert_pair(&lines, index) {
            Some((branch, second)) => {
                text.push_str(&branch);
                left_out = Some(second);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Returns the one branch that does what line `index` and the next instruction do, and the line of the latter; none if line
/// `index` is not a branch over the next one.
fn invert_pair(lines: &[&str], index: usize) -> Option<(String, usize)> {
    let (guard, over) = lines[index].trim().strip_prefix('@')?.split_once("bra")?;
    let second = next(lines, index + 1)?;
    let target = code(lines[second]).strip_prefix("bra.uni")?.trim();
    let label = code(lines[next(lines, second + 1)?]).strip_suffix(':')?;
    let over = code(over).trim().strip_suffix(';')?;
    let guard = guard.trim();
    let inverted = guard.strip_prefix('!').map_or_else(|| format!("!{guard}"), str::to_owned);
    (over == label).then(|| (format!("\t@{inverted} bra \t{target}"), second))
}

/// Returns the first line from `from` on that is an instruction or a label.
fn next(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len()).find(|&index| !code(lines[index]).is_empty() && !code(lines[index]).starts_with(".loc"))
}

/// Returns a line without its comment and the space around it.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_over_a_branch_is_inverted() {
        let ptx = "\t@%p4 bra \t$L2;\n\t.loc 1 2 3\n\tbra.uni \t$L1;\n$L2: // after\n\tret;\n";
        assert_eq!(invert(ptx), "\t@!%p4 bra \t$L1;\n\t.loc 1 2 3\n$L2: // after\n\tret;\n");
        let ptx = "@!%p4 bra $L2; // 1\nbra.uni $L1;\n$L2:\n";
        assert_eq!(invert(ptx), "\t@%p4 bra \t$L1;\n$L2:\n");
    }

    #[test]
    fn other_branches_stay() {
        for ptx in [
            "@%p4 bra $L2;\nbra.uni $L1;\n$L3:\n",
            "@%p4 bra $L2;\nadd.s32 %r1, %r1, 1;\n$L2:\n",
            "bra.uni $L1;\n$L1:\n",
        ] {
            assert_eq!(invert(ptx), ptx);
        }
    }
}
