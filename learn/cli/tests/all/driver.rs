//! Runs of the solutions through the CUDA driver, as they are timed on a GPU. By default the driver is the emulator's; with
//! `COALESCED_DEVICE=cuda` it is NVIDIA's, and the times are printed.

use crate::exercises::{set, submission};
use common::device::{DeviceChoice, choose};
use judge::kernel_file::Language;
use judge::set::{Case, Exercise, Role};
use judge::solve;
use learn::judging::solution;
use learn::worker::run_on_device;

/// Runs a kernel through the driver. Returns the number of elements that differ from the solution's.
fn wrong(exercise: &Exercise, case: &Case, role: &Role, language: Language) -> usize {
    let is_gpu = std::env::var("COALESCED_DEVICE").is_ok_and(|device| device == "cuda");
    choose(if is_gpu { DeviceChoice::Cuda } else { DeviceChoice::Emulator }).expect("a driver");
    let submission = submission(exercise, role, language);
    let ran =
        run_on_device(exercise, case, &submission, 1).unwrap_or_else(|error| panic!("{}: {error}", exercise.name));
    assert_eq!(ran.device.contains("emulator"), !is_gpu, "the emulator's times would be shown: {}", ran.device);
    if is_gpu {
        println!("{} {language:?}, {}: {:.1} µs on {}", exercise.name, case.name, 1e3 * ran.milliseconds, ran.device);
    }
    let expected = solve(exercise, &solution(exercise, language).expect("a solution"), case).expect("results");
    let of_buffer = |(name, tolerance): (&String, &f64)| {
        let got = case.buffers[name].0.numbers(&ran.results[name]);
        let wanted = &expected[name];
        let average = wanted.iter().map(|value| value.abs()).sum::<f64>() / wanted.len() as f64;
        // Comparisons with NaN are false.
        let is_near = |(got, wanted): &(&f64, &f64)| (*got - *wanted).abs() <= tolerance * (wanted.abs() + average);
        wanted.len() - got.iter().zip(wanted).filter(is_near).count()
    };
    case.results.iter().map(of_buffer).sum()
}

#[test]
fn every_solution_has_the_same_results_through_the_driver() {
    for exercise in &set().exercises {
        for language in Language::ALL {
            for case in &exercise.card.cases {
                let wrong = wrong(exercise, case, &Role::Solution, language);
                assert_eq!(wrong, 0, "{} {language:?}, {}", exercise.name, case.name);
            }
        }
    }
}

#[test]
fn another_kernel_has_other_results_through_the_driver() {
    let set = set();
    let exercise = set.find("11").expect("an exercise");
    assert_eq!(wrong(exercise, &exercise.card.cases[0], &Role::Skeleton, Language::Cuda), 1023);
}
