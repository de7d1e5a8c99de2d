//! Launches under all checks.

use crate::asked;
use crate::exercises::{prebuilt, question, set};
use judge::set::Role;
use serde_json::{Value, json};

/// Returns the answer for the first launch of an exercise's solution, with another PTX.
fn checked(exercise: &str, ptx: &str) -> Value {
    compared(exercise, ptx, &json!([]))
}

/// Returns the answer for a launch with tolerances.
fn compared(exercise: &str, ptx: &str, comparison: &Value) -> Value {
    let set = set();
    let exercise = set.find(exercise).expect("an exercise");
    let solution = prebuilt(exercise, &Role::Solution);
    let scenes = asked(&question("scenes", exercise, &solution.text, ("ptx", &solution.ptx)));
    let mut scene = scenes["scenes"][0]["scene"].clone();
    scene["ptx"] = ptx.into();
    scene["comparison"] = comparison.clone();
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
                   .param .u64 c, .param .u32 n) {\n.reg .u32 %r<2>;\n\
                   AGAIN:\nadd.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n";
    let answer = checked("11", endless);
    let title = answer["fault"]["title"].as_str().unwrap_or_default();
    assert!(title.starts_with("instruction budget"), "{answer:#}");
}

#[test]
fn ptx_that_cannot_be_loaded_is_an_error_with_its_line() {
    let answer = checked("11", ".version 8.1\n.target sm_75\n.address_size 64\nnonsense");
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("line 4")), "{answer:#}");
}

/// Stores 1.001 in the first word of the results of exercise 11, and 2 in the second.
const STORES: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry add(.param .u64 a, .param .u64 b,\n\
    .param .u64 c, .param .u32 n) {\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [c];\nst.global.f32 [%rd1], 0f3F8020C5;\n\
    st.global.f32 [%rd1+4], 0f40000000;\nret;\n}\n";

/// Stores 1 and 2.
fn recorded_stores() -> String {
    STORES.replace("0f3F8020C5", "0f3F800000")
}

/// Returns the comparison of two values, 1.001 and 2, with the recorded 1 and 2. The tolerances are 2^`least` and none.
fn check_two(least: f64, share: f64) -> Value {
    let solution = ptx("11", &Role::Solution);
    let recorded = checked("11", &recorded_stores());
    assert!(recorded["error"].is_null() && solution.contains(".entry add"), "{recorded:#}");
    let set = set();
    let exercise = set.find("11").expect("an exercise");
    let texts = prebuilt(exercise, &Role::Solution).text;
    let scenes = asked(&question("scenes", exercise, &texts, ("ptx", &recorded_stores())));
    let mut scene = scenes["scenes"][0]["scene"].clone();
    scene["ptx"] = STORES.into();
    let place = json!({ "result": 0, "word": 0, "stride": 1, "count": 2 });
    scene["comparison"] = json!([{
        "output": "c", "is_integer": false, "contents": "0100", "least": least, "share": share, "places": [place],
    }]);
    asked(&json!({ "ask": "check", "scene": scene, "file": "kernel.cu", "text": "" }))["comparison"].take()
}

#[test]
fn values_within_the_tolerance_are_right_and_others_are_listed() {
    let right = check_two(-9.0, 0.0);
    assert_eq!((&right["compared"], &right["wrong"]), (&json!(2), &json!(0)), "{right:#}");
    assert!(right["text"].as_str().is_some_and(|text| text.contains("51.2 % of what rounding explains")), "{right:#}");
    let wrong = check_two(-10.0, 0.0);
    assert_eq!(wrong["wrong"], 1, "{wrong:#}");
    let text = wrong["text"].as_str().expect("a text");
    assert!(text.starts_with("1 of 2 values differ by more than rounding explains\n  c[0] is 1.00"), "{text}");
    assert_eq!(check_two(-9.0, 0.6)["wrong"], 1, "the recorded values use a share of the tolerance");
}

#[test]
fn a_scene_without_tolerances_has_no_comparison() {
    assert_eq!(checked("11", &ptx("11", &Role::Solution))["comparison"], Value::Null);
}
