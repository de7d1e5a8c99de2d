//! The line about clocks below a table, whose rows are compared with each other.

use crate::format::thousands;
use crate::outcome::Outcome;

/// Returns the line that names the kernels whose clock was clearly below the highest one of their table: at a lower clock a
/// kernel takes longer, and the table would blame the kernel. `None` without such kernels, and without clocks.
pub fn line(group: &[Outcome]) -> Option<String> {
    let clock = |outcome: &Outcome| outcome.timing()?.clock;
    let highest = group.iter().filter_map(clock).map(|clock| clock.highest()).max()?;
    let below = |outcome: &Outcome| {
        let range = clock(outcome)?.below(highest)?;
        Some(format!("{} {range}", outcome.run.plan.name()))
    };
    let mut kernels: Vec<String> = group.iter().filter_map(below).collect();
    // shapes of one kernel at one clock
    kernels.dedup();
    (!kernels.is_empty())
        .then(|| format!("slower clock than this table's {} MHz: {}\n", thousands(highest.into()), kernels.join("; ")))
}

#[cfg(test)]
mod tests;
