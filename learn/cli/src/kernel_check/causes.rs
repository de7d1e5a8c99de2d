//! Why lines cost more than they must, in the order of what that costs.

use super::costs::{Costs, Line, loaded, percent};
use emulator::Counters;
use judge::group_digits;
use predict::Gpu;
use serde::Serialize;
use std::collections::BTreeMap;

/// The part of the kernel's work, in percent, from which on a cause is worth a line.
const LEAST_PERCENT: f64 = 5.0;

/// The work that a cause must cost: of a first try with a few warps, nothing is said.
const LEAST_MILLICYCLES: u64 = 100_000;

/// The part of the instructions, in percent, from which on a line is worth one, if instructions limit the kernel.
const LARGE_PERCENT: f64 = 30.0;

/// The part of the usual lanes below which the lanes of a line are few.
const FEW: f64 = 0.9;

/// The same for the line of the branch itself, as for a loop in one line.
const FEW_OF_BRANCH: f64 = 0.5;

/// The lanes of a warp.
const LANES: f64 = 32.0;

/// A reason why a line costs more than it must.
#[derive(Clone, Debug, Serialize)]
pub struct Cause {
    /// The source file, as of [`Line`].
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// The kind.
    pub kind: Kind,
    /// The reason in words, with its counts.
    pub text: String,
    /// The part of the kernel's work that would be saved, in percent.
    pub saves_percent: f64,
    #[serde(skip)]
    saves: u64,
}

/// The kinds of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Lanes of a warp access different words of one bank of shared memory.
    BankConflicts,
    /// Requests touch more sectors than their bytes would fill.
    UnusedSectors,
    /// Lanes of a warp are idle behind a branch.
    Divergence,
    /// An array or a spilled register is in local memory.
    LocalMemory,
    /// Lanes of a warp add to one address.
    AtomicsOnOneAddress,
    /// Lanes of a warp read different constants, which takes one after the other.
    ConstantAddresses,
    /// A large part of the instructions, of a kernel that they limit. Nothing tells that fewer would do.
    Instructions,
}

impl Kind {
    /// The kinds that tell what could be saved.
    pub const ALL: [Self; 6] = [
        Self::BankConflicts,
        Self::UnusedSectors,
        Self::Divergence,
        Self::LocalMemory,
        Self::AtomicsOnOneAddress,
        Self::ConstantAddresses,
    ];

    /// Returns the name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::BankConflicts => "bank-conflicts",
            Self::UnusedSectors => "unused-sectors",
            Self::Divergence => "divergence",
            Self::LocalMemory => "local-memory",
            Self::AtomicsOnOneAddress => "atomics-on-one-address",
            Self::ConstantAddresses => "constant-addresses",
            Self::Instructions => "instructions",
        }
    }
}

/// Returns the causes that are worth a line, those first that cost most, and for a kernel that instructions limit the line with most
/// of them.
pub fn causes(costs: &Costs, gpu: &Gpu, of_instructions: bool) -> Vec<Cause> {
    let of_line = |line: &Line| {
        let cause = |(kind, saves, text): (Kind, u64, String)| Cause {
            file: line.file.clone(),
            line: line.line,
            kind,
            text,
            saves_percent: percent(saves, costs.work),
            saves,
        };
        let found = [
            bank_conflicts(line, gpu),
            unused_loads(line, gpu),
            unused_stores(line, gpu),
            local_memory(line, gpu),
            one_address(line, gpu),
            constants(line, gpu),
        ];
        found.into_iter().flatten().map(cause).collect::<Vec<_>>()
    };
    let mut causes: Vec<Cause> = costs.lines.iter().flat_map(of_line).chain(divergence(costs, gpu)).collect();
    causes.retain(|cause| cause.saves_percent >= LEAST_PERCENT && cause.saves >= LEAST_MILLICYCLES);
    causes.sort_by_key(|cause| (std::cmp::Reverse(cause.saves), cause.line, cause.kind));
    causes.extend(busiest(costs).filter(|_| of_instructions));
    causes
}

/// Returns the line with most instructions, if it has a large part of them.
fn busiest(costs: &Costs) -> Option<Cause> {
    let line = costs.lines.iter().max_by_key(|line| line.counters.warp_instructions)?;
    let part = percent(line.counters.warp_instructions, costs.total.warp_instructions);
    let text = format!("{part} % of the issued instructions");
    let cause = Cause {
        file: line.file.clone(),
        line: line.line,
        kind: Kind::Instructions,
        text,
        saves_percent: 0.0,
        saves: 0,
    };
    (part >= LARGE_PERCENT).then_some(cause)
}

/// Returns the work that a line would save with other counters.
fn saved(line: &Line, gpu: &Gpu, change: impl FnOnce(&mut Counters)) -> u64 {
    let mut best = line.counters;
    change(&mut best);
    line.work.saturating_sub(gpu.work(&best))
}

type Found = Option<(Kind, u64, String)>;

fn bank_conflicts(line: &Line, gpu: &Gpu) -> Found {
    let (wavefronts, conflicts) = line.wavefronts();
    let saves = saved(line, gpu, |best| {
        best.shared_load_wavefronts -= best.shared_load_conflicts;
        best.shared_store_wavefronts -= best.shared_store_conflicts;
        best.shared_atomic_wavefronts -= best.shared_atomic_conflicts.min(best.shared_atomic_wavefronts);
    });
    let counters = &line.counters;
    let requests = counters.shared_load_requests + counters.shared_store_requests + counters.shared_atomic_requests;
    let [each, of_conflicts] = [wavefronts, conflicts].map(|count| per(count, requests));
    let text = format!("bank conflicts: {of_conflicts} of {each} wavefronts of a request to shared memory");
    (conflicts > 0).then_some((Kind::BankConflicts, saves, text))
}

fn unused_loads(line: &Line, gpu: &Gpu) -> Found {
    let (sectors, least) = (loaded(&line.counters), line.shape.loaded.least_sectors);
    let saves = saved(line, gpu, |best| (best.global_load_sectors, best.async_copy_sectors) = (least.min(sectors), 0));
    let requests = line.counters.global_load_requests + line.counters.async_copy_requests;
    let text = unused("load", line.loaded_used_percent, sectors, least, requests);
    (sectors > least).then_some((Kind::UnusedSectors, saves, text))
}

fn unused_stores(line: &Line, gpu: &Gpu) -> Found {
    let (sectors, least) = (line.counters.global_store_sectors, line.shape.stored.least_sectors);
    let saves = saved(line, gpu, |best| best.global_store_sectors = least.min(sectors));
    let text = unused("store", line.stored_used_percent, sectors, least, line.counters.global_store_requests);
    (sectors > least).then_some((Kind::UnusedSectors, saves, text))
}

fn unused(what: &str, used: Option<f64>, sectors: u64, least: u64, requests: u64) -> String {
    let used = used.unwrap_or(100.0);
    let [sectors, least] = [sectors, least].map(|count| per(count, requests));
    format!("{used} % of each sector used: {sectors} sectors a {what}, {least} would do")
}

/// Returns for each branch that diverges what the lines behind it cost more.
fn divergence(costs: &Costs, gpu: &Gpu) -> Vec<Cause> {
    let usual = costs.usual_lanes();
    let mut behind: BTreeMap<(Option<&str>, u32), Behind> = BTreeMap::new();
    for line in &costs.lines {
        let Some(branch) = line.branch else { continue };
        // The line of a branch has instructions before it, which all lanes execute.
        let few = if branch == line.line { FEW_OF_BRANCH } else { FEW };
        if line.lanes >= few * usual {
            continue;
        }
        let all = saved(line, gpu, |best| (best.warp_instructions, best.classes) = Default::default());
        let sum = behind.entry((line.file.as_deref(), branch)).or_default();
        sum.saves += (all as f64 * (1.0 - line.lanes / usual)) as u64;
        sum.warps += line.counters.warp_instructions;
        sum.threads += line.counters.thread_instructions;
        let (first, last) = sum.lines.unwrap_or((line.line, line.line));
        sum.lines = Some((first.min(line.line), last.max(line.line)));
    }
    let cause = |((file, branch), Behind { saves, warps, threads, lines }): ((Option<&str>, u32), Behind)| {
        let lines = match lines {
            Some((first, last)) if first < last => format!("lines {first} to {last}"),
            _ => format!("line {}", lines.map_or(branch, |(first, _)| first)),
        };
        let text = format!(
            "a branch that diverges: {} of {LANES} lanes execute the {} instructions of {lines}",
            per(threads, warps),
            group_digits(warps as f64)
        );
        let file = file.map(str::to_owned);
        Cause { file, line: branch, kind: Kind::Divergence, text, saves_percent: percent(saves, costs.work), saves }
    };
    behind.into_iter().map(cause).collect()
}

/// The lines behind a branch that only some lanes execute.
#[derive(Default)]
struct Behind {
    saves: u64,
    warps: u64,
    threads: u64,
    lines: Option<(u32, u32)>,
}

fn local_memory(line: &Line, gpu: &Gpu) -> Found {
    let Counters { local_load_requests: loads, local_store_requests: stores, .. } = line.counters;
    let saves = saved(line, gpu, |best| {
        (best.local_load_sectors, best.local_store_sectors) = (0, 0);
    });
    let sectors = line.counters.local_load_sectors + line.counters.local_store_sectors;
    let text = format!(
        "local memory: {} requests of {} sectors, for an array whose index is computed or for spilled registers",
        group_digits((loads + stores) as f64),
        per(sectors, loads + stores)
    );
    (sectors > 0).then_some((Kind::LocalMemory, saves, text))
}

fn one_address(line: &Line, gpu: &Gpu) -> Found {
    let shape = &line.shape;
    let requests = line.counters.global_atomic_requests;
    let saves = saved(line, gpu, |best| {
        best.global_atomic_sectors = best.global_atomic_sectors * shape.atomic_addresses / shape.atomic_lanes.max(1);
    });
    let text = format!(
        "atomics on one address: {} lanes of a warp add to {}",
        per(shape.atomic_lanes, requests),
        match per(shape.atomic_addresses, requests) {
            one if one == "1" => "one address".to_owned(),
            several => format!("{several} addresses"),
        }
    );
    (shape.atomic_lanes > shape.atomic_addresses).then_some((Kind::AtomicsOnOneAddress, saves, text))
}

fn constants(line: &Line, gpu: &Gpu) -> Found {
    let Counters { constant_load_requests: requests, constant_load_addresses: addresses, .. } = line.counters;
    let saves = saved(line, gpu, |best| best.constant_load_addresses = requests);
    let text = format!("constants: {} addresses of a load, read one after the other", per(addresses, requests));
    (addresses > requests).then_some((Kind::ConstantAddresses, saves, text))
}

/// Returns a quotient with at most one digit after the point.
fn per(count: u64, requests: u64) -> String {
    rounded(count as f64 / requests.max(1) as f64)
}

fn rounded(value: f64) -> String {
    format!("{}", (value * 10.0).round() / 10.0)
}
