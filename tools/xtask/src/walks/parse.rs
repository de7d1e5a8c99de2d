//! The walk in a Markdown text.

/// A walk: the diffs and commands of a text.
#[derive(Debug, Default, PartialEq)]
pub struct Walk<'a> {
    /// The diffs, in order.
    pub diffs: Vec<String>,
    /// The commands, in order.
    pub commands: Vec<Command<'a>>,
}

/// A command and its expected output.
#[derive(Debug, Default, PartialEq)]
pub struct Command<'a> {
    /// The command line, without `$ `.
    pub line: &'a str,
    /// The lines that must occur in the output, in this order.
    pub expected: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    /// Returns the walk of a text.
    pub fn parse(text: &'a str) -> Self {
        let mut walk = Self::default();
        let mut block: Option<&str> = None;
        for line in text.lines() {
            // A code block in a list is indented. Its lines are kept as they are; diffs are never indented.
            match (block, line.trim_start().strip_prefix("```")) {
                (None, Some(language)) => {
                    block = Some(language.trim());
                    if language.trim() == "diff" {
                        walk.diffs.push(String::new());
                    }
                }
                (Some(_), Some(_)) => block = None,
                (Some("diff"), None) => {
                    if let Some(diff) = walk.diffs.last_mut() {
                        *diff += line;
                        diff.push('\n');
                    }
                }
                (Some("console"), None) => walk.add_console(line.trim()),
                _ => {}
            }
        }
        walk
    }

    /// Adds a line of a console: a command, or a line of its output.
    fn add_console(&mut self, line: &'a str) {
        match (line.strip_prefix("$ "), self.commands.last_mut()) {
            (Some(command), _) => self.commands.push(Command { line: command, expected: Vec::new() }),
            (None, Some(command)) if !line.is_empty() => command.expected.push(line),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_has_diffs_and_commands() {
        let text = "# Add a line\n\nText.\n\n```rust\nlet x = 1;\n```\n\n```diff\n--- a/x\n+++ b/x\n@@\n+y\n```\n\nMore.\n\n\
                    ```console\n$ cargo run -p x\ny\n```\n";
        let diffs = vec!["--- a/x\n+++ b/x\n@@\n+y\n".to_owned()];
        let commands = vec![Command { line: "cargo run -p x", expected: vec!["y"] }];
        assert_eq!(Walk::parse(text), Walk { diffs, commands });
    }
}
