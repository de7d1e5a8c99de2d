//! `cargo x check` as a program: its output, its exit status, and what it says to a wrong command line.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const SUM: &str = ".version 8.1\n.target sm_75\n.address_size 64\n\
    .visible .entry sum(.param .u64 in, .param .u32 n) { .reg .b64 %a; .reg .b32 %v;\n\
    ld.param.u64 %a, [in]; ld.global.u32 %v, [%a+12]; ret; }\n\
    .visible .entry _Z5twicePf(.param .u64 in) { ret; }\n\
    .visible .entry endless() { .reg .u32 %i; mov.u32 %i, 0; again: add.u32 %i, %i, 1; bra again; }\n\
    .visible .entry odd() { frobnicate.b32; ret; }\n";

/// Exit status, output and error output.
fn check(file: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.arg("check").arg(file).args(arguments.split_whitespace()).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The same for [`SUM`] in a file.
fn check_sum(arguments: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sum.ptx");
    std::fs::write(&file, SUM).expect("a file");
    check(&file, arguments)
}

#[test]
fn clean_kernel_has_one_line_and_status_0() {
    let (status, said, errors) = check_sum("--kernel sum --grid 2,2 --block 32 --arg u32[4]=index --arg u32=4");
    assert_eq!(said, "sum: clean (memcheck, initcheck, racecheck, synccheck), 4 blocks of 32\n");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
}

#[test]
fn finding_has_tool_thread_and_element_and_status_1() {
    let (status, said, _) = check_sum("--kernel sum --grid 1 --block 1 --arg u32[4] --arg u32=4");
    assert_eq!(
        said,
        "initcheck: read of uninitialized global memory in kernel `sum`: global memory at 0x70000000c, once\n  \
         read by thread (0, 0, 0) (warp 0, lane 0) of block (0, 0, 0)\n    \
         PTX line 5: ld.param.u64 %a, [in]; ld.global.u32 %v, [%a+12]; ret; }\n  \
         element 3 of argument 1, u32[4]\n"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn json_is_one_diagnosis_a_line() {
    let (status, said, _) = check_sum("--json --kernel sum --grid 1 --block 1 --arg u32[3]=0 --arg u32=3");
    let diagnosis: Value = serde_json::from_str(&said).expect("one line of JSON");
    assert_eq!((&diagnosis["tool"], status), (&Value::from("memcheck"), Some(1)));
    assert_eq!(diagnosis["sides"][0]["place"]["line"], 5);
    let (_, said, _) = check_sum("--json --kernel sum --grid 1 --block 1 --arg u32[4]=0 --arg u32=3");
    assert_eq!(said, "", "nothing for a clean kernel");
}

#[test]
fn elements_of_an_argument_are_printed_on_request() {
    let (_, said, _) = check_sum("--kernel sum --grid 1 --block 1 --arg i32[4]=1,-2,3,4 --arg u32=4 --print 1");
    assert!(said.ends_with("\nargument 1, i32[4]: 1 -2 3 4\n"), "{said}");
    let (status, _, errors) = check_sum("--kernel sum --grid 1 --block 1 --arg u32[4]=0 --arg u32=4 --print 2");
    assert_eq!((status, errors.as_str()), (Some(2), "error: --print 2: argument 2 is no buffer\n"));
}

/// It counts, so that nothing proves that it never ends.
#[test]
fn kernel_that_does_not_end_is_stopped() {
    let (status, said, _) = check_sum("--kernel endless --grid 1 --block 32 --budget 100000");
    assert!(said.starts_with("instruction budget used up in kernel `endless`: "), "{said}");
    assert_eq!(status, Some(1));
}

#[test]
fn name_of_the_source_finds_a_mangled_kernel() {
    let (status, said, _) = check_sum("--kernel twice --grid 1 --block 32 --arg f32[32]");
    assert!(said.starts_with("_Z5twicePf: clean"), "{said}");
    assert_eq!(status, Some(0));
}

/// What a wrong command line is told; its status is 2.
fn refused(arguments: &str) -> String {
    let (status, said, errors) = check_sum(arguments);
    assert_eq!((status, said.as_str()), (Some(2), ""), "{errors}");
    errors
}

#[test]
fn wrong_command_lines_are_told_what_there_is() {
    let unknown = refused("--kernel prod --grid 1 --block 1");
    assert_eq!(unknown, "error: there is no kernel `prod`; the kernels are sum, _Z5twicePf, endless\n");
    let few = refused("--kernel sum --grid 1 --block 1 --arg u32[4]");
    assert!(
        few.contains("`sum` takes these parameters: 2 (8, 4 bytes); these arguments are given: 1 (8 bytes)"),
        "{few}"
    );
    let shape = refused("--kernel sum --grid 1 --block 2000 --arg u32[4] --arg u32=1");
    assert!(shape.contains("invalid launch of `sum`") && shape.contains("2000"), "{shape}");
    let value = refused("--kernel sum --grid 1 --block 1 --arg u32=-1");
    assert!(value.contains("`-1` is not a value of type u32"), "{value}");
    let room = refused("--kernel sum --grid 1 --block 1 --arg u64[1000000000000] --arg u32=1");
    assert!(room.contains("no memory for u64[1000000000000]"), "{room}");
}

#[test]
fn kernel_that_is_not_supported_is_named_with_its_line() {
    let odd = refused("--kernel odd --grid 1 --block 1");
    assert!(odd.contains("cannot load") && odd.contains("line 8: `frobnicate.b32` in `odd`"), "{odd}");
}

#[test]
fn files_that_cannot_be_run_are_named() {
    let (status, _, errors) = check(Path::new("/no/such.ptx"), "--kernel k --grid 1 --block 1");
    assert!(status == Some(2) && errors.contains("cannot read /no/such.ptx"), "{errors}");
    let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/check.rs");
    let (status, _, errors) = check(&this, "--kernel k --grid 1 --block 1");
    assert!(status == Some(2) && errors.contains("is neither a .ptx nor a .cu file"), "{errors}");
}

/// The line of a panic, its text, and the thread.
#[test]
fn panic_of_a_kernel_in_rust_names_the_line() {
    if let Err(missing) = rust_ptx::Compiler::find() {
        println!("skipped: {missing}");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("shift.rs");
    let text = "#![no_std]\n#![feature(abi_ptx)]\nuse device::{Global, thread_idx};\n#[unsafe(no_mangle)]\npub unsafe extern \
        \"ptx-kernel\" fn shift(x: *mut f32, n: u32) {\n    let x = unsafe { Global::new(x, n as usize) };\n    \
        let t = thread_idx().x as usize;\n    x.set(t, x.get(t + 1));\n}\n";
    std::fs::write(&file, text).expect("a file");
    let (status, said, _) = check(&file, "--kernel shift --grid 1 --block 64 --arg f32[40]=1 --arg u32=40");
    assert_eq!(status, Some(1));
    assert!(said.contains("failed assertion in kernel `shift`: `index < length` does not hold"), "{said}");
    assert!(said.contains("shift.rs:8, in `x.set(t, x.get(t + 1));`"), "{said}");
    assert!(said.contains("thread (39, 0, 0)"), "{said}");
}
