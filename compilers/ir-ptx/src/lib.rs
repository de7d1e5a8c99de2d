//! Kernels in LLVM's intermediate representation, as clang 22 writes them for CUDA, to PTX.
//!
//! clang compiles CUDA C++ to IR anywhere, but has NVIDIA's back end only where it was built with it; as WebAssembly it was not.
//! This is a back end small enough for a page. PTX has as many registers as a kernel wants, so that none are allocated.
//!
//! | module | contents |
//! |---|---|
//! | `ir` | the text of a module to a tree of scalars |
//! | `lower` | switches and copies, which the rest does not know |
//! | `flow`, `facts` | control flow, and where values are made |
//! | `address` | state spaces of pointers, addresses as sums |
//! | `table` | one row for each instruction and intrinsic |
//! | `select` | the tree of a function to PTX with virtual registers and phis |
//! | `sink` | instructions to where they are needed |
//! | `phis` | phis to registers and copies |
//! | `print` | the text |
//!
//! A construct without a translation is refused with its line ([`Refusals`]); nothing is approximated.
//!
//! ```
//! let ir = r#"
//! target triple = "nvptx64-nvidia-cuda"
//! define ptx_kernel void @twice(ptr noundef %x) {
//!   %i = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
//!   %wide = zext i32 %i to i64
//!   %at = getelementptr inbounds float, ptr %x, i64 %wide
//!   %value = load float, ptr %at, align 4
//!   %sum = fadd float %value, %value
//!   store float %sum, ptr %at, align 4
//!   ret void
//! }
//! "#;
//! let ptx = ir_ptx::translate(ir)?;
//! assert!(ptx.contains("add.f32"));
//! # Ok::<(), ir_ptx::Refusals>(())
//! ```
#![forbid(unsafe_code)]

mod address;
mod code;
mod facts;
mod flow;
mod ir;
mod lower;
mod phis;
mod print;
mod refusal;
mod select;
mod sink;
mod space;
mod table;

pub use refusal::{Refusal, Refusals};

use address::spaces::Variables;
use ir::tree::{Function, Module};
use print::Ready;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The name in the IR; `<a|b>` stands for either.
    pub name: &'static str,
    /// The types of the first operand, or else of the result: `i32, i64`.
    pub types: String,
    /// The steps in PTX, separated by `; `.
    pub ptx: &'static str,
}

/// Returns the rows of the table, in its order.
pub fn instructions() -> impl Iterator<Item = Instruction> {
    table::lines().map(|line| Instruction { name: line.name, types: line.of.to_string(), ptx: line.ptx })
}

/// Translates a module to PTX.
///
/// # Errors
/// Returns all constructs that are not supported, with their lines.
pub fn translate(ir: &str) -> Result<String, Refusals> {
    let mut module = ir::module::parse(ir)?;
    let mut refusals = Vec::new();
    for function in &mut module.functions {
        lower::places::give(function);
        lower::copies::remove(function);
        if let Err((line, construct)) = lower::switches::replace(function) {
            refusals.push(Refusal { line, construct, source: None });
        }
        lower::counters::merge(function);
        lower::preheaders::add(function);
    }
    let variables = Variables::new(&module);
    let mut ready = Vec::new();
    for function in &module.functions {
        match translate_function(function, &variables) {
            Ok(function) => ready.push(function),
            Err(failures) => refusals.extend(failures.into_iter().map(|failure| refusal(&module, failure))),
        }
    }
    if refusals.is_empty() { Ok(print::module(&module, &ready)) } else { Err(Refusals(refusals)) }
}

fn translate_function<'a>(
    function: &'a Function,
    variables: &Variables,
) -> Result<Ready<'a>, Vec<select::function::Failure>> {
    let mut code = select::function::select(function, variables)?;
    code.sweep();
    sink::sink(&mut code);
    let registers = phis::assign::assign(&mut code);
    code.skip_empty_blocks();
    Ok(Ready { function, code, registers })
}

fn refusal(module: &Module, (line, place, construct): select::function::Failure) -> Refusal {
    let source = place.map(|place| (module.files[place.file - 1].clone(), place.line));
    Refusal { line, construct, source }
}
