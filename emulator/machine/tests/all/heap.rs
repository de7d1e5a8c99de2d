//! Memory that kernels allocate: its life, its capacity, and wrong accesses.

use crate::support::machine::{Machine, Shape};
use emulator::{FindingKind, HEAP_BYTES, LaunchError, Memory, MemorySpace, Options};

/// The body of each kernel of the module. Its thread `%r0` keeps the address of a block at `%d2`; `%d1` is a parameter.
const BODIES: [(&str, &str); 4] = [
    (
        "allocate",
        "{
    .param .b64 bytes;
    .param .b64 block;
    st.param.b64 [bytes], %d1;
    call.uni (block), malloc, (bytes);
    ld.param.b64 %d3, [block];
    }
    st.global.u64 [%d2], %d3;",
    ),
    ("write", "ld.global.u64 %d3, [%d2]; add.u64 %d3, %d3, %d1; st.u32 [%d3], %r0;"),
    ("read", "ld.global.u64 %d3, [%d2]; add.u64 %d3, %d3, %d1; ld.u32 %r1, [%d3]; st.global.u32 [%d2+4096], %r1;"),
    (
        "release",
        "ld.global.u64 %d3, [%d2]; add.u64 %d3, %d3, %d1;
    {
    .param .b64 block;
    st.param.b64 [block], %d3;
    call.uni free, (block);
    }",
    ),
];

/// A device with the kernels, and memory for the addresses of up to 512 blocks and for a value of each.
struct Heap {
    machine: Machine,
    kept: u64,
}

impl Heap {
    fn new() -> Self {
        let kernel = |(name, body): (&str, &str)| {
            format!(
                ".visible .entry {name}(.param .u64 kept, .param .u64 number)
{{
    .reg .b32 %r<3>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [kept];
    ld.param.u64 %d1, [number];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mad.lo.u32 %r0, %r1, %r2, %r0;
    mad.wide.u32 %d2, %r0, 8, %d0;
    {body}
    ret;
}}
"
            )
        };
        let kernels: String = BODIES.into_iter().map(kernel).collect();
        let machine = Machine::new(&format!(
            ".version 8.1
.target sm_80
.address_size 64
.extern .func (.param .b64 block) malloc (.param .b64 bytes);
.extern .func free (.param .b64 block);
{kernels}"
        ));
        machine.memory.track_writes(true);
        let kept = machine.upload(&[0; 8192]);
        Self { machine, kept }
    }

    fn try_run(&self, name: &str, blocks: u32, number: u64, threads: usize) -> Result<(), LaunchError> {
        let options = Options { threads, ..Options::default() };
        let arguments: [&[u8]; 2] = [&self.kept.to_le_bytes(), &number.to_le_bytes()];
        self.machine.try_run(name, Shape::threads(32).blocks(blocks), &arguments, &options).map(drop)
    }

    /// Runs a kernel with one block on one worker.
    fn run(&self, name: &str, number: u64) {
        self.try_run(name, 1, number, 1).unwrap_or_else(|error| panic!("{error}"));
    }

    fn error(&self, name: &str, number: u64) -> String {
        self.try_run(name, 1, number, 1).unwrap_err().to_string().lines().next().unwrap().to_owned()
    }

    fn check(&self, name: &str, number: u64) -> Vec<FindingKind> {
        let arguments: [&[u8]; 2] = [&self.kept.to_le_bytes(), &number.to_le_bytes()];
        let findings = self.machine.try_check(name, Shape::threads(32), &arguments, &Options::default()).unwrap();
        findings.iter().map(|finding| finding.kind).collect()
    }

    /// Returns the addresses of the blocks of the first `count` threads.
    fn addresses(&self, count: usize) -> Vec<u64> {
        let bytes = self.machine.download(self.kept, 8 * count);
        bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn values(&self) -> Vec<u32> {
        self.machine.words(self.kept + 4096, 64).into_iter().step_by(2).collect()
    }
}

#[test]
fn blocks_live_until_a_later_launch_frees_them() {
    let heap = Heap::new();
    heap.run("allocate", 20);
    heap.run("write", 16);
    heap.run("read", 16);
    assert_eq!(heap.values(), (0..32).collect::<Vec<u32>>());
    assert!(heap.addresses(32).iter().all(|address| address % 16 == 0), "{:x?}", heap.addresses(32));
    heap.run("release", 0);
    assert!(heap.error("read", 16).contains("at byte 16 of a block of 20 bytes that was freed before"));
}

#[test]
fn addresses_do_not_depend_on_the_number_of_workers() {
    let addresses = |threads| {
        let heap = Heap::new();
        heap.try_run("allocate", 16, 40, threads).unwrap();
        heap.addresses(512)
    };
    let expected = addresses(1);
    assert_eq!(expected.iter().collect::<std::collections::BTreeSet<_>>().len(), 512);
    assert_eq!(addresses(4), expected);
}

#[test]
fn a_full_heap_returns_null_until_a_block_is_freed() {
    let heap = Heap::new();
    assert_eq!(heap.machine.memory.heap_capacity(), HEAP_BYTES);
    heap.run("allocate", HEAP_BYTES / 16);
    let fit = |heap: &Heap| heap.addresses(32).iter().filter(|&&address| address != 0).count();
    assert_eq!(fit(&heap), 16);
    heap.run("release", 0);
    heap.machine.memory.set_heap_capacity(HEAP_BYTES / 2);
    heap.run("allocate", HEAP_BYTES / 16);
    assert_eq!(fit(&heap), 8);
    heap.run("release", 0);
    heap.run("allocate", u64::MAX);
    assert_eq!(fit(&heap), 0);
}

#[test]
fn an_access_past_the_end_of_a_block_is_a_fault() {
    let heap = Heap::new();
    heap.run("allocate", 32);
    heap.run("write", 28);
    let error = heap.error("write", 32);
    assert!(error.contains("4 bytes of global memory at "), "{error}");
    assert!(error.ends_with("just past the end of a block of 32 bytes that `malloc` returned"), "{error}");
    let error = heap.error("read", 132);
    assert!(error.ends_with("100 bytes past the end of a block of 32 bytes that `malloc` returned"), "{error}");
}

#[test]
fn only_blocks_can_be_freed() {
    let heap = Heap::new();
    heap.run("allocate", 32);
    let error = heap.error("release", 4);
    assert!(error.starts_with("invalid use of the heap in kernel `release`: `free` of 0x"), "{error}");
    assert!(error.ends_with("at byte 4 of a block of 32 bytes that `malloc` returned"), "{error}");
    let other = heap.machine.allocate(64);
    heap.machine.memory.write(heap.kept, &other.to_le_bytes()).unwrap();
    let error = heap.error("release", 0);
    assert!(error.ends_with(&format!("`free` of {other:#x}, which `malloc` has not returned")), "{error}");
}

#[test]
fn the_host_cannot_access_blocks_and_another_device_has_its_own() {
    let heap = Heap::new();
    heap.run("allocate", 32);
    let address = heap.addresses(1)[0];
    let memory: &Memory = &heap.machine.memory;
    assert!(memory.read(address, &mut [0; 4]).is_err() && memory.free(address).is_err());
    assert!(memory.hands_out(address), "it is an address of the device");
    memory.for_device(0).set_heap_capacity(1);
    assert_eq!(memory.heap_capacity(), HEAP_BYTES);
}

#[test]
fn reads_of_what_nobody_wrote_to_a_block_are_found() {
    let heap = Heap::new();
    let uninitialized = [FindingKind::Uninitialized { memory: MemorySpace::Global }];
    assert_eq!(heap.check("allocate", 32), []);
    assert_eq!(heap.check("read", 0), uninitialized);
    assert_eq!(heap.check("write", 0), []);
    assert_eq!(heap.check("read", 0), []);
    assert_eq!(heap.check("read", 4), uninitialized);
    heap.run("write", 8);
    assert_eq!(heap.check("read", 4), [], "a launch without checks counts as writing all memory");
    heap.run("allocate", 32);
    assert_eq!(heap.check("read", 4), [], "and so does one that allocates");
}
