//! Functions, line by line.

use super::cursor::{Cursor, Parsed};
use super::instruction::ENDS;
use super::metadata::Metadata;
use super::reader::Reader;
use super::tree::{Block, BlockId, Declaration, End, Function, Parameter};
use super::types::Type;
use crate::refusal::Refusal;
use std::collections::HashMap;

/// A line with its number from 1.
pub(crate) type Line<'a> = (usize, &'a str);
/// The types that the module defines.
type Named = HashMap<String, Type>;

/// Reads a declaration; none for an intrinsic, and for what has types that nothing here can call.
pub(crate) fn declaration(line: &str, named: &Named) -> Option<Declaration> {
    let mut at = Cursor::new(line.strip_prefix("declare ")?);
    at.attributes_before_type();
    let results = at.ty(named).ok()?.scalars().collect();
    at.need("@").ok()?;
    let name = at.name().ok()?.to_owned();
    at.need("(").ok()?;
    let mut parameters = Vec::new();
    while !name.starts_with("llvm.") && !at.eat(")") {
        parameters.extend(at.ty(named).ok()?.scalars());
        at.attributes();
        at.eat(",");
    }
    (!name.starts_with("llvm.")).then_some(Declaration { name, results, parameters })
}

/// Reads a function from the line of its `define` to its closing brace; adds what is not supported to `refusals`.
pub(crate) fn function<'a>(
    lines: &[Line<'a>],
    named: &'a Named,
    metadata: &mut Metadata<'a>,
    refusals: &mut Vec<Refusal>,
) -> Option<Function> {
    let (line, header) = *lines.first()?;
    let mut reader = Reader::new(named);
    let (mut function, unnamed) = match head(line, header, &mut reader, metadata) {
        Ok(head) => head,
        Err(construct) => {
            refusals.push(Refusal { line, construct, source: None });
            return None;
        }
    };
    let mut blocks: HashMap<BlockId, Block> = HashMap::new();
    let mut current = None;
    for &(line, text) in &lines[1..] {
        let text = text.trim();
        if text.is_empty() || text.starts_with([';', '#', '}']) {
            continue;
        }
        if let Some(label) = label(text) {
            current = Some(reader.label(label));
            continue;
        }
        // The entry has a number of its own if it has no name.
        let block = *current.get_or_insert_with(|| reader.label(&unnamed.to_string()));
        (reader.line, reader.place) = (line, metadata.place(text));
        match one(&mut reader, text) {
            Ok(None) => {}
            Ok(Some(end)) => {
                let body = std::mem::take(&mut reader.body);
                blocks.insert(block, Block { body, end, line, place: reader.place });
            }
            Err(construct) => {
                let source = reader.place.map(|place| (metadata.files[place.file - 1].clone(), place.line));
                refusals.push(Refusal { line, construct, source });
            }
        }
    }
    function.ids = reader.ids;
    let count = blocks.len();
    function.blocks = (0..count).filter_map(|block| blocks.remove(&block)).collect();
    Some(function)
}

/// Returns the name of the block that a line begins.
fn label(line: &str) -> Option<&str> {
    let name = line.split(';').next()?.trim().strip_suffix(':')?;
    (!name.contains([' ', '='])).then(|| name.trim_matches('"'))
}

/// Reads an instruction, or the end of a block.
fn one<'a>(reader: &mut Reader<'a>, text: &'a str) -> Parsed<Option<End>> {
    let mut at = Cursor::new(without_metadata(text));
    if ENDS.contains(&at.peek()) {
        return reader.end(&mut at).map(Some);
    }
    let mut name = None;
    if at.eat("%") {
        name = Some(at.name()?);
        at.need("=")?;
    }
    reader.instruction(name, &mut at).map(|()| None)
}

/// Cuts `, !dbg !1, !tbaa !2` off, which text in quotes may resemble.
fn without_metadata(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        if !quoted && line[at..].starts_with(", !") {
            return &line[..at];
        }
    }
    line
}

/// Reads the first line of a function; also returns how many parameters have numbers for names.
fn head<'a>(
    line: usize,
    header: &'a str,
    reader: &mut Reader<'a>,
    metadata: &Metadata<'a>,
) -> Parsed<(Function, usize)> {
    let mut at = Cursor::new(header.strip_prefix("define").unwrap_or(header));
    let kernel = at.attributes_before_type().contains("ptx_kernel");
    let result = at.ty(reader.named)?;
    at.need("@")?;
    let name = at.name()?.to_owned();
    at.need("(")?;
    let mut parameters = Vec::new();
    let mut unnamed = 0;
    while !at.eat(")") {
        let ty = at.ty(reader.named)?;
        let said = at.attributes();
        at.need("%")?;
        let name = at.name()?;
        unnamed += usize::from(name.parse::<u32>().is_ok());
        parameters.push(parameter(reader, ty, said, name)?);
        at.eat(",");
    }
    let group = at.rest.split_whitespace().find(|word| word.starts_with('#')).unwrap_or_default();
    let bound = |(attribute, directive): (&str, &str)| {
        metadata.attribute(group, attribute).map(|value| format!("{directive} {value}"))
    };
    let bounds = [("nvvm.maxntid", ".maxntid"), ("nvvm.reqntid", ".reqntid"), ("nvvm.minctasm", ".minnctapersm")];
    let results = result.scalars().collect();
    let bounds = bounds.into_iter().filter_map(bound).collect();
    Ok((Function { name, kernel, results, parameters, blocks: Vec::new(), bounds, ids: 0, line }, unnamed))
}

fn parameter<'a>(reader: &mut Reader<'a>, ty: Type, said: &str, name: &'a str) -> Parsed<Parameter> {
    let mut by_value = None;
    if let Some((_, rest)) = said.split_once("byval(") {
        let of = Cursor::new(rest).ty(reader.named)?;
        let align = said.rsplit_once("align ").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
        by_value = Some((of.bytes(), align.unwrap_or(of.align())));
    }
    if ty.parts().len() != 1 {
        return Err(format!("a parameter of type `{ty}`"));
    }
    let has = |word: &str| said.split_whitespace().any(|said| said == word);
    let (noalias, readonly) = (has("noalias"), has("readonly") || has("readnone"));
    Ok(Parameter { id: reader.id(name, 0), ty, noalias, readonly, by_value })
}
