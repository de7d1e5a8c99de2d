//! Schemas of what platforms read, and the check of JSON and XML against them.

use serde_json::Value;
use std::collections::BTreeMap;

/// Gradescope's `results.json`, classroom's results, and JUnit XML: what each object or element has, with the sources.
pub const GRADESCOPE: &str = include_str!("gradescope.txt");
pub const CLASSROOM: &str = include_str!("classroom.txt");
pub const JUNIT: &str = include_str!("junit.txt");

/// The fields of a kind of object or element: `name type`, with `?` after the name of an optional one.
pub type Schema<'a> = BTreeMap<&'a str, Vec<(&'a str, &'a str, bool)>>;

/// Parses a schema: a line `KIND:` for each kind, below it a line per field, and `#` before comments.
pub fn schema(text: &str) -> Schema<'_> {
    let mut schema = Schema::new();
    let mut kind = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_suffix(':') {
            kind = name;
            schema.insert(kind, Vec::new());
        } else {
            let (name, value) = line.split_once(' ').expect("a name and a type");
            let (name, is_needed) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
            schema.get_mut(kind).expect("a kind").push((name, value, is_needed));
        }
    }
    schema
}

/// Returns what is wrong with a value of a kind.
pub fn wrong(value: &Value, kind: &str, schema: &Schema<'_>) -> Vec<String> {
    let is = |of: bool| if of { Vec::new() } else { vec![format!("{value} is not a {kind}")] };
    if let Some(items) = kind.strip_suffix("[]") {
        let all = value.as_array().map(|all| all.iter().flat_map(|one| wrong(one, items, schema)).collect());
        return all.unwrap_or_else(|| is(false));
    }
    match (kind, schema.get(kind)) {
        ("string", _) => is(value.is_string()),
        ("number", _) => is(value.is_number()),
        ("integer", _) => is(value.is_u64()),
        ("any", _) => Vec::new(),
        (_, None) => is(value.as_str().is_some_and(|text| kind.split('|').any(|word| word == text))),
        (_, Some(fields)) => {
            let Some(object) = value.as_object() else { return is(false) };
            let unknown = object.keys().filter(|key| fields.iter().all(|(name, ..)| name != key));
            let mut all: Vec<String> = unknown.map(|key| format!("{kind} has no {key}")).collect();
            for (name, of, is_needed) in fields {
                match object.get(*name) {
                    Some(value) => all.extend(wrong(value, of, schema)),
                    None if *is_needed => all.push(format!("{kind} lacks {name}")),
                    None => {}
                }
            }
            all
        }
    }
}

/// An element of XML.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Element>,
    pub text: String,
}

/// Parses the XML without namespaces, comments and the like that reports consist of. An error is what is not well-formed.
pub fn parse_xml(text: &str) -> Result<Element, String> {
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").ok_or("no declaration")?;
    let mut open: Vec<Element> = vec![Element::default()];
    let mut rest = rest;
    while let Some((before, tag)) = rest.split_once('<') {
        open.last_mut().ok_or("text outside")?.text.push_str(&decoded(before)?);
        let (tag, after) = tag.split_once('>').ok_or("a tag without end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().filter(|one| one.name == name).ok_or(format!("</{name}> closes nothing"))?;
            open.last_mut().ok_or("a second root")?.children.push(closed);
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Element { name: name.to_owned(), ..Element::default() };
        while let Some((name, value)) = attributes.trim_start().split_once("=\"") {
            let (value, after) = value.split_once('"').ok_or("an attribute without end")?;
            if element.attributes.insert(name.to_owned(), decoded(value)?).is_some() {
                return Err(format!("{name} twice"));
            }
            attributes = after;
        }
        if !attributes.trim().is_empty() {
            return Err(format!("`{attributes}` in a tag"));
        }
        if is_empty { open.last_mut().ok_or("a second root")?.children.push(element) } else { open.push(element) }
    }
    let mut root = open.pop().filter(|_| open.is_empty()).ok_or("an element without end")?;
    if root.children.len() == 1 && rest.trim().is_empty() { Ok(root.children.remove(0)) } else { Err("no root".into()) }
}

/// Decodes the five entities, and refuses what XML cannot have.
fn decoded(text: &str) -> Result<String, String> {
    if let Some(bad) =
        text.chars().find(|one| *one < ' ' && !"\t\n\r".contains(*one) || "\u{fffe}\u{ffff}".contains(*one))
    {
        return Err(format!("{bad:?}"));
    }
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, after) = part.split_once(';').ok_or("an ampersand")?;
        let of = [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];
        decoded.push(of.iter().find(|(name, _)| *name == entity).ok_or(format!("&{entity};"))?.1);
        decoded.push_str(after);
    }
    Ok(decoded)
}

/// Returns what is wrong with an element: `@name` in a schema is an attribute, `name[]` any number of children.
pub fn wrong_xml(element: &Element, schema: &Schema<'_>) -> Vec<String> {
    let name = &element.name;
    let Some(fields) = schema.get(name.as_str()) else { return vec![format!("<{name}> is unknown")] };
    let has = |name: &str| fields.iter().any(|(field, ..)| *field == name);
    let mut all: Vec<String> = Vec::new();
    all.extend(
        element.attributes.keys().filter(|key| !has(&format!("@{key}"))).map(|key| format!("{name} has no {key}")),
    );
    all.extend(element.children.iter().filter(|one| !has(&one.name)).map(|one| format!("{name} in it: {}", one.name)));
    for (field, of, is_needed) in fields {
        let Some(attribute) = field.strip_prefix('@') else { continue };
        match element.attributes.get(attribute) {
            Some(value) if *of == "integer" && value.parse::<u64>().is_err() => {
                all.push(format!("{attribute}={value}"))
            }
            None if *is_needed => all.push(format!("{name} lacks {attribute}")),
            _ => {}
        }
    }
    if !has("text") && !element.text.trim().is_empty() {
        all.push(format!("{name} has text"));
    }
    all.extend(element.children.iter().flat_map(|child| wrong_xml(child, schema)));
    all
}

#[test]
fn the_schemas_and_the_parser_refuse_what_is_wrong() {
    let gradescope = schema(GRADESCOPE);
    let of = |text: &str| wrong(&serde_json::from_str(text).expect("JSON"), "results", &gradescope).len();
    assert_eq!(of("{\"tests\": [{\"score\": 1, \"status\": \"passed\"}]}"), 0);
    for text in ["{}", "{\"tests\": 1}", "{\"tests\": [{\"score\": \"1\"}]}", "{\"tests\": [{\"score\": 1, \"x\": 1}]}"]
    {
        assert_eq!(of(text), 1, "{text}");
    }
    assert_eq!(of("{\"tests\": [{\"score\": 1, \"status\": \"pass\"}]}"), 1);
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    for text in ["<a>", "<a></b>", "<a b=\"1\" b=\"2\"/>", "<a>&x;</a>", "<a>&</a>", "<a>\u{1b}</a>", "<a/><b/>", ""] {
        assert!(parse_xml(&format!("{head}{text}")).is_err(), "{text}");
    }
    let junit = schema(JUNIT);
    for text in
        ["<testsuites x=\"1\"/>", "<testsuites><testcase name=\"a\"/></testsuites>", "<testsuites>a</testsuites>"]
    {
        let root = parse_xml(&format!("{head}{text}")).expect(text);
        assert_eq!(wrong_xml(&root, &junit).len(), 1, "{text}");
    }
}
