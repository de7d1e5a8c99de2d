//! Launches under all checks.

use crate::asked;
use crate::exercises::{prebuilt, question, set};
use judge::set::Role;
use serde_json::{Value, json};

/// Returns the answer for the first launch of an exercise's solution, with another PTX.
fn checked(exercise: &str, ptx: &str) -> Value {
    let set = set();
    let exercise = set.find(exercise).expect("an exercise");
    let solution = prebuilt(exercise, &Role::Solution);
    let scenes = asked(&question("scenes", exercise, &solution.text, ("ptx", &solution.ptx)));
    let mut scene = scenes["scenes"][0]["scene"].clone();
    scene["ptx"] = ptx.into();
    asked(&json!({ "ask": "check", "scene": scene, "file": "kernel.cu", "text": solution.text }))
}

/// Returns the prebuilt PTX of a kernel.
fn ptx(exercise: &str, role: &Role) -> String {
    prebuilt(set().find(exercise).expect("an exercise"), role).ptx
}

#[test]
fn a_clean_kernel_has_counters_and_the_recorded_bits() {
    let answer = checked("22", &ptx("22", &Role::Solution));
    assert_eq!((&answer["fault"], &answer["findings"], &answer["same_bits"]), (&json!(null), &json!([]), &json!(true)));
    assert!(answer["counters"]["warp_instructions"].as_u64() > Some(0), "{answer:#}");
}

#[test]
fn a_race_is_a_finding() {
    let answer = checked("22", &ptx("22", &Role::Skeleton));
    assert_eq!(answer["findings"][0]["tool"], "racecheck", "{answer:#}");
    assert!(answer["counters"]["warp_instructions"].as_u64() > Some(0), "{answer:#}");
}

#[test]
fn an_access_out_of_bounds_is_a_fault() {
    let answer = checked("12", &ptx("12", &Role::Skeleton));
    assert_eq!((&answer["fault"]["tool"], &answer["same_bits"]), (&json!("memcheck"), &json!(false)), "{answer:#}");
}

#[test]
fn a_kernel_that_computes_something_else_has_other_bits() {
    let answer = checked("11", &ptx("11", &Role::Skeleton));
    assert_eq!((&answer["fault"], &answer["same_bits"]), (&json!(null), &json!(false)), "{answer:#}");
    assert!(answer["unequal_words"].as_u64() > Some(0), "{answer:#}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_kernel_that_does_not_end_is_a_fault() {
    let endless = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry add(.param .u64 a, .param .u64 b,\n\
                   .param .u64 c, .param .u32 n) {\nAGAIN:\nbra AGAIN;\n}\n";
    let answer = checked("11", endless);
    let title = answer["fault"]["title"].as_str().unwrap_or_default();
    assert!(title.starts_with("instruction budget"), "{answer:#}");
}

#[test]
fn ptx_that_cannot_be_loaded_is_an_error_with_its_line() {
    let answer = checked("11", ".version 8.1\n.target sm_75\n.address_size 64\nnonsense");
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("line 4")), "{answer:#}");
}
