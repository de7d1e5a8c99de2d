//! The module level: directives, variables, function headers.

use super::{MAX_PARAMETER_BYTES, MAX_PARAMETER_BYTES_BEFORE_81, MAX_VARIABLE_BYTES, Parsed, Parser, type_bytes};
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::ptx::lexer::Kind;
use crate::ptx::tree::{Function, InitialAddress, Literal, Variable};

impl<'a> Parser<'a> {
    pub(super) fn module(&mut self) -> Parsed<()> {
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
            other => self.error(format!("{other}-bit addresses are not supported, only 64-bit ones")),
        }
    }

    pub(super) fn file(&mut self) -> Parsed<()> {
        self.next += 1;
        let number = self.small("a file number")?;
        let name = self.take(Kind::Text, "a file name")?;
        self.tree.files.insert(number, name.to_owned());
        self.skip_line();
        Ok(())
    }

    /// Parses a variable or a function.
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
                if function.body.is_some() {
                    self.define(&function.name, function.line)?;
                }
                self.tree.functions.push(function);
            }
            Some(".global" | ".const" | ".shared") => {
                let mut variables = self.variables()?;
                variables.iter_mut().for_each(|variable| variable.external = external);
                if !external {
                    variables.iter().try_for_each(|variable| self.define(&variable.name, variable.line))?;
                }
                self.tree.variables.append(&mut variables);
            }
            Some(".alias") => self.skip_past(";")?,
            _ => return self.unexpected("a function or a variable"),
        }
        Ok(())
    }

    /// Records the definition of a function or a variable. Fails if the name is already defined.
    fn define(&mut self, name: &str, line: u32) -> Parsed<()> {
        let message = || format!("`{name}` is defined twice");
        if self.defined.insert(name.to_owned()) { Ok(()) } else { Err(LoadError::Syntax { line, message: message() }) }
    }

    /// Parses `.space .align n .type name[n] = value, …;`.
    pub(super) fn variables(&mut self) -> Parsed<Vec<Variable>> {
        let space = match self.word("a state space")? {
            ".global" => Space::Global,
            ".const" => Space::Constant,
            ".shared" => Space::Shared,
            ".local" => Space::Local,
            ".param" => Space::Parameter,
            other => return self.error(format!("`{other}` is not a state space")),
        };
        let start = self.next;
        let (align, element) = self.variable_type()?;
        let managed = self.tokens[start..self.next].iter().any(|token| token.text == ".managed");
        let list = self.separated(|parser| Ok(Variable { managed, ..parser.variable(space, align, element)? }))?;
        self.expect(";")?;
        Ok(list)
    }

    /// Parses `.align n .vN .type` and skips attributes. Returns the alignment and the size in bytes.
    fn variable_type(&mut self) -> Parsed<(u64, u64)> {
        let mut align = None;
        let mut lanes = 1;
        let mut size = None;
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
            // `.ptr .align n` describes the target of a pointer, and not the variable.
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
        let line = self.line();
        let name = self.word("a name")?.to_owned();
        let mut bytes = element;
        while self.accept("[") {
            let extent = if self.at("]") { 0 } else { self.unsigned("an extent")? };
            self.expect("]")?;
            let whole = bytes.checked_mul(extent).filter(|&bytes| bytes <= MAX_VARIABLE_BYTES);
            bytes = whole.map_or_else(|| self.error(format!("variable `{name}` is too large")), Ok)?;
        }
        let initial = Vec::new();
        let addresses = Vec::new();
        let mut variable =
            Variable { name, space, align, bytes, initial, addresses, managed: false, external: false, line };
        if self.accept("=") {
            self.initial_value(element, &mut variable)?;
        }
        if variable.initial.len() as u64 > bytes {
            return self.error(format!("too many initial values for `{}`", variable.name));
        }
        Ok(variable)
    }

    fn initial_value(&mut self, element: u64, variable: &mut Variable) -> Parsed<()> {
        if self.accept("{") {
            self.until("}", |parser| parser.nested(|parser| parser.initial_value(element, variable)))?;
            return Ok(());
        }
        if self.peek().is_some_and(|token| token.kind == Kind::Word) {
            return self.initial_address(element, variable);
        }
        let literal = self.literal()?;
        let value = match (literal, element) {
            (Literal::Integer(value), _) => value,
            (Literal::Single(value), 4) => u64::from(value),
            (Literal::Double(value), 8) => value,
            (Literal::Double(value), 4) => u64::from((f64::from_bits(value) as f32).to_bits()),
            _ => return self.error("a floating-point value in a variable of a different size"),
        };
        variable.initial.extend_from_slice(&value.to_le_bytes()[..element.min(8) as usize]);
        Ok(())
    }

    /// Parses `name`, `name + n`, `generic(name)` or `generic(name) + n`. Device addresses are generic addresses.
    fn initial_address(&mut self, element: u64, variable: &mut Variable) -> Parsed<()> {
        let line = self.line();
        let mut name = self.word("a value")?;
        if self.at("(") {
            if name != "generic" {
                return self.error(format!("`{name}` in an initial value is not supported"));
            }
            self.expect("(")?;
            name = self.word("a variable")?;
            self.expect(")")?;
        }
        if element != 8 {
            return self.error(format!("the address of `{name}` needs a variable of 64 bits"));
        }
        let offset = self.offset()?;
        let place = variable.initial.len();
        variable.addresses.push(InitialAddress { place, name: name.to_owned(), offset, line });
        variable.initial.extend_from_slice(&[0; 8]);
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
        let end = |end: u64, parameter: &Variable| end.next_multiple_of(parameter.align) + parameter.bytes;
        let most = if self.tree.version < 81 { MAX_PARAMETER_BYTES_BEFORE_81 } else { MAX_PARAMETER_BYTES };
        if entry && function.parameters.iter().fold(0, end) > most {
            return self.error(format!("more than {most} bytes of parameters"));
        }
        while let Some(token) = self.peek().filter(|token| token.text.starts_with('.')) {
            self.next += 1;
            match token.text {
                ".maxntid" | ".reqntid" => {
                    let extents = self.separated(|parser| parser.small("a block extent"))?;
                    function.max_threads = extents.into_iter().reduce(u32::saturating_mul);
                }
                ".reqnctapercluster" => {
                    let mut extents = [self.small("a cluster extent")?, 1, 1];
                    for extent in &mut extents[1..] {
                        if self.accept(",") {
                            *extent = self.small("a cluster extent")?;
                        }
                    }
                    function.cluster = Some(extents);
                }
                ".explicitcluster" => function.explicit_cluster = true,
                ".maxclusterrank" => function.max_cluster = Some(self.small("a number of blocks")?),
                ".maxnreg" => function.max_registers = Some(self.small("a number of registers")?),
                ".minnctapersm" => function.min_blocks = Some(self.small("a number of blocks")?),
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
        self.until(")", |parser| {
            if parser.accept(".reg") {
                return parser.error("parameters in registers are not supported");
            }
            parser.expect(".param")?;
            let (align, element) = parser.variable_type()?;
            parser.variable(Space::Parameter, align, element)
        })
    }
}
