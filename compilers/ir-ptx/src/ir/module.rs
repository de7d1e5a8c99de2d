//! Modules.

use super::cursor::Cursor;
use super::function::{Line, declaration, function};
use super::global::global;
use super::metadata::Metadata;
use super::tree::Module;
use super::types::Type;
use crate::refusal::{Refusal, Refusals};
use std::collections::HashMap;

/// Reads a module.
pub(crate) fn parse(text: &str) -> Result<Module, Refusals> {
    let mut metadata = Metadata::new(text);
    let named = types(text);
    let lines = lines(text);
    let mut module = Module::default();
    let mut refusals = Vec::new();
    let mut at = 0;
    while let Some(&(line, text)) = lines.get(at) {
        let mut end = at + 1;
        if text.starts_with('@') {
            match global(text, &named) {
                Ok(global) => module.globals.extend(global),
                Err(construct) => refusals.push(Refusal { line, construct, source: None }),
            }
        } else if text.starts_with("declare ") {
            module.declarations.extend(declaration(text, &named));
        } else if text.starts_with("define ") {
            let length = lines[at..].iter().position(|(_, text)| *text == "}");
            end = length.map_or(lines.len(), |length| at + length);
            module.functions.extend(function(&lines[at..end], &named, &mut metadata, &mut refusals));
        }
        at = end;
    }
    module.target = metadata.anywhere("target-cpu").unwrap_or_default().to_owned();
    let features = metadata.anywhere("target-features").unwrap_or_default();
    let versions = features.split(',').filter_map(|feature| feature.strip_prefix("+ptx")?.parse().ok());
    module.ptx = versions.max().unwrap_or(0);
    module.files = metadata.files;
    if refusals.is_empty() { Ok(module) } else { Err(Refusals(refusals)) }
}

/// Splits a text into lines; a `switch` is one, with all its cases.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut rest = text;
    let mut number = 1;
    while !rest.is_empty() {
        let is_switch = rest.trim_start_matches(' ').starts_with("switch ");
        let from = if is_switch { rest.find(']').unwrap_or(0) } else { 0 };
        let end = rest[from..].find('\n').map_or(rest.len(), |end| from + end);
        let line = &rest[..end];
        lines.push((number, line.trim_end()));
        number += 1 + line.matches('\n').count();
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    lines
}

/// Reads the types that the module defines; one may contain another that is defined later.
fn types(text: &str) -> HashMap<String, Type> {
    let mut named = HashMap::new();
    let definitions = text.lines().filter(|line| line.starts_with('%'));
    let mut open: Vec<_> = definitions.filter_map(|line| line.split_once(" = type ")).collect();
    loop {
        let before = open.len();
        open.retain(|(name, definition)| match Cursor::new(definition).ty(&named) {
            Ok(ty) => named.insert(name[1..].trim_matches('"').to_owned(), ty).is_some(),
            Err(_) => true,
        });
        if open.len() == before {
            return named;
        }
    }
}
