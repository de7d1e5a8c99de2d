//! Which jobs the options ask for.

use crate::options::Options;
use crate::rung::Rung;
use std::ffi::OsString;

/// What ranks are started for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For messages.
    pub name: String,
    /// Of the program.
    pub arguments: Vec<OsString>,
    /// GPUs.
    pub devices: usize,
    /// Whether one process has them all.
    pub is_one_process: bool,
}

/// One job for the rungs with a process for each GPU, and one for those with a single process.
#[must_use]
pub fn plain(options: &Options, devices: usize) -> Vec<Plan> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let kinds = [false, true].into_iter().filter(|kind| options.rungs().any(|rung| rung.is_one_process() == *kind));
    let name = |is_one_process| if is_one_process { "one process with all GPUs" } else { "a process for each GPU" };
    kinds
        .map(|is_one_process| {
            let (name, arguments) = (name(is_one_process).into(), arguments.clone());
            Plan { name, arguments, devices, is_one_process }
        })
        .collect()
}

/// A job for each rung and number of GPUs, at the sizes of strong scaling and those of weak scaling. Every job runs the same
/// work on one GPU too.
#[must_use]
pub fn scaling(options: &Options, most: usize) -> Vec<Plan> {
    let plan = |rung: &dyn Rung, devices: usize| {
        let strong = if options.n.is_empty() { rung.scaling().to_vec() } else { options.sizes() };
        let largest = strong.iter().max().copied().unwrap_or_default();
        let weak = strong.iter().map(|&n| rung.weak(n, devices)).filter(|&n| n <= largest);
        let mut sizes: Vec<usize> = strong.iter().copied().chain(weak).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let arguments = options.for_a_job(rung.name(), &sizes.join(",")).into_iter().map(OsString::from).collect();
        let name = format!("{} with {devices} GPUs", rung.name());
        Plan { name, arguments, devices, is_one_process: rung.is_one_process() }
    };
    let numbers = numbers_of_ranks(most);
    options.rungs().flat_map(|rung| numbers.iter().map(move |&devices| plan(rung, devices))).collect()
}

/// 2, 4, 8, … and all; 1 where there is no other.
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
