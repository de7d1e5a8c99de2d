//! The jobs that the options ask for.

use crate::ranks::options::Options;
use crate::ranks::strategy::Strategy;
use std::ffi::OsString;

/// A job: the ranks to start, and their arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name, for messages.
    pub name: String,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// The number of GPUs.
    pub devices: usize,
    /// Whether one process uses all of them.
    pub is_one_process: bool,
}

/// Returns one job for the strategies with one process per GPU, and one for those with a single process.
#[must_use]
pub fn plain(options: &Options, devices: usize) -> Vec<Plan> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let kinds = [false, true]
        .into_iter()
        .filter(|kind| options.strategies().any(|strategy| strategy.is_one_process() == *kind));
    let name = |is_one_process| if is_one_process { "one process with all GPUs" } else { "one process per GPU" };
    kinds
        .map(|is_one_process| {
            let name = name(is_one_process).into();
            let arguments = arguments.clone();
            Plan { name, arguments, devices, is_one_process }
        })
        .collect()
}

/// Returns a job per strategy and number of GPUs, at the sizes of strong and of weak scaling. Every job also runs the
/// same work on one GPU.
#[must_use]
pub fn scaling(options: &Options, most: usize) -> Vec<Plan> {
    let plan = |strategy: &dyn Strategy, devices: usize| {
        let strong = if options.n.is_empty() { strategy.facts().scaling.to_vec() } else { options.n.clone() };
        let largest = strong.iter().max().copied().unwrap_or_default();
        let weak = strong.iter().map(|&n| strategy.weak(n, devices)).filter(|&n| n <= largest);
        let mut sizes: Vec<usize> = strong.iter().copied().chain(weak).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let arguments = options.for_a_job(strategy.name(), &sizes.join(",")).into_iter().map(OsString::from).collect();
        let name = format!("{} with {devices} GPUs", strategy.name());
        Plan { name, arguments, devices, is_one_process: strategy.is_one_process() }
    };
    let numbers = numbers_of_ranks(most);
    options.strategies().flat_map(|strategy| numbers.iter().map(move |&devices| plan(strategy, devices))).collect()
}

/// Returns 2, 4, 8, … and `most`; 1 if there is no other.
fn numbers_of_ranks(most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(2), |ranks| Some(2 * ranks));
    doubled.take_while(|&ranks| ranks < most).chain([most]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_doubles_ranks_up_to_all() {
        assert_eq!([1, 2, 3, 8].map(numbers_of_ranks), [vec![1], vec![2], vec![2, 3], vec![2, 4, 8]]);
    }
}
