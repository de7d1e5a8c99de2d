//! Numbered metadata and groups of attributes: places in source files, launch bounds, the target.

use super::tree::Place;
use std::collections::HashMap;

/// The metadata and attributes of a module, as text.
#[derive(Default)]
pub(crate) struct Metadata<'a> {
    nodes: HashMap<&'a str, &'a str>,
    attributes: HashMap<&'a str, &'a str>,
    /// The paths of the files that places name.
    pub(crate) files: Vec<String>,
    places: HashMap<&'a str, Option<Place>>,
}

impl<'a> Metadata<'a> {
    /// Collects the metadata of a module's text.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut metadata = Self::default();
        for line in text.lines() {
            if line.starts_with('!') {
                metadata.nodes.extend(line.split_once(" = "));
            } else if let Some(rest) = line.strip_prefix("attributes ") {
                metadata.attributes.extend(rest.split_once(" = "));
            }
        }
        metadata
    }

    /// Returns the place that the `!dbg` of a line names.
    pub(crate) fn place(&mut self, line: &'a str) -> Option<Place> {
        let (_, rest) = line.rsplit_once("!dbg ")?;
        let name = rest.split([',', ' ', ')']).next()?;
        if let Some(known) = self.places.get(name) {
            return *known;
        }
        let place = self.location(name);
        self.places.insert(name, place);
        place
    }

    fn location(&mut self, name: &str) -> Option<Place> {
        let node = *self.nodes.get(name)?;
        if !node.contains("DILocation(") {
            return None;
        }
        let number = |key| field(node, key).and_then(|text| text.parse().ok()).unwrap_or(0);
        let scope = self.nodes.get(field(node, "scope")?)?;
        let file = self.nodes.get(field(scope, "file")?)?;
        let path = path(field(file, "directory").unwrap_or_default(), field(file, "filename")?);
        let known = self.files.iter().position(|known| *known == path);
        let index = known.unwrap_or_else(|| {
            self.files.push(path);
            self.files.len() - 1
        });
        Some(Place { file: index + 1, line: number("line"), column: number("column") })
    }

    /// Returns an attribute of a group such as `#0`, from `"name"="value"`.
    pub(crate) fn attribute(&self, group: &str, name: &str) -> Option<&'a str> {
        quoted(self.attributes.get(group)?, name)
    }

    /// Returns the first value of an attribute in any group.
    pub(crate) fn anywhere(&self, name: &str) -> Option<&'a str> {
        self.attributes.values().find_map(|list| quoted(list, name))
    }
}

fn quoted<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = list.split_once(&format!("\"{name}\"=\""))?;
    rest.split('"').next()
}

/// Returns a field of a node: `7` for the key `line` in `!DILocation(line: 7, …)`.
fn field<'a>(node: &'a str, key: &str) -> Option<&'a str> {
    let start = [format!("({key}: "), format!(" {key}: ")].iter().find_map(|key| Some(node.find(key)? + key.len()))?;
    let rest = &node[start..];
    match rest.strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => rest.split([',', ')']).next(),
    }
}

fn path(folder: &str, file: &str) -> String {
    let absolute = file.starts_with('/') || file.get(1..2) == Some(":");
    if folder.is_empty() || absolute { file.to_owned() } else { format!("{folder}/{file}") }
}
