//! Names in the source, in PTX, in which C++ functions without `extern "C"` have mangled ones (`_Z5scalePfi`), and in titles of
//! faults.

use emulator::MemorySpace;

/// Types of C++ and their codes in mangled names.
const TYPES: [(&str, &str); 15] = [
    ("float", "f"),
    ("double", "d"),
    ("bool", "b"),
    ("char", "c"),
    ("signed char", "a"),
    ("unsigned char", "h"),
    ("short", "s"),
    ("unsigned short", "t"),
    ("int", "i"),
    ("unsigned", "j"),
    ("unsigned int", "j"),
    ("long", "l"),
    ("unsigned long", "m"),
    ("long long", "x"),
    ("unsigned long long", "y"),
];

/// Returns whether a symbol is that of a C++ function without `extern "C"`: `_Z5scalePfi` of `scale`, `_ZN1a5scaleIfEvPT_` of
/// `a::scale<float>`. Template arguments are not compared.
pub fn is_mangled(symbol: &str, name: &str) -> bool {
    let name = without_arguments(name);
    if !name.contains("::") {
        let part = lengths(name);
        // A static function has an L, and a member of an unnamed namespace a part of that name first.
        return symbol.starts_with(&format!("_Z{part}"))
            || symbol.starts_with(&format!("_ZL{part}"))
            || symbol.starts_with("_ZN") && symbol.contains("_GLOBAL__N_") && symbol.contains(&part);
    }
    let Some(mut rest) = symbol.strip_prefix("_ZN") else { return false };
    for part in name.split("::") {
        let part = lengths(part);
        // An unnamed namespace is inside of a named one.
        let unnamed = || rest.contains("_GLOBAL__N_").then(|| rest.split_once(&part).map(|(_, after)| after)).flatten();
        match rest.strip_prefix(&part).or_else(unnamed) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

/// Returns whether a symbol of a template has the arguments of the name: `_Z5timesIfLi3EEvPT_` those of `times<float, 3>`. Numbers,
/// the types of C++ and types outside of namespaces are compared; with another argument, every symbol has them. Arguments at the
/// end that have defaults need not be named.
pub fn has_arguments(symbol: &str, name: &str) -> bool {
    let parts = lengths(without_arguments(name));
    let arguments = name.split_once('<').and_then(|(_, rest)| rest.trim_end().strip_suffix('>'));
    let (Some(arguments), Some((_, mut rest))) = (arguments, symbol.split_once(&format!("{parts}I"))) else {
        return true;
    };
    for argument in arguments.split(',') {
        let argument = argument.split_whitespace().collect::<Vec<_>>().join(" ");
        // `32u` is the number 32.
        let number = argument.trim_end_matches(['u', 'U', 'l', 'L']);
        let is_number = !number.is_empty() && number.chars().all(|character| character.is_ascii_digit());
        let argument = if is_number { number.to_owned() } else { argument };
        let known = TYPES.iter().find(|(name, _)| *name == argument).map(|(_, code)| (*code).to_owned());
        let is_name = argument.chars().all(|character| character.is_alphanumeric() || character == '_');
        let after = match known {
            Some(code) => rest.strip_prefix(&code),
            // `Li3E`: the letter is the type of the parameter.
            None if is_number => rest.get(2..).and_then(|end| end.strip_prefix(&format!("{argument}E"))),
            None if argument == "true" || argument == "false" => {
                rest.strip_prefix(if argument == "true" { "Lb1E" } else { "Lb0E" })
            }
            // A constant has its value in the symbol: `L4Mode1E`.
            None if is_name && rest.starts_with('L') => rest.split_once('E').map(|(_, after)| after),
            None if is_name => rest.strip_prefix(&lengths(&argument)),
            None => return true,
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

/// Returns the name of a function or a variable in the source: `scale` of `_Z5scalePfi`, `a::scale` of `_ZN1a5scaleEPf`, `mask` of
/// `_ZL4mask`. Symbols of templates and other symbols stay.
pub fn in_source(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return symbol.to_owned() };
    let (mut rest, is_nested) = mangled.strip_prefix('N').map_or((mangled, false), |rest| (rest, true));
    let mut parts = Vec::new();
    while let Some((part, after)) = first_part(rest.strip_prefix('L').unwrap_or(rest)) {
        // Members of an unnamed namespace, and NVRTC's variables of one file, have such a part first.
        if !part.starts_with("_GLOBAL__N_") && !part.starts_with("_INTERNAL_") {
            parts.push(part);
        }
        rest = after;
        if !is_nested {
            break;
        }
    }
    let is_whole = !parts.is_empty() && !rest.starts_with('I') && (!is_nested || rest.starts_with('E'));
    if is_whole { parts.join("::") } else { symbol.to_owned() }
}

/// Splits `5scalePfi` into `scale` and `Pfi`.
fn first_part(mangled: &str) -> Option<(&str, &str)> {
    let digits = mangled.find(|character: char| !character.is_ascii_digit())?;
    let length: usize = mangled[..digits].parse().ok()?;
    mangled[digits..].split_at_checked(length)
}

fn without_arguments(name: &str) -> &str {
    name.split('<').next().unwrap_or_default().trim()
}

/// Returns each part of a name after its length: `1a5scale` of `a::scale`.
fn lengths(name: &str) -> String {
    name.split("::").map(|part| format!("{}{part}", part.len())).collect()
}

/// Returns the size in bytes of a value that an instruction loads or stores: 4 for `st.shared.v2.f32`. 0 if it has no type.
pub fn access_bytes(instruction: &str) -> u64 {
    let opcode = instruction.split_whitespace().find(|word| word.contains('.')).unwrap_or_default();
    let bits =
        opcode.split('.').rev().find_map(|part| part.trim_start_matches(['s', 'u', 'f', 'b']).parse::<u64>().ok());
    bits.unwrap_or_default() / 8
}

/// Returns the memory and the address in the title of a fault, whose instruction accesses shared memory or not.
pub fn place_of_fault(title: &str, is_shared: bool) -> Option<(MemorySpace, u64)> {
    let find = |words: &str| {
        let (_, rest) = title.split_once(words)?;
        let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
        u64::from_str_radix(digits, 16).ok()
    };
    let global = find("global memory at 0x").or_else(|| find("constant memory at 0x"));
    let global = global.map(|address| (MemorySpace::Global, address));
    global.or_else(|| find("shared memory at 0x").map(|address| (MemorySpace::Shared, address))).or_else(|| {
        let (before, _) = title.split_once(" is not a multiple of ")?;
        let (_, digits) = before.rsplit_once(": 0x")?;
        let memory = if is_shared { MemorySpace::Shared } else { MemorySpace::Global };
        u64::from_str_radix(digits, 16).ok().map(|address| (memory, address))
    })
}

/// Returns the parameters of a template kernel: `typename T, int N`.
pub fn template_parameters(text: &str, name: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let word = |(at, _): (usize, &str)| {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let before = &text[..at];
        let after = &text[at + name.len()..];
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        let declaration = before.rsplit([';', '}']).next()?.rsplit("template").next()?;
        let is_kernel = is_whole && after.trim_start().starts_with('(') && declaration.contains("__global__");
        let (parameters, _) =
            declaration.trim_start().strip_prefix('<').filter(|_| is_kernel)?.rsplit_once("__global__")?;
        Some(parameters.rsplit_once('>')?.0.trim().to_owned())
    };
    text.match_indices(name).find_map(word)
}

/// Returns the innermost condition of the preprocessor around the kernel `name`, with the number of its line.
pub fn condition_of(text: &str, name: &str) -> Option<(usize, String)> {
    let mut conditions: Vec<(usize, String)> = Vec::new();
    let mut is_marked = false;
    for (number, line) in (1..).zip(text.lines()) {
        let directive = line.trim_start().strip_prefix('#').map(str::trim);
        match directive.map(|directive| directive.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()) {
            Some("if" | "ifdef" | "ifndef") => conditions.push((number, line.trim().to_owned())),
            Some("else" | "elif") => {
                conditions.pop();
                conditions.push((number, line.trim().to_owned()));
            }
            Some("endif") => drop(conditions.pop()),
            Some(_) => {}
            None => {
                is_marked |= line.contains("__global__");
                let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                if is_marked && words.into_iter().any(|word| word == name) {
                    return conditions.pop();
                }
                is_marked &= !line.contains(['{', ';']);
            }
        }
    }
    None
}

/// The largest number of parts that are listed.
const MAX_LISTED: usize = 12;

/// Returns the parts separated by commas, with the number of those that are not listed.
#[must_use]
pub fn list_parts(parts: &[String]) -> String {
    let shown = parts.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match parts.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
