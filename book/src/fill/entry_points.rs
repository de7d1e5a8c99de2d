//! The entry points of a kernel's file, including those that its macros declare.

/// An entry point: `extern "C" __global__ void __launch_bounds__(64) name(parameters)`.
#[derive(Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The line of the declaration, or of the use of the macro.
    pub line: usize,
    /// The name, by which it is launched: `sum_64`.
    pub name: String,
    /// The launch bounds: the greatest number of threads per block.
    pub launch_bounds: Option<u32>,
    /// The names of the parameters.
    pub parameters: Vec<String>,
}

const BEGIN: &str = "extern \"C\" __global__ void";

/// Returns the entry points of a file, in order.
pub fn entry_points(text: &str) -> Vec<EntryPoint> {
    let mut found = Vec::new();
    let mut macros: Vec<Macro> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let line = line_at(text, at);
        if let Some((definition, length)) = Macro::parse(rest) {
            macros.push(definition);
            at += length;
            continue;
        }
        if rest.trim_start_matches(' ').starts_with(BEGIN) {
            found.extend(EntryPoint::parse(rest, line));
        } else if let Some(declaration) = macros.iter().find_map(|definition| definition.expand(rest)) {
            found.extend(EntryPoint::parse(&declaration, line));
        }
        at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    found
}

fn line_at(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

impl EntryPoint {
    /// Parses a declaration at the beginning of a text.
    fn parse(declaration: &str, line: usize) -> Option<Self> {
        let mut rest = declaration.trim_start().strip_prefix(BEGIN)?.trim_start();
        let mut launch_bounds = None;
        if let Some((bounds, after)) = attribute(rest, "__launch_bounds__") {
            (launch_bounds, rest) = (bounds.parse().ok(), after);
        }
        let (name, rest) = rest.split_once('(')?;
        let parameters = rest.split(')').next().unwrap_or_default().split(',').map(str::trim);
        let last_word = |parameter: &'_ str| parameter.rfind([' ', '*', '\n']).map_or(0, |place| place + 1);
        Some(Self {
            line,
            name: name.trim().into(),
            launch_bounds,
            parameters: parameters.map(|parameter| parameter[last_word(parameter)..].into()).collect(),
        })
    }
}

/// Returns the arguments of an attribute at the beginning of a text, `name(arguments)`, and what follows.
fn attribute<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(name)?.strip_prefix('(')?.split_once(')')
}

/// A macro: `#define NAME(A, B)`, with the lines that a backslash continues.
struct Macro {
    name: String,
    parameters: Vec<String>,
    body: String,
}

impl Macro {
    /// Parses a definition at the beginning of a text. Returns the macro and its length in the text.
    fn parse(text: &str) -> Option<(Self, usize)> {
        let rest = text.strip_prefix("#define ")?;
        let (name, rest) = rest.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let mut length = 0;
        for line in text.split_inclusive('\n') {
            length += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        let (_, body) = text[..length].split_once(')')?;
        Some((
            Self {
                name: name.into(),
                parameters: parameters.split(',').map(|parameter| parameter.trim().into()).collect(),
                body: body.replace("\\\n", "\n"),
            },
            length,
        ))
    }

    /// Expands a use of the macro at the beginning of a text.
    fn expand(&self, text: &str) -> Option<String> {
        let arguments = text.strip_prefix(&self.name)?.strip_prefix('(')?.split(')').next()?;
        let pairs = self.parameters.iter().zip(arguments.split(',').map(str::trim));
        let expanded =
            pairs.fold(self.body.clone(), |body, (parameter, argument)| replace_words(&body, parameter, argument));
        Some(expanded.replace("##", ""))
    }
}

/// Replaces a whole word; `##` separates words.
fn replace_words(text: &str, word: &str, by: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(word) {
        let before = &rest[..place];
        let after = &rest[place + word.len()..];
        let is_whole = !before.ends_with(is_of_word) && !after.starts_with(is_of_word);
        replaced += before;
        replaced += if is_whole { by } else { word };
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(line: usize, name: &str, launch_bounds: Option<u32>, parameters: &[&str]) -> EntryPoint {
        let parameters = parameters.iter().map(|&name| name.into()).collect();
        EntryPoint { line, name: name.into(), launch_bounds, parameters }
    }

    #[test]
    fn an_entry_point_has_name_bounds_and_parameters() {
        let text = "// card\n\nextern \"C\" __global__ void __launch_bounds__(64) sum_64(\n    const int* __restrict__ data, \
                    int* partials,\n    unsigned int n) {\n}\n\nextern \"C\" __global__ void plain(float *x) {\n";
        let sum = entry(3, "sum_64", Some(64), &["data", "partials", "n"]);
        assert_eq!(entry_points(text), [sum, entry(8, "plain", None, &["x"])]);
    }

    #[test]
    fn a_macro_declares_an_entry_point_where_it_is_used() {
        let text = "#define ENTRY_POINT(BLOCK, PARTS)      \\\n    extern \"C\" __global__ void __launch_bounds__(BLOCK) \\\n        \
                    sum##PARTS##_##BLOCK(int* BLOCKS) {    \\\n        sum<BLOCK, PARTS>(BLOCKS);         \\\n    }\n\n\
                    ENTRY_POINT(64, 2)\nENTRY_POINT(128, 4)\nENTRY_POINTS(1)\n";
        let expected = [entry(7, "sum2_64", Some(64), &["BLOCKS"]), entry(8, "sum4_128", Some(128), &["BLOCKS"])];
        assert_eq!(entry_points(text), expected);
    }

    #[test]
    fn a_comment_declares_nothing() {
        assert_eq!(entry_points("// extern \"C\" __global__ void f(int n) {\n"), []);
    }
}
