//! Calls of functions that cannot be inlined: recursive ones, and those behind pointers. Each is expanded once for its kernel.
//!
//! Such a function has a *frame* on the stack of each thread, in local memory behind the variables of the kernel. It begins with
//! the results and the arguments of the call, in this order, followed by the variables of the function. A register holds the
//! address of the frame of the running function; it is 0 in the kernel. The machine keeps the registers of callers that a call
//! may overwrite (`machine/calls.rs`).

use super::super::names::Callee;
use super::super::step::{Action, Subroutine, Uniform, Value};
use super::expander::{End, Expander, Frame, Lowered, Placed};
use crate::ground::space::Space;
use crate::isa::memory::{Element, MemoryOperation, Strength};
use crate::ptx::tree::{Function, Operand, Variable};
use crate::vector::registers::OperandKind;

/// The alignment of frames in bytes.
const FRAME_ALIGNMENT: u64 = 16;

/// The largest element that a copy of an argument loads.
const LARGEST_ELEMENT: u64 = 8;

/// A result or argument of a call: its place in the caller's variables and in the frame of the callee.
struct Passed {
    place: u64,
    offset: u64,
    align: u64,
    bytes: u64,
}

impl<'a> Expander<'a> {
    /// Returns the register with the address of the current frame.
    fn frame_pointer(&mut self) -> Placed {
        let register = match self.out.frame_pointer {
            Some(register) => register,
            None => self.new_register(OperandKind::Wide),
        };
        self.out.frame_pointer = Some(register);
        (Value::Register(register), OperandKind::Wide)
    }

    /// Returns the number of a function, which [`Self::subroutines`] expands.
    fn subroutine(&mut self, callee: Callee<'a>) -> u32 {
        let known = self.pending.iter().position(|pending| std::ptr::eq(pending.function, callee.function));
        if let Some(number) = known {
            return number as u32;
        }
        let entry = self.new_label();
        self.pending.push(callee);
        self.out.subroutines.push(Subroutine {
            name: callee.function.name.clone(),
            address: callee.address,
            entry,
            recursive: callee.recursive,
            argument_bytes: argument_bytes_of(callee.function) as u32,
            frame_bytes: 0,
            slots: Default::default(),
        });
        self.pending.len() as u32 - 1
    }

    /// Calls a function that cannot be inlined.
    pub(super) fn call_subroutine(
        &mut self,
        frame: &Frame<'a>,
        callee: Callee<'a>,
        results: &'a [Operand],
        arguments: &'a [Operand],
    ) -> Lowered<()> {
        let (passed, _) = self.frame_places(frame, results, arguments)?;
        let function = self.subroutine(callee);
        self.call_frame(&passed, results.len(), |expander| {
            expander.push(Action::Call { function }, &[], &[]);
        });
        Ok(())
    }

    /// Calls the function whose address is in a register: one of those of the module whose address is used, and that take as many
    /// bytes of arguments.
    pub(super) fn call_pointer(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: &'a Operand,
        results: &'a [Operand],
        arguments: &'a [Operand],
    ) -> Lowered<()> {
        let (passed, argument_bytes) = self.frame_places(frame, results, arguments)?;
        let names = self.names;
        let matching =
            names.behind_pointers.iter().filter(|callee| argument_bytes_of(callee.function) == argument_bytes);
        let callees: Vec<Callee<'a>> = matching.copied().collect();
        if callees.is_empty() {
            return self.unsupported(super::control::THROUGH_POINTER);
        }
        for callee in callees {
            self.subroutine(callee);
        }
        let kind = OperandKind::Wide;
        let target = self.source(frame, pointer, kind)?;
        self.call_frame(&passed, results.len(), |expander| {
            let argument_bytes = argument_bytes as u32;
            expander.push(Action::CallPointer { argument_bytes }, &[], &[target]);
        });
        Ok(())
    }

    /// Returns the results and arguments of a call, and their bytes in the frame of the callee.
    fn frame_places(
        &mut self,
        frame: &Frame<'a>,
        results: &[Operand],
        arguments: &[Operand],
    ) -> Lowered<(Vec<Passed>, u64)> {
        let mut list = Vec::new();
        let mut end = 0_u64;
        for operand in results.iter().chain(arguments) {
            let Operand::Symbol(name, 0) = operand else {
                return self.error("an argument is not a `.param` variable");
            };
            let function = frame.function;
            let mut variables = function.variables.iter().chain(&function.results).chain(&function.parameters);
            let declared = variables.find(|variable| variable.name == *name);
            let (Some(&(_, place)), Some(variable)) = (frame.variables.get(name.as_str()), declared) else {
                return self.error(format!("`{name}` is not declared"));
            };
            let offset = end.next_multiple_of(variable.align);
            end = offset + variable.bytes;
            list.push(Passed { place, offset, align: variable.align, bytes: variable.bytes });
        }
        end = end.next_multiple_of(FRAME_ALIGNMENT);
        self.out.max_argument_bytes = self.out.max_argument_bytes.max(end as u32);
        Ok((list, end))
    }

    /// Passes arguments before the steps of `call` and results after them. The first `results` of `passed` are results.
    fn call_frame(&mut self, passed: &[Passed], results: usize, call: impl FnOnce(&mut Self)) {
        let caller = self.current;
        let place = &[self.frame_pointer()];
        self.push(Action::EnterFrame { caller }, place, place);
        for argument in &passed[results..] {
            self.pass(argument, false);
        }
        call(self);
        for result in &passed[..results] {
            self.pass(result, true);
        }
        self.push(Action::LeaveFrame { caller }, place, place);
    }

    /// Copies an argument to the frame of the callee, or a result from there. The frame of the callee is the current one.
    fn pass(&mut self, passed: &Passed, is_result: bool) {
        let frame_pointer = self.frame_pointer();
        // A kernel's variables have constant addresses. The frame of another caller is in front of that of the callee, by its
        // size, which is known at its end.
        let of_caller = match self.current {
            Some(_) => frame_pointer,
            None => self.uniform(OperandKind::Wide, Uniform::Literal(0)),
        };
        let mut done = 0;
        while done < passed.bytes {
            let fits = |bytes: &u64| *bytes <= passed.align && *bytes <= passed.bytes - done;
            let bytes = [LARGEST_ELEMENT, 4, 2].into_iter().find(fits).unwrap_or(1);
            let kind = if bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
            let value = self.temporary(kind);
            let element = Element { bytes: bytes as u8, signed: false, strength: Strength::Weak };
            let load = MemoryOperation::Load { space: Space::Local, element, lanes: 1 };
            let store = MemoryOperation::Store { space: Space::Local, element, lanes: 1 };
            let in_caller = (of_caller, passed.place + done);
            let in_callee = (frame_pointer, passed.offset + done);
            let (from, to) = if is_result { (in_callee, in_caller) } else { (in_caller, in_callee) };
            for (operation, (base, offset)) in [(load, from), (store, to)] {
                if self.current.is_some() && (operation == load) != is_result {
                    self.in_frame_of_caller.push(self.out.steps.len());
                }
                let action = Action::Memory { operation, offset: offset as i64, visible: false };
                if operation == load {
                    self.push(action, &[value], &[base])
                } else {
                    self.push(action, &[], &[base, value])
                }
            }
            done += bytes;
        }
    }

    /// Expands the functions that are called as subroutines, behind the kernel.
    pub(super) fn subroutines(&mut self) -> Lowered<()> {
        let mut number = 0;
        while let Some(&Callee { function, .. }) = self.pending.get(number) {
            if number == 0 {
                self.push(Action::Exit, &[], &[]);
            }
            self.expand_subroutine(number, function)?;
            number += 1;
        }
        Ok(())
    }

    fn expand_subroutine(&mut self, number: usize, function: &'a Function) -> Lowered<()> {
        let of_kernel = std::mem::take(&mut self.local_bytes);
        self.frame_base = Some(self.frame_pointer());
        (self.current, self.carry) = (Some(number as u32), None);
        let mut frame = Frame::new(function, End::Subroutine);
        for variable in function.results.iter().chain(&function.parameters) {
            let place = self.place_variable(&Variable { space: Space::Parameter, ..variable.clone() })?;
            frame.variables.insert(&variable.name, place);
        }
        self.local_bytes = self.local_bytes.next_multiple_of(FRAME_ALIGNMENT);
        self.set_label(self.out.subroutines[number].entry);
        self.function(&mut frame)?;
        self.push(Action::Return, &[], &[]);
        let frame_bytes = self.local_bytes.next_multiple_of(FRAME_ALIGNMENT);
        for step in std::mem::take(&mut self.in_frame_of_caller) {
            if let Action::Memory { offset, .. } = &mut self.out.steps[step].action {
                *offset -= frame_bytes as i64;
            }
        }
        self.out.subroutines[number].frame_bytes = frame_bytes as u32;
        (self.local_bytes, self.frame_base, self.current) = (of_kernel, None, None);
        Ok(())
    }
}

/// Returns the bytes of the results and arguments in the frame of a function.
fn argument_bytes_of(function: &Function) -> u64 {
    let variables = function.results.iter().chain(&function.parameters);
    let end = variables.fold(0_u64, |end, variable| end.next_multiple_of(variable.align) + variable.bytes);
    end.next_multiple_of(FRAME_ALIGNMENT)
}
