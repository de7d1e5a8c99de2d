//! Arrays in shared memory: their names and elements in the source.

/// Returns a variable's name in the source: `tile` of `_ZZ5scalePfE4tile`. Other names stay. NVRTC puts the function's name and a
/// number before it, and a number after one of several variables with the same name.
pub fn variable_in_source(name: &str) -> &str {
    let Some((_, mangled)) = name.rsplit_once("_ZZ") else { return name };
    let after = |place: usize| {
        let rest = &mangled[place + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let count = rest[..digits].parse().ok()?;
        let rest = &rest[digits..];
        let is_end = rest.get(count..).is_some_and(|end| end.is_empty() || end.starts_with('_'));
        is_end.then(|| &rest[..count])
    };
    mangled.match_indices('E').find_map(|(place, _)| after(place)).unwrap_or(name)
}

/// The characters between the name of an array and the index of an element that NVRTC made a variable of its own.
const ELEMENT: &str = "_$_";

/// Returns a variable's name in the source and, for an element of an array that NVRTC made a variable of its own, its indices: `total`
/// and 31 of `_ZZ1kPfE5total_$_31`.
pub fn element_of_variable(name: &str) -> (&str, Vec<u64>) {
    let mut parts = name.split(ELEMENT);
    let whole = parts.next().unwrap_or_default();
    let indices = parts.map(|index| index.parse().ok()).collect::<Option<_>>();
    indices.map_or_else(|| (variable_in_source(name), Vec::new()), |indices| (variable_in_source(whole), indices))
}

/// Returns the element of an array in shared memory of CUDA C++ that holds a byte of a variable in PTX: `tile[1][2]`. `None` if the text does not say the
/// size of its elements or of a row in numbers.
pub(crate) fn element_in_source(text: &str, variable: &str, byte: u64) -> Option<String> {
    let (name, own) = element_of_variable(variable);
    let statements = text.split("__shared__ ").skip(1).filter_map(|rest| rest.split(';').next());
    let found = statements.filter_map(|statement| {
        let (ty, arrays) = statement.split_once(' ')?;
        arrays.split(',').find_map(|array| Some((ty, array.trim().strip_prefix(name)?.trim().strip_prefix('[')?)))
    });
    let (ty, lengths) = found.into_iter().next()?;
    let lengths: Vec<&str> = lengths.strip_suffix(']')?.split("][").collect();
    let mut index = byte / bytes_of(ty)?;
    let mut indices = Vec::new();
    for length in lengths.get(own.len().max(1)..)?.iter().rev() {
        let length: u64 = length.trim().parse().ok().filter(|length| *length > 0)?;
        indices.push(index % length);
        index /= length;
    }
    if own.is_empty() {
        indices.push(index);
    }
    indices.extend(own.iter().rev());
    Some(indices.iter().rev().fold(name.to_owned(), |text, index| format!("{text}[{index}]")))
}

fn bytes_of(ty: &str) -> Option<u64> {
    match ty {
        "float" | "int" | "unsigned" => Some(4),
        "double" | "float2" | "int2" => Some(8),
        "float4" | "int4" => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_named_as_in_the_source() {
        let text =
            "__shared__ float tile_x[128], tile_p[128];\n  __shared__ double tile[2][5];\n__shared__ T other[8];";
        assert_eq!(element_in_source(text, "tile_x", 416).as_deref(), Some("tile_x[104]"));
        assert_eq!(element_in_source(text, "tile_p", 8).as_deref(), Some("tile_p[2]"));
        assert_eq!(element_in_source(text, "tile", 8 * 7).as_deref(), Some("tile[1][2]"));
        assert_eq!(element_in_source(text, "_ZZ1kPfE6tile_p_$_31", 0).as_deref(), Some("tile_p[31]"));
        assert_eq!(element_in_source(text, "_ZZ1kPfE4tile_$_1", 16).as_deref(), Some("tile[1][2]"));
        assert_eq!(element_in_source(text, "_ZZ1kPfE4tile_$_1_$_2", 0).as_deref(), Some("tile[1][2]"));
        assert_eq!(element_in_source(text, "other", 4), None);
        assert_eq!(element_in_source("__shared__ float t[2][N];", "t", 4), None);
    }
}
