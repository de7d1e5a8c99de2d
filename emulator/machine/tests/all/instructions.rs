//! Every arithmetic instruction of the table, with the documented results in `instructions/`. An H200 (driver 580) returns the
//! same results, except for the bits of NaNs. For 65,536 inputs of each instruction in `packed` and `eighths`, an H100 (driver
//! 580) returned the emulator's bits.

use crate::support::case::{Case, Signature, parse};
use crate::support::lanes;
use std::collections::BTreeMap;

/// Groups the cases by kernel: by opcode, and by the constant operand if there is one.
fn groups(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut groups: BTreeMap<(String, Option<u64>), Vec<Case>> = BTreeMap::new();
    for case in cases {
        let constant = Signature::from_opcode(&case.opcode).filter(|signature| signature.constant);
        let constant = constant.and_then(|_| case.sources.last().copied());
        groups.entry((case.opcode.clone(), constant)).or_default().push(case);
    }
    groups.into_values().collect()
}

fn failures(text: &str) -> Vec<String> {
    groups(parse(text).unwrap_or_else(|error| panic!("{error}"))).iter().flat_map(|group| lanes::run(group)).collect()
}

fn check(name: &str) {
    let text =
        std::fs::read_to_string(crate::support::folder("instructions").join(name).with_extension("txt")).unwrap();
    let failures = failures(&text);
    assert!(failures.is_empty(), "{name}.txt, {} failures:\n{}", failures.len(), failures.join("\n"));
}

macro_rules! files {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_file_is_run() {
            let found: Vec<String> = crate::support::files("instructions", "txt").into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, [$(stringify!($name)),*]);
        }
    };
}

files! { approximate compare convert eighths float half integer logic packed rounding }

#[test]
fn a_wrong_expectation_fails_in_every_form_of_execution() {
    let failures = failures("add.s32  2 2 -> 5\nsetp.lt.s32  1 2 -> false\nadd.f32  nan 1 -> 1");
    let ways = ["Plain", "Aliased", "Predicated(0)", "Predicated(1)", "Branched(0)", "Branched(1)", "Immediate"];
    for way in ways {
        assert!(failures.iter().any(|failure| failure.starts_with("line 1") && failure.contains(way)), "{way}");
    }
    assert!(failures.iter().any(|failure| failure.starts_with("line 2")), "{failures:?}");
    assert!(failures.iter().any(|failure| failure.starts_with("line 3")), "{failures:?}");
}

#[test]
fn a_result_outside_its_tolerance_fails() {
    for text in ["sqrt.approx.f32  4 -> 2.0000005 within 2^-23", "cos.approx.f32  0 -> 0.999 within 2^-20.9 absolute"] {
        assert!(!failures(text).is_empty(), "{text}");
    }
    assert!(failures("sqrt.approx.f32  4 -> 2.0000002 within 2^-23").is_empty());
}
