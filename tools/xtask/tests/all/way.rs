//! The way of one command in ARCHITECTURE.md: its files exist, and can be read in one sitting.

use loading::workspace_root;

const MAX_FILES: usize = 12;
const MAX_LINES: usize = 1600;

#[test]
fn the_way_of_a_command_is_short() {
    let root = workspace_root();
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = text.split("## From a command to its table").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let numbered = section.lines().filter_map(|line| line.split_once(". `"));
    let files: Vec<&str> = numbered.filter_map(|(_, rest)| rest.split('`').next()).collect();
    let lines = |file: &&str| std::fs::read_to_string(root.join(file)).expect(file).lines().count();
    let lines: usize = files.iter().map(lines).sum();
    assert!((10..=MAX_FILES).contains(&files.len()), "{files:?}");
    assert!(lines <= MAX_LINES, "{lines} lines in {} files", files.len());
}
