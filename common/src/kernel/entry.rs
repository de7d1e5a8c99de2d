//! One kernel of a file, without the others.

use super::source::KernelSource;
use cudarc::driver::{CudaContext, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;
use std::borrow::Cow;
use std::sync::Arc;

/// One kernel of a file.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub source: KernelSource,
    /// The kernel's entry point.
    pub entry: String,
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry && self.source.path() == other.source.path()
    }
}

impl Part {
    /// Loads the kernel's part of the prebuilt PTX.
    ///
    /// # Errors
    /// The driver's.
    pub fn load(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, DriverError> {
        context.load_module(Ptx::from_src(only(self.source.ptx(), &self.entry)))
    }
}

/// Returns a module without its entry points other than `entry`, so that the driver need not compile them: a file has one for each size
/// of blocks or heads, of which a run needs one. Its machine code does not depend on the others. Returns all of a module that
/// lacks this entry point.
fn only<'a>(ptx: &'a str, entry: &str) -> Cow<'a, str> {
    let names = || ptx.lines().filter_map(entry_of);
    if names().count() < 2 || names().all(|name| name != entry) {
        return ptx.into();
    }
    let mut kept = String::with_capacity(ptx.len());
    let mut is_left_out = false;
    let mut depth = 0;
    for line in ptx.split_inclusive('\n') {
        is_left_out |= entry_of(line).is_some_and(|name| name != entry);
        if !is_left_out {
            kept.push_str(line);
        }
        // Vectors and blocks inside of a body have braces, too.
        let code = line.split("//").next().unwrap_or_default();
        let closed = code.matches('}').count();
        depth = (depth + code.matches('{').count()).saturating_sub(closed);
        is_left_out &= depth > 0 || closed == 0;
    }
    kept.into()
}

/// Returns the name of the entry point that begins in a line.
fn entry_of(line: &str) -> Option<&str> {
    line.strip_prefix(".visible .entry ")?.split('(').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 8.1
.global .align 4 .u32 LANES = 32;
.visible .entry first(
\t.param .u64 first_param_0
)
{
{ // callseq 0, 0
\tld.global.v2.f32 {%f1, %f2}, [%rd1]; // } and {
}
\tret;
}
// between
.visible .entry second()
{
\tret;

}
.file 1 \"a.cu\"
";

    #[test]
    fn other_entry_points_are_left_out_and_all_else_is_kept() {
        let (before, rest) = PTX.split_once(".visible .entry first").unwrap();
        let (_, after) = rest.split_once("// between").unwrap();
        assert_eq!(only(PTX, "second"), format!("{before}// between{after}"));
        let (first, rest) = PTX.split_once(".visible .entry second").unwrap();
        let (_, file) = rest.split_once("\n}\n").unwrap();
        assert_eq!(only(PTX, "first"), format!("{first}{file}"));
    }

    #[test]
    fn a_module_stays_whole_without_the_entry_point_or_another_one() {
        assert_eq!(only(PTX, "third"), PTX);
        let second = only(PTX, "second").into_owned();
        assert!(matches!(only(&second, "second"), Cow::Borrowed(_)));
    }
}
