//! Questions about the index of a thread, sectors, tiles and banks: sessions 1 and 2.

use super::{Kind, Question, Random, WARP};
use common::format;
use emulator::WarpAccess;
use std::array::from_fn;

pub(super) static KINDS: [Kind; 8] = [
    Kind { name: "guard", session: 1, is_long: false, range: 4..=16, make: guard },
    Kind { name: "index", session: 1, is_long: false, range: 65..=10_240, make: index },
    Kind { name: "sectors", session: 1, is_long: true, range: 8..=32, make: sectors },
    Kind { name: "records", session: 1, is_long: true, range: 12..=32, make: records },
    Kind { name: "barriers", session: 2, is_long: false, range: 32..=1024, make: barriers },
    Kind { name: "conflict", session: 2, is_long: false, range: 1..=32, make: conflict },
    Kind { name: "bank", session: 2, is_long: true, range: 1..=31, make: bank },
    Kind { name: "tile", session: 2, is_long: true, range: 8192..=1_048_576, make: tile },
];

/// Returns the addresses of the lanes of a warp.
fn lanes(address: impl Fn(u64) -> u64) -> [u64; WARP as usize] {
    from_fn(|lane| address(lane as u64))
}

/// Returns the number of sectors of a load of `bytes` bytes per lane.
fn sectors_of(bytes: u32, address: impl Fn(u64) -> u64) -> u64 {
    WarpAccess { addresses: &lanes(address), active: u32::MAX, bytes }.sectors()
}

fn guard(random: &mut Random) -> Question {
    let block = random.pick(&[64, 128, 256]);
    let n = random.within(block * 4..=block * 16 - 2) / 10 * 10 + 1;
    let blocks = n.div_ceil(block);
    let idle = blocks * block - n;
    Question {
        text: format!(
            "{} elements are handled by blocks of {block} threads, one element per thread. How many blocks does the launch need, and how \
             many threads have no element?",
            format::thousands(n)
        ),
        answer: vec![(blocks, "blocks"), (idle, "threads")],
        derivation: format!("{n} ÷ {block}, rounded up, is {blocks}; {blocks} × {block} − {n} = {idle}."),
    }
}

fn index(random: &mut Random) -> Question {
    let block = random.pick(&[64, 128, 192, 256]);
    let number = random.within(1..=38);
    let thread = random.within(1..=block - 1);
    let element = number * block + thread;
    let lane = thread % WARP;
    Question {
        text: format!(
            "Blocks have {block} threads. Which element has thread {thread} of block {number}, if thread i of the launch has element i? And \
             which lane of its warp is it?"
        ),
        answer: vec![(element, "is the element"), (lane, "is the lane")],
        derivation: format!("{number} × {block} + {thread} = {element}; {thread} mod 32 = {lane}."),
    }
}

fn sectors(random: &mut Random) -> Question {
    let (kind, bytes) = random.pick(&[("float", 4), ("double", 8)]);
    let stride = random.within(2..=8);
    let touched = sectors_of(bytes, |lane| lane * stride * u64::from(bytes));
    let used = WARP * u64::from(bytes);
    let moved = touched * 32;
    Question {
        text: format!(
            "A warp loads `a[{stride} * t]`, in which t is the lane, and `{kind} *a` is a multiple of 128 bytes. How many sectors of 32 bytes \
             does the load touch? What percentage of their bytes is used, rounded down?"
        ),
        answer: vec![(touched, "sectors"), (100 * used / moved, "%")],
        derivation: format!(
            "Lanes are {} bytes apart: {touched} sectors are {moved} bytes, of which {WARP} × {bytes} = {used} are used.",
            stride * u64::from(bytes)
        ),
    }
}

fn records(random: &mut Random) -> Question {
    let floats = random.within(3..=12);
    let field = random.within(0..=floats - 1);
    let rows = sectors_of(4, |lane| 4 * (lane * floats + field));
    let arrays = sectors_of(4, |lane| 4 * lane);
    Question {
        text: format!(
            "Record i of an array has {floats} floats, and lane t of a warp loads float {field} (counted from 0) of record t. The array begins \
             at a multiple of 128 bytes. How many sectors does the load touch? And how many, if each field has an array of its own, which begins \
             there too?"
        ),
        answer: vec![(rows, "sectors"), (arrays, "sectors")],
        derivation: format!(
            "Lanes are {} bytes apart, from byte {} on: {rows}. Neighbors: 128 bytes, {arrays}.",
            4 * floats,
            4 * field
        ),
    }
}

fn barriers(random: &mut Random) -> Question {
    let block = random.pick(&[128, 256, 512]);
    let tiles = random.within(4..=32);
    let warps = block / WARP;
    let executed = block / WARP * tiles * 2;
    Question {
        text: format!(
            "A block of {block} threads goes through {tiles} tiles, with two barriers for each. How many barriers are executed, counted per \
             warp?"
        ),
        answer: vec![(executed, "barriers")],
        derivation: format!("{warps} warps × {tiles} × 2 = {executed}."),
    }
}

fn conflict(random: &mut Random) -> Question {
    let stride = random.within(2..=40);
    let addresses = lanes(|lane| 4 * lane * stride);
    let (wavefronts, _) = WarpAccess { addresses: &addresses, active: u32::MAX, bytes: 4 }.wavefronts(true);
    Question {
        text: format!(
            "Lane t of a warp reads word {stride} × t of shared memory. In how many turns (wavefronts) does it take place? How many different banks \
             have a word of the warp?"
        ),
        answer: vec![(wavefronts, "turns"), (WARP / wavefronts, "banks")],
        derivation: format!("{stride} × t mod 32 has {} different values in 32 lanes.", WARP / wavefronts),
    }
}

fn bank(random: &mut Random) -> Question {
    loop {
        let width = random.within(33..=40);
        let row = random.within(1..=20);
        let column = (WARP - row * width % WARP) % WARP;
        // In a narrow strip of columns, the row has a second such word, 32 columns on.
        if column >= width - WARP {
            let first = row * width;
            return Question {
                text: format!(
                    "`float tile[32][{width}]` is in shared memory, and `tile[0][0]` is in bank 0. In which column of row {row} is the word of bank 0?"
                ),
                answer: vec![(column, "is the column")],
                derivation: format!(
                    "tile[{row}][0] is word {first}, in bank {}; {} more words to the next multiple of 32.",
                    first % WARP,
                    column
                ),
            };
        }
    }
}

fn tile(random: &mut Random) -> Question {
    let n = random.pick(&[512, 1024, 2048, 4096]);
    let block = random.pick(&[64, 128, 256]);
    let arrays = random.within(1..=2);
    let warps = n / WARP;
    let direct = warps * n * arrays;
    let tiled = warps * (n / block) * arrays;
    let what = if arrays == 1 { "one array" } else { "two arrays" };
    Question {
        text: format!(
            "{} threads in blocks of {block} read {what} of {} floats each: every thread needs every element. How many load requests do the \
             warps make in this loop, if each thread reads from global memory itself? And how many with tiles of {block} elements?",
            format::thousands(n),
            format::thousands(n)
        ),
        answer: vec![(direct, "requests"), (tiled, "requests with tiles")],
        derivation: format!(
            "{warps} warps × {n} elements × {arrays}; with tiles {warps} warps × {} tiles × {arrays}.",
            n / block
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the numbers in a text.
    fn numbers(text: &str) -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    }

    #[test]
    fn sectors_are_those_of_the_bytes_that_lanes_touch() {
        for seed in 0..1000 {
            let question = sectors(&mut Random(seed));
            let stride = numbers(&question.text)[0];
            let bytes = if question.text.contains("double") { 8 } else { 4 };
            let touched = (0..32).flat_map(|lane| (0..bytes).map(move |byte| (lane * stride * bytes + byte) / 32));
            assert_eq!(question.answer[0].0, touched.collect::<BTreeSet<_>>().len() as u64, "{}", question.text);
        }
    }

    #[test]
    fn the_word_of_a_bank_is_the_only_one_of_its_row() {
        for seed in 0..1000 {
            let question = bank(&mut Random(seed));
            let [_, width, _, _, _, row, _] = numbers(&question.text)[..] else { panic!("{}", question.text) };
            let columns: Vec<u64> = (0..width).filter(|column| (row * width + column) % 32 == 0).collect();
            assert_eq!(columns, [question.answer[0].0], "{}", question.text);
        }
    }

    #[test]
    fn turns_are_the_words_of_the_fullest_bank() {
        for seed in 0..1000 {
            let question = conflict(&mut Random(seed));
            let stride = numbers(&question.text)[0];
            let of_bank = |bank| (0..32).filter(|lane| lane * stride % 32 == bank).count() as u64;
            assert_eq!(question.answer[0].0, (0..32).map(of_bank).max().unwrap(), "{}", question.text);
        }
    }
}
