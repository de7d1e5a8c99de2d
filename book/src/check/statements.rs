//! The comparison of a card's statements, which use fixed phrases, with the stages' tables, the emulator's counters and the
//! records.

use super::kernel_file::KernelFile;
use super::{Material, Report, places_of};
use crate::fill::kernels::{STAGES, file};
use common::stage::{Blocks, Grid, Rung};
use emulator::Counters;

/// The launch of a kernel in a stage's table.
pub struct Launched {
    /// The rung; of the second kernel of a step, one of its own.
    pub rung: Rung,
    /// The stage; none for the second kernel of a step.
    stage: Option<&'static str>,
}

/// Returns the launches of a kernel's file, `stage01-naive/kernels/01_compute_forces.cu`, in the stage that contains it.
pub fn find_launches(name: &str) -> Vec<Launched> {
    let stage = STAGES.into_iter().find(|stage| name.starts_with(&format!("{}/", stage.name)));
    let rows = stage.into_iter().flat_map(|stage| stage.rungs.iter().map(|rung| (**rung, stage.name)));
    let launches = rows.flat_map(|(rung, stage)| {
        let companion = rung.companion.map(|(source, entry)| {
            let of_name = Rung::new(entry, source, rung.work);
            match rung.companion_shape {
                Some((grid, block, _)) => Rung { grid, blocks: Blocks::OneOf(vec![block].leak()), ..of_name },
                // It has a thread for as many elements, in blocks of any size.
                None => Rung { grid: rung.grid, ..of_name },
            }
        });
        [Some(Launched { rung, stage: Some(stage) }), companion.map(|rung| Launched { rung, stage: None })]
    });
    launches.flatten().filter(|launched| file(&launched.rung.source) == name).collect()
}

/// Compares a card with one of the launches of its file.
pub fn check(kernel: &KernelFile, launched: &Launched, material: &Material, report: &mut Report) {
    check_blocks(kernel, launched, report);
    check_grid(kernel, launched, report);
    check_shared_memory(kernel, launched, report);
    check_constants(kernel, launched, report);
    if let Some(stage) = launched.stage {
        check_rung_below(kernel, &launched.rung, report);
        check_measured(kernel, &launched.rung, stage, material, report);
    }
}

fn check_blocks(kernel: &KernelFile, launched: &Launched, report: &mut Report) {
    let mut add = |text: String| report.add(&kernel.file, kernel.line("launch"), text);
    let Some(stated) = stated_blocks(kernel) else {
        return add(
            "the card's launch says no size of block: write `any block`, `block = 256`, `block a multiple of 32`, \
                    `block a power of two in [32, 1024]`, or `block = BLOCK, which is in the name of the entry point`"
                .into(),
        );
    };
    if let Some(block) = (1..=1024).find(|block| launched.rung.blocks.accept(*block) && !stated.contains(block)) {
        add(format!("the stage's table launches blocks of {block} threads, which the card's launch does not allow"));
    }
}

/// Returns the block sizes that a card allows.
fn stated_blocks(kernel: &KernelFile) -> Option<Vec<u32>> {
    let launch = kernel.entry("launch");
    let multiples = |unit: u32| (1..=1024).filter(|block| unit > 0 && block % unit == 0).collect();
    if let Some(across) = number_after(launch, "block.x = ") {
        return Some(multiples(across));
    }
    if launch.contains("any block") {
        return Some(multiples(1));
    }
    if launch.contains("block = BLOCK, which is in the name of the entry point") {
        return Some(kernel.blocks_of_entry_points());
    }
    if let Some((_, range)) = launch.split_once("block a power of two in [") {
        let least = number_after(range, "")?;
        let most = number_after(range, ", ")?;
        return Some((least..=most).filter(|block| block.is_power_of_two()).collect());
    }
    number_after(launch, "block a multiple of ").map(multiples).or_else(|| {
        let only = number_after(launch, "block = BLOCK = ").or_else(|| number_after(launch, "block = "));
        only.map(|block| vec![block])
    })
}

/// Returns the number after the first occurrence of `words` in a text.
fn number_after(text: &str, words: &str) -> Option<u32> {
    let (_, rest) = text.split_once(words)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn check_grid(kernel: &KernelFile, launched: &Launched, report: &mut Report) {
    let launch = kernel.entry("launch");
    let each = |part: &str| ["block", "BLOCK"].map(|block| part.replace("block", block)).to_vec();
    let phrases = match launched.rung.grid {
        Grid::Covering(1) => {
            let mut phrases = [each("ceil(n / block)"), each("ceil(atom_count / block)")].concat();
            if let Blocks::OneOf(&[block]) = launched.rung.blocks {
                phrases.push(format!("ceil(n / {block})"));
            }
            phrases
        }
        Grid::Covering(elements) => each(&format!("ceil(n / ({elements} block))")),
        Grid::Stride(_) => vec!["any number of blocks".into()],
        // The grid is a function of the stage, which no fixed phrase can express.
        Grid::Computed(_) => return,
        Grid::Tiles { points: 1, .. } => vec!["ceil(width / block.x)".into()],
        Grid::Tiles { across, points } => vec![format!("ceil(width / {})", across * points)],
    };
    if !phrases.iter().any(|phrase| launch.contains(phrase)) {
        let text = format!("the card's launch does not say `{}`, as the stage's table does", phrases.join("` or `"));
        report.add(&kernel.file, kernel.line("launch"), text);
    }
}

fn check_shared_memory(kernel: &KernelFile, launched: &Launched, report: &mut Report) {
    const WORDS: &str = "of dynamic shared memory";
    let launch = kernel.entry("launch");
    let text = match launched.rung.shared_bytes_per_thread {
        0 if launch.contains(WORDS) => {
            format!("the card's launch speaks {WORDS}, of which the stage's table gives none")
        }
        bytes if bytes > 0 && !launch.contains(&format!("{bytes} * block bytes {WORDS}")) => {
            format!("the card's launch does not say `{bytes} * block bytes {WORDS}`, as the stage's table does")
        }
        _ => return,
    };
    report.add(&kernel.file, kernel.line("launch"), text);
}

/// Compares the constants in the code with those of the host.
fn check_constants(kernel: &KernelFile, launched: &Launched, report: &mut Report) {
    let (elements, across, points) = match launched.rung.grid {
        Grid::Covering(elements) => (Some(elements), None, None),
        Grid::Tiles { across, points } => (None, Some(across), Some(points)),
        Grid::Stride(_) | Grid::Computed(_) => (None, None, None),
    };
    let block = if let Blocks::OneOf(&[block]) = launched.rung.blocks { Some(block) } else { None };
    let table = [("PARTS", elements), ("BLOCK_X", across), ("POINTS", points), ("BLOCK", block)];
    let constants = if launched.stage.is_some() { launched.rung.work.facts().constants } else { &[] };
    let constants = constants.iter().map(|&(name, value)| (name, Some(value)));
    for (name, value) in table.into_iter().chain(constants) {
        let written = number_after(kernel.code, &format!(" {name} = "));
        if let (Some(written), Some(value)) = (written, value)
            && written != value
        {
            let line = kernel.line_of_code(&format!(" {name} = "));
            report.add(&kernel.file, line, format!("{name} is {written}, and {value} in the stage's table"));
        }
    }
}

/// Requires that the card names the file of the rung below: `02`, or `stage01's 02` if it is in another stage.
fn check_rung_below(kernel: &KernelFile, rung: &Rung, report: &mut Report) {
    let Some(below) = rung.below.map(|below| file(&below.source)).filter(|below| *below != kernel.file) else { return };
    let (stage, number) = stage_and_number(&below);
    let name = if stage_and_number(&kernel.file).0 == stage { number.into() } else { format!("{stage}'s {number}") };
    let is_named = ["bottleneck", "idea"].iter().any(|key| names_file(kernel.entry(key), &name));
    if !is_named {
        let text =
            format!("the card's bottleneck does not name `{name}`, the rung below in the stage's table ({below})");
        report.add(&kernel.file, kernel.line("bottleneck"), text);
    }
}

/// Returns whether a text contains a file's name: `01`, but not as part of `stage01's 01`.
fn names_file(text: &str, name: &str) -> bool {
    places_of(text, name).any(|place| name.len() > 2 || !text[..place].ends_with("'s "))
}

/// Returns `stage02` and `05` for `stage02-shared/kernels/05_reduce_smem.cu`.
fn stage_and_number(file: &str) -> (&str, &str) {
    let stage = file.split('-').next().unwrap_or_default();
    let number = file.rsplit('/').next().and_then(|name| name.split('_').next()).unwrap_or_default();
    (stage, number)
}

/// Requires that the counters in a card exist.
pub fn check_counters(kernel: &KernelFile, report: &mut Report) {
    let known = serde_json::to_value(Counters::default()).unwrap_or_default();
    for (key, text) in &kernel.card.entries {
        for part in text.split("Counter").skip(1) {
            let list = part.split_once(": ").map_or("", |(_, list)| list).split('.').next().unwrap_or_default();
            let words = list.split([' ', ',']).filter(|word| !word.is_empty());
            // The first word is always a counter; `and`, `over` and `their requests` may follow.
            let counters = words.enumerate().filter(|(index, word)| *index == 0 || word.contains('_'));
            for (_, counter) in counters.filter(|(_, word)| known.get(word).is_none()) {
                let text =
                    format!("there is no counter {counter}: emulator/machine/src/observers/counters.rs lists them");
                report.add(&kernel.file, kernel.line(key), text);
            }
        }
    }
}

/// A phrase of a card's `measured`, and whether the record confirms it. `ratio` is the time of the rung below divided by the
/// kernel's time.
type Phrase = (&'static str, fn(f64) -> bool);

const PHRASES: [Phrase; 5] = [
    ("less than half as fast", |ratio| ratio < 0.5),
    ("no faster", |ratio| ratio < 1.05),
    ("as slow as", |ratio| (0.95..1.05).contains(&ratio)),
    ("as fast as", |ratio| (0.95..1.05).contains(&ratio)),
    ("slower", |ratio| ratio < 0.95),
];

/// Compares a card's `measured` with the record.
fn check_measured(kernel: &KernelFile, rung: &Rung, stage: &str, material: &Material, report: &mut Report) {
    let text = kernel.entry("measured");
    // `records` reports a missing record as a notice.
    let Ok(records) = material.sources.records(stage) else { return };
    let Ok(Some(timed)) = records.find(rung.kernel) else { return };
    if text.is_empty() {
        return;
    }
    let mut add = |text: String| report.add(&kernel.file, kernel.line("measured"), text);
    let Some(below) = &timed.record.below else {
        return add(format!("the record of {} has no rung below to compare with: take `measured` out", rung.kernel));
    };
    let device = timed.record.device.split(' ').next_back().unwrap_or_default();
    if !text.contains(device) {
        add(format!("`measured` does not name the recorded device, {device}"));
    }
    let times_slower: Option<f64> =
        text.split_once(" times slower").and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    let is_so = match times_slower {
        Some(times) => Some((1.0 / below.ratio).round() == times),
        None => PHRASES.iter().find(|(phrase, _)| text.contains(phrase)).map(|(_, holds)| holds(below.ratio)),
    };
    match is_so {
        Some(true) => {}
        Some(false) => add(format!("the record says otherwise: {:.3} times as fast as {}", below.ratio, below.kernel)),
        None => {
            let phrases = PHRASES.map(|(phrase, _)| phrase).join("`, `");
            add(format!("`measured` says nothing that can be checked: write `{phrases}` or `8 times slower`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(launch: &str) -> Option<Vec<u32>> {
        let text = format!("// y = x\n//\n// launch    {launch}\n\nextern \"C\" __global__ void sum_64(int n) {{\n");
        stated_blocks(&KernelFile::new("stage01-x/kernels/01_x.cu".into(), &text))
    }

    #[test]
    fn a_launch_states_its_blocks() {
        assert_eq!(stated("any block").unwrap().len(), 1024);
        assert_eq!(stated("block = 256; n is free"), Some(vec![256]));
        assert_eq!(stated("block = BLOCK = 256"), Some(vec![256]));
        assert_eq!(stated("block = BLOCK, which is in the name of the entry point"), Some(vec![64]));
        assert_eq!(stated("block a power of two in [64, 256]"), Some(vec![64, 128, 256]));
        assert_eq!(stated("block a multiple of 512"), Some(vec![512, 1024]));
        assert_eq!(stated("block.x = 512, any block.y"), Some(vec![512, 1024]));
        assert_eq!(stated("as many as you like"), None);
    }

    #[test]
    fn files_are_named_by_stage_and_number() {
        assert_eq!(stage_and_number("stage02-shared/kernels/05_reduce_smem.cu"), ("stage02", "05"));
        assert!(names_file("02 has an entry point", "02") && names_file("stage01's 01: every warp", "stage01's 01"));
        assert!(!names_file("stage01's 01: every warp", "01") && !names_file("102 and 02x", "02"));
    }
}
