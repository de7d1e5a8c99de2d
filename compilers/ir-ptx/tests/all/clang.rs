//! The one place that runs clang: a kernel to IR, and by LLVM's own back end to PTX.

/// A clang with LLVM's back end for PTX.
pub struct Clang(cuda_cpp::Clang);

/// The output of clang for a kernel.
pub struct Compiled {
    /// LLVM's IR.
    pub ir: String,
    /// The PTX of LLVM's back end.
    pub ptx: String,
}

impl Clang {
    /// Finds clang.
    ///
    /// # Errors
    /// Returns the command that installs it.
    pub fn find() -> Result<Self, String> {
        cuda_cpp::Clang::find().map(Self).map_err(|missing| missing.to_string())
    }

    /// Compiles a kernel in both ways for a compute capability (10 × major + minor).
    ///
    /// # Errors
    /// Returns clang's messages.
    pub fn compile(&self, text: &str, architecture: i32) -> Result<Compiled, String> {
        let ir = self.0.ir("kernel.cu", text, architecture).map_err(|error| error.to_string())?;
        let ptx = self.0.ptx("kernel.cu", text, architecture).map_err(|error| error.to_string())?;
        Ok(Compiled { ir, ptx })
    }
}
