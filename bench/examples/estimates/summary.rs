//! The comparison, kernel by kernel and in total.

use common::report::Record;
use common::stage::Plan;
use predict::{Limiter, RunEstimate, Stalls};

/// The ratio of two measured times from which on their order counts.
const APART: f64 = 1.25;

/// A kernel with its estimate.
pub struct Row {
    problem: String,
    kernel: String,
    measured_ms: f64,
    estimate: Result<RunEstimate, String>,
    limiter: Option<Limiter>,
    seconds: f64,
}

impl Row {
    /// Returns the row of a plan.
    pub fn new(
        plan: &Plan,
        recorded: &Record,
        limiter: Option<Limiter>,
        estimate: Result<RunEstimate, String>,
        seconds: f64,
    ) -> Self {
        let measured_ms = recorded.time_ms.as_ref().map_or(f64::NAN, |time| time.median);
        let (problem, kernel) = (plan.facts().letter.to_owned(), plan.rung.kernel.to_owned());
        Self { problem, kernel, measured_ms, estimate, limiter, seconds }
    }

    fn estimated_ms(&self) -> Option<f64> {
        self.estimate.as_ref().ok().map(|estimate| estimate.nanoseconds as f64 / 1e6)
    }

    /// Returns the estimate relative to the measurement, less one.
    fn error(&self) -> Option<f64> {
        Some(self.estimated_ms()? / self.measured_ms - 1.0)
    }

    fn print(&self) {
        let Self { problem, kernel, measured_ms, limiter, seconds, .. } = self;
        let measured = limiter.map_or("-", Limiter::name);
        match (&self.estimate, self.error(), self.estimated_ms()) {
            (Ok(estimate), Some(error), Some(estimated)) => println!(
                "{problem} {kernel:<28} {measured_ms:>10.4} ms {estimated:>10.4} ms {:>+6.0} %  {:<12} {measured:<12} {} {seconds:>5.2} s",
                error * 100.0,
                estimate.limiter.name(),
                stalls(estimate),
            ),
            (Err(reason), ..) => {
                println!("{problem} {kernel:<28} {measured_ms:>10.4} ms  refused: {reason}  {seconds:>5.1} s")
            }
            _ => {}
        }
    }
}

/// Returns the shares of the reasons to wait in the longest launch, in percent.
fn stalls(estimate: &RunEstimate) -> String {
    let Some(longest) = estimate.launches.iter().max_by_key(|launch| launch.cycles) else { return String::new() };
    let Stalls { dependency, memory, barrier, issue, constant } = longest.stalls;
    let all = [dependency, memory, barrier, issue, constant];
    let sum = all.iter().sum::<u64>().max(1);
    all.map(|cycles| format!("{:>3}", cycles * 100 / sum)).join(" ")
}

/// All rows.
#[derive(Default)]
pub struct Summary {
    rows: Vec<Row>,
}

impl Summary {
    /// Adds a row, and prints it.
    pub fn add(&mut self, row: Row) {
        row.print();
        self.rows.push(row);
    }

    /// Returns whether there is a row of a kernel, which several stages may show.
    pub fn has(&self, kernel: &str) -> bool {
        self.rows.iter().any(|row| row.kernel == kernel)
    }

    /// Prints the errors in total.
    pub fn print(&self) {
        let mut errors: Vec<f64> = self.rows.iter().filter_map(Row::error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        if errors.is_empty() {
            return println!("no kernel has an estimate and a record");
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let (median, worst) = (errors[errors.len() / 2], errors[errors.len() - 1]);
        println!("\n{} of {} kernels have an estimate", errors.len(), self.rows.len());
        println!("error: mean {:.1} %, median {:.1} %, worst {:.1} %", mean * 1e2, median * 1e2, worst * 1e2);
        let inside = self.rows.iter().filter(|row| row.is_in_band()).count();
        println!("measured time within the band: {inside} of {}", errors.len());
        let (right, pairs) = self.order();
        println!("pairs of one problem that differ by {APART} or more, in the right order: {right} of {pairs}");
        let with_both = self.rows.iter().filter_map(|row| row.estimate.as_ref().ok().zip(row.limiter));
        let with_both = with_both.filter(|(estimate, _)| estimate.limiter != Limiter::BlockStarts);
        let (same, all) = with_both.fold((0, 0), |(same, all), (estimate, limiter)| {
            (same + usize::from(estimate.limiter == limiter), all + 1)
        });
        println!("limiter as in the profile, which has no class for block starts: {same} of {all}");
    }

    /// Returns the number of pairs of kernels in the right order, and of all that are apart.
    fn order(&self) -> (usize, usize) {
        let (mut right, mut pairs) = (0, 0);
        for (index, one) in self.rows.iter().enumerate() {
            for other in self.rows[..index].iter().filter(|other| other.problem == one.problem) {
                let (Some(a), Some(b)) = (one.estimated_ms(), other.estimated_ms()) else { continue };
                let measured = one.measured_ms / other.measured_ms;
                if measured.max(1.0 / measured) >= APART {
                    pairs += 1;
                    right += usize::from((a > b) == (measured > 1.0));
                }
            }
        }
        (right, pairs)
    }
}

impl Row {
    fn is_in_band(&self) -> bool {
        let measured_ns = self.measured_ms * 1e6;
        self.estimate.as_ref().is_ok_and(|estimate| {
            let (low, high) = estimate.band;
            (low as f64..=high as f64).contains(&measured_ns)
        })
    }
}
