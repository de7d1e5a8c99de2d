//! The results of each solution, compared with a computation in f64 on the CPU. Learners' results are compared only with the
//! solution's, so the solution's need a reference that is independent of them.

use crate::exercises::set;
use judge::kernel_file::{Argument, Language};
use judge::set::{Case, Exercise};
use judge::solve;
use learn::judging::solution;

/// The inputs of a case.
struct Inputs<'a>(&'a Case);

impl Inputs<'_> {
    /// Returns the elements of a buffer before the launches.
    fn buffer(&self, name: &str) -> Vec<f64> {
        let bytes = self.0.contents(name).unwrap_or_else(|| panic!("no contents of {name}"));
        self.0.buffers[name].0.numbers(&bytes)
    }

    /// Returns the value of an argument of the first launch, counted from 0.
    fn value(&self, argument: usize) -> f64 {
        let text = &self.0.launches[0].arguments[argument];
        match text.parse() {
            Ok(Argument::Value { .. }) => {
                text.split_once('=').and_then(|(_, value)| value.parse().ok()).expect("a number")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Calls `element` with the index of each of `elements`.
fn each(elements: &[f64], element: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..elements.len()).map(element).collect()
}

/// Returns the light of lamps at points on a line.
fn light(lamps: &[f64], power: &[f64], points: &[f64]) -> Vec<f64> {
    let at = |point: f64| lamps.iter().zip(power).map(|(lamp, power)| power / ((lamp - point).powi(2) + 0.01)).sum();
    points.iter().map(|point| at(*point)).collect()
}

/// Returns the light at a point of a lamp in space, given as x, y, z and power.
fn light_of(lamp: &[f64], point: &[f64]) -> f64 {
    lamp[3] / ((0..3).map(|axis| (lamp[axis] - point[axis]).powi(2)).sum::<f64>() + 0.01)
}

/// Returns the light at each of the lamps in space, given as x, y, z and power.
fn light_in_space([x, y, z, power]: [Vec<f64>; 4]) -> Vec<f64> {
    let lamp = |i: usize| [x[i], y[i], z[i], power[i]];
    each(&x, |i| (0..x.len()).map(|j| light_of(&lamp(j), &lamp(i))).sum())
}

/// Returns the potential of atoms, each x, y, z^2 and charge, at `count` points on a line, `spacing` apart.
fn potential(atoms: &[f64], count: usize, spacing: f64) -> Vec<f64> {
    let of = |atom: &[f64], x: f64| atom[3] / ((x - atom[0]).powi(2) + atom[1] * atom[1] + atom[2]).sqrt();
    (0..count).map(|i| atoms.chunks(4).map(|atom| of(atom, i as f64 * spacing)).sum()).collect()
}

/// Returns the sum modulo 2^32 of 32-bit integers given as f64.
fn wrapped_sum(values: &[f64]) -> f64 {
    f64::from(values.iter().map(|value| *value as i64).sum::<i64>() as i32)
}

/// Returns the only result of an exercise. Add new exercises here.
fn reference(exercise: &str, inputs: &Inputs<'_>) -> Vec<f64> {
    let buffer = |name| inputs.buffer(name);
    match exercise {
        "11_map" => {
            let a = buffer("a");
            let b = buffer("b");
            each(&a, |i| a[i] + b[i])
        }
        "12_guard" => buffer("input").iter().map(|value| 2.0 * value).collect(),
        "13_two_dimensions" => buffer("image").iter().map(|value| 1.5 * value).collect(),
        "14_whose_index" => {
            let x = buffer("x");
            let v = buffer("v");
            let dt = inputs.value(3);
            each(&x, |i| x[i] + v[i] * dt)
        }
        "15_neighbors" => buffer("records").iter().map(|value| inputs.value(3) * value).collect(),
        "16_one_sum" => vec![buffer("data").iter().sum()],
        "17_doubles" => light(&buffer("lamps"), &buffer("power"), &buffer("points")),
        "21_tile" | "22_second_barrier" | "23_return_before_barrier" | "24_ragged_tile" | "31_unroll" => {
            light(&buffer("lamps"), &buffer("power"), &buffer("lamps"))
        }
        "32_dynamic" => {
            let data = buffer("data");
            data.chunks(128).flat_map(|part| part.iter().rev().copied()).collect()
        }
        "33_four_each" => buffer("data").chunks(512).map(wrapped_sum).collect(),
        "34_float4" => light_in_space([buffer("x"), buffer("y"), buffer("z"), buffer("power")]),
        "35_tail" => buffer("table").chunks(inputs.value(3) as usize).map(wrapped_sum).collect(),
        "25_transposed" | "82_swizzle" => {
            let matrix = buffer("matrix");
            let width = inputs.value(2) as usize;
            let height = inputs.value(3) as usize;
            each(&matrix, |i| matrix[i % height * width + i / height])
        }
        "41_last_five" | "42_warp_synchronous" => buffer("data").chunks(256).map(wrapped_sum).collect(),
        "43_lanes_gone" => buffer("data").chunks(32).map(wrapped_sum).collect(),
        "44_two_levels" => buffer("data").chunks(256).map(|part| part.iter().sum()).collect(),
        "45_which_lane" => light(&buffer("lamps"), &buffer("power"), &buffer("lamps")),
        "51_chunks" | "52_address_by_lane" | "53_coarsen" | "54_coalesce" => {
            potential(&buffer("atoms"), inputs.value(2) as usize, inputs.value(3))
        }
        "61_least_work" => {
            let lamps = buffer("lamps");
            let points = buffer("points");
            points.chunks(4).map(|point| lamps.chunks(4).map(|lamp| light_of(lamp, point)).sum()).collect()
        }
        "62_ridge" => {
            let data = buffer("data");
            let weights = buffer("weights");
            let term = |i: usize, k: usize| data.get((i + k).wrapping_sub(64)).map_or(0.0, |value| weights[k] * value);
            each(&data, |i| (0..129).map(|k| term(i, k)).sum())
        }
        "63_occupancy" => light(&buffer("lamps"), &buffer("power"), &buffer("lamps")),
        "64_third_law" => {
            let x = buffer("x");
            let force = |d: f64| d / (d.abs().powi(3) + 0.01);
            each(&x, |i| x.iter().map(|other| force(other - x[i])).sum())
        }
        "65_all_pairs" => {
            let bodies = buffer("bodies");
            let force = |target: &[f64], axis: usize| {
                let pull = |source: &[f64]| {
                    let squares = (0..3).map(|axis| (source[axis] - target[axis]).powi(2)).sum::<f64>();
                    source[3] * (source[axis] - target[axis]) * (squares + 0.01).powf(-1.5)
                };
                target[3] * bodies.chunks(4).map(pull).sum::<f64>()
            };
            (0..3).flat_map(|axis| bodies.chunks(4).map(move |target| force(target, axis))).collect()
        }
        "81_register_tile" => {
            let a = buffer("a");
            let b = buffer("b");
            let n = inputs.value(3) as usize;
            each(&a, |i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum())
        }
        "83_pipeline" => {
            let tile = |tile: &[f64]| tile.iter().rev().map(|value| 2.0 * value).collect::<Vec<_>>();
            buffer("data").chunks(128).flat_map(tile).collect()
        }
        "84_running_maximum" => {
            let data = buffer("data");
            let rows = inputs.value(3) as usize;
            let terms = |row| data.iter().skip(row).step_by(rows).map(|x| 300.0 * x);
            let largest = |row| terms(row).fold(f64::NEG_INFINITY, f64::max);
            (0..rows)
                .map(|row| largest(row) + terms(row).map(|x| (x - largest(row)).exp2()).sum::<f64>().log2())
                .collect()
        }
        "91_scan_barrier" => {
            let scan = |part: &[f64]| {
                let add = |sum: &mut u32, number: &f64| {
                    *sum = sum.wrapping_add(*number as u32);
                    Some(f64::from(*sum))
                };
                part.iter().scan(0, add).collect::<Vec<_>>()
            };
            buffer("data").chunks(128).flat_map(scan).collect()
        }
        "92_lost_updates" => {
            let data = buffer("data");
            (0..256).map(|value| data.iter().filter(|byte| **byte == f64::from(value)).count() as f64).collect()
        }
        "93_stable_rank" => {
            let mut keys = buffer("keys");
            keys.chunks_mut(256).for_each(|block| block.sort_by_key(|key| *key as u32 % 4));
            keys
        }
        "94_halo" => {
            let image = buffer("image");
            let [columns, rows] = [2, 3].map(|argument| inputs.value(argument) as usize);
            let near = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
            let sum = |x, y| near(y, rows).flat_map(move |y| near(x, columns).map(move |x| y * columns + x));
            each(&image, |i| sum(i % columns, i / columns).map(|i| image[i]).sum::<f64>() / 9.0)
        }
        "95_long_row" => {
            let [starts, columns, values, x] = ["starts", "columns", "values", "x"].map(buffer);
            let product = |k: usize| values[k] * x[columns[k] as usize];
            starts.windows(2).map(|ends| (ends[0] as usize..ends[1] as usize).map(product).sum()).collect()
        }
        other => panic!("{other} has no reference"),
    }
}

/// Returns the first difference from the reference, if any exceeds the tolerance. The tolerance is at least 1e-6, the rounding
/// of f32, even if the card requires the same bits in both languages.
fn difference(got: &[f64], wanted: &[f64], tolerance: f64) -> Option<String> {
    let average = wanted.iter().map(|value| value.abs()).sum::<f64>() / wanted.len() as f64;
    let tolerance = tolerance.max(1e-6);
    let is_right = |(got, wanted): (&f64, &f64)| (got - wanted).abs() <= tolerance * (wanted.abs() + average);
    if got.len() != wanted.len() {
        return Some(format!("{} elements, not {}", got.len(), wanted.len()));
    }
    let index = got.iter().zip(wanted).position(|pair| !is_right(pair))?;
    Some(format!("element {index} is {}, and should be {}", got[index], wanted[index]))
}

#[test]
fn every_solution_computes_what_the_cpu_computes() {
    compare_solutions(&set().exercises);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_solution_computes_it_with_other_sizes_and_inputs() {
    let varied = set().exercises.into_iter().map(|exercise| exercise.varied(3).expect("other cases"));
    compare_solutions(&varied.collect::<Vec<_>>());
}

/// Requires that the results of all solutions are the reference's.
fn compare_solutions(exercises: &[Exercise]) {
    for exercise in exercises {
        for (case, language) in
            exercise.card.cases.iter().flat_map(|case| Language::ALL.map(|language| (case, language)))
        {
            let results =
                solve(exercise, &solution(exercise, language).expect("a solution"), case).expect("the solution runs");
            assert_eq!(results.len(), 1, "{}: one result", exercise.name);
            let wanted = reference(&exercise.name, &Inputs(case));
            for (name, got) in results {
                let difference = difference(&got, &wanted, case.results[&name]);
                assert_eq!(difference, None, "{} {language:?}, {}, {name}", exercise.name, case.name);
            }
        }
    }
}

#[test]
fn wrong_results_differ_from_the_reference() {
    assert_eq!(difference(&[1.0, 2.0], &[1.0, 2.0], 0.0), None);
    assert!(difference(&[1.0, 2.1], &[1.0, 2.0], 1e-3).is_some());
    assert!(difference(&[1.0, f64::NAN], &[1.0, 2.0], 1e-3).is_some());
    assert!(difference(&[1.0], &[1.0, 2.0], 1e-3).is_some());
}
