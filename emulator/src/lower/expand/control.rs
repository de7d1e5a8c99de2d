//! Branches, exits, and calls, which are inlined.

use super::super::step::{Action, Guard, Uniform, Value};
use super::expander::{End, Expander, Frame, Lowered};
use crate::ground::space::Space;
use crate::isa::flow::Flow;
use crate::isa::memory::{Element, MemoryOperation, Strength};
use crate::ptx::tree::{Function, Literal, Operand};
use crate::vector::registers::OperandKind;

/// The maximum depth of inlined calls. Deeper calls are refused.
const MAX_CALL_DEPTH: usize = 64;

/// CUDA's function for failed assertions. Its arguments are the text, the file, the line, the function, and the size of a
/// character.
const ASSERT_FAILS: &str = "__assertfail";

/// CUDA's function for `printf`. Its arguments are the format and the address of the arguments.
const PRINT: &str = "vprintf";

/// The reason to refuse calls whose function is known only when the kernel runs.
pub(super) const THROUGH_POINTER: &str = "a call through a function pointer, or of a virtual function";

/// Returns the reason to refuse a call of a function without a body in the module, in the words of CUDA for the functions of
/// its device runtime.
fn without_code(name: &str) -> String {
    match name {
        "cudaGetParameterBuffer" | "cudaGetParameterBufferV2" | "cudaLaunchDevice" | "cudaLaunchDeviceV2" => {
            format!("a kernel that launches kernels from the device (`{name}`)")
        }
        "malloc" | "free" => format!("memory that a kernel allocates (`{name}`)"),
        _ => format!("a call of `{name}`, whose code is not in the module"),
    }
}

impl<'a> Expander<'a> {
    /// Expands control flow, and the waits of single threads.
    pub(super) fn flow(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Flow,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        let action = match operation {
            Flow::Branch => {
                let [Operand::Symbol(name, 0)] = operands else { return self.error("a branch has one label") };
                let target = self.label(frame, name);
                self.branch(target, guard);
                return Ok(());
            }
            Flow::JumpTable => return self.jump_table(frame, guard, operands),
            Flow::Call => return self.call(frame, guard, operands),
            Flow::Return => match frame.end {
                End::Inlined(target) => {
                    self.branch(target, guard);
                    return Ok(());
                }
                End::Subroutine => Action::Return,
                End::Kernel => Action::Exit,
            },
            Flow::Exit => Action::Exit,
            Flow::Trap => Action::Trap,
            Flow::Fence => Action::Fence,
            Flow::ProxyFence => Action::ProxyFence,
            Flow::Nothing => Action::Nothing,
            Flow::SetRegisters => {
                let valid = |count: &u64| (24..=256).contains(count) && count.is_multiple_of(8);
                match operands {
                    [Operand::Literal(Literal::Integer(count))] if valid(count) => {
                        Action::SetRegisters { count: *count as u32 }
                    }
                    _ => {
                        return self
                            .error("the number of registers must be a constant from 24 to 256, a multiple of 8");
                    }
                }
            }
        };
        self.push(action, guard, &[], &[]);
        Ok(())
    }

    fn branch(&mut self, target: u32, guard: Option<Guard<Value>>) {
        self.push(Action::Branch { target, reconverge: 0, visible: true }, guard, &[], &[]);
    }

    /// Expands a call: inlines the function unless it is recursive or behind a pointer.
    fn call(&mut self, frame: &mut Frame<'a>, guard: Option<Guard<Value>>, operands: &'a [Operand]) -> Lowered<()> {
        if guard.is_some() {
            return self.unsupported("a call under a predicate");
        }
        let (results, operands) = match operands {
            [Operand::Arguments(results), rest @ ..] => (results.as_slice(), rest),
            _ => (&[][..], operands),
        };
        let Some((callee, rest)) = operands.split_first() else { return self.error("a call without a function") };
        // The prototype or the list of functions of a call through a pointer is last.
        let arguments = match rest {
            [Operand::Arguments(arguments), ..] => arguments.as_slice(),
            _ => &[][..],
        };
        let Operand::Symbol(name, 0) = callee else {
            return self.call_pointer(frame, callee, results, arguments);
        };
        if name == ASSERT_FAILS {
            return self.assertion_failed(frame, arguments);
        }
        if name == PRINT {
            return self.print(frame, results, arguments);
        }
        let names = self.names;
        let Some(&callee) = names.functions.get(name.as_str()) else {
            return self.unsupported(&without_code(name));
        };
        if results.len() != callee.results.len() || arguments.len() != callee.parameters.len() {
            return self.error(format!("a call of `{name}` with the wrong number of arguments"));
        }
        match names.recursive.get(name.as_str()) {
            Some(&recursive) => self.call_subroutine(frame, recursive, results, arguments),
            None => self.inline(frame, callee, results, arguments),
        }
    }

    /// Inlines a call. The parameters of the callee become the variables that the caller passes.
    fn inline(
        &mut self,
        frame: &Frame<'a>,
        callee: &'a Function,
        results: &'a [Operand],
        arguments: &'a [Operand],
    ) -> Lowered<()> {
        if self.depth == MAX_CALL_DEPTH {
            let name = &callee.name;
            return self.unsupported(&format!("more than {MAX_CALL_DEPTH} nested calls, through `{name}`"));
        }
        let end = self.new_label();
        let mut inner = Frame::new(callee, End::Inlined(end));
        let formal = callee.results.iter().chain(&callee.parameters);
        let actual = results.iter().chain(arguments);
        for (formal, actual) in formal.zip(actual) {
            let Operand::Symbol(argument, 0) = actual else {
                return self.error("an argument is not a `.param` variable");
            };
            let Some(&place) = frame.variables.get(argument.as_str()) else {
                return self.error(format!("`{argument}` is not declared"));
            };
            inner.variables.insert(&formal.name, place);
        }
        self.push(Action::Nothing, None, &[], &[]);
        self.depth += 1;
        self.function(&mut inner)?;
        self.depth -= 1;
        self.set_label(end);
        Ok(())
    }

    /// Loads the arguments of the failed assertion, and ends the launch.
    fn assertion_failed(&mut self, frame: &mut Frame<'a>, arguments: &'a [Operand]) -> Lowered<()> {
        let [text, file, line, function, _character] = arguments else {
            return self.error(format!("a call of `{ASSERT_FAILS}` with the wrong number of arguments"));
        };
        let mut sources = Vec::with_capacity(4);
        for (argument, bytes) in [(text, 8), (file, 8), (line, 4), (function, 8)] {
            sources.push(self.argument(frame, argument, bytes)?);
        }
        self.push(Action::AssertionFailed, None, &[], &sources);
        Ok(())
    }

    /// Loads the arguments of a call of `vprintf`, and stores its result.
    fn print(&mut self, frame: &mut Frame<'a>, results: &'a [Operand], arguments: &'a [Operand]) -> Lowered<()> {
        let ([format, buffer], 0 | 1) = (arguments, results.len()) else {
            return self.error(format!("a call of `{PRINT}` with the wrong number of arguments"));
        };
        let sources = [self.argument(frame, format, 8)?, self.argument(frame, buffer, 8)?];
        let count = (self.temporary(OperandKind::Narrow), OperandKind::Narrow);
        self.push(Action::Print, None, &[count], &sources);
        if let [result] = results {
            let (base, element, offset) = self.place_of_argument(frame, result, 4)?;
            let operation = MemoryOperation::Store { space: Space::Local, element, lanes: 1 };
            self.push(Action::Memory { operation, offset, visible: false }, None, &[], &[base, count]);
        }
        Ok(())
    }

    /// Loads an argument of 4 or 8 bytes that the caller has stored.
    fn argument(&mut self, frame: &Frame<'a>, argument: &Operand, bytes: u8) -> Lowered<(Value, OperandKind)> {
        let (base, element, offset) = self.place_of_argument(frame, argument, bytes)?;
        let kind = if bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
        let place = self.temporary(kind);
        let operation = MemoryOperation::Load { space: Space::Local, element, lanes: 1 };
        self.push(Action::Memory { operation, offset, visible: false }, None, &[(place, kind)], &[base]);
        Ok((place, kind))
    }

    /// Returns base, element and offset for accesses to an argument or a result of 4 or 8 bytes.
    fn place_of_argument(
        &mut self,
        frame: &Frame<'a>,
        argument: &Operand,
        bytes: u8,
    ) -> Lowered<((Value, OperandKind), Element, i64)> {
        let Operand::Symbol(name, 0) = argument else { return self.error("an argument is not a `.param` variable") };
        let Some(&(_, offset)) = frame.variables.get(name.as_str()) else {
            return self.error(format!("`{name}` is not declared"));
        };
        let zero = self.uniform(OperandKind::Wide, Uniform::Literal(0));
        let base = (self.frame_base.unwrap_or(zero), OperandKind::Wide);
        Ok((base, Element { bytes, signed: false, strength: Strength::Weak }, offset as i64))
    }
}
