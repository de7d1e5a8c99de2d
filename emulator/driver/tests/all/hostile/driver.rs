//! A driver called as from C without prototypes: any function by its name, any argument as a number.

use libloading::Library;
use std::ffi::{CStr, c_char};
use std::ptr::null;

/// The maximum number of arguments, which `cuLaunchKernel` has.
const ARGUMENTS: usize = 11;

type Function =
    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize) -> u32;

/// A module with a kernel `store(pointer)`, a kernel `bounded` for at most 64 threads, and a variable `word`.
pub const IMAGE: &CStr = c"
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 word[16];
.visible .entry store(.param .u64 pointer) {
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [pointer];
    mov.u32 %r1, 1;
    st.global.u32 [%d1], %r1;
    ret;
}
.visible .entry bounded() .maxntid 64, 1, 1 {
    ret;
}
";

/// A device ordinal, a handle, an address or a size.
pub type Number = usize;

/// Returns a pointer argument to a variable of the test.
pub fn to<T: ?Sized>(place: &mut T) -> Number {
    (&raw mut *place).cast::<u8>().expose_provenance()
}

/// Returns a pointer argument to text.
pub fn text(text: &'static CStr) -> Number {
    text.as_ptr().expose_provenance()
}

pub struct Driver(Library);

impl Driver {
    /// Opens the emulator's driver, or the machine's own with `COALESCED_TEST_DRIVER=cuda`.
    pub fn open() -> Self {
        let own = std::env::var("COALESCED_TEST_DRIVER").is_ok_and(|driver| driver == "cuda");
        let path = if own { "libcuda.so.1".into() } else { loading::beside_program("emulator_driver").unwrap() };
        // SAFETY: the initializers of both libraries have no preconditions.
        Self(unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    /// Calls a function. The C calling convention passes arguments in registers and stack slots of eight bytes, from the first
    /// on, so a function ignores extra arguments.
    pub fn call(&self, name: &str, arguments: &[Number]) -> u32 {
        let mut all = [0; ARGUMENTS];
        all[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f, g, h, i, j, k] = all;
        // SAFETY: all functions that the tests call take integers and pointers and return an `int`.
        let function = unsafe { self.0.get::<Function>(name) }.unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: none. The tests pass invalid arguments on purpose, in a process that may crash.
        unsafe { function(a, b, c, d, e, f, g, h, i, j, k) }
    }

    /// Calls a function that must succeed.
    pub fn done(&self, name: &str, arguments: &[Number]) {
        let code = self.call(name, arguments);
        assert_eq!(code, 0, "{name}{arguments:?}: {}", self.name(code));
    }

    /// Calls a function that must succeed and writes its result to its first argument. Returns the result.
    pub fn make(&self, name: &str, arguments: &[Number]) -> Number {
        let mut made = 0_usize;
        let all: Vec<Number> = [to(&mut made)].into_iter().chain(arguments.iter().copied()).collect();
        self.done(name, &all);
        made
    }

    /// Creates a context, current on this thread.
    pub fn context(&self) -> Number {
        self.done("cuInit", &[0]);
        self.make("cuCtxCreate_v2", &[0, 0])
    }

    /// Loads [`IMAGE`] in a new context.
    pub fn module(&self) -> Number {
        self.context();
        self.make("cuModuleLoadData", &[text(IMAGE)])
    }

    /// Returns the kernel `store` in a new context.
    pub fn kernel(&self) -> Number {
        let module = self.module();
        self.make("cuModuleGetFunction", &[module, text(c"store")])
    }

    /// Launches `kernel` with one parameter, a pointer to device memory.
    pub fn launch(&self, kernel: Number, grid: [u32; 3], block: [u32; 3], shared: u32, stream: Number) -> u32 {
        let mut pointer = self.make("cuMemAlloc_v2", &[64]);
        let mut values = [to(&mut pointer)];
        let shape = grid.into_iter().chain(block).chain([shared]).map(|extent| extent as usize);
        let all: Vec<Number> = [kernel].into_iter().chain(shape).chain([stream, to(&mut values), 0]).collect();
        self.call("cuLaunchKernel", &all)
    }

    /// Returns the name of a status code.
    pub fn name(&self, code: u32) -> String {
        let mut name = null::<c_char>();
        if self.call("cuGetErrorName", &[code as usize, to(&mut name)]) != 0 || name.is_null() {
            return format!("{code}, which is not a status");
        }
        // SAFETY: the driver wrote the address of a text that lives as long as the driver.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}
