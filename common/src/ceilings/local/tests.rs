//! Rates that are passed in: kept, measured again, damaged, wrong, and without a folder to keep them in.

use super::super::measured::{Measured, Quantity};
use super::super::recorded::tests::{LIMITS, Results, measured};
use super::super::unit::Unit;
use super::*;

fn key() -> Key {
    Key {
        device: "NVIDIA GeForce RTX 3060 (Laptop)".into(),
        multiprocessors: Some(30),
        clock_khz: Some(1_425_000),
        memory_clock_khz: Some(7_001_000),
        driver: "580.65.06 (CUDA 13.0)".into(),
        measurements: "1-abc".into(),
    }
}

/// Returns rates of a GPU of compute capability 8.6, which were measured on 27 November.
fn rates(memory: f64) -> Vec<Measured> {
    let mut all = vec![measured(Quantity::Memory, memory, true), measured(Quantity::Special, 1e11, true)];
    for one in &mut all {
        one.made.compute_capability = "8.6".into();
        one.made.date = "2026-11-27T10:00:00Z".into();
    }
    all
}

fn whole(measured: Vec<Measured>) -> Quick {
    Quick { measured, failures: Vec::new() }
}

/// A scratch folder for `results` and the cache.
struct Scratch(Results);

impl Scratch {
    fn new(test: &str) -> Self {
        Self(Results::new(test, &[("emulator/stage01.json", "[]")]))
    }

    fn cache(&self) -> PathBuf {
        self.0.0.join("limits")
    }

    /// Returns the ceilings, and whether they were measured.
    fn get(&self, key: &Key, again: bool, memory: f64) -> (Ceilings, bool) {
        self.get_in(Ok(self.cache()), key, again, || whole(rates(memory)))
    }

    fn get_in(
        &self,
        folder: Result<PathBuf, String>,
        key: &Key,
        again: bool,
        measure: impl FnOnce() -> Quick,
    ) -> (Ceilings, bool) {
        let mut is_measured = false;
        let measure = || {
            is_measured = true;
            measure()
        };
        let ceilings = of_this_machine(&self.0.0, folder, key, again, measure).expect("no record is malformed");
        (ceilings, is_measured)
    }

    /// Returns the only file that is kept.
    fn file(&self) -> PathBuf {
        let files: Vec<_> =
            std::fs::read_dir(self.cache()).expect("a folder").map(|one| one.expect("a file").path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }
}

fn memory(ceilings: &Ceilings) -> Option<f64> {
    ceilings.rates.get(&Unit::Memory).copied()
}

#[test]
fn rates_are_measured_once_and_then_kept() {
    let scratch = Scratch::new("kept");
    let (first, is_measured) = scratch.get(&key(), false, 3e11);
    assert!(is_measured && matches!(first.origin(), Some(Origin::Measured(_))));
    let name = scratch.file().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with("nvidia-geforce-rtx-3060-laptop-") && name.ends_with(".json"), "{name}");
    let (second, is_measured) = scratch.get(&key(), false, 4e11);
    assert!(!is_measured && memory(&second) == Some(3e11));
    assert_eq!(second.origin(), Some(&Origin::Kept("2026-11-27T10:00:00Z".into())));
    let (third, is_measured) = scratch.get(&key(), true, 4e11);
    assert!(is_measured && memory(&third) == Some(4e11));
    assert_eq!(memory(&scratch.get(&key(), false, 5e11).0), Some(4e11));
}

#[test]
fn another_device_clock_driver_or_kernel_is_measured_again() {
    let scratch = Scratch::new("keys");
    scratch.get(&key(), false, 3e11);
    let others = [
        Key { device: "NVIDIA A10".into(), ..key() },
        Key { multiprocessors: Some(28), ..key() },
        Key { clock_khz: Some(1_500_000), ..key() },
        Key { memory_clock_khz: None, ..key() },
        Key { driver: "590.1 (CUDA 13.1)".into(), ..key() },
        Key { measurements: "1-abd".into(), ..key() },
    ];
    for other in others {
        assert!(scratch.get(&other, false, 4e11).1, "{other:?}");
    }
    assert_eq!(memory(&scratch.get(&key(), false, 4e11).0), Some(3e11));
}

#[test]
fn a_damaged_file_is_reported_and_replaced() {
    let scratch = Scratch::new("damaged");
    scratch.get(&key(), false, 3e11);
    let whole = std::fs::read_to_string(scratch.file()).expect("a text");
    let of_another = whole.replace("580.65.06 (CUDA 13.0)\",\n    \"m", "570 (CUDA 12.8)\",\n    \"m");
    let texts = ["", "{", "[]", "\u{0}", &whole[..whole.len() / 2], &of_another];
    let changed = [
        whole.replace("true", "false"),
        whole.replace("300000000000.0", "0.0"),
        whole.replace("300000000000.0", "null"),
    ];
    for text in texts.into_iter().chain(changed.iter().map(String::as_str)) {
        assert_ne!(text, whole);
        std::fs::write(scratch.file(), text).expect("it is writable");
        let (ceilings, is_measured) = scratch.get(&key(), false, 3e11);
        assert!(is_measured && memory(&ceilings) == Some(3e11), "{text}");
        let notice = &ceilings.notices()[0];
        assert!(notice.starts_with("cannot use ") && notice.ends_with("the peak rates are measured again"), "{notice}");
        assert!(!scratch.get(&key(), false, 3e11).1, "{text}");
    }
}

#[test]
fn rates_that_cannot_be_kept_are_used_all_the_same() {
    let scratch = Scratch::new("unwritable");
    let in_a_file = scratch.0.0.join("emulator/stage01.json/limits");
    for folder in [Ok(in_a_file), Err("HOME names no folder".to_owned())] {
        let (ceilings, is_measured) = scratch.get_in(folder, &key(), false, || whole(rates(3e11)));
        assert!(is_measured && memory(&ceilings) == Some(3e11));
        let notices = ceilings.notices();
        assert!(notices.iter().any(|notice| notice.starts_with("the peak rates are not kept")), "{notices:?}");
    }
}

#[test]
fn a_failure_leaves_its_unit_out_and_nothing_is_kept() {
    let scratch = Scratch::new("wrong");
    let mut some = rates(3e11);
    some[0].verified = false;
    let failures = vec!["memory cannot be measured: readMemory had wrong results".to_owned()];
    let quick = Quick { measured: some, failures: failures.clone() };
    let (ceilings, _) = scratch.get_in(Ok(scratch.cache()), &key(), false, || quick);
    assert_eq!((memory(&ceilings), ceilings.rates.get(&Unit::Special)), (None, Some(&1e11)));
    assert_eq!(ceilings.notices()[..1], failures);
    assert!(!scratch.cache().exists());
}

#[test]
fn without_any_rate_there_are_only_notices() {
    let scratch = Scratch::new("failed");
    let failures = vec!["FP32 cannot be measured: cannot load kernels/01_fma.cu".to_owned()];
    let quick = Quick { measured: Vec::new(), failures: failures.clone() };
    let (ceilings, _) = scratch.get_in(Ok(scratch.cache()), &key(), false, || quick);
    assert!(!ceilings.are_recorded() && ceilings.origin().is_none());
    assert_eq!(ceilings.notices(), failures);
}

#[test]
fn machine_code_of_the_same_compute_capability_comes_before_that_of_another_and_ptx() {
    let (ceilings, _) = Scratch::new("of-ptx").get(&key(), false, 3e11);
    assert!(ceilings.notices()[0].contains("counts PTX: ~"), "{:?}", ceilings.notices());
    let counted = r#"{"kernels": [{"kernel": "k", "options": {}, "opcodes": {}}]}"#;
    let like = LIMITS.replace("\"9.0\"", "\"8.6\"");
    let scratch =
        Scratch(Results::new("of-code", &[("gpu/limits.json", like.as_str()), ("gpu/opcodes.json", counted)]));
    assert!(scratch.get(&key(), false, 3e11).0.notices().is_empty());
    let files = [("gpu/limits.json", LIMITS), ("gpu/opcodes.json", counted)];
    let (ceilings, _) = Scratch(Results::new("of-other-code", &files)).get(&key(), false, 3e11);
    let expected = "the machine code of compute capability 8.6 is not counted, so `limited by` counts that of 9.0: ~";
    assert_eq!(ceilings.notices(), [expected]);
}

#[test]
fn the_first_lines_say_where_the_rates_are_from() {
    let origins =
        [Origin::Record("nvidia-h200".into()), Origin::Measured(1.449), Origin::Kept("2026-11-27T10:00:00Z".into())];
    let expected = [
        "Peak rates of its units: recorded, results/nvidia-h200 (--measure-limits measures them here)",
        "Peak rates of its units: measured now, in 1.4 s",
        "Peak rates of its units: measured on 2026-11-27 (--measure-limits measures again)",
    ];
    assert_eq!(origins.map(|origin| origin.to_string()), expected);
}
