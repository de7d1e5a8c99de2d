//! The JSON record of an outcome.

use super::{Row, Verdict};
use crate::ranks::measure::Times;
use crate::ranks::model::Link;
use crate::ranks::rank::Rank;
use crate::ranks::tape::{Counts, Span};
use common::Error;
use common::device::Backend;
use common::format::now;
use common::kernel::{self, KernelSource};
use common::report::Language;
use serde::Serialize;

/// The results of one strategy at one size on these ranks. A field without a value is null.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The crate of the stage.
    pub stage: &'static str,
    /// The letter of the problem.
    pub problem: &'static str,
    /// The name of the strategy.
    pub kernel: &'static str,
    /// The language of the kernels. Records made before 2026-11-23 have `in_rust` instead.
    pub language: Language,
    /// The version of its kernels ([`common::kernel::version`]); null if one was compiled at run time.
    pub kernel_sha256: Option<String>,
    /// The number of bodies, integers or atoms.
    pub size: usize,
    /// The seed of the inputs.
    pub seed: u64,
    /// The number of ranks.
    pub ranks: usize,
    /// The number of ranks per machine; null if they do not divide evenly.
    pub ranks_each_machine: Option<usize>,
    /// The name of the device.
    pub device: String,
    /// The driver or emulator that ran the kernels.
    pub backend: Backend,
    /// The version of the driver.
    pub driver: String,
    /// The date and time, in UTC.
    pub date: String,
    /// Whether all results of all ranks were correct.
    pub verified: bool,
    /// The reason if it did not run.
    pub left_out: Option<String>,
    /// The counts of rank 0.
    pub counts: Counts,
    /// Times in milliseconds; null on the emulator.
    pub times_ms: Option<Times>,
    /// The speedup over one GPU.
    pub speedup: Option<f64>,
    /// The speedup divided by the number of ranks.
    pub efficiency: Option<f64>,
    /// The fraction of the shorter of compute and exchange that overlaps with the other.
    pub overlap: Option<f64>,
    /// The link, as measured at the start of the job.
    pub link: Option<Link>,
    /// The predicted time in milliseconds.
    pub predicted_ms: Option<f64>,
    /// The minimum time in milliseconds to transfer its bytes over the link.
    pub at_link_ms: Option<f64>,
    /// The kernels and transfers of each rank in one step; empty on the emulator.
    pub timelines: Vec<Vec<Span>>,
}

impl Record {
    /// Returns the record of a row, with the current date.
    #[must_use]
    pub fn new(rank: &Rank, link: Option<Link>, row: &Row, timelines: Vec<Vec<Span>>) -> Self {
        let outcome = &row.outcome;
        let device = &rank.device;
        let ranks = rank.devices;
        let speedup = outcome.times.map(|times| times.speedup());
        let left_out = match &outcome.verdict {
            Verdict::LeftOut(reason) | Verdict::Failed(reason) => Some(reason.clone()),
            Verdict::Right | Verdict::Wrong => None,
        };
        Self {
            stage: env!("CARGO_PKG_NAME"),
            problem: row.strategy.facts().letter,
            kernel: row.strategy.name(),
            language: Language::rust_if(rank.in_rust),
            kernel_sha256: version(&row.strategy.sources(), rank.in_rust),
            size: row.size.n,
            seed: row.size.seed,
            ranks,
            ranks_each_machine: rank.machines.ranks_each,
            device: device.name.clone(),
            backend: device.backend,
            driver: device.driver.clone(),
            date: now(),
            verified: outcome.verdict == Verdict::Right,
            left_out,
            counts: outcome.counts,
            times_ms: outcome.times,
            speedup,
            efficiency: speedup.map(|speedup| speedup / ranks as f64),
            overlap: outcome.times.and_then(|times| times.overlap()),
            link,
            predicted_ms: row.predicted,
            at_link_ms: row.at_link,
            timelines,
        }
    }
}

/// Returns the version of these kernels, unless the program's PTX was made from a different text.
pub fn version(sources: &[KernelSource], in_rust: bool) -> Option<String> {
    let written: Vec<&KernelSource> = sources.iter().map(|source| source.written(in_rust)).collect();
    let are_prebuilt = written.iter().all(|source| source.ptx_is_of(&source.current_text()));
    are_prebuilt.then(|| kernel::version(written))
}

/// Gathers the timelines of all ranks, whose steps have the same entries. A collective call.
///
/// # Errors
/// [`Error::Driver`].
pub fn timelines(rank: &Rank, own: &[Span]) -> Result<Vec<Vec<Span>>, Error> {
    // A rank in the middle of a ring may have one more entry than a rank at its end.
    let longest = rank.largest(&[own.len() as f64])?[0] as usize;
    if longest == 0 {
        return Ok(Vec::new());
    }
    let mut times: Vec<f64> = own.iter().flat_map(|span| [span.begin, span.end]).collect();
    times.resize(2 * longest, f64::NAN);
    let all = rank.gather(&times)?;
    let spans = |times: &[f64]| -> Vec<Span> {
        let (pairs, _) = times.as_chunks::<2>();
        let named = own.iter().zip(pairs).filter(|(_, [begin, _])| !begin.is_nan());
        named.map(|(span, &[begin, end])| Span { begin, end, ..span.clone() }).collect()
    };
    Ok(all.chunks_exact(2 * longest).map(spans).collect())
}
