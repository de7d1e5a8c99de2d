//! What times kernels on a GPU must run what was judged: here the emulator's driver takes the GPU's place, and the results are
//! those of the solution. With `COALESCED_DEVICE=cuda` it is a GPU, and the times are printed.

use crate::set::{set, submission};
use common::device::{DeviceChoice, choose};
use kernel_file::Language;
use learn::{Case, Exercise, Role, run_on_device, solve};

/// The elements of a case's results that are not those of the solution, of a kernel that is run through the driver.
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
    let expected = solve(exercise, language, case).expect("results");
    let of_buffer = |(name, tolerance): (&String, &f64)| {
        let (got, wanted) = (case.buffers[name].0.numbers(&ran.results[name]), &expected[name]);
        let average = wanted.iter().map(|value| value.abs()).sum::<f64>() / wanted.len() as f64;
        // NaN is not near
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
fn another_kernel_has_others() {
    let set = set();
    let exercise = set.find("11").expect("an exercise");
    assert_eq!(wrong(exercise, &exercise.card.cases[0], &Role::Skeleton, Language::Cuda), 1023);
}
