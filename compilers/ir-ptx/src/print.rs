//! The text of a module.

use crate::address::terms::{parameter, symbol};
use crate::code::{Class, Code, End, Inst, Local, Operand, Register};
use crate::ir::tree::{Declaration, Function, Global, Module, Place};
use crate::ir::types::Type;
use crate::select::calls::parameter_type;
use std::collections::HashMap;
use std::fmt::Write;

/// A function that is ready to be printed.
pub(crate) struct Ready<'a> {
    pub(crate) function: &'a Function,
    pub(crate) code: Code,
    /// The register of each value.
    pub(crate) registers: Vec<Register>,
}

/// Returns the text of a module with these functions.
pub(crate) fn module(module: &Module, functions: &[Ready]) -> String {
    let target = if module.target.is_empty() { "sm_75" } else { &module.target };
    let newest =
        if target.trim_start_matches("sm_").trim_end_matches('a').parse().unwrap_or(75) < 80 { 75 } else { 80 };
    let version = module.ptx.max(newest);
    let mut out = format!(".version {}.{}\n.target {target}\n.address_size 64\n", version / 10, version % 10);
    let called = |name: &str| functions.iter().any(|ready| ready.calls(name));
    for declaration in module.declarations.iter().filter(|declaration| called(&symbol(&declaration.name))) {
        let Declaration { name, results, parameters } = declaration;
        let _ = writeln!(out, ".extern .func {};", signature(name, results, parameters.iter()));
    }
    module.globals.iter().for_each(|global| variable(&mut out, global));
    for ready in functions.iter().filter(|ready| !ready.function.kernel) {
        let Function { name, results, parameters, .. } = ready.function;
        let types = parameters.iter().map(|parameter| &parameter.ty);
        let _ = writeln!(out, ".func {};", signature(name, results, types));
    }
    for (number, ready) in functions.iter().enumerate() {
        ready.print(&mut out, number);
    }
    for (number, file) in module.files.iter().enumerate() {
        let _ = writeln!(out, ".file {} \"{file}\"", number + 1);
    }
    out
}

/// Returns the result, name and parameters of a function that is not a kernel.
fn signature<'a>(name: &str, results: &[Type], parameters: impl Iterator<Item = &'a Type>) -> String {
    let result = results.first().map(|ty| format!("(.param .{} {}_result) ", parameter_type(ty), symbol(name)));
    let list: Vec<String> = parameters
        .enumerate()
        .map(|(at, ty)| format!(".param .{} {}", parameter_type(ty), parameter(name, at)))
        .collect();
    format!("{}{}({})", result.unwrap_or_default(), symbol(name), list.join(", "))
}

fn variable(out: &mut String, global: &Global) {
    let space = global.space.modifier();
    let link = match space {
        _ if global.external => ".extern ",
        ".shared" => "",
        _ => ".visible ",
    };
    let extent = if global.external && global.bytes == 0 { String::new() } else { global.bytes.to_string() };
    let name = symbol(&global.name);
    if let (Some(bytes), false) = (&global.initial, global.pointers.is_empty()) {
        let word = |at: usize| match global.pointers.iter().find(|(offset, _)| *offset == at) {
            Some((_, of)) if of.offset == 0 => format!("generic({})", symbol(&of.name)),
            Some((_, of)) => format!("generic({})+{}", symbol(&of.name), of.offset),
            None => bytes[at..].iter().take(8).rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte)).to_string(),
        };
        let words: Vec<String> = (0..bytes.len()).step_by(8).map(word).collect();
        let _ = writeln!(out, "{link}{space} .align 8 .u64 {name}[{}] = {{{}}};", words.len(), words.join(", "));
        return;
    }
    let _ = write!(out, "{link}{space} .align {} .b8 {name}[{extent}]", global.align);
    if let Some(bytes) = &global.initial {
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let _ = write!(out, " = {{{}}}", list.join(", "));
    }
    out.push_str(";\n");
}

impl Ready<'_> {
    /// Whether the function calls one with this name in PTX.
    fn calls(&self, name: &str) -> bool {
        let call = format!(" {name}, (");
        self.code
            .blocks
            .iter()
            .flat_map(|block| &block.body)
            .any(|inst| inst.text.contains("call.uni") && inst.text.contains(&call))
    }

    fn print(&self, out: &mut String, number: usize) {
        self.head(out);
        out.push_str("{\n");
        let names = self.names(out);
        for Local { name, bytes, align } in &self.code.locals {
            let _ = writeln!(out, "\t.local .align {align} .b8 {name}[{bytes}];");
        }
        let order = &self.code.flow.order;
        let mut place = None;
        for (at, &block) in order.iter().enumerate() {
            if self.is_target(block, at) {
                let _ = writeln!(out, "$L{number}_{block}:");
            }
            self.block(out, &names, block, number, order.get(at + 1).copied(), &mut place);
        }
        out.push_str("}\n");
    }

    fn head(&self, out: &mut String) {
        let Function { name, kernel, parameters, bounds, results, .. } = self.function;
        if !kernel {
            let types = parameters.iter().map(|parameter| &parameter.ty);
            let _ = writeln!(out, "\n.func {}", signature(name, results, types));
            return;
        }
        let _ = writeln!(out, "\n.visible .entry {}(", symbol(name));
        for (at, of) in parameters.iter().enumerate() {
            let parameter = parameter(name, at);
            let text = match of.by_value {
                Some((bytes, align)) => format!(".align {align} .b8 {parameter}[{bytes}]"),
                None if of.ty == Type::Half => format!(".b16 {parameter}"),
                None => format!(".u{} {parameter}", of.ty.bytes() * 8),
            };
            let _ = writeln!(out, "\t.param {text}{}", if at + 1 < parameters.len() { "," } else { "" });
        }
        out.push_str(")\n");
        bounds.iter().for_each(|bound| out.push_str(&format!("{bound}\n")));
    }

    /// Whether something jumps to the block at this place in the order.
    fn is_target(&self, block: usize, at: usize) -> bool {
        let order = &self.code.flow.order;
        let before = at.checked_sub(1).map(|before| order[before]);
        order.iter().any(|&from| {
            let ends = self.code.blocks[from].end.successors();
            let falls = Some(from) == before && ends.len() == 1;
            ends.contains(&block) && !falls
        })
    }

    fn block(
        &self,
        out: &mut String,
        names: &HashMap<Register, String>,
        block: usize,
        number: usize,
        next: Option<usize>,
        place: &mut Option<Place>,
    ) {
        let block = &self.code.blocks[block];
        for inst in &block.body {
            location(out, inst.place, place);
            let _ = writeln!(out, "\t{}", self.text(inst, names));
        }
        location(out, block.place, place);
        let label = |block: usize| format!("$L{number}_{block}");
        match &block.end {
            End::Return => out.push_str("\tret;\n"),
            End::Trap => out.push_str("\ttrap;\n"),
            End::Jump(to) if Some(*to) == next => {}
            End::Jump(to) => out.push_str(&format!("\tbra.uni {};\n", label(*to))),
            End::Branch { condition, negated, yes, no } => {
                let swapped = Some(*yes) == next;
                let (yes, no) = if swapped { (no, yes) } else { (yes, no) };
                let not = if *negated != swapped { "!" } else { "" };
                let condition = &names[&self.registers[*condition]];
                let _ = writeln!(out, "\t@{not}{condition} bra {};", label(*yes));
                if Some(*no) != next {
                    let _ = writeln!(out, "\tbra.uni {};", label(*no));
                }
            }
        }
    }

    /// Declares the registers that are in use, and returns their names.
    fn names(&self, out: &mut String) -> HashMap<Register, String> {
        let mut counts = [0; Class::ALL.len()];
        let mut names = HashMap::new();
        for inst in self.code.flow.order.iter().flat_map(|&block| &self.code.blocks[block].body) {
            for register in inst.operands.iter().filter_map(Operand::register) {
                let register = self.registers[register];
                let class = self.code.classes[register];
                let Some(at) = Class::ALL.iter().position(|of| *of == class) else { continue };
                names.entry(register).or_insert_with(|| {
                    counts[at] += 1;
                    format!("%{}{}", class.names().1, counts[at])
                });
            }
        }
        for (class, count) in Class::ALL.iter().zip(counts) {
            let (ty, prefix) = class.names();
            if count > 0 {
                let _ = writeln!(out, "\t.reg .{ty} %{prefix}<{}>;", count + 1);
            }
        }
        names
    }

    /// Returns the text of an instruction with its operands.
    fn text(&self, inst: &Inst, names: &HashMap<Register, String>) -> String {
        let mut out = String::new();
        let mut rest = inst.text.as_str();
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            match after[..digits].parse::<usize>().ok().and_then(|index| inst.operands.get(index)) {
                Some(Operand::Register(register)) => out.push_str(&names[&self.registers[*register]]),
                Some(Operand::Text(text)) => out.push_str(text),
                None => {
                    out.push('$');
                    out.push_str(&after[..digits]);
                }
            }
            rest = &after[digits..];
        }
        out.push_str(rest);
        out.replace(crate::select::assembly::DOLLAR, "$")
    }
}

/// Writes `.loc` where the place changes. What has no place belongs to the one before.
fn location(out: &mut String, place: Option<Place>, last: &mut Option<Place>) {
    if let Some(Place { file, line, column }) = place.filter(|_| place != *last) {
        let _ = writeln!(out, "\t.loc {file} {line} {column}");
        *last = place;
    }
}
