//! Function bodies: declarations, labels, instructions and their operands.

use super::labels::Labels;
use super::locations::Locations;
use super::{MAX_REGISTERS, MAX_SCOPES, Parsed, Parser, type_bytes};
use crate::ground::lanes::WARP_SIZE;
use crate::ptx::lexer::Kind;
use crate::ptx::tree::{Function, Instruction, Literal, Operand, Register, Statement, Width};
use std::collections::HashMap;

/// The registers of one declaration, `%name<count>` or `%name`. They are stored as a range and not by name, because compilers
/// declare many registers that they do not use.
#[derive(Clone, Copy)]
struct Range {
    first: Register,
    /// The number of registers, or `None` for a single register without a number in its name.
    count: Option<u32>,
}

impl Range {
    fn member(self, number: Option<u32>) -> Option<Register> {
        match (self.count, number) {
            (None, None) => Some(self.first),
            (Some(count), Some(number)) if number < count => Some(self.first + number),
            _ => None,
        }
    }
}

/// The names declared between two braces.
#[derive(Default)]
struct Scope<'a> {
    registers: HashMap<&'a str, Range>,
    /// The unique name of each variable.
    variables: HashMap<String, String>,
}

impl Scope<'_> {
    /// Returns whether the name of a declaration is taken: by another declaration, or by a register of a range.
    fn has(&self, name: &str, count: Option<u32>) -> bool {
        self.registers.contains_key(name) || (count.is_none() && self.register(name).is_some())
    }

    /// Finds `%name`: a single register, or the member of a range whose number ends the name.
    fn register(&self, name: &str) -> Option<Register> {
        let single = self.registers.get(name).and_then(|range| range.member(None));
        single.or_else(|| {
            let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
            let mut starts = name.len() - digits.min(MAX_DIGITS)..name.len();
            starts.find_map(|start| {
                let range = self.registers.get(&name[..start])?;
                let number = &name[start..];
                range.member(number.parse().ok().filter(|_| number == "0" || !number.starts_with('0')))
            })
        })
    }
}

/// The number of digits of the largest register number.
const MAX_DIGITS: usize = MAX_REGISTERS.ilog10() as usize + 1;

/// The scopes around the current statement, innermost last.
#[derive(Default)]
struct Scopes<'a>(Vec<Scope<'a>>);

impl<'a> Scopes<'a> {
    fn register(&self, name: &str) -> Option<Register> {
        self.0.iter().rev().find_map(|scope| scope.register(name))
    }

    fn variable(&self, name: &str) -> Option<&String> {
        self.0.iter().rev().find_map(|scope| scope.variables.get(name))
    }
}

/// The state of the parser in a function body.
#[derive(Default)]
struct Body<'a> {
    scopes: Scopes<'a>,
    labels: Labels<'a>,
    statements: Vec<Statement>,
    locations: Locations,
}

impl Body<'_> {
    /// Enters braces.
    fn open(&mut self) {
        self.scopes.0.push(Scope::default());
        self.labels.open();
    }
}

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self, function: &mut Function) -> Parsed<Vec<Statement>> {
        let mut body = Body::default();
        self.expect("{")?;
        body.open();
        while !body.scopes.0.is_empty() {
            self.statement(function, &mut body)?;
        }
        Ok(body.statements)
    }

    fn statement(&mut self, function: &mut Function, body: &mut Body<'a>) -> Parsed<()> {
        let Some(token) = self.peek() else { return self.unexpected("`}`") };
        match token.text {
            "{" => {
                if body.scopes.0.len() == MAX_SCOPES {
                    return self.error(format!("more than {MAX_SCOPES} levels of braces"));
                }
                self.next += 1;
                body.open();
            }
            "}" => {
                self.next += 1;
                body.scopes.0.pop();
                body.labels.close(function, &mut body.statements);
            }
            ";" => self.next += 1,
            ".reg" => self.registers(function, body)?,
            // CUDA's half-precision headers contain `.reg.b16`, without a space.
            text if text.starts_with(".reg.") => self.registers(function, body)?,
            ".local" | ".shared" | ".param" | ".const" | ".global" => self.body_variables(function, body)?,
            ".loc" => self.location(&mut body.locations)?,
            ".branchtargets" => self.branch_targets(function, body)?,
            ".pragma" => self.skip_past(";")?,
            // The arguments of a call through a pointer have the same types.
            ".callprototype" | ".calltargets" => {
                body.statements.pop_if(|statement| matches!(statement, Statement::Label(_)));
                self.skip_past(";")?;
            }
            ".file" => self.file()?,
            _ if token.kind == Kind::Word && self.tokens.get(self.next + 1).is_some_and(|mark| mark.text == ":") => {
                let Some(label) = body.labels.define(token.text) else {
                    return self.error(format!("label `{}` is defined twice", token.text));
                };
                self.next += 2;
                body.statements.push(Statement::Label(label));
            }
            _ => {
                let instruction = self.instruction(body)?;
                body.labels.branch(body.statements.len(), &instruction.opcode, &instruction.operands);
                body.statements.push(Statement::Instruction(instruction));
            }
        }
        Ok(())
    }

    /// Parses `name: .branchtargets first, second;` after the name.
    fn branch_targets(&mut self, function: &mut Function, body: &mut Body<'a>) -> Parsed<()> {
        let Some(Statement::Label(name)) = body.statements.pop() else { return self.unexpected("an instruction") };
        self.next += 1;
        let labels = self.separated(|parser| Ok(parser.word("a label")?.to_owned()))?;
        body.labels.list(&name, &labels);
        function.branch_targets.insert(name, labels);
        self.expect(";")
    }

    /// Parses `.reg .type %name<n>, %other;`.
    fn registers(&mut self, function: &mut Function, body: &mut Body<'a>) -> Parsed<()> {
        let directive = self.word("`.reg`")?;
        let kind = match directive.strip_prefix(".reg").filter(|kind| !kind.is_empty()) {
            Some(kind) => kind,
            None => self.word("a type")?,
        };
        let width = match (kind, type_bytes(kind)) {
            (".pred", _) => Width::Predicate,
            (_, Some(8)) => Width::Wide,
            (_, Some(16)) => Width::Quad,
            (_, Some(_)) => Width::Narrow,
            _ => return self.error(format!("`{kind}` is not a register type")),
        };
        loop {
            let name = self.word("a register name")?;
            let mut count = None;
            if self.accept("<") {
                let number = self.unsigned("a count")?;
                self.expect(">")?;
                if number > MAX_REGISTERS as u64 {
                    return self.error(format!("{number} registers: the maximum is {MAX_REGISTERS}"));
                }
                count = Some(number as u32);
            }
            if body.scopes.0.last().is_some_and(|scope| scope.has(name, count)) {
                return self.error(format!("`{name}` is declared twice"));
            }
            let first = function.registers.len();
            self.declared_registers += count.unwrap_or(1) as usize;
            if self.declared_registers > MAX_REGISTERS {
                return self.error(format!("more than {MAX_REGISTERS} registers in one module"));
            }
            function.registers.resize(first + count.unwrap_or(1) as usize, width);
            let scope = body.scopes.0.last_mut();
            scope.map(|scope| scope.registers.insert(name, Range { first: first as Register, count }));
            if !self.accept(",") {
                return self.expect(";");
            }
        }
    }

    fn body_variables(&mut self, function: &mut Function, body: &mut Body<'a>) -> Parsed<()> {
        for mut variable in self.variables()? {
            let unique = format!("{}.{}.{}", function.name, function.variables.len(), variable.name);
            let scope = body.scopes.0.last_mut();
            scope.map(|scope| scope.variables.insert(std::mem::replace(&mut variable.name, unique.clone()), unique));
            function.variables.push(variable);
        }
        Ok(())
    }

    fn instruction(&mut self, body: &Body<'a>) -> Parsed<Instruction> {
        let line = self.line();
        let mut guard = None;
        if self.accept("@") {
            let negated = self.accept("!");
            let name = self.word("a predicate")?;
            let Some(register) = body.scopes.register(name) else {
                return self.error(format!("`{name}` is not declared"));
            };
            guard = Some((register, negated));
        }
        let opcode = self.word("an instruction")?.to_owned();
        let operands = self.until(";", |parser| parser.operand(body))?;
        Ok(Instruction { guard, opcode, operands, line, source: body.locations.source })
    }

    fn operand(&mut self, body: &Body<'a>) -> Parsed<Operand> {
        let Some(token) = self.peek() else { return self.unexpected("an operand") };
        match token.text {
            _ if token.kind == Kind::Number || token.text == "-" => Ok(Operand::Literal(self.literal()?)),
            "[" => self.address(body),
            "{" => Ok(Operand::Vector(self.list("{", "}", body)?)),
            "(" => Ok(Operand::Arguments(self.list("(", ")", body)?)),
            "!" => {
                self.next += 1;
                match self.nested(|parser| parser.operand(body))? {
                    Operand::Register(register) => Ok(Operand::Negated(register)),
                    _ => self.unexpected("a predicate"),
                }
            }
            _ if token.kind == Kind::Word => self.named_operand(body),
            _ => self.unexpected("an operand"),
        }
    }

    fn list(&mut self, open: &str, close: &str, body: &Body<'a>) -> Parsed<Vec<Operand>> {
        self.expect(open)?;
        self.until(close, |parser| parser.nested(|parser| parser.operand(body)))
    }

    fn named_operand(&mut self, body: &Body<'a>) -> Parsed<Operand> {
        let first = self.word("an operand")?;
        if self.accept("|") {
            let second = self.word("a register")?;
            return Ok(Operand::Pair(self.pair_half(first, body)?, self.pair_half(second, body)?));
        }
        if first == "_" {
            return Ok(Operand::Nothing);
        }
        if let Some(register) = body.scopes.register(first) {
            return Ok(Operand::Register(register));
        }
        if let Some(special) = first.strip_prefix('%') {
            return Ok(Operand::Special(special.to_owned()));
        }
        if first == "WARP_SZ" {
            return Ok(Operand::Literal(Literal::Integer(WARP_SIZE as u64)));
        }
        let name = body.scopes.variable(first).map_or(first, String::as_str).to_owned();
        let offset = self.offset()?;
        Ok(Operand::Symbol(name, offset))
    }

    fn pair_half(&self, name: &str, body: &Body<'a>) -> Parsed<Option<Register>> {
        match body.scopes.register(name) {
            None if name != "_" => self.error(format!("`{name}` is not declared")),
            found => Ok(found),
        }
    }

    /// Parses `+ n`, `+ -n`, `- n` or nothing.
    pub(super) fn offset(&mut self) -> Parsed<i64> {
        if self.accept("+") {
            return Ok(self.unsigned("an offset")? as i64);
        }
        if self.at("-") { Ok(self.unsigned("an offset")? as i64) } else { Ok(0) }
    }

    fn address(&mut self, body: &Body<'a>) -> Parsed<Operand> {
        self.expect("[")?;
        let operand = if self.peek().is_some_and(|token| token.kind == Kind::Word) {
            match self.named_operand(body)? {
                Operand::Register(register) => Operand::RegisterAddress(register, self.offset()?),
                Operand::Symbol(name, offset) => Operand::SymbolAddress(name, offset),
                _ => return self.unexpected("an address"),
            }
        } else {
            Operand::AbsoluteAddress(self.unsigned("an address")?)
        };
        // Texture instructions, which are refused later, have more operands between the brackets than tensor copies.
        let mut more = Vec::new();
        while self.accept(",") {
            more.push(self.nested(|parser| parser.operand(body))?);
        }
        self.expect("]")?;
        match more.pop() {
            Some(coordinates @ Operand::Vector(_)) => {
                Ok(Operand::TensorAddress(Box::new(operand), Box::new(coordinates)))
            }
            _ => Ok(operand),
        }
    }
}
