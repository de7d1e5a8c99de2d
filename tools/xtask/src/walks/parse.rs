//! The walks in a Markdown text.

/// A walk: a section with a diff.
#[derive(Debug, Default, PartialEq)]
pub struct Walk<'a> {
    /// The heading of the section.
    pub heading: &'a str,
    /// The line number of the heading, from 1.
    pub line: usize,
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

/// Returns the walks of a text.
pub fn walks(text: &str) -> Vec<Walk<'_>> {
    let mut walks: Vec<Walk> = Vec::new();
    let mut block: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        // A code block in a list is indented. Its lines are kept as they are; diffs are never indented.
        match (block, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                block = Some(language.trim());
                if let (Some(walk), "diff") = (walks.last_mut(), language.trim()) {
                    walk.diffs.push(String::new());
                }
            }
            (Some(_), Some(_)) => block = None,
            (Some(language), None) => take(walks.last_mut(), language, line),
            (None, None) => {
                if let Some(heading) = line.strip_prefix("## ") {
                    walks.push(Walk { heading, line: index + 1, ..Walk::default() });
                }
            }
        }
    }
    walks.retain(|walk| !walk.diffs.is_empty());
    walks
}

fn take<'a>(walk: Option<&mut Walk<'a>>, language: &str, line: &'a str) {
    let Some(walk) = walk else { return };
    match language {
        "diff" => {
            if let Some(diff) = walk.diffs.last_mut() {
                *diff += line;
                diff.push('\n');
            }
        }
        "console" => match (line.trim().strip_prefix("$ "), walk.commands.last_mut()) {
            (Some(command), _) => walk.commands.push(Command { line: command, expected: Vec::new() }),
            (None, Some(command)) if !line.trim().is_empty() => command.expected.push(line.trim()),
            _ => {}
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_a_section_with_a_diff() {
        let text = "# Title\n\n## Words\n\n```console\n$ cargo run\n```\n\n## Add a line\n\nText.\n\n```diff\n--- a/x\n+++ b/x\n\
                    @@\n+y\n```\n\nMore.\n\n```console\n$ cargo run -p x\ny\n```\n";
        let diffs = vec!["--- a/x\n+++ b/x\n@@\n+y\n".to_owned()];
        let commands = vec![Command { line: "cargo run -p x", expected: vec!["y"] }];
        assert_eq!(walks(text), [Walk { heading: "Add a line", line: 9, diffs, commands }]);
    }
}
