//! Occupancy, compared with the answers of an H200 (driver 580) in `hardware/occupancy.txt`.

use emulator::Resources;

/// The recorded answers. The file describes its columns.
const READINGS: &str = include_str!("../hardware/occupancy.txt");

/// Returns the readings of one kind: the kernel's resources, and the other columns.
fn readings(kind: &str) -> impl Iterator<Item = (Resources, Vec<u32>)> {
    READINGS.lines().filter_map(move |line| {
        let row = line.strip_prefix(kind)?;
        let numbers: Vec<u32> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let [registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes] = numbers[..4] else {
            panic!("{row}")
        };
        let kernel = Resources { registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes };
        Some((kernel, numbers[4..].to_vec()))
    })
}

#[test]
fn blocks_per_multiprocessor_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("blocks ") {
        let [threads, dynamic, blocks] = row[..] else { panic!("{row:?}") };
        let ours = resources.blocks_per_multiprocessor(threads, dynamic as usize);
        assert_eq!(ours, blocks, "{resources:?}, {threads} threads, {dynamic} bytes");
        rows += 1;
    }
    assert!(rows > 500, "{rows} readings");
}

#[test]
fn best_block_sizes_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("best ") {
        let [limit, dynamic, threads, blocks] = row[..] else { panic!("{row:?}") };
        assert_eq!(resources.best_block(limit, |_| dynamic as usize), (threads, blocks), "{resources:?}, {row:?}");
        rows += 1;
    }
    assert!(rows > 30, "{rows} readings");
}

#[test]
fn available_dynamic_bytes_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("available ") {
        let [blocks, threads, fits, bytes] = row[..] else { panic!("{row:?}") };
        let expected = (fits == 1).then_some(bytes as usize);
        assert_eq!(resources.available_dynamic_bytes(blocks, threads), expected, "{resources:?}, {row:?}");
        rows += 1;
    }
    assert!(rows > 100, "{rows} readings");
}

#[test]
fn largest_blocks_match_the_hardware() {
    for (registers, threads) in [(8, 1024), (40, 1024), (72, 896), (96, 640), (128, 512), (215, 256)] {
        let static_shared_bytes = 0;
        let max_dynamic_shared_bytes = 0;
        let kernel = Resources { registers, static_shared_bytes, max_threads: 1024, max_dynamic_shared_bytes };
        assert_eq!(kernel.max_threads_per_block(), threads);
    }
}

#[test]
fn a_kernel_that_declares_its_largest_block_has_registers_for_it() {
    let registers = |bound: &str| {
        let live: Vec<u32> = (0..100).collect();
        let loads = live.iter().map(|index| format!("ld.global.u32 %r{index}, [%rd0+{}];", 4 * index));
        let stores = live.iter().map(|index| format!("st.global.u32 [%rd0+{}], %r{index};", 4 * index + 400));
        let body: Vec<String> = loads.chain(stores).collect();
        let text = format!(
            ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {bound} {{\n.reg .b32 %r<100>;\n\
             .reg .b64 %rd<1>;\nld.param.u64 %rd0, [p];\n{}\nret;\n}}",
            body.join("\n")
        );
        let module = emulator::Module::load(&text, &std::sync::Arc::new(emulator::Memory::new(1 << 20)));
        module.expect("a module").kernels()[0].registers()
    };
    // 100 values and an address, which leave gaps, and what each kernel has.
    assert_eq!(registers(""), 111);
    assert_eq!(registers(".maxntid 1024"), 64);
    assert_eq!(registers(".maxntid 32, 16, 1"), 111, "128 would fit");
    assert_eq!(registers(".maxntid 640"), 96);
    assert_eq!(registers(".maxntid 256 .minnctapersm 4"), 64);
    assert_eq!(registers(".maxntid 256 .minnctapersm 4000000000"), 32, "no more than the threads of a multiprocessor");
    assert_eq!(registers(".maxnreg 72"), 72);
    assert_eq!(registers(".maxnreg 0"), 16);
}

#[test]
fn a_kernel_that_calls_a_function_has_the_registers_of_the_calling_convention() {
    let registers = |bound: &str| {
        let text = format!(
            ".version 8.1\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
             .global .align 1 .b8 text[3] = {{72, 105, 0}};\n.visible .entry k() {bound} {{\n.reg .b64 %rd<3>;\n\
             mov.u64 %rd0, text;\ncvta.global.u64 %rd1, %rd0;\nmov.u64 %rd2, 0;\n\
             {{\n.param .b64 f;\n.param .b64 v;\n.param .b32 r;\nst.param.b64 [f], %rd1;\nst.param.b64 [v], %rd2;\n\
             call.uni (r), vprintf, (f, v);\n}}\nret;\n}}"
        );
        let module = emulator::Module::load(&text, &std::sync::Arc::new(emulator::Memory::new(1 << 20)));
        module.expect("a module").kernels()[0].registers()
    };
    assert_eq!(registers(""), 24);
    // "adjusting per thread register count of 16 to lower bound of 24", in the words of ptxas 13.0.
    assert_eq!(registers(".maxnreg 16"), 24);
}
