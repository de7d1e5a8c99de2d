//! Tokens to the syntax tree: one method a production, in the order of a PTX file.

use super::lexer::{Kind, Token, tokens};
use super::tree::{
    Function, Instruction, Literal, Operand, Register, SourceLine, Space, Statement, Tree, Variable, Width,
};
use crate::LoadError;
use std::collections::HashMap;

/// Registers that one function may declare; NVRTC's largest kernels stay below a hundredth of it.
const MAX_REGISTERS: usize = 1 << 20;

/// Largest variable in bytes.
const MAX_VARIABLE_BYTES: u64 = 1 << 32;

/// Parses a whole module.
pub(crate) fn parse(source: &str) -> Result<Tree, LoadError> {
    let tokens = tokens(source)?;
    let mut parser = Parser { tokens: &tokens, next: 0, tree: Tree::default() };
    parser.module()?;
    Ok(parser.tree)
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    tree: Tree,
}

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

type Parsed<T> = Result<T, LoadError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    fn line(&self) -> u32 {
        self.peek().or(self.tokens.last().copied()).map_or(1, |token| token.line)
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(LoadError::Syntax { line: self.line(), message: message.into() })
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        match self.peek() {
            Some(token) => self.error(format!("expected {expected}, found `{}`", token.text)),
            None => self.error(format!("expected {expected}, found the end of the text")),
        }
    }

    fn at(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text && token.kind != Kind::Text)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.at(text);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    fn take(&mut self, kind: Kind, what: &str) -> Parsed<&'a str> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.next += 1;
                Ok(token.text)
            }
            _ => self.unexpected(what),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<&'a str> {
        self.take(Kind::Word, what)
    }

    fn unsigned(&mut self, what: &str) -> Parsed<u64> {
        match self.literal()? {
            Literal::Integer(value) => Ok(value),
            _ => self.unexpected(what),
        }
    }

    fn small(&mut self, what: &str) -> Parsed<u32> {
        let value = self.unsigned(what)?;
        u32::try_from(value).or_else(|_| self.error(format!("{what} {value} is too large")))
    }

    /// Skips what is left of the line of the last token.
    fn skip_line(&mut self) {
        let line = self.tokens[self.next - 1].line;
        while self.peek().is_some_and(|token| token.line == line) {
            self.next += 1;
        }
    }

    fn skip_past(&mut self, text: &str) -> Parsed<()> {
        while self.peek().is_some() {
            self.next += 1;
            if self.tokens[self.next - 1].text == text {
                return Ok(());
            }
        }
        self.unexpected(&format!("`{text}`"))
    }

    fn module(&mut self) -> Parsed<()> {
        while let Some(token) = self.peek() {
            match token.text {
                ".version" => self.version()?,
                ".target" => self.target()?,
                ".address_size" => self.address_size()?,
                ".file" => self.file()?,
                ".section" => {
                    self.skip_past("{")?;
                    self.skip_past("}")?;
                }
                ".pragma" => self.skip_past(";")?,
                ".loc" => {
                    self.next += 1;
                    self.skip_line();
                }
                _ => self.declaration()?,
            }
        }
        if self.tree.version == 0 {
            return self.error("no `.version`: this is not PTX");
        }
        Ok(())
    }

    fn version(&mut self) -> Parsed<()> {
        self.next += 1;
        let text = self.take(Kind::Number, "a version such as 8.1")?;
        let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
        match parts {
            Some((major, minor)) if major < 100 && minor < 10 => self.tree.version = major * 10 + minor,
            _ => return self.error(format!("`{text}` is not a PTX version")),
        }
        Ok(())
    }

    fn target(&mut self) -> Parsed<()> {
        self.next += 1;
        let name = self.word("a target such as sm_75")?;
        let digits = name.trim_start_matches("sm_").trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match digits.parse() {
            Ok(number) => self.tree.target = number,
            Err(_) => return self.error(format!("`{name}` is not a target")),
        }
        self.skip_line();
        Ok(())
    }

    fn address_size(&mut self) -> Parsed<()> {
        self.next += 1;
        match self.unsigned("64")? {
            64 => Ok(()),
            other => self.error(format!("addresses of {other} bits: only 64 are supported")),
        }
    }

    fn file(&mut self) -> Parsed<()> {
        self.next += 1;
        let number = self.small("a file number")?;
        let name = self.take(Kind::Text, "a file name")?;
        self.tree.files.insert(number, name.to_owned());
        self.skip_line();
        Ok(())
    }

    /// A variable or a function of the module.
    fn declaration(&mut self) -> Parsed<()> {
        let mut external = false;
        while let Some(word) = self.peek() {
            match word.text {
                ".extern" => external = true,
                ".visible" | ".weak" | ".common" => {}
                _ => break,
            }
            self.next += 1;
        }
        match self.peek().map(|token| token.text) {
            Some(".entry" | ".func") => {
                let function = self.function()?;
                self.tree.functions.push(function);
            }
            Some(".global" | ".const" | ".shared") => {
                let mut variables = self.variables()?;
                variables.iter_mut().for_each(|variable| variable.external = external);
                self.tree.variables.append(&mut variables);
            }
            Some(".alias") => self.skip_past(";")?,
            _ => return self.unexpected("a function or a variable"),
        }
        Ok(())
    }

    /// `.space .align n .type name[n] = value, …;`
    fn variables(&mut self) -> Parsed<Vec<Variable>> {
        let space = match self.word("a state space")? {
            ".global" => Space::Global,
            ".const" => Space::Constant,
            ".shared" => Space::Shared,
            ".local" => Space::Local,
            ".param" => Space::Parameter,
            other => return self.error(format!("`{other}` is not a state space")),
        };
        let mut list = Vec::new();
        let (align, element) = self.variable_type()?;
        loop {
            list.push(self.variable(space, align, element)?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(list)
    }

    /// Alignment and size in bytes of `.align n .vN .type`, attributes skipped.
    fn variable_type(&mut self) -> Parsed<(u64, u64)> {
        let (mut align, mut lanes, mut size) = (None, 1, None);
        while let Some(token) = self.peek().filter(|token| token.kind == Kind::Word && token.text.starts_with('.')) {
            self.next += 1;
            match token.text {
                ".align" => {
                    let value = self.unsigned("an alignment")?;
                    if !value.is_power_of_two() || value > 1 << 16 {
                        return self.error(format!("alignment {value} is not a power of two up to 65536"));
                    }
                    align = Some(value);
                }
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".ptr" | ".global" | ".const" | ".shared" | ".local" | ".generic" => {}
                ".attribute" => self.skip_past(")")?,
                other => match type_bytes(other) {
                    Some(bytes) => size = Some(bytes),
                    None => return self.error(format!("`{other}` is not a type")),
                },
            }
            // `.ptr .align n` speaks of what a pointer points to, not of the variable.
            if token.text == ".ptr" && self.peek().is_some_and(|token| token.text.starts_with('.')) {
                self.pointer_attributes()?;
            }
        }
        let Some(size) = size else { return self.unexpected("a type") };
        Ok((align.unwrap_or(size * lanes), size * lanes))
    }

    fn pointer_attributes(&mut self) -> Parsed<()> {
        if [".global", ".const", ".shared", ".local", ".generic"].iter().any(|&space| self.at(space)) {
            self.next += 1;
        }
        if self.accept(".align") {
            self.unsigned("an alignment")?;
        }
        Ok(())
    }

    fn variable(&mut self, space: Space, align: u64, element: u64) -> Parsed<Variable> {
        let name = self.word("a name")?.to_owned();
        let mut bytes = element;
        while self.accept("[") {
            let extent = if self.at("]") { 0 } else { self.unsigned("an extent")? };
            self.expect("]")?;
            let whole = bytes.checked_mul(extent).filter(|&bytes| bytes <= MAX_VARIABLE_BYTES);
            bytes = whole.map_or_else(|| self.error(format!("variable `{name}` is too large")), Ok)?;
        }
        let mut initial = Vec::new();
        if self.accept("=") {
            self.initial_value(element, &mut initial)?;
        }
        if initial.len() as u64 > bytes {
            return self.error(format!("more initial values than `{name}` has room for"));
        }
        Ok(Variable { name, space, align, bytes, initial, external: false })
    }

    fn initial_value(&mut self, element: u64, bytes: &mut Vec<u8>) -> Parsed<()> {
        if self.accept("{") {
            while !self.accept("}") {
                self.initial_value(element, bytes)?;
                if !self.at("}") {
                    self.expect(",")?;
                }
            }
            return Ok(());
        }
        let literal = self.literal()?;
        let value = match (literal, element) {
            (Literal::Integer(value), _) => value,
            (Literal::Single(value), 4) => u64::from(value),
            (Literal::Double(value), 8) => value,
            (Literal::Double(value), 4) => u64::from((f64::from_bits(value) as f32).to_bits()),
            _ => return self.error("a float in a variable of another size"),
        };
        bytes.extend_from_slice(&value.to_le_bytes()[..element.min(8) as usize]);
        Ok(())
    }

    fn function(&mut self) -> Parsed<Function> {
        let line = self.line();
        let entry = self.word("a function")? == ".entry";
        let mut function = Function { line, entry, ..Function::default() };
        if self.at("(") {
            function.results = self.parameters()?;
        }
        function.name = self.word("a function name")?.to_owned();
        if self.at("(") {
            function.parameters = self.parameters()?;
        }
        while let Some(token) = self.peek().filter(|token| token.text.starts_with('.')) {
            self.next += 1;
            match token.text {
                ".maxntid" | ".reqntid" => {
                    let mut product = self.small("a block extent")?;
                    while self.accept(",") {
                        product = product.saturating_mul(self.small("a block extent")?);
                    }
                    function.max_threads = Some(product);
                }
                ".attribute" => self.skip_past(")")?,
                ".noreturn" => {}
                ".pragma" => self.skip_past(";")?,
                _ => {
                    while self.peek().is_some_and(|token| token.kind == Kind::Number || token.text == ",") {
                        self.next += 1;
                    }
                }
            }
        }
        if !self.accept(";") {
            function.body = Some(self.body(&mut function)?);
        }
        Ok(function)
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect("(")?;
        let mut list = Vec::new();
        while !self.accept(")") {
            let register = self.accept(".reg");
            if register {
                return self.error("parameters in registers are not supported");
            }
            self.expect(".param")?;
            let (align, element) = self.variable_type()?;
            list.push(self.variable(Space::Parameter, align, element)?);
            if !self.at(")") {
                self.expect(",")?;
            }
        }
        Ok(list)
    }

    fn body(&mut self, function: &mut Function) -> Parsed<Vec<Statement>> {
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
                match self.operand(body)? {
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
            list.push(self.operand(body)?);
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
        self.expect("]")?;
        Ok(operand)
    }

    fn literal(&mut self) -> Parsed<Literal> {
        let negative = self.accept("-");
        let text = self.take(Kind::Number, "a number")?;
        let literal = parse_literal(text);
        match (literal, negative) {
            (Some(Literal::Integer(value)), true) => Ok(Literal::Integer(value.wrapping_neg())),
            (Some(Literal::Double(bits)), true) => Ok(Literal::Double((-f64::from_bits(bits)).to_bits())),
            (Some(literal), false) => Ok(literal),
            _ => self.error(format!("`{text}` is not a number")),
        }
    }
}

fn parse_literal(text: &str) -> Option<Literal> {
    let lower = text.to_ascii_lowercase();
    let exact =
        |digits: &str, length: usize| (digits.len() == length).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    if let Some(digits) = lower.strip_prefix("0f") {
        return exact(digits, 8).map(|bits| Literal::Single(bits as u32));
    }
    if let Some(digits) = lower.strip_prefix("0d") {
        return exact(digits, 16).map(Literal::Double);
    }
    if lower.contains('.') || (lower.contains('e') && !lower.starts_with("0x")) {
        return lower.parse::<f64>().ok().map(|value| Literal::Double(value.to_bits()));
    }
    let integer = lower.trim_end_matches('u');
    let value = match integer.as_bytes() {
        [b'0', b'x', ..] => u64::from_str_radix(&integer[2..], 16),
        [b'0', b'b', ..] => u64::from_str_radix(&integer[2..], 2),
        [b'0', _, ..] => u64::from_str_radix(&integer[1..], 8),
        _ => integer.parse(),
    };
    value.ok().map(Literal::Integer)
}

/// Size in bytes of a fundamental type.
fn type_bytes(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('.')?;
    match digits {
        "b8" | "u8" | "s8" => Some(1),
        "b16" | "u16" | "s16" | "f16" | "bf16" => Some(2),
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => Some(4),
        "b64" | "u64" | "s64" | "f64" | "f32x2" => Some(8),
        "b128" => Some(16),
        _ => None,
    }
}
