//! A device for a test: its memory, one module, and launches.

use emulator::{
    Counters, Dim3, Finding, Kernel, Launch, LaunchError, LoadError, Memory, Module, Options, check, launch,
};
use std::sync::Arc;

/// The size of the device memory in bytes.
const MEMORY_BYTES: u64 = 256 << 20;

/// A device with one module.
#[derive(Clone)]
pub struct Machine {
    pub memory: Arc<Memory>,
    pub module: Arc<Module>,
    baseline: bool,
}

/// The grid, the block, and the dynamic shared memory in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: u32,
}

impl Shape {
    /// Returns one block of `count` threads.
    pub fn threads(count: u32) -> Self {
        Self { grid: Dim3 { x: 1, y: 1, z: 1 }, block: Dim3 { x: count, y: 1, z: 1 }, shared: 0 }
    }

    /// Returns the same block in a grid of `count` blocks.
    pub fn blocks(self, count: u32) -> Self {
        Self { grid: Dim3 { x: count, ..self.grid }, ..self }
    }

    /// Returns a launch with the bytes of the parameters.
    pub fn launch(self, parameters: &[u8]) -> Launch<'_> {
        Launch {
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: self.shared,
            parameters,
            cooperative: false,
            cluster: None,
        }
    }
}

/// Returns options with counters and one worker thread.
pub fn counting() -> Options {
    Options { counters: true, threads: 1, ..Options::default() }
}

impl Machine {
    /// Loads a module. Fails if any of its kernels is refused.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        let memory = Arc::new(Memory::new(MEMORY_BYTES));
        let module = Module::load(ptx, &memory)?;
        let refusal = module.refusals().next().map(|(_, error)| error.clone());
        refusal.map_or(Ok(Self { memory, module: Arc::new(module), baseline: false }), Err)
    }

    /// Loads a module, which must succeed.
    pub fn new(ptx: &str) -> Self {
        Self::load(ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"))
    }

    /// Returns the same device without optional vector instructions of the processor.
    pub fn baseline(&self) -> Self {
        Self { baseline: true, ..self.clone() }
    }

    fn options(&self, options: &Options) -> Options {
        Options { baseline_vectors: options.baseline_vectors || self.baseline, ..*options }
    }

    /// Allocates memory for `bytes`, writes them, and returns the address.
    pub fn upload(&self, bytes: &[u8]) -> u64 {
        let address = self.memory.allocate(bytes.len() as u64).unwrap();
        self.memory.write(address, bytes).unwrap();
        address
    }

    /// Allocates memory without writing it, and returns the address.
    pub fn allocate(&self, bytes: usize) -> u64 {
        self.memory.allocate(bytes as u64).unwrap()
    }

    pub fn download(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut buffer = vec![0; bytes];
        self.memory.read(address, &mut buffer).unwrap();
        buffer
    }

    /// Reads 32-bit words.
    pub fn words(&self, address: u64, count: usize) -> Vec<u32> {
        let bytes = self.download(address, 4 * count);
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// Reads floats.
    pub fn floats(&self, address: u64, count: usize) -> Vec<f32> {
        self.words(address, count).into_iter().map(f32::from_bits).collect()
    }

    pub fn kernel(&self, name: &str) -> &Kernel {
        self.module.kernel(name).unwrap_or_else(|| panic!("no kernel `{name}`"))
    }

    /// Launches a kernel. The arguments are given as bytes.
    pub fn try_run(
        &self,
        name: &str,
        shape: Shape,
        arguments: &[&[u8]],
        options: &Options,
    ) -> Result<Counters, LaunchError> {
        let parameters = self.parameters(name, arguments);
        launch(self.kernel(name), &self.memory, &shape.launch(&parameters), &self.options(options))
    }

    /// Launches a kernel under the checks, and returns the findings.
    pub fn try_check(
        &self,
        name: &str,
        shape: Shape,
        arguments: &[&[u8]],
        options: &Options,
    ) -> Result<Vec<Finding>, LaunchError> {
        let parameters = self.parameters(name, arguments);
        let verdict = check(self.kernel(name), &self.memory, &shape.launch(&parameters), &self.options(options))?;
        verdict.fault.map_or(Ok(verdict.findings), |fault| Err(LaunchError::Fault(fault)))
    }

    fn parameters(&self, name: &str, arguments: &[&[u8]]) -> Vec<u8> {
        let kernel = self.kernel(name);
        let mut parameters = vec![0; kernel.parameter_bytes()];
        assert_eq!(kernel.parameters().len(), arguments.len(), "arguments of `{name}`");
        for (parameter, argument) in kernel.parameters().iter().zip(arguments) {
            assert_eq!(parameter.bytes, argument.len(), "size of an argument of `{name}`");
            parameters[parameter.offset..parameter.offset + parameter.bytes].copy_from_slice(argument);
        }
        parameters
    }

    /// Launches a kernel, which must succeed, and returns the counters.
    pub fn run(&self, name: &str, shape: Shape, arguments: &[&[u8]]) -> Counters {
        self.try_run(name, shape, arguments, &counting()).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Returns the bytes of a slice of numbers.
pub fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}
