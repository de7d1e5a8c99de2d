//! A kernel's code, cut from its file.

use super::entry_points::entry_points;
use super::kernels::Kernel;
use anyhow::{Result, bail};

/// Returns the code of the file as a block.
///
/// # Errors
/// Returns an error if the file lacks the kernel's entry point.
pub fn whole(kernel: &Kernel) -> Result<String> {
    Ok(block(kernel, "", code(kernel)?))
}

/// Returns a function or type at the top level of the file, with the lines directly above it.
///
/// # Errors
/// Returns an error that lists the items if there is no such item.
pub fn item(kernel: &Kernel, name: &str) -> Result<String> {
    let (_, code) = card_and_code(kernel.source.text);
    let items = items(code);
    match items.iter().find(|item| item_name(item) == Some(name)) {
        Some(item) => Ok(block(kernel, &format!(", `{name}`"), item)),
        None => {
            let names: Vec<&str> = items.iter().filter_map(|item| item_name(item)).collect();
            bail!("{} has no item {name}; there are {}", kernel.file(), names.join(", "))
        }
    }
}

/// Returns the beginning of the paragraph above a listing of the kernel's file. A reader can edit a kernel in CUDA C++; pages have no compiler for Rust.
pub fn open_paragraph(kernel: &Kernel) -> String {
    let mark = if kernel.is_in_rust() {
        String::new()
    } else {
        format!(" editable\" data-kernel=\"{}\" data-stage=\"{}", kernel.name, kernel.stage().name)
    };
    format!("<p class=\"file{mark}\">")
}

/// Returns a listing with the file's name above it.
fn block(kernel: &Kernel, remark: &str, code: &str) -> String {
    format!(
        "{}<code>{}</code>{}</p>\n\n```{}\n{}\n```\n",
        open_paragraph(kernel),
        kernel.file(),
        html(remark),
        if kernel.is_in_rust() { "rust,ignore" } else { "cpp" },
        code.trim_end()
    )
}

/// Replaces backquotes by code elements.
fn html(remark: &str) -> String {
    let parts = remark.split('`').enumerate();
    parts.map(|(n, part)| if n % 2 == 1 { format!("<code>{part}</code>") } else { part.into() }).collect()
}

/// Returns the file's code without the card.
///
/// # Errors
/// Returns an error if the file lacks the kernel's entry point.
pub fn code(kernel: &Kernel) -> Result<&'static str> {
    let entry = kernel.entry.name(kernel.rung.block);
    let text = kernel.source.text;
    let has_entry = if kernel.is_in_rust() {
        text.contains(&format!(" fn {entry}(")) || text.contains(&format!(" {entry} = "))
    } else {
        entry_points(text).iter().any(|point| point.name == entry)
    };
    if !has_entry {
        bail!("{} has no entry point {entry}", kernel.file());
    }
    Ok(card_and_code(text).1)
}

/// Splits a file into the comment at its beginning and the rest.
pub fn card_and_code(text: &str) -> (&str, &str) {
    let length = text.split_inclusive('\n').take_while(|line| line.starts_with("//")).map(str::len).sum();
    let (card, code) = text.split_at(length);
    (card, code.trim_start_matches('\n'))
}

/// Returns the parts of a file between blank lines, except for blank lines inside of bodies.
fn items(code: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    let mut end = 0;
    let mut last = "";
    for line in code.split_inclusive('\n') {
        if line == "\n" && !last.starts_with([' ', '#']) {
            items.push(code[start..end].trim_end());
            start = end + 1;
        }
        end += line.len();
        if line != "\n" {
            last = line;
        }
    }
    items.push(code[start..].trim_end());
    items.retain(|item| !item.is_empty());
    items
}

/// Returns the name that an item declares: the word before its first bracket, ignoring comments, attributes and `template` lines.
fn item_name(item: &str) -> Option<&str> {
    let is_declaration = |line: &&str| !["//", "#[", "template"].iter().any(|start| line.starts_with(start));
    let line = item.lines().find(is_declaration)?;
    let line = line.split_once("__launch_bounds__").map_or(line, |(_, rest)| rest.split_once(')').map_or("", |p| p.1));
    let head = line.split(['(', '{', '=', ';']).next()?;
    head.split_whitespace().last()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "// card\n// more\n\nenum Field { X, Y };  // fields\n\n// About it.\n__device__ float image(float d) \
                        {\n    int a;\n\n    return d;\n}\n\ntemplate <int BLOCK>\n__device__ void sum(int n) {\n}\n\n\
                        extern \"C\" __global__ void __launch_bounds__(64) sum_64(int n) {\n    sum<64>(n);\n}\n";

    #[test]
    fn a_card_ends_where_the_comment_ends() {
        let (card, code) = card_and_code(FILE);
        assert_eq!(card, "// card\n// more\n");
        assert!(code.starts_with("enum"));
    }

    #[test]
    fn items_keep_their_blank_lines_and_know_their_names() {
        let items = items(card_and_code(FILE).1);
        let names: Vec<_> = items.iter().map(|item| item_name(item).unwrap_or("?")).collect();
        assert_eq!(names, ["Field", "image", "sum", "sum_64"]);
        assert!(items[1].starts_with("// About it.") && items[1].ends_with("return d;\n}"));
    }
}
