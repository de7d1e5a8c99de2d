//! One rung's outcome as JSON.

use super::{Row, Verdict};
use crate::measure::Times;
use crate::model::Link;
use crate::rank::Rank;
use crate::tape::{Counts, Span};
use common::Error;
use common::device::Backend;
use common::kernel::{self, KernelSource};
use common::report::now;
use serde::Serialize;

/// Everything about one rung at one size on these ranks. A field that cannot be had is null.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Crate of the stage.
    pub stage: &'static str,
    /// Letter of the problem.
    pub problem: &'static str,
    /// Name of the rung.
    pub rung: &'static str,
    /// Whether its kernels are the twins in Rust.
    pub in_rust: bool,
    /// Which version of its kernels ran ([`common::kernel::version`]); null where one was compiled on the machine.
    pub kernel_sha256: Option<String>,
    /// Bodies, integers or atoms.
    pub size: usize,
    /// Seed of the inputs.
    pub seed: u64,
    /// Ranks of the job.
    pub ranks: usize,
    /// Ranks of each machine; null where they do not divide evenly.
    pub ranks_each_machine: Option<usize>,
    /// The device's own name.
    pub device: String,
    /// Who ran the kernels.
    pub backend: Backend,
    /// The driver.
    pub driver: String,
    /// When, in UTC.
    pub date: String,
    /// Whether all results of all ranks were right.
    pub verified: bool,
    /// Why it did not run.
    pub left_out: Option<String>,
    /// What rank 0 enqueues.
    pub counts: Counts,
    /// Times in milliseconds; null on the emulator.
    pub times_ms: Option<Times>,
    /// How much faster than one GPU.
    pub speedup: Option<f64>,
    /// The same over the ranks.
    pub efficiency: Option<f64>,
    /// What of the shorter of kernels and transfers runs beside the other.
    pub overlap: Option<f64>,
    /// The link, as measured when the job began.
    pub link: Option<Link>,
    /// The predicted time in milliseconds.
    pub predicted_ms: Option<f64>,
    /// Milliseconds that the link needs for its bytes.
    pub at_link_ms: Option<f64>,
    /// Of each rank, its kernels and transfers in one step; empty on the emulator.
    pub timelines: Vec<Vec<Span>>,
}

impl Record {
    /// The record of a row, dated now.
    #[must_use]
    pub fn new(rank: &Rank, link: Option<Link>, row: &Row, timelines: Vec<Vec<Span>>) -> Self {
        let (outcome, device, ranks) = (&row.outcome, &rank.device, rank.devices);
        let speedup = outcome.times.map(|times| times.speedup());
        let left_out = match &outcome.verdict {
            Verdict::LeftOut(reason) | Verdict::Failed(reason) => Some(reason.clone()),
            Verdict::Right | Verdict::Wrong => None,
        };
        Self {
            stage: env!("CARGO_PKG_NAME"),
            problem: row.rung.letter(),
            rung: row.rung.name(),
            in_rust: rank.in_rust,
            kernel_sha256: version(&row.rung.sources(), rank.in_rust),
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

/// The version of these kernels, unless the PTX in the program is of another text.
fn version(sources: &[KernelSource], in_rust: bool) -> Option<String> {
    let written: Vec<&KernelSource> = sources.iter().map(|source| source.written(in_rust)).collect();
    let are_prebuilt = written.iter().all(|source| source.ptx_is_of(&source.current_text()));
    are_prebuilt.then(|| kernel::version(written))
}

/// The timelines of all ranks, whose steps have the same entries. All ranks call.
///
/// # Errors
/// [`Error::Driver`].
pub fn timelines(rank: &Rank, own: &[Span]) -> Result<Vec<Vec<Span>>, Error> {
    // A rank in the middle of a ring may have an entry more than one at its end.
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
