//! The parser for LLVM's text.

/// A part of a module.
#[derive(Debug)]
pub enum Item<'a> {
    /// A function, from `define` to `}`.
    Function {
        /// The name in Rust, from rustc's comment above it, or else LLVM's name.
        name: String,
        /// The lines of the function.
        lines: Vec<&'a str>,
    },
    /// A line outside of functions.
    Line(&'a str),
}

/// Returns the parts of a module, in order.
pub fn items(ir: &str) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut lines = ir.lines();
    let mut comment = None;
    while let Some(line) = lines.next() {
        if !line.starts_with("define ") {
            match line.strip_prefix("; ").filter(|comment| !comment.starts_with("Function Attrs")) {
                Some(text) => comment = Some(text),
                None if line.is_empty() => comment = None,
                None => {}
            }
            items.push(Item::Line(line));
            continue;
        }
        let mut function = vec![line];
        for line in lines.by_ref() {
            function.push(line);
            if line == "}" {
                break;
            }
        }
        let name = comment.take().map_or_else(|| symbol(line).trim_start_matches('@').to_owned(), str::to_owned);
        items.push(Item::Function { name, lines: function });
    }
    items
}

/// Returns the first global name in a line: `@name`, or `@"a name"`.
pub fn symbol(line: &str) -> &str {
    let Some(start) = line.find('@') else { return "" };
    let rest = &line[start..];
    let end = match rest.strip_prefix("@\"") {
        Some(quoted) => quoted.find('"').map(|end| end + 3),
        None => rest[1..].find(|c: char| !is_of_name(c)).map(|end| end + 1),
    };
    &rest[..end.unwrap_or(rest.len())]
}

/// Returns the blocks to which a line may branch: `label %name`, or `label %"a name"`.
pub fn labels(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("label %").map(|(place, label)| {
        let rest = &line[place + label.len()..];
        match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest.split(|c: char| !is_of_name(c)).next().unwrap_or_default(),
        }
    })
}

/// Returns the name of the block that begins with a line: `bb1:`, or `"a name":`.
pub fn label(line: &str) -> Option<&str> {
    if line.starts_with([' ', ';', '}']) {
        return None;
    }
    let (name, _) = line.split_once(':')?;
    Some(name.trim_matches('"'))
}

/// Returns the constant arguments of a call of `marker`, without those that are not constant; `None` for another line.
pub fn arguments(line: &str, marker: &str) -> Option<Vec<u64>> {
    let (_, rest) = line.split_once(&format!("{marker}("))?;
    let list = rest.split(')').next()?;
    Some(list.split(',').filter_map(|argument| argument.split_whitespace().next_back()?.parse().ok()).collect())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._$-".contains(c)
}
