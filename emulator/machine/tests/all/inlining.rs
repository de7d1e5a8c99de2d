//! The lines of source that findings name: those of the kernel's own files, into which functions of headers are inlined.

use crate::support::machine::{Machine, Shape, counting};
use emulator::LaunchError;

/// A line of a file, if it is known.
type Line = Option<(String, u32)>;

/// Returns the line and the inlined line of a load from address 0 after the directives. File 1 is the kernel's.
fn lines(directives: &str) -> (Line, Line) {
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k() {{\n.reg .b64 %a; .reg .b32 %v;\n\
         mov.u64 %a, 0;\n{directives}\nld.global.u32 %v, [%a];\nret;\n}}\n.file 1 \"/home/lab/k.cu\"\n\
         .file 2 \"/usr/include/half.hpp\"\n.file 3 \"/home/lab/own/helper.cuh\"\n.file 4 \"/usr/include/load.h\"\n"
    );
    let launched = Machine::new(&ptx).try_run("k", Shape::threads(1), &[], &counting());
    let Err(LaunchError::Fault(fault)) = launched else { panic!("{launched:?}") };
    (fault.place.location, fault.place.inlined)
}

fn at(file: &str, line: u32) -> Line {
    Some((file.to_owned(), line))
}

#[test]
fn a_line_of_the_file_stays() {
    assert_eq!(lines(".loc 1 7 5"), (at("/home/lab/k.cu", 7), None));
}

#[test]
fn a_line_of_a_header_is_that_of_the_call() {
    let found = lines(".loc 1 7 5\n.loc 2 254 1, function_name $L__info_string0, inlined_at 1 7 5");
    assert_eq!(found, (at("/home/lab/k.cu", 7), at("/usr/include/half.hpp", 254)));
}

#[test]
fn calls_in_headers_are_followed_to_the_file() {
    let found = lines(
        ".loc 1 9 5\n.loc 2 254 1, function_name $L__info_string0, inlined_at 1 9 5\n\
         .loc 4 20 3, function_name $L__info_string1, inlined_at 2 254 1",
    );
    assert_eq!(found, (at("/home/lab/k.cu", 9), at("/usr/include/load.h", 20)));
}

#[test]
fn a_function_of_the_file_or_of_a_header_below_it_has_its_own_line() {
    let own = lines(".loc 1 9 5\n.loc 1 3 2, function_name $L__info_string0, inlined_at 1 9 5");
    assert_eq!(own, (at("/home/lab/k.cu", 3), None));
    let below = lines(".loc 1 9 5\n.loc 3 12 2, function_name $L__info_string0+4, inlined_at 1 9 5");
    assert_eq!(below, (at("/home/lab/own/helper.cuh", 12), None));
}

/// The same function is inlined twice, and the line of the header into each.
#[test]
fn the_last_call_counts() {
    let found = lines(
        ".loc 1 8 5\n.loc 1 3 2, function_name $L__info_string0, inlined_at 1 8 5\n.loc 2 5 5, function_name $L__info_string1, inlined_at 1 3 2\n\
         .loc 1 9 5\n.loc 3 3 2, function_name $L__info_string0, inlined_at 1 9 5\n.loc 2 5 5, function_name $L__info_string1, inlined_at 3 3 2",
    );
    assert_eq!(found, (at("/home/lab/own/helper.cuh", 3), at("/usr/include/half.hpp", 5)));
}

/// Line 0 is what a compiler gives to instructions that come from several lines.
#[test]
fn line_0_is_that_of_the_call() {
    let found = lines(".loc 1 7 5\n.loc 1 0 0, function_name $L__info_string0, inlined_at 1 7 5");
    assert_eq!(found.0, at("/home/lab/k.cu", 7));
    assert_eq!(lines(".loc 1 0 0"), (None, None));
}

#[test]
fn a_header_without_a_known_call_stays() {
    assert_eq!(lines(".loc 2 254 1"), (at("/usr/include/half.hpp", 254), None));
    let unknown = lines(".loc 2 254 1, function_name $L__info_string0, inlined_at 1 7 5");
    assert_eq!(unknown, (at("/usr/include/half.hpp", 254), None));
}
