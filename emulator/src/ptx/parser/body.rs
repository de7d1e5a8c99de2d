//! Function bodies: declarations, labels, instructions and their operands.

use super::{MAX_REGISTERS, Parsed, Parser, type_bytes};
use crate::ptx::lexer::Kind;
use crate::ptx::tree::{Function, Instruction, Operand, Register, SourceLine, Statement, Width};
use std::collections::HashMap;

/// Names that a function body declares, innermost scope last.
#[derive(Default)]
struct Scopes {
    registers: Vec<HashMap<String, Register>>,
    /// Variable names to their unique names.
    variables: Vec<HashMap<String, String>>,
}

impl Scopes {
    fn open(&mut self) {
        self.registers.push(HashMap::new());
        self.variables.push(HashMap::new());
    }

    fn close(&mut self) {
        self.registers.pop();
        self.variables.pop();
    }

    fn register(&self, name: &str) -> Option<Register> {
        self.registers.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn variable(&self, name: &str) -> Option<&String> {
        self.variables.iter().rev().find_map(|scope| scope.get(name))
    }
}

/// What the body parser carries along.
#[derive(Default)]
struct Body {
    scopes: Scopes,
    statements: Vec<Statement>,
    source: SourceLine,
}

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self, function: &mut Function) -> Parsed<Vec<Statement>> {
        let mut body = Body::default();
        self.expect("{")?;
        body.scopes.open();
        while !body.scopes.registers.is_empty() {
            self.statement(function, &mut body)?;
        }
        Ok(body.statements)
    }

    fn statement(&mut self, function: &mut Function, body: &mut Body) -> Parsed<()> {
        let Some(token) = self.peek() else { return self.unexpected("`}`") };
        match token.text {
            "{" => {
                self.next += 1;
                body.scopes.open();
            }
            "}" => {
                self.next += 1;
                body.scopes.close();
            }
            ";" => self.next += 1,
            ".reg" => self.registers(function, body)?,
            ".local" | ".shared" | ".param" | ".const" | ".global" => self.body_variables(function, body)?,
            ".loc" => self.location(body)?,
            ".pragma" => self.skip_past(";")?,
            ".file" => self.file()?,
            _ if token.kind == Kind::Word && self.tokens.get(self.next + 1).is_some_and(|mark| mark.text == ":") => {
                self.next += 2;
                body.statements.push(Statement::Label(token.text.to_owned()));
            }
            _ => {
                let instruction = self.instruction(body)?;
                body.statements.push(Statement::Instruction(instruction));
            }
        }
        Ok(())
    }

    fn location(&mut self, body: &mut Body) -> Parsed<()> {
        self.next += 1;
        let file = self.small("a file number")?;
        let line = self.small("a line")?;
        body.source = SourceLine { file, line };
        self.skip_line();
        Ok(())
    }

    /// `.reg .type %name<n>, %other;`
    fn registers(&mut self, function: &mut Function, body: &mut Body) -> Parsed<()> {
        self.next += 1;
        let kind = self.word("a type")?;
        let width = match (kind, type_bytes(kind)) {
            (".pred", _) => Width::Predicate,
            (_, Some(8)) => Width::Wide,
            (_, Some(16)) => Width::Quad,
            (_, Some(_)) => Width::Narrow,
            _ => return self.error(format!("`{kind}` is not a register type")),
        };
        loop {
            let name = self.word("a register name")?;
            let names = if self.accept("<") {
                let count = self.unsigned("a count")?;
                self.expect(">")?;
                if count > MAX_REGISTERS as u64 {
                    return self.error(format!("{count} registers: at most {MAX_REGISTERS} are supported"));
                }
                (0..count).map(|index| format!("{name}{index}")).collect()
            } else {
                vec![name.to_owned()]
            };
            if function.registers.len() + names.len() > MAX_REGISTERS {
                return self.error(format!("more than {MAX_REGISTERS} registers in one function"));
            }
            for name in names {
                let scope = body.scopes.registers.last_mut();
                scope.map(|scope| scope.insert(name, function.registers.len() as Register));
                function.registers.push(width);
            }
            if !self.accept(",") {
                return self.expect(";");
            }
        }
    }

    fn body_variables(&mut self, function: &mut Function, body: &mut Body) -> Parsed<()> {
        for mut variable in self.variables()? {
            let unique = format!("{}.{}.{}", function.name, function.variables.len(), variable.name);
            let scope = body.scopes.variables.last_mut();
            scope.map(|scope| scope.insert(std::mem::replace(&mut variable.name, unique.clone()), unique));
            function.variables.push(variable);
        }
        Ok(())
    }

    fn instruction(&mut self, body: &Body) -> Parsed<Instruction> {
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
        let mut operands = Vec::new();
        while !self.accept(";") {
            operands.push(self.operand(body)?);
            if !self.at(";") {
                self.expect(",")?;
            }
        }
        Ok(Instruction { guard, opcode, operands, line, source: body.source })
    }

    fn operand(&mut self, body: &Body) -> Parsed<Operand> {
        let Some(token) = self.peek() else { return self.unexpected("an operand") };
        match token.text {
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
            _ if token.kind == Kind::Number || token.text == "-" => Ok(Operand::Literal(self.literal()?)),
            _ if token.kind == Kind::Word => self.named_operand(body),
            _ => self.unexpected("an operand"),
        }
    }

    fn list(&mut self, open: &str, close: &str, body: &Body) -> Parsed<Vec<Operand>> {
        self.expect(open)?;
        let mut list = Vec::new();
        while !self.accept(close) {
            list.push(self.nested(|parser| parser.operand(body))?);
            if !self.at(close) {
                self.expect(",")?;
            }
        }
        Ok(list)
    }

    fn named_operand(&mut self, body: &Body) -> Parsed<Operand> {
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
        let name = body.scopes.variable(first).map_or(first, String::as_str).to_owned();
        let offset = self.offset()?;
        Ok(Operand::Symbol(name, offset))
    }

    fn pair_half(&self, name: &str, body: &Body) -> Parsed<Option<Register>> {
        match body.scopes.register(name) {
            None if name != "_" => self.error(format!("`{name}` is not declared")),
            found => Ok(found),
        }
    }

    /// `+ n`, `+ -n`, `- n` or nothing.
    fn offset(&mut self) -> Parsed<i64> {
        if self.accept("+") {
            return Ok(self.unsigned("an offset")? as i64);
        }
        if self.at("-") { Ok(self.unsigned("an offset")? as i64) } else { Ok(0) }
    }

    fn address(&mut self, body: &Body) -> Parsed<Operand> {
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
        // Textures and the like have more between the brackets; their instructions are refused by name.
        while self.accept(",") {
            self.nested(|parser| parser.operand(body))?;
        }
        self.expect("]")?;
        Ok(operand)
    }
}
