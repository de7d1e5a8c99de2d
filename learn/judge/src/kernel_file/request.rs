//! The command-line options that describe one launch.

use super::Argument;
use clap::Args;
use std::path::PathBuf;

const ARGUMENT_HELP: &str = "An argument of the kernel, in the order of its parameters:
  TYPE=VALUE                 a value
  TYPE[COUNT]                an uninitialized buffer
  TYPE[COUNT]=VALUE          a buffer of equal elements; VALUE,VALUE,… lists the elements
  TYPE[COUNT]=index          a buffer with 0, 1, 2, …
  TYPE[COUNT]=random         a buffer of seeded random bits; floats are uniform in [0, 1)
  TYPE[COUNT]=freed          a buffer that was freed before the launch
  {MEMBER,MEMBER,…}          a structure, aligned as in C, whose members are any of these; in it, a
                             buffer's address is the member; in quotes for a shell: '{i32=8,4,f32[32]=index}'
  @NUMBER                    the address of the buffer of argument NUMBER
TYPE is i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32 or f64; a null pointer is u64=0";

/// A kernel, its launch shape and its arguments.
#[derive(Args, Clone, Debug)]
pub struct Request {
    /// A .ptx file, or a .cu or .rs file, which is compiled as by `cargo x ptx`
    pub file: PathBuf,
    /// The kernel's name, as in the source
    #[arg(long, value_name = "NAME")]
    pub kernel: String,
    /// The number of blocks along up to three axes
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extents)]
    pub grid: [u32; 3],
    /// The number of threads per block along up to three axes
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extents)]
    pub block: [u32; 3],
    /// The dynamic shared memory per block in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Launch cooperatively, so that blocks may call `grid.sync()`
    #[arg(long)]
    pub cooperative: bool,
    /// An argument of the kernel, in the order of its parameters, such as `i32=5` or `f32[1024]=random`
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true, long_help = ARGUMENT_HELP)]
    pub arguments: Vec<Argument>,
}

/// Parses `X[,Y[,Z]]`. Axes that are left out have extent 1.
fn extents(text: &str) -> Result<[u32; 3], String> {
    let mut axes = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > axes.len() {
        return Err("at most three axes are possible".into());
    }
    for (axis, part) in axes.iter_mut().zip(parts) {
        *axis = part.parse().map_err(|error| format!("`{part}`: {error}"))?;
    }
    Ok(axes)
}
