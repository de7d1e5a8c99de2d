//! Calls of the functions that CUDA provides without a body: `printf`, `assert`, `malloc` and `free`.

use super::super::step::{Action, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::ground::space::Space;
use crate::isa::memory::{Element, MemoryOperation, Strength};
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind;

/// CUDA's function for failed assertions. Its arguments are the text, the file, the line, the function, and the size of a
/// character.
const ASSERT_FAILS: &str = "__assertfail";

/// CUDA's function for `printf`. Its arguments are the format and the address of the arguments.
const PRINT: &str = "vprintf";

/// CUDA's function that allocates memory. Its argument is the size in bytes.
const ALLOCATE: &str = "malloc";

/// CUDA's function that frees what [`ALLOCATE`] returned. Its argument is the address.
const FREE: &str = "free";

/// Returns the reason to refuse a call of a function without a body in the module, in the words of CUDA for the functions of
/// its device runtime.
fn without_code(name: &str) -> String {
    match name {
        "cudaGetParameterBuffer" | "cudaGetParameterBufferV2" | "cudaLaunchDevice" | "cudaLaunchDeviceV2" => {
            format!("a kernel that launches kernels from the device (`{name}`)")
        }
        _ => format!("a call of `{name}`, whose code is not in the module"),
    }
}

impl<'a> Expander<'a> {
    /// Expands a call of a function without a body in the module.
    pub(super) fn built_in(
        &mut self,
        frame: &mut Frame<'a>,
        name: &str,
        results: &'a [Operand],
        arguments: &'a [Operand],
    ) -> Lowered<()> {
        match (name, arguments, results) {
            (ASSERT_FAILS, [text, file, line, function, _character], _) => {
                self.assertion_failed(frame, [(text, 8), (file, 8), (line, 4), (function, 8)])
            }
            (PRINT, [format, buffer], [] | [_]) => {
                let sources = [self.argument(frame, format, 8)?, self.argument(frame, buffer, 8)?];
                self.call_for(frame, Action::Print, &sources, results, 4)
            }
            (ALLOCATE, [bytes], [_]) => {
                let bytes = self.argument(frame, bytes, 8)?;
                self.call_for(frame, Action::Allocate, &[bytes], results, 8)
            }
            (FREE, [address], []) => {
                let address = self.argument(frame, address, 8)?;
                self.push(Action::Free, &[], &[address]);
                Ok(())
            }
            (ASSERT_FAILS | PRINT | ALLOCATE | FREE, ..) => {
                self.error(format!("a call of `{name}` with the wrong number of arguments"))
            }
            _ => self.unsupported(&without_code(name)),
        }
    }

    /// Loads the arguments of the failed assertion, and ends the launch.
    fn assertion_failed(&mut self, frame: &Frame<'a>, arguments: [(&Operand, u8); 4]) -> Lowered<()> {
        let mut sources = Vec::with_capacity(arguments.len());
        for (argument, bytes) in arguments {
            sources.push(self.argument(frame, argument, bytes)?);
        }
        self.push(Action::AssertionFailed, &[], &sources);
        Ok(())
    }

    /// Executes a call with a result of `bytes` bytes, which it stores if the caller wants it.
    fn call_for(
        &mut self,
        frame: &Frame<'a>,
        action: Action,
        sources: &[Placed],
        results: &[Operand],
        bytes: u8,
    ) -> Lowered<()> {
        let kind = if bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
        let value = self.temporary(kind);
        self.push(action, &[value], sources);
        if let [result] = results {
            let (base, element, offset) = self.place_of_argument(frame, result, bytes)?;
            let operation = MemoryOperation::Store { space: Space::Local, element, lanes: 1 };
            self.push(Action::Memory { operation, offset, visible: false }, &[], &[base, value]);
        }
        Ok(())
    }

    /// Loads an argument of 4 or 8 bytes that the caller has stored.
    fn argument(&mut self, frame: &Frame<'a>, argument: &Operand, bytes: u8) -> Lowered<Placed> {
        let (base, element, offset) = self.place_of_argument(frame, argument, bytes)?;
        let kind = if bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
        let value = self.temporary(kind);
        let operation = MemoryOperation::Load { space: Space::Local, element, lanes: 1 };
        self.push(Action::Memory { operation, offset, visible: false }, &[value], &[base]);
        Ok(value)
    }

    /// Returns base, element and offset for accesses to an argument or a result of 4 or 8 bytes.
    fn place_of_argument(
        &mut self,
        frame: &Frame<'a>,
        argument: &Operand,
        bytes: u8,
    ) -> Lowered<(Placed, Element, i64)> {
        let Operand::Symbol(name, 0) = argument else { return self.error("an argument is not a `.param` variable") };
        let Some(&(_, offset)) = frame.variables.get(name.as_str()) else {
            return self.error(format!("`{name}` is not declared"));
        };
        let zero = self.uniform(OperandKind::Wide, Uniform::Literal(0));
        let base = self.frame_base.unwrap_or(zero);
        Ok((base, Element { bytes, signed: false, strength: Strength::Weak }, offset as i64))
    }
}
