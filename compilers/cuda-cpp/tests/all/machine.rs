//! Compiling a text with both compilers, and running its kernels on the emulator.

use cuda_cpp::{Choice, Compiler};
use emulator::{Dim3, Launch, Memory, Module, Options, launch};
use std::io::{Write, stderr};
use std::sync::Arc;

/// Device memory in bytes; what is not allocated takes no space.
const MEMORY_BYTES: u64 = 1 << 30;

/// The modules that both compilers made of one text.
pub struct Both {
    /// NVRTC's PTX.
    pub nvrtc: String,
    /// Clang's PTX.
    pub clang: String,
}

/// Compiles a text with both compilers; none, after a line that says so, if one is missing.
pub fn compiled(test: &str, text: &str) -> Option<Both> {
    let ptx = |choice| match Compiler::find(Some(choice)) {
        Ok(compiler) => Some(compiler.ptx("test.cu", text).unwrap_or_else(|log| panic!("{choice}: {log}"))),
        Err(missing) => {
            skip(test, &missing.to_string());
            None
        }
    };
    Some(Both { nvrtc: ptx(Choice::Nvrtc)?, clang: ptx(Choice::Clang)? })
}

/// Compiles a text with clang; none, after a line that says so, if it is missing. The inner error is clang's log.
pub fn by_clang(test: &str, text: &str) -> Option<Result<String, String>> {
    match Compiler::find(Some(Choice::Clang)) {
        Ok(compiler) => Some(compiler.ptx("test.cu", text).map_err(|log| log.to_string())),
        Err(missing) => {
            skip(test, &missing.to_string());
            None
        }
    }
}

fn skip(test: &str, reason: &str) {
    let _ = writeln!(stderr(), "skipped: {test}: {reason}");
}

/// A loaded module.
pub struct Machine {
    memory: Arc<Memory>,
    module: Module,
}

impl Machine {
    /// Loads a module's text.
    pub fn of(ptx: &str) -> Self {
        let memory = Arc::new(Memory::new(MEMORY_BYTES));
        let module = Module::load(ptx, &memory).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        if let Some((name, error)) = module.refusals().next() {
            panic!("{name}: {error}");
        }
        Self { memory, module }
    }

    /// Runs a kernel in blocks of 32 threads, one thread for each element of the inputs. Its parameters are the inputs and
    /// then the output, of `out_bytes` an element, and it returns the bytes of the output.
    pub fn run(&self, kernel: &str, threads: usize, inputs: &[&[u8]], out_bytes: usize) -> Vec<u8> {
        let allocate = |bytes: usize| self.memory.allocate(bytes as u64).expect("memory");
        let addresses: Vec<u64> = inputs.iter().map(|input| allocate(input.len())).collect();
        for (address, input) in addresses.iter().zip(inputs) {
            self.memory.write(*address, input).expect("an input");
        }
        let output = allocate(threads * out_bytes);
        self.memory.write(output, &vec![0; threads * out_bytes]).expect("zeros");
        let parameters: Vec<u8> = addresses.iter().chain([&output]).flat_map(|address| address.to_le_bytes()).collect();
        let [grid, block] = [threads / 32, 32].map(|x| Dim3 { x: x as u32, y: 1, z: 1 });
        let shape =
            Launch { grid, block, dynamic_shared_bytes: 0, parameters: &parameters, cooperative: false, cluster: None };
        let kernel = self.module.kernel(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
        launch(kernel, &self.memory, &shape, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut bytes = vec![0; threads * out_bytes];
        self.memory.read(output, &mut bytes).expect("the output");
        addresses.into_iter().chain([output]).for_each(|address| self.memory.free(address).expect("it is allocated"));
        bytes
    }
}

impl Machine {
    /// Returns the text that kernels have printed.
    pub fn printed(&self) -> String {
        self.memory.take_printed().text
    }
}

/// Returns seeded bits: the same on every machine (S. Vigna's splitmix64).
pub fn random_bits(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
