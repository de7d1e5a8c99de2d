//! The part of a PTX module for one kernel.

/// Returns the module with only the kernel `entry`. Lines keep their order, and comments before the header are removed.
///
/// Compilers begin an entry with `.visible .entry` at the start of a line, and end it with a line `}`.
pub fn only(ptx: &str, entry: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    let mut started = false;
    for line in ptx.lines() {
        started |= line.starts_with(".version");
        if let Some(name) = line.strip_prefix(".visible .entry ") {
            inside = name.split(['(', ' ']).next() != Some(entry);
        }
        if started && !inside {
            kept += line;
            kept.push('\n');
        }
        inside &= line != "}";
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::only;

    const PTX: &str = "// made\n.version 8.1\n.global .u32 g;\n.visible .entry a_32(\n)\n{\nret;\n}\n\n.visible .entry a(\n)\n{\nret;\n\
                       }\n.file 1 \"a.cu\"\n";

    #[test]
    fn the_entry_and_what_all_share_are_kept() {
        assert_eq!(
            only(PTX, "a"),
            ".version 8.1\n.global .u32 g;\n\n.visible .entry a(\n)\n{\nret;\n}\n.file 1 \"a.cu\"\n"
        );
        assert!(only(PTX, "a_32").contains("a_32(") && !only(PTX, "a_32").contains("a(\n"));
        assert!(!only(PTX, "other").contains(".entry"));
    }
}
