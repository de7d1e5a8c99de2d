//! Loads and stores.

use super::selector::{Selected, Selector};
use super::wide::Wide;
use crate::address::terms::{Address, Base};
use crate::code::{Class, Operand, Register};
use crate::ir::tree::{Access, Id, Value};
use crate::ir::types::{BIT, Type};
use crate::space::Space;

/// Returns the type of an access in an opcode.
fn memory_type(ty: &Type) -> String {
    match ty.bytes() {
        // Not bits: a load of them fills the register above them.
        bytes @ 1..=2 if *ty != Type::Half => format!("u{}", bytes * 8),
        bytes => format!("b{}", bytes * 8),
    }
}

/// Returns what a reference to so many operands from `$first` looks like: one, or several in braces.
fn list(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    if count == 1 { names.concat() } else { format!("{{{}}}", names.join(", ")) }
}

/// Returns `.v4` for four lanes.
fn lanes(count: usize) -> String {
    if count == 1 { String::new() } else { format!(".v{count}") }
}

impl Selector<'_> {
    /// Returns the address of an access.
    pub(super) fn address_of(&self, access: &Access) -> Address {
        self.addresses().address(&access.address).plus(access.offset)
    }

    /// Returns the operand for an address in brackets, and what follows its placeholder there.
    pub(super) fn bracket(&mut self, address: &Address) -> Selected<(Operand, String)> {
        let plus = if address.offset == 0 { String::new() } else { format!("+{}", address.offset) };
        if let (Base::Symbol(name), true) = (&address.base, address.terms.is_empty()) {
            return Ok((Operand::text(name.clone()), plus));
        }
        if address.base == Base::Number && address.terms.is_empty() {
            return Ok((Operand::text(address.offset.to_string()), String::new()));
        }
        Ok((Operand::Register(self.sum_of(address)?), plus))
    }

    /// Whether nothing writes to memory at an address while the kernel runs.
    pub(super) fn is_read_only(&self, address: &Address) -> bool {
        let of_parameter = |id: Id| {
            let mut parameters = self.facts.function.parameters.iter();
            self.facts.function.kernel && parameters.any(|of| of.id == id && of.noalias && of.readonly)
        };
        address.space == Space::Constant || matches!(address.base, Base::Pointer(id) if of_parameter(id))
    }

    /// Selects a load of neighbors, some of which nothing needs.
    pub(super) fn load(&mut self, access: &Access, members: &[Option<(Id, Type)>]) -> Selected<()> {
        let address = self.address_of(access);
        let mut results = Vec::new();
        for member in members {
            let register = match member {
                Some((_, ty)) if *ty == BIT => self.fresh(Class::B32),
                Some((id, ty)) => self.result(*id, ty)?,
                None => self.fresh(Self::class(&access.ty)?),
            };
            results.push(register);
        }
        self.load_into(access, &address, &results)?;
        for (member, &register) in members.iter().zip(&results) {
            let Some((id, ty)) = member else { continue };
            match ty {
                &BIT => self.bit_of(*id, register)?,
                Type::Integer(bits @ (8 | 16)) => drop(self.extended.insert(register, (*bits, false))),
                Type::Pointer(Space::Generic) if self.spaces.space_of(*id) == Space::Global => {
                    let to = self.made("cvta.to.global.u64", Class::B64, &[Operand::Register(register)]);
                    self.values.insert(*id, Operand::Register(to));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn load_into(&mut self, access: &Access, address: &Address, results: &[Register]) -> Selected<()> {
        let mut space = address.space.modifier().to_owned();
        if address.space == Space::Global && access.order.is_empty() && !access.volatile && self.is_read_only(address) {
            space += ".nc";
        }
        let order = self.order(access, "acquire");
        let (bracket, plus) = self.bracket(address)?;
        let count = results.len();
        let lanes = lanes(count);
        let ty = memory_type(&access.ty);
        let list = list(0, count);
        let mut operands: Vec<Operand> = results.iter().map(|register| Operand::Register(*register)).collect();
        operands.push(bracket);
        let text = format!("ld{order}{space}{lanes}.{ty} {list}, [${count}{plus}];");
        self.append(text, count, operands, order.is_empty());
        Ok(())
    }

    /// Makes a condition of a byte in memory.
    fn bit_of(&mut self, id: Id, byte: Register) -> Selected<()> {
        let low = self.made("and.b32", Class::B32, &[Operand::Register(byte), Operand::text("1")]);
        let to = self.result(id, &BIT)?;
        self.make("setp.ne.b32", to, &[Operand::Register(low), Operand::text("0")]);
        Ok(())
    }

    /// Selects a store of neighbors.
    pub(super) fn store(&mut self, access: &Access, values: &[(Type, Value)]) -> Selected<()> {
        let mut operands = Vec::new();
        for (ty, value) in values {
            let mut operand = self.generic_pointer(value, ty)?;
            if *ty == BIT {
                let pair = [Operand::text("1"), Operand::text("0"), operand];
                operand = Operand::Register(self.made("selp.b32", Class::B32, &pair));
            }
            operands.push(operand);
        }
        let address = self.address_of(access);
        if address.space == Space::Constant || address.space == Space::Parameter {
            return Err(format!("a store to `{}` memory", address.space.modifier()));
        }
        let order = self.order(access, "release");
        let (bracket, plus) = self.bracket(&address)?;
        let count = operands.len();
        let space = address.space.modifier();
        let lanes = lanes(count);
        let ty = memory_type(&access.ty);
        let list = list(1, count);
        operands.insert(0, bracket);
        self.push(format!("st{order}{space}{lanes}.{ty} [$0{plus}], {list};"), 0, operands);
        Ok(())
    }

    /// Returns the modifiers of a volatile or atomic access. One that is in the same order for all threads is also behind a
    /// fence.
    fn order(&mut self, access: &Access, strongest: &str) -> String {
        if access.order.is_empty() {
            return if access.volatile { ".volatile".into() } else { String::new() };
        }
        match access.order.strip_prefix(".seq_cst") {
            Some(scope) => {
                self.push(format!("fence.sc{scope};"), 0, Vec::new());
                format!(".{strongest}{scope}")
            }
            None => access.order.clone(),
        }
    }

    /// Selects the accesses that the one with this index stands for.
    pub(super) fn wide_load(&mut self, wide: &Wide) -> Selected<()> {
        self.load(&wide.access, &wide.members)
    }
}

/// The most bytes that are copied without a loop.
const MAX_BYTES: i64 = 1024;

impl Selector<'_> {
    /// Selects a copy, or a setting of bytes without `from`.
    pub(super) fn copy(&mut self, to: &Access, from: Option<&Access>, bytes: i64, value: i64) -> Selected<()> {
        if bytes > MAX_BYTES {
            return Err(format!("a copy of {bytes} bytes at once"));
        }
        let align = from.map_or(to.align, |from| from.align.min(to.align)) as i64;
        // Everything is read before anything is written, since they may overlap.
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < bytes {
            let size = [8, 4, 2, 1].into_iter().find(|size| align % size == 0 && at + size <= bytes).unwrap_or(1);
            let operand = match from {
                Some(from) => Operand::Register(self.piece(from, at, size)?),
                None => Operand::text((0..size).fold(0_i64, |word, _| word << 8 | value).to_string()),
            };
            pieces.push((at, size, operand));
            at += size;
        }
        for (at, size, operand) in pieces {
            let address = self.address_of(to).plus(at);
            let (bracket, plus) = self.bracket(&address)?;
            let space = address.space.modifier();
            let ty = kind(size);
            self.push(format!("st{space}.{ty} [$0{plus}], $1;"), 0, vec![bracket, operand]);
        }
        Ok(())
    }

    fn piece(&mut self, from: &Access, at: i64, size: i64) -> Selected<Register> {
        let address = self.address_of(from).plus(at);
        let (bracket, plus) = self.bracket(&address)?;
        let to = self.fresh(if size == 8 { Class::B64 } else { Class::B32 });
        let space = address.space.modifier();
        let ty = kind(size);
        self.append(format!("ld{space}.{ty} $0, [$1{plus}];"), 1, vec![Operand::Register(to), bracket], true);
        Ok(to)
    }
}

fn kind(size: i64) -> String {
    let ty = Type::Integer(size as u32 * 8);
    if size < 4 { format!("u{}", ty.bits()) } else { format!("b{}", ty.bits()) }
}
