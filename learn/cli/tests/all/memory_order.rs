//! The findings of racecheck and initcheck in many small kernels, by both compilers: the mistakes that they find, beside what is correct.
//!
//! A line `// launch KERNEL ANSWER OPTIONS` in `tests/kernels` is before each kernel. The answer is `clean`, or the tool that reports
//! the mistake; its consequences, such as reads of what is not yet written, may be reported by another one.

use cuda_cpp::{Choice, Compiler};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A kernel of a file: its name, the expected answer, and the options of `cargo learn check`.
struct Case<'a> {
    kernel: &'a str,
    answer: &'a str,
    options: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let case = |line| {
        let words = str::splitn(line, 3, ' ').collect::<Vec<_>>();
        let [kernel, answer, options] = words[..] else { panic!("{line}") };
        Case { kernel, answer, options }
    };
    text.lines().filter_map(|line| line.strip_prefix("// launch ")).map(case).collect()
}

/// Returns the tools that report something, and the output.
fn check(file: &Path, case: &Case<'_>) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.arg("check").arg(file).args(["--no-estimate", "--kernel", case.kernel]);
    let output = command.args(case.options.split_whitespace()).output().expect("it starts");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let tool = |line: &str| line.split_once("check: ").map(|(tool, _)| format!("{tool}check"));
    let mut tools: BTreeSet<String> = said.lines().filter(|line| !line.starts_with(' ')).filter_map(tool).collect();
    if said.starts_with(&format!("{}: clean (", case.kernel)) {
        tools.insert("clean".to_owned());
    }
    (tools.into_iter().collect::<Vec<_>>().join(" "), said)
}

/// Checks the kernels of a file, compiled by both compilers.
fn require(name: &str) {
    require_by(name, &[Choice::Nvrtc, Choice::Clang]);
}

fn require_by(name: &str, compilers: &[Choice]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(name);
    let text = std::fs::read_to_string(&source).expect("kernels");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for &choice in compilers {
        let compiler = match Compiler::find(Some(choice)) {
            Ok(compiler) => compiler,
            Err(missing) => {
                crate::skip(&missing.to_string());
                continue;
            }
        };
        // Without its headers, NVRTC compiles what includes none.
        let Ok(ptx) = compiler.ptx(name, &text) else {
            assert!(choice == Choice::Nvrtc && text.contains("#include"), "{name} by {choice}");
            continue;
        };
        let file = folder.path().join(format!("{choice}.ptx"));
        std::fs::write(&file, ptx).expect("a file");
        for case in cases(&text) {
            let (answer, said) = check(&file, &case);
            let is_right = answer.split(' ').any(|tool| tool == case.answer);
            assert!(is_right, "{name}, {}, by {choice}: not {}:\n{said}", case.kernel, case.answer);
        }
    }
}

#[test]
fn only_barriers_of_a_warp_order_its_accesses() {
    require("warp.cu");
    require("groups.cu");
}

#[test]
fn scopes_reach_as_far_as_they_say() {
    require("scopes.cu");
    require_by("block_atomics.cu", &[Choice::Nvrtc]);
}

#[test]
fn flags_order_what_is_between_fences_and_volatile_alone_orders_nothing() {
    require("flags.cu");
}

#[test]
fn a_lane_arrives_at_mbarriers_for_its_warp() {
    require("mbarriers.cu");
}

#[test]
fn what_the_launch_writes_is_not_read_only() {
    require("readonly.cu");
}

#[test]
fn padding_may_be_copied_and_nothing_else_be_done_with_it() {
    require("padding.cu");
}

#[test]
fn a_plain_load_beside_atomics_is_a_race_unless_a_swap_or_an_atomic_decides() {
    require("atomics.cu");
}

#[test]
fn threads_of_a_block_need_more_than_volatile_in_global_memory_unless_it_is_a_flag() {
    require("volatile.cu");
}

#[test]
fn who_has_seen_a_flag_needs_a_fence_or_an_acquire() {
    require("acquire.cu");
}

#[test]
fn a_word_without_a_value_may_be_moved_within_shared_memory_and_nothing_else() {
    require("moved.cu");
}

#[test]
fn local_memory_is_not_lent() {
    require("local.cu");
}

#[test]
fn masks_name_active_lanes_and_ldmatrix_reads_the_rows_of_its_lanes() {
    require("masks.cu");
}
