//! Lists of values in test data: `1 2 3`, `0..=31`, `0..=124 by 4`, `[7; 32]`, `[1 2; 16]`, `_`.

use super::value::Type;

/// Parses a list, in which `_` is an unwritten value.
pub fn parse(kind: Type, text: &str) -> Result<Vec<Option<u64>>, String> {
    let spaced = text.replace('[', " [ ").replace(']', " ] ").replace(';', " ; ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let list = sequence(kind, &mut rest)?;
    if rest.is_empty() { Ok(list) } else { Err(format!("`{}` is not expected", rest[0])) }
}

fn sequence(kind: Type, rest: &mut &[&str]) -> Result<Vec<Option<u64>>, String> {
    let mut list = Vec::new();
    while let Some((&token, tail)) = rest.split_first() {
        match token {
            "]" | ";" => break,
            "[" => {
                *rest = tail;
                list.append(&mut repetition(kind, rest)?);
            }
            "_" => {
                *rest = tail;
                list.push(None);
            }
            _ if token.contains("..=") => {
                *rest = tail;
                let step = match *rest {
                    ["by", step, tail @ ..] => {
                        *rest = tail;
                        step.parse().map_err(|_| format!("`{step}` is not a step"))?
                    }
                    _ => 1,
                };
                list.append(&mut range(kind, token, step)?);
            }
            _ => {
                *rest = tail;
                list.push(Some(kind.parse(token)?));
            }
        }
    }
    Ok(list)
}

/// Parses `values; count]` after the opening bracket.
fn repetition(kind: Type, rest: &mut &[&str]) -> Result<Vec<Option<u64>>, String> {
    let values = sequence(kind, rest)?;
    let [";", count, "]", tail @ ..] = *rest else { return Err("`[values; count]` is expected".to_owned()) };
    let count = count.parse().map_err(|_| format!("`{count}` is not a count"))?;
    *rest = tail;
    Ok(std::iter::repeat_n(values, count).flatten().collect())
}

fn range(kind: Type, text: &str, step: i64) -> Result<Vec<Option<u64>>, String> {
    let bounds = text.split_once("..=").and_then(|(a, b)| Some((a.parse::<i64>().ok()?, b.parse::<i64>().ok()?)));
    let (first, last) = bounds.filter(|_| step != 0).ok_or_else(|| format!("`{text}` is not a range"))?;
    let count = (last - first) / step;
    (0..=count).map(|index| kind.parse(&(first + index * step).to_string()).map(Some)).collect()
}
