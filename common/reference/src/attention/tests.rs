//! Honest outputs pass, wrong ones fail.

use super::*;
use crate::verify::poison_f32;
use crate::verify::tests::require_written;

fn size(n: usize, heads: usize, head_size: usize, causal: usize) -> Size {
    let [count, size, is_causal] = OPTIONS;
    let parameters = Parameters::default().with(count, heads).with(size, head_size).with(is_causal, causal);
    Size { parameters, ..Size::new(n) }
}

fn outputs(positions: &Positions) -> Vec<f32> {
    (0..positions.n * positions.heads.count).flat_map(|row| positions.output_f32(row)).collect()
}

#[test]
fn honest_outputs_pass_with_and_without_later_keys() {
    for (n, heads, head_size) in [(1, 1, 64), (33, 2, 64), (130, 1, 128)] {
        for causal in [0, 1] {
            let positions = Positions::new(&size(n, heads, head_size, causal));
            let report = positions.check(&outputs(&positions), 0.0);
            assert!(report.passed() && report.compared == n * heads * head_size, "n = {n}, {causal}: {report:?}");
        }
    }
}

#[test]
fn the_output_of_the_first_query_of_a_causal_head_is_the_first_value() {
    let positions = Positions::new(&size(5, 2, 64, 1));
    for head in 0..2 {
        let first = head * 5 * 64;
        let expected = positions.expected()[first..first + 64].iter().map(|(expected, _)| expected.value as f32);
        assert_eq!(expected.collect::<Vec<_>>(), positions.v[first..first + 64]);
    }
}

#[test]
fn wrong_outputs_fail() {
    let positions = Positions::new(&size(40, 2, 64, 0));
    let good = outputs(&positions);
    let changed = |change: fn(&mut Vec<f32>)| {
        let mut wrong = good.clone();
        change(&mut wrong);
        positions.check(&wrong, 0.0)
    };
    assert!(changed(|_| ()).passed());
    assert_eq!(changed(|wrong| wrong[40] = poison_f32()).failed, 1);
    assert_eq!(changed(|wrong| wrong[40] += 0.01).failed, 1);
    assert!(changed(|wrong| wrong.rotate_left(64)).failed > 4000);
    assert!(!changed(|wrong| _ = wrong.pop()).passed());
}

#[test]
fn weights_of_bf16_pass_only_with_their_roundings() {
    let positions = Positions::new(&size(40, 1, 64, 0));
    let rounded: Vec<f32> = outputs(&positions).iter().map(|output| output * (1.0 + 1.0 / 256.0)).collect();
    assert!(!positions.check(&rounded, 0.0).passed());
    assert!(positions.check(&rounded, f64::from(1 << 16)).passed());
}

#[test]
fn later_keys_and_scales_are_noticed() {
    let (with, without) = [0, 1].map(|causal| Positions::new(&size(40, 1, 64, causal))).into();
    assert!(with.check(&outputs(&without), f64::from(1 << 16)).failed > 2000);
}

#[test]
fn scores_beyond_the_range_of_exponentials_occur() {
    let positions = Positions::new(&size(200, 1, 64, 0));
    let (q, k, _) = positions.query(3);
    let largest = k.chunks_exact(64).map(|k| score(q, k)[0] / 8.0).fold(0.0, f64::max);
    assert!(largest > 89.0, "{largest}");
}

#[test]
fn outputs_beyond_a_sample_must_be_written_and_finite() {
    let positions = Positions::with_sample(&size(40, 2, 64, 0), 4);
    let mut outputs = outputs(&positions);
    let report = positions.check(&outputs, 0.0);
    assert!(report.passed() && report.compared == 4 * 64 && report.sample.is_some(), "{report:?}");
    let beyond =
        (0..outputs.len()).find(|place| !positions.queries.contains(&(place / 64))).expect("most are not compared");
    outputs[beyond] = f32::NAN;
    assert_eq!(positions.check(&outputs, 0.0).failed, 1);
}

#[test]
fn weights_below_the_smallest_normal_number_may_be_flushed() {
    let positions = Positions::new(&size(512, 16, 64, 0));
    let mut outputs: Vec<f32> = positions.expected().iter().map(|(expected, _)| expected.value as f32).collect();
    let tiny = |output: &f32| output.abs() < f32::MIN_POSITIVE;
    assert!(outputs.iter().any(tiny), "no output is tiny");
    outputs.iter_mut().filter(|output| tiny(output)).for_each(|output| *output = 0.0);
    assert!(positions.check(&outputs, 0.0).passed());
}

#[test]
fn the_elements_that_were_written_are_compared() {
    for causal in [0, 1] {
        let positions = Positions::with_sample(&size(40, 2, 64, causal), 4);
        let part: Vec<usize> = (8 * 64..16 * 64).chain(79 * 64..80 * 64).collect();
        let check = |outputs: &[f32], count| positions.check_written(outputs, 0.0, count);
        require_written(&outputs(&positions), &part, check);
    }
}
