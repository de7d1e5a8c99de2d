//! Kernels' names in the source and in PTX, in which C++ functions without `extern "C"` have mangled ones: `_Z5scalePfi`.

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
pub fn is_of(symbol: &str, name: &str) -> bool {
    let name = without_arguments(name);
    let parts = lengths(name);
    let mangled = if name.contains("::") { format!("_ZN{parts}") } else { format!("_Z{parts}") };
    // Members of an unnamed namespace have a part of that name first.
    symbol.starts_with(&mangled)
        || symbol.starts_with("_ZN") && symbol.contains("_GLOBAL__N_") && symbol.contains(&parts)
}

/// Returns whether a symbol of a template has the arguments of the name: `_Z5timesIfLi3EEvPT_` those of `times<float, 3>`. Numbers,
/// the types of C++ and types outside of namespaces are compared; with another argument, every symbol has them.
pub fn has_arguments(symbol: &str, name: &str) -> bool {
    let parts = lengths(without_arguments(name));
    let arguments = name.split_once('<').and_then(|(_, rest)| rest.trim_end().strip_suffix('>'));
    let (Some(arguments), Some((_, mut rest))) = (arguments, symbol.split_once(&format!("{parts}I"))) else {
        return true;
    };
    for argument in arguments.split(',') {
        let argument = argument.split_whitespace().collect::<Vec<_>>().join(" ");
        let known = TYPES.iter().find(|(name, _)| *name == argument).map(|(_, code)| (*code).to_owned());
        let is_number = !argument.is_empty() && argument.chars().all(|character| character.is_ascii_digit());
        let is_name = argument.chars().all(|character| character.is_alphanumeric() || character == '_');
        let after = match known {
            Some(code) => rest.strip_prefix(&code),
            // `Li3E`: the letter is the type of the parameter.
            None if is_number => rest.get(2..).and_then(|end| end.strip_prefix(&format!("{argument}E"))),
            None if argument == "true" || argument == "false" => {
                rest.strip_prefix(if argument == "true" { "Lb1E" } else { "Lb0E" })
            }
            None if is_name => rest.strip_prefix(&lengths(&argument)),
            None => return true,
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.starts_with('E')
}

/// Returns a function's name in the source: `scale` of `_Z5scalePfi`, `a::scale` of `_ZN1a5scaleEPf`. Symbols of templates and other
/// symbols stay.
pub fn in_source(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return symbol.to_owned() };
    let (mut rest, is_nested) = mangled.strip_prefix('N').map_or((mangled, false), |rest| (rest, true));
    let mut parts = Vec::new();
    while let Some((part, after)) = first_part(rest) {
        parts.push(part);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_templates_are_compared() {
        let symbol = "_Z5timesIfLi3EEvPT_i";
        for name in ["times<float, 3>", "times<float,3>", "times", "times<float, N + 1>"] {
            assert!(is_of(symbol, name) && has_arguments(symbol, name), "{name}");
        }
        for name in ["times<double, 3>", "times<float, 4>", "times<float>", "times<float, 3, 1>"] {
            assert!(is_of(symbol, name) && !has_arguments(symbol, name), "{name}");
        }
        assert!(has_arguments("_ZN1a4fillI4BodyjLb1EEvPT_", "a::fill<Body, unsigned int, true>"));
    }

    #[test]
    fn names_in_the_source_are_read() {
        assert_eq!(in_source("_Z5scalePfi"), "scale");
        assert_eq!(in_source("_ZN1a5scaleEPf"), "a::scale");
        for symbol in ["scale", "_Z5timesIfLi3EEvPT_i", "_ZN12_GLOBAL__N_1", "_Z", "_Z99x"] {
            assert_eq!(in_source(symbol), symbol);
        }
    }
}
