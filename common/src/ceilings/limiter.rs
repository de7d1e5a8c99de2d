//! The rule that names what limits a timed run.
//!
//! A unit that is busy for most of the time limits the run. If none is, warps wait: either most multiprocessors have no
//! block at all, or the resident warps are too few to cover the latency of their instructions. Where there cannot be more
//! warps, something else limits the run whose rate is not measured, such as a cache. The threshold is Nsight
//! Compute's: "Achieved compute throughput and/or memory bandwidth below 60.0% of peak typically indicate latency
//! issues" (its rule for the section *GPU Speed of Light Throughput*). `stage06-limit/tests/all/limiter.rs` compares the
//! rule with the stall reasons that were recorded on an H200.

use super::shares::Shares;
use super::unit::{BUSY, Unit};
use crate::device::Attributes;
use emulator::WARP_SIZE;
use std::fmt;

/// Schedulers of a multiprocessor, on every GPU since compute capability 5.0 except 6.0: CUDA C++ Programming Guide,
/// "Compute Capabilities".
const SCHEDULERS: f64 = 4.0;

/// The limiter of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limiter {
    /// A unit whose share of the time is at least [`BUSY`].
    Unit(Busiest),
    /// The number of blocks: so many multiprocessors have work, of all of them.
    Multiprocessors(u32, u32),
    /// Latency, with so many resident warps per scheduler; the busiest unit, below [`BUSY`].
    Latency(f64, Busiest),
    /// None of the units whose rates are measured, although the multiprocessors have all the warps that they can hold; the busiest.
    Unlisted(Busiest),
}

/// The busiest unit of a run, and its share of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busiest(pub Unit, pub f64);

impl Busiest {
    /// Returns the shorter text, with the first word of the unit's name.
    fn brief(self) -> String {
        self.named(self.0.name().split(' ').next().unwrap_or_default())
    }

    fn named(self, unit: &str) -> String {
        format!("{unit} {:.0} %", self.1 * 100.0)
    }
}

impl fmt::Display for Busiest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(self.0.name()))
    }
}

/// How a launch fills the GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residency {
    /// Multiprocessors with at least one block.
    pub busy: u32,
    /// All multiprocessors.
    pub multiprocessors: u32,
    /// Resident warps per scheduler of a multiprocessor with work.
    pub warps: f64,
    /// The warps that a scheduler can hold.
    pub most_warps: f64,
}

impl Residency {
    /// Returns the residency of a launch: its blocks, the threads of a block, and the occupancy, 0 to 1. Returns `None`
    /// if the device's attributes are unknown.
    #[must_use]
    pub fn new(blocks: u32, threads: u32, occupancy: Option<f64>, device: &Attributes) -> Option<Self> {
        let multiprocessors = device.multiprocessors?;
        let most_threads = device.threads_per_multiprocessor?;
        let warps_of_a_block = (f64::from(threads) / WARP_SIZE as f64).ceil();
        let launched = f64::from(blocks.div_ceil(multiprocessors)) * warps_of_a_block;
        let most_warps = f64::from(most_threads) / WARP_SIZE as f64 / SCHEDULERS;
        let warps = (launched / SCHEDULERS).min(occupancy? * most_warps);
        Some(Self { busy: blocks.min(multiprocessors), multiprocessors, warps, most_warps })
    }
}

impl Limiter {
    /// Applies the rule: the busiest unit from [`BUSY`] on, else too few blocks, else latency unless there cannot be more warps.
    /// Returns `None` if the launch is neither counted nor too small to fill the multiprocessors.
    #[must_use]
    pub fn find(shares: Option<&Shares>, residency: Option<Residency>) -> Option<Self> {
        let busiest = shares.map(|shares| Busiest(shares.busiest, shares.largest()));
        if let Some(busy) = busiest.filter(|busiest| busiest.1 >= BUSY) {
            return Some(Self::Unit(busy));
        }
        let residency = residency?;
        if f64::from(residency.busy) < BUSY * f64::from(residency.multiprocessors) {
            return Some(Self::Multiprocessors(residency.busy, residency.multiprocessors));
        }
        let is_full = residency.warps >= residency.most_warps;
        busiest.map(|busiest| if is_full { Self::Unlisted(busiest) } else { Self::Latency(residency.warps, busiest) })
    }

    /// Returns the full text, or that of a table; with `~` if something else than the machine code was counted.
    #[must_use]
    pub fn marked(&self, shares: Option<&Shares>, brief: bool) -> String {
        let is_rough = shares.is_some_and(|shares| shares.roughly_counted_by(shares.busiest).is_some());
        let mark = if is_rough && !matches!(self, Self::Multiprocessors(..)) { "~" } else { "" };
        format!("{mark}{}", if brief { self.brief() } else { self.to_string() })
    }

    /// Returns a name for such limits in a legend, with their meaning; `None` for those that the name of a unit says.
    #[must_use]
    pub fn entry(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Unit(Busiest(Unit::Blocks, _)) => {
                Some(("block starts", "starting so many blocks, even empty ones, takes this share of the time"))
            }
            Self::Unit(_) => None,
            Self::Multiprocessors(..) => Some(("n of m SMs", "too few blocks: only n of m multiprocessors have work")),
            Self::Latency(..) => {
                Some(("latency; X", "no unit is busy 60 % of the time: warps wait; X is the busiest unit"))
            }
            Self::Unlisted(_) => {
                Some(("no unit full; X", "no unit is busy 60 %, with all warps that fit: a cache may be the limit"))
            }
        }
    }

    /// Returns the text of a table.
    fn brief(&self) -> String {
        match self {
            Self::Unit(busiest) => busiest.to_string(),
            Self::Multiprocessors(busy, all) => format!("{busy} of {all} SMs"),
            Self::Latency(_, busiest) => format!("latency; {}", busiest.brief()),
            Self::Unlisted(busiest) => format!("no unit full; {}", busiest.brief()),
        }
    }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit(busiest) => busiest.fmt(f),
            Self::Multiprocessors(busy, all) => write!(f, "{busy} of {all} multiprocessors busy"),
            Self::Latency(warps, busiest) => write!(f, "latency: {} per scheduler, {busiest}", warps_of(*warps)),
            Self::Unlisted(busiest) => write!(f, "no unit full: {busiest}, with all warps there can be"),
        }
    }
}

/// `1 warp`, `16 warps`, `0.75 warps`.
fn warps_of(count: f64) -> String {
    let digits = (count * 100.0).round() / 100.0;
    if (digits - 1.0).abs() < 1e-9 { "1 warp".into() } else { format!("{digits} warps") }
}

#[cfg(test)]
mod tests {
    use super::super::origin::RatesBy;
    use super::super::shares::CountedBy;
    use super::*;

    /// The residency of a launch on an H200.
    fn residency(blocks: u32, threads: u32, occupancy: Option<f64>) -> Option<Residency> {
        let multiprocessors = Some(132);
        let threads_per_multiprocessor = Some(2048);
        let h200 = Attributes { multiprocessors, threads_per_multiprocessor, ..Attributes::default() };
        Residency::new(blocks, threads, occupancy, &h200)
    }

    fn shares(issue: f64, memory: f64) -> Shares {
        let of_limit = [(Unit::Issue, issue), (Unit::Memory, memory)];
        let busiest = if issue > memory { Unit::Issue } else { Unit::Memory };
        Shares {
            of_limit: of_limit.into(),
            busiest,
            counted_by: CountedBy::MachineCode,
            instructions: None,
            wavefronts_by: CountedBy::MachineCode,
            rates_by: RatesBy::default(),
        }
    }

    fn limiter(issue: f64, memory: f64, blocks: u32, threads: u32) -> String {
        let residency = residency(blocks, threads, Some(1.0));
        Limiter::find(Some(&shares(issue, memory)), residency).map_or_else(String::new, |limiter| limiter.to_string())
    }

    #[test]
    fn a_busy_unit_comes_before_blocks_and_latency() {
        assert_eq!(limiter(0.71, 0.2, 1024, 128), "issue slots 71 %");
        assert_eq!(limiter(0.3, 0.64, 4096, 256), "memory 64 %");
        assert_eq!(limiter(0.3, 0.64, 16, 256), "memory 64 %");
    }

    #[test]
    fn without_a_busy_unit_too_few_blocks_come_before_latency() {
        assert_eq!(limiter(0.59, 0.2, 64, 256), "64 of 132 multiprocessors busy");
        assert_eq!(limiter(0.28, 0.0, 128, 128), "latency: 1 warp per scheduler, issue slots 28 %");
        assert_eq!(limiter(0.01, 0.0, 313, 32), "latency: 0.75 warps per scheduler, issue slots 1 %");
    }

    #[test]
    fn all_warps_that_there_can_be_are_no_cause() {
        assert_eq!(limiter(0.0, 0.36, 65_536, 256), "no unit full: memory 36 %, with all warps there can be");
    }

    #[test]
    fn occupancy_bounds_the_resident_warps() {
        let warps = |occupancy| residency(4096, 128, Some(occupancy)).map(|one| one.warps);
        assert_eq!([0.1875, 1.0].map(warps), [Some(3.0), Some(16.0)]);
    }

    #[test]
    fn a_launch_without_counts_is_only_called_too_small() {
        let of = |blocks| Limiter::find(None, residency(blocks, 256, Some(1.0)));
        assert_eq!([16, 4096].map(of), [Some(Limiter::Multiprocessors(16, 132)), None]);
        assert_eq!(Limiter::find(Some(&shares(0.3, 0.0)), None), None);
        assert_eq!(residency(16, 256, None), None);
    }

    #[test]
    fn brief_texts_are_short() {
        let latency = Limiter::Latency(1.0, Busiest(Unit::Issue, 0.283));
        let texts = [Limiter::Multiprocessors(64, 132), latency, Limiter::Unit(Busiest(Unit::Blocks, 0.951))];
        assert_eq!(texts.map(|one| one.brief()), ["64 of 132 SMs", "latency; issue 28 %", "block starts 95 %"]);
    }
}
