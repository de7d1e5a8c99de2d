//! What a command line says about one launch; shared with `examples/launch.rs`.

use clap::Args;
use kernel_file::Argument;
use std::path::PathBuf;

const ARGUMENT_HELP: &str = "An argument of the kernel, in the order of its parameters:
  TYPE=VALUE                 a value; VALUE,VALUE,… a structure of such
  TYPE[COUNT]                an uninitialized buffer
  TYPE[COUNT]=VALUE          one of equal elements; VALUE,VALUE,… one of these
  TYPE[COUNT]=index          0, 1, 2, …
  TYPE[COUNT]=random         seeded random bits; floats are uniform in [0, 1)
  TYPE[COUNT]=freed          one that was given back before the launch
TYPE is i8, i16, i32, i64, u8, u16, u32, u64, f32 or f64; a null pointer is u64=0";

/// A kernel, its launch shape and its arguments.
#[derive(Args, Clone, Debug)]
pub struct Request {
    /// PTX, or CUDA C++ that is compiled as `cargo x ptx` does
    pub file: PathBuf,
    /// Name of the kernel, as in the source
    #[arg(long, value_name = "NAME")]
    pub kernel: String,
    /// Blocks, along up to three axes
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extents)]
    pub grid: [u32; 3],
    /// Threads of a block, along up to three axes
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extents)]
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// A cooperative launch, whose blocks may call `grid.sync()`
    #[arg(long)]
    pub cooperative: bool,
    /// An argument of the kernel, in the order of its parameters, such as `i32=5` or `f32[1024]=random`
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true, long_help = ARGUMENT_HELP)]
    pub arguments: Vec<Argument>,
}

/// `X[,Y[,Z]]`; what is left out is 1.
fn extents(text: &str) -> Result<[u32; 3], String> {
    let mut axes = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > axes.len() {
        return Err("there are three axes at most".into());
    }
    for (axis, part) in axes.iter_mut().zip(parts) {
        *axis = part.parse().map_err(|error| format!("`{part}`: {error}"))?;
    }
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_are_left_out_are_one() {
        assert_eq!(extents("8"), Ok([8, 1, 1]));
        assert_eq!(extents("8,4,2"), Ok([8, 4, 2]));
        assert!(extents("8,").unwrap_err().starts_with("``: "));
        assert_eq!(extents("1,2,3,4"), Err("there are three axes at most".into()));
    }
}
