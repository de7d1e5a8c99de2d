//! Mutations of PTX: of bytes, tokens and lines.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Words that replace others: extreme numbers, and words of the grammar.
const WORDS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0x",
    "0xFFFFFFFFFFFFFFFF",
    "0f",
    "0f7FC00000",
    "0d7FF8000000000000",
    "1e400",
    ".b8",
    ".b128",
    ".f64",
    ".pred",
    ".v4",
    ".shared",
    ".param",
    ".const",
    ".local",
    ".global",
    ".align",
    ".reg",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    "%tid.x",
    "%p1",
    "%r1",
    "%rd1",
    "_",
    "bar.sync",
    "bra",
    "call",
    "ret",
];

/// Punctuation that replaces or is added to other text.
const MARKS: [&str; 16] = [";", ",", "{", "}", "[", "]", "(", ")", "<", ">", ":", "|", "@", "!", "+", "="];

/// Returns `text` with one to four mutations, which the seed determines.
pub fn mutate(text: &[u8], seed: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut damaged = text.to_vec();
    for _ in 0..random.random_range(1..5) {
        damaged = damage(damaged, &mut random);
    }
    damaged
}

fn damage(mut text: Vec<u8>, random: &mut ChaCha8Rng) -> Vec<u8> {
    if text.is_empty() {
        return text;
    }
    let at = random.random_range(0..text.len());
    match random.random_range(0..8) {
        0 => text[at] = random.random(),
        1 => text[at] ^= 1 << random.random_range(0..8),
        2 => text.truncate(at),
        3 => drop(text.drain(at..(at + random.random_range(1..64)).min(text.len()))),
        4 | 5 => return parts(&text, random, |byte| byte.is_ascii_alphanumeric() || b"._%$".contains(&byte)),
        _ => return parts(&text, random, |byte| byte != b'\n'),
    }
    text
}

/// Deletes, repeats, swaps or replaces a part. A part is a run of bytes for which `inside` is true, or a single other byte.
fn parts(text: &[u8], random: &mut ChaCha8Rng, inside: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = text.chunk_by(|&left, &right| inside(left) && inside(right)).collect();
    let at = random.random_range(0..parts.len());
    let other = random.random_range(0..parts.len());
    match random.random_range(0..5) {
        0 => drop(parts.remove(at)),
        1 => parts.insert(other, parts[at]),
        2 => parts.swap(at, other),
        3 => parts[at] = WORDS[random.random_range(0..WORDS.len())].as_bytes(),
        _ => parts.insert(at, MARKS[random.random_range(0..MARKS.len())].as_bytes()),
    }
    parts.concat()
}
