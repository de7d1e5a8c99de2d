//! A twin in Rust that cannot be compiled here, on the emulator.

use super::*;
use crate::device::DeviceChoice;
use crate::kernel::{Compiler, KernelSource, Language, MissingCompiler};
use crate::plan::Plan;
use crate::problem::Size;
use crate::report::samples::{RUNG, STAGE};
use crate::stage::{Rung, Shape};

/// A language whose compiler is nowhere.
#[derive(Debug)]
struct Nowhere;

impl Language for Nowhere {
    fn extension(&self) -> &'static str {
        "rs"
    }

    fn compiler(&self) -> Result<Box<dyn Compiler>, MissingCompiler> {
        Err(MissingCompiler { reason: "type `get compiler`".into(), offer: None })
    }
}

/// Edited: the PTX, of which there is none, is of another text.
static EDITED: KernelSource = KernelSource { language: &Nowhere, text: "edited", ..RUNG.source };
static WITH_TWIN: Rung = Rung { source: KernelSource { rust: Some(&EDITED), ..RUNG.source }, ..RUNG };

fn beside(arguments: &[&str]) -> Result<Option<String>, Error> {
    let arguments = ["stage"].iter().chain(arguments).map(Into::into);
    let options = Options::parse_for(&STAGE, arguments).expect("options");
    let plan = Plan::new(&WITH_TWIN, Size::of(64), Shape::block(32)).expect("an accepted size");
    let mut session = Session::open(DeviceChoice::Emulator, false)?;
    let row = Outcome { plan, ..crate::report::samples::outcome(None, None) };
    run_beside(&options, &mut session, &mut vec![row])
}

#[test]
fn a_twin_without_a_compiler_is_left_out_with_a_line_that_says_what_to_type() {
    let line = beside(&[]).expect("no error").expect("a line");
    assert!(line.starts_with("Note: computeForces in Rust is left out: "), "{line}");
    assert!(
        line.ends_with("x.rs was changed and must be compiled: type `get compiler`") && !line.contains('\n'),
        "{line}"
    );
}

#[test]
fn a_kernel_without_a_twin_has_nothing_beside_it() {
    let options = Options::parse_for(&STAGE, ["stage"].map(Into::into)).expect("options");
    let plan = Plan::new(&RUNG, Size::of(64), Shape::block(32)).expect("an accepted size");
    assert!(plan.beside(&options, crate::device::Backend::Emulator).expect("no error").is_empty());
}

#[test]
fn twins_run_beside_where_no_language_is_asked_for_and_the_table_is_plain() {
    let has = |arguments: &[&str]| {
        let arguments = ["stage"].iter().chain(arguments).map(Into::into);
        Options::parse_for(&STAGE, arguments).expect("options").has_twins_beside()
    };
    assert!(has(&[]) && has(&["--n", "100"]));
    for arguments in [&["--language", "cuda"][..], &["--language", "both"], &["--json"], &["--counters"]] {
        assert!(!has(arguments), "{arguments:?}");
    }
}
