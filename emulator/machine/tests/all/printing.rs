//! Printed text: the buffer, the order of blocks, and formats that cannot be read.

use crate::support::machine::{Machine, Shape};
use emulator::{LaunchError, Options, Printed};

/// Returns a module whose kernel `k` prints `text` with the bytes of `argument`, which is 8 bytes long, as the arguments.
fn module(text: &str, argument: &str) -> String {
    let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(
        ".version 8.1
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[{}] = {{{}}};
.visible .entry k()
{{
    .local .align 8 .b8 buffer[8];
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    mov.u64 %d0, text;
    cvta.global.u64 %d0, %d0;
    mov.u64 %d1, buffer;
    cvta.local.u64 %d2, %d1;
    mov.u32 %r0, %ctaid.x;
    cvt.u64.u32 %d3, %r0;
    {argument}
    st.local.u64 [%d1], %d3;
    {{
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 result;
    st.param.b64 [p0], %d0;
    st.param.b64 [p1], %d2;
    call.uni (result), vprintf, (p0, p1);
    ld.param.b32 %r1, [result];
    }}
    ret;
}}
",
        text.len() + 1,
        bytes.join(", ")
    )
}

fn launched(machine: &Machine, blocks: u32, threads: usize) -> Result<Printed, LaunchError> {
    let options = Options { threads, ..Options::default() };
    machine.try_run("k", Shape::threads(1).blocks(blocks), &[], &options).map(|_| machine.memory.take_printed())
}

#[test]
fn blocks_print_in_the_same_order_on_any_number_of_threads() {
    let lines: String = (0..500).map(|block| format!("{block}\n")).collect();
    for threads in [1, 2, 8] {
        let machine = Machine::new(&module("%d\n", ""));
        let printed = launched(&machine, 500, threads).unwrap();
        assert_eq!(printed, Printed { text: lines.clone(), lost_bytes: 0 });
        assert_eq!(printed.loss(), None);
        assert!(machine.memory.take_printed().is_empty(), "it was taken");
    }
}

#[test]
fn the_oldest_lines_are_lost_when_the_buffer_is_full() {
    let machine = Machine::new(&module("%4d\n", ""));
    machine.memory.set_print_capacity(52);
    let printed = launched(&machine, 100, 1).unwrap();
    // Ten lines of 5 bytes fit, and 2 bytes of the line before them, which is dropped.
    let lines: String = (90..100).map(|block| format!("{block:4}\n")).collect();
    assert_eq!(printed, Printed { text: lines, lost_bytes: 450 });
    let loss = printed.loss().unwrap();
    assert!(loss.contains("450 bytes") && loss.contains("CU_LIMIT_PRINTF_FIFO_SIZE"), "{loss}");
    assert_eq!(launched(&machine, 1, 1).unwrap().text, "   0\n");
}

#[test]
fn a_text_outside_of_memory_is_a_fault() {
    let machine = Machine::new(&module("%s\n", "mov.u64 %d3, 4096;"));
    let error = launched(&machine, 1, 1).unwrap_err().to_string();
    let expected = "out-of-bounds access in kernel `k`: printf reads the text of a %s at 0x1000, not in any allocation\n  \
        at PTX line 25: call.uni (result), vprintf, (p0, p1);\n  by thread (0, 0, 0)";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn what_was_printed_before_a_fault_remains() {
    let text = module("before\n", "").replace("    ret;", "    st.global.u32 [%d3], %r0;\n    ret;");
    let machine = Machine::new(&text);
    assert!(launched(&machine, 1, 1).is_err());
    assert_eq!(machine.memory.take_printed().text, "before\n");
}
