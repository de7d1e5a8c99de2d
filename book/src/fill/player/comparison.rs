//! The comparison with the reference as data, so that a page can repeat it for an edited kernel.
//!
//! A problem compares values after it has put them in the order of the bodies, from the layout of the kernel. Where a value
//! lies in memory is found by marking: in place of the kernel, one that writes the number of each word into it is launched,
//! and what the comparison is then given are those numbers. Values that are not the bits of a word are left out: sums that the
//! host makes, and results that a later kernel changes.
//!
//! A page has the recorded value v of the course's kernel, which differs from the reference by at most a share s of its tolerance
//! t. A value within (1 − s) t of v is within t of the reference. So a page needs no reference but only the tolerances, one byte
//! each. It never accepts what the stage refuses. It may refuse what the stage accepts by a hair.

use anyhow::{Context, Result};
use common::session::Session;
use common::stage::Plan;
use common::verify::{Compared, recorded};
use emulator::{Memory, Module, Scene};
use serde::Serialize;
use std::sync::Arc;

/// The compared values of an output, as far as they lie in memory.
pub struct Output {
    /// The name: `fx`.
    pub name: String,
    /// Whether the values are integers that must be equal.
    pub is_integer: bool,
    /// The tolerances of the values, as bytes of [`code`] in hexadecimal, in the order of `places`.
    pub tolerances: String,
    /// The binary logarithm of the least tolerance.
    pub least: f64,
    /// The largest difference of the recorded values from the reference, relative to the tolerance.
    pub share: f64,
    /// The words of the values.
    pub places: Vec<Run>,
}

/// Words at equal distances, each the place of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The number of the allocation among the scene's results.
    result: usize,
    /// The first word of 4 bytes.
    word: usize,
    /// The distance in words; 0 for a run of one.
    stride: usize,
    /// The number of values.
    count: usize,
}

/// The mark of word 0. As floats, marks are finite and at least 2.
const FIRST_MARK: u32 = 0x4000_0000;

/// The number of words that can be marked.
const MAX_MARKS: usize = 1 << 23;

/// The resolution of tolerances, which are rounded down by at most 9 %.
const STEPS_AN_OCTAVE: f64 = 8.0;

/// Room for the variables of any kernel of the course.
const MEMORY_BYTES: u64 = 64 << 20;

/// Returns the compared values of a plan's scene; none if they do not lie in the memory that the launch changed.
///
/// # Errors
/// Returns an error if the marking kernel cannot be run.
pub fn compare(session: &mut Session, plan: &Plan, scene: &Scene) -> Result<Vec<Output>> {
    let words: usize = scene.results.iter().map(|result| result.contents.len() / 4).sum();
    if words > MAX_MARKS {
        return Ok(Vec::new());
    }
    session.replace_ptx(plan.source(), marking(scene).context("the kernel's PTX has another form")?);
    let (report, marked) = recorded(|| session.verify(plan));
    report?;
    let starts: Vec<usize> = scene
        .results
        .iter()
        .scan(0, |next, result| Some(std::mem::replace(next, *next + result.contents.len() / 4)))
        .collect();
    let place = |value: &Compared| {
        let number = value.bits.checked_sub(FIRST_MARK)? as usize;
        let result = starts.partition_point(|start| *start <= number).checked_sub(1).filter(|_| number < words)?;
        Some((result, number - starts[result]))
    };
    let placed = marked.iter().filter_map(|value| {
        let place = place(value)?;
        Some(Placed { place, value, recorded: recorded_value(scene, place, value.is_integer) })
    });
    Ok(outputs(&placed.collect::<Vec<_>>()))
}

/// A compared value, its place, and the recorded value there.
struct Placed<'a> {
    place: (usize, usize),
    value: &'a Compared,
    recorded: f64,
}

/// Returns the outputs whose recorded values all are as expected: what the comparison was given is what lies there.
fn outputs(values: &[Placed<'_>]) -> Vec<Output> {
    let of_output = values.chunk_by(|one, next| one.value.output == next.value.output);
    of_output.filter_map(output).collect()
}

fn output(values: &[Placed<'_>]) -> Option<Output> {
    let share = |placed: &Placed<'_>| {
        let difference = (placed.recorded - placed.value.expected.value).abs();
        if difference == 0.0 { 0.0 } else { difference / placed.value.expected.tolerance }
    };
    // NaN is not within the tolerance.
    let is_right = values.iter().all(|placed| share(placed) <= 1.0);
    let share = values.iter().map(share).fold(0.0, f64::max);
    let first = values.first()?.value;
    let least = values.iter().map(|placed| placed.value.expected.tolerance).filter(|tolerance| *tolerance > 0.0);
    let least = least.reduce(f64::min).map_or(0.0, f64::log2);
    let codes: Vec<u8> = values.iter().map(|placed| code(placed.value.expected.tolerance, least)).collect();
    let mut places = Vec::new();
    values.iter().for_each(|placed| push(&mut places, placed.place));
    is_right.then(|| Output {
        name: first.output.clone(),
        is_integer: first.is_integer,
        tolerances: codes.iter().map(|code| format!("{code:02x}")).collect(),
        least,
        share,
        places,
    })
}

/// Returns a tolerance as one byte: 0 for none, and else 1 + 8 log₂ of its ratio to the least one, rounded down.
fn code(tolerance: f64, least: f64) -> u8 {
    let steps = STEPS_AN_OCTAVE * (tolerance.log2() - least);
    // A conversion of floats saturates.
    if tolerance > 0.0 { (steps.floor() as u8).saturating_add(1) } else { 0 }
}

/// Adds a place to the last run, or begins one.
fn push(runs: &mut Vec<Run>, (result, word): (usize, usize)) {
    match runs.last_mut() {
        Some(run) if run.result == result && run.count == 1 && word > run.word => {
            (run.stride, run.count) = (word - run.word, 2);
        }
        Some(run) if run.result == result && run.count > 1 && word == run.word + run.stride * run.count => {
            run.count += 1;
        }
        _ => runs.push(Run { result, word, stride: 0, count: 1 }),
    }
}

/// Returns the recorded value at a place.
fn recorded_value(scene: &Scene, (result, word): (usize, usize), is_integer: bool) -> f64 {
    let bytes = scene.results[result].contents[4 * word..].first_chunk().copied().unwrap_or_default();
    if is_integer { i32::from_le_bytes(bytes).into() } else { f32::from_le_bytes(bytes).into() }
}

/// Returns the scene's module with a kernel in place of its own that marks all words of the results.
fn marking(scene: &Scene) -> Option<String> {
    let lines: Vec<&str> = scene.ptx.lines().collect();
    let begins = |line: &&str| {
        let name = line.strip_prefix(".visible .entry ").and_then(|rest| rest.split(['(', ' ']).next());
        name == Some(scene.entry.as_str())
    };
    let entry = lines.iter().position(begins)?;
    let open = entry + lines[entry..].iter().position(|line| *line == "{")?;
    let close = open + closing(&lines[open..])?;
    let names: Vec<&str> = lines[entry..open].iter().filter_map(|line| parameter(line)).collect();
    let body = body(scene, &names)?;
    Some([&lines[..=open], &[body.as_str()], &lines[close..]].concat().join("\n") + "\n")
}

/// Returns the line on which the brace of the first line is closed: assembly in a kernel has blocks of its own.
fn closing(lines: &[&str]) -> Option<usize> {
    let mut depth = 0;
    lines.iter().position(|line| {
        let code = line.split("//").next().unwrap_or_default();
        depth += code.matches('{').count();
        depth -= code.matches('}').count().min(depth);
        depth == 0
    })
}

/// Returns the name of the parameter that a line declares.
fn parameter(line: &str) -> Option<&str> {
    let name = line.split_once(".param ")?.1.trim_end_matches([',', ')']).split_whitespace().last()?;
    name.split('[').next()
}

/// Returns the statements of a kernel whose first thread writes its number into each word of the results.
fn body(scene: &Scene, names: &[&str]) -> Option<String> {
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let module = Module::load(&scene.ptx, &memory).ok()?;
    let parameters = module.kernel(&scene.entry)?.parameters().to_vec();
    let mut text = String::from(".reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\nmov.u32 %r0, 0;\n");
    for register in ["%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z"] {
        text += &format!("mov.u32 %r1, {register};\nor.b32 %r0, %r0, %r1;\n");
    }
    text += "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra DONE;\n";
    let mut mark = FIRST_MARK;
    for (number, result) in scene.results.iter().enumerate() {
        let size = result.contents.len() as u64;
        let value = |offset: usize| scene.parameters.get(offset..offset + 8)?.try_into().ok().map(u64::from_le_bytes);
        let offset = (0..scene.parameters.len())
            .step_by(8)
            .find(|&offset| value(offset).is_some_and(|value| value.wrapping_sub(result.address) < size))?;
        let within = value(offset)? - result.address;
        let index = parameters.iter().rposition(|parameter| parameter.offset <= offset)?;
        let name = names.get(index)?;
        let inside = offset - parameters[index].offset;
        let end = mark + u32::try_from(size / 4).ok()?;
        text += &format!(
            "ld.param.u64 %rd1, [{name}+{inside}];\nsub.s64 %rd1, %rd1, {within};\nmov.u32 %r2, {mark};\nNEXT{number}:\n\
             st.global.u32 [%rd1], %r2;\nadd.s64 %rd1, %rd1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, {end};\n\
             @%p2 bra NEXT{number};\n"
        );
        mark = end;
    }
    Some(text + "DONE:\nret;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::verify::Expected;

    fn compared(tolerance: f64) -> Compared {
        let expected = Expected { value: 1.0, magnitude: 1.0, tolerance };
        Compared { output: "fx".into(), bits: 0, is_integer: false, expected }
    }

    #[test]
    fn places_at_equal_distances_are_one_run() {
        let mut runs = Vec::new();
        [(0, 3), (0, 7), (0, 11), (0, 12), (1, 0), (1, 1)].into_iter().for_each(|place| push(&mut runs, place));
        let run = |result, word, stride, count| Run { result, word, stride, count };
        assert_eq!(runs, [run(0, 3, 4, 3), run(0, 12, 0, 1), run(1, 0, 1, 2)]);
    }

    #[test]
    fn tolerances_are_rounded_down() {
        for tolerance in [1e-6, 1.1e-6, 3e-6, 1e-3] {
            let least = 1e-6_f64.log2();
            let code = code(tolerance, 1e-6_f64.log2());
            let decoded = (least + f64::from(code - 1) / STEPS_AN_OCTAVE).exp2();
            assert!(decoded <= tolerance * (1.0 + 1e-12) && decoded >= 0.91 * tolerance, "{tolerance}: {decoded}");
        }
        assert_eq!(code(0.0, 1.0), 0);
    }

    #[test]
    fn recorded_values_outside_of_their_tolerance_are_no_output() {
        let first = compared(0.5);
        let second = compared(0.25);
        let placed = |recorded| {
            let of = |value, word, recorded| Placed { place: (0, word), value, recorded };
            output(&[of(&first, 0, 1.25), of(&second, 1, recorded)])
        };
        let output = placed(1.0).expect("an output");
        assert_eq!((output.share, output.least, output.tolerances.as_str()), (0.5, -2.0, "0901"));
        for wrong in [1.5, f64::NAN] {
            assert!(placed(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn blocks_inside_a_kernel_do_not_end_it() {
        assert_eq!(closing(&["{", "// {", "{ .reg .pred p;", "}", "mov.v2 {%a, %b}, %c;", "}", "}"]), Some(5));
    }
}
