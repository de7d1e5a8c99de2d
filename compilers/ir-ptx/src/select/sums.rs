//! Registers for addresses. Addresses that differ in bytes share one, a sum that does not change in a loop is made before it,
//! and one that a loop only moves on becomes a register that the loop adds to.

use super::selector::{Known, Selected, Selector, Sum};
use crate::address::counters::{Counter, Widen};
use crate::address::terms::{Address, Base, Term};
use crate::code::{Class, Inst, Operand, Phi, Register};
use crate::ir::tree::{BlockId, Id, Operation, Value};
use crate::ir::types::Type;
use crate::space::Space;

impl Selector<'_> {
    /// Returns an address as one operand.
    pub(super) fn pointer(&mut self, address: &Address) -> Selected<Operand> {
        if address.base == Base::Number && address.terms.is_empty() {
            return Ok(Operand::text(address.offset.to_string()));
        }
        let sum = Operand::Register(self.sum_of(address)?);
        if address.offset == 0 {
            return Ok(sum);
        }
        let offset = Operand::text(address.offset.to_string());
        Ok(Operand::Register(self.made("add.s64", Class::B64, &[sum, offset])))
    }

    /// Returns the register of an address without its bytes.
    pub(super) fn sum_of(&mut self, address: &Address) -> Selected<Register> {
        let sum = (address.base.clone(), self.sorted(&address.terms));
        self.sum(&sum)
    }

    /// Puts what outer loops make first, so that inner loops add to a sum that is there.
    fn sorted(&self, terms: &[Term]) -> Vec<Term> {
        let mut terms = terms.to_vec();
        terms.sort_by_key(|term| {
            let depth = self.facts.flow.depth(self.facts.home(term.value));
            (depth, self.facts.counter(term.value).is_some(), term.value)
        });
        terms
    }

    /// Notes where sums are needed: one that several blocks need is made above all of them.
    pub(super) fn survey(&mut self) {
        let function = self.facts.function;
        for &at in &self.facts.flow.order.clone() {
            for inst in &function.blocks[at].body {
                let access = match &inst.operation {
                    Operation::Load(access) | Operation::Store(access, _) => access,
                    Operation::Atomic { access, .. } | Operation::Exchange { access, .. } => access,
                    _ => continue,
                };
                let address = self.address_of(access);
                let terms = self.sorted(&address.terms);
                for length in 1..=terms.len() {
                    let alone = (Base::Number, vec![terms[length - 1].clone()]);
                    for sum in [(address.base.clone(), terms[..length].to_vec()), alone] {
                        let place = self.needed.get(&sum).map_or(at, |&there| self.facts.flow.common(there, at));
                        self.needed.insert(sum, place);
                    }
                }
            }
        }
    }

    /// Returns the block in which a sum is made: above all that need it, and before the loops in which nothing of it is made.
    fn place(&self, sum: &Sum) -> BlockId {
        let above = self.needed.get(sum).filter(|&&place| self.facts.flow.dominates(place, self.block));
        let home = above.copied().unwrap_or(self.block);
        let makes = |block: &std::collections::HashSet<BlockId>| {
            let base = matches!(sum.0, Base::Pointer(id) if block.contains(&self.facts.home(id)));
            base || sum.1.iter().any(|term| block.contains(&self.facts.home(term.value)))
        };
        let mut around = self.facts.flow.loops_of(home);
        around.find_map(|around| around.before.filter(|_| !makes(&around.blocks))).unwrap_or(home)
    }

    fn sum(&mut self, sum: &Sum) -> Selected<Register> {
        if let Some(register) = self.holding(self.sums.get(sum)) {
            return Ok(register);
        }
        let (home, register) = self.new_sum(sum)?;
        self.sums.entry(sum.clone()).or_default().push((home, register));
        Ok(register)
    }

    fn new_sum(&mut self, sum: &Sum) -> Selected<(BlockId, Register)> {
        let (base, terms) = sum;
        let Some((last, others)) = terms.split_last() else { return self.base(base) };
        let lower = (base.clone(), others.to_vec());
        if let Some(counter) = self.facts.counter(last.value).filter(|counter| self.moves(&lower, last, counter)) {
            match (base, self.is_one_of_several(sum)) {
                (_, false) => return self.moving(&lower, last, &counter),
                (Base::Symbol(_), true) => return self.moving_in_variable(sum, counter.header),
                // The product and the addition are one instruction for the assembler; to move a register on would take two.
                (Base::Pointer(_) | Base::Number, true) => {}
            }
        }
        let home = self.place(sum);
        let register = self.in_block(home, |this| -> Selected<Register> {
            let product = this.product(last)?;
            if lower == (Base::Number, Vec::new()) {
                return Ok(product);
            }
            let operands = [Operand::Register(this.sum(&lower)?), Operand::Register(product)];
            Ok(this.made("add.s64", Class::B64, &operands))
        })?;
        Ok((home, register))
    }

    fn base(&mut self, base: &Base) -> Selected<(BlockId, Register)> {
        let text = match base {
            Base::Pointer(id) => {
                let home = self.facts.home(*id);
                return match self.operand_of(*id)? {
                    Operand::Register(register) => Ok((home, register)),
                    text => Ok((self.block, self.made("mov.b64", Class::B64, &[text]))),
                };
            }
            Base::Symbol(name) => name.clone(),
            Base::Number => "0".into(),
        };
        let register = self.in_block(0, |this| this.made("mov.b64", Class::B64, &[Operand::Text(text)]));
        Ok((0, register))
    }

    fn operand_of(&mut self, id: Id) -> Selected<Operand> {
        match self.values.get(&id) {
            Some(operand) => Ok(operand.clone()),
            None => self.result(id, &Type::Pointer(Space::Generic)).map(Operand::Register),
        }
    }

    /// Whether the loop of a counter moves a sum on, and nothing else does.
    fn moves(&self, lower: &Sum, term: &Term, counter: &Counter) -> bool {
        let Some(around) = self.facts.flow.loop_at(counter.header) else { return false };
        let is_inside = |id: Id| around.blocks.contains(&self.facts.home(id));
        let fixed =
            !lower.1.iter().any(|term| is_inside(term.value)) && !matches!(lower.0, Base::Pointer(id) if is_inside(id));
        fixed && around.blocks.contains(&self.block) && counter.is_exact(term.widen)
    }

    /// Whether other addresses differ from one in their base alone.
    fn is_one_of_several(&self, (base, terms): &Sum) -> bool {
        let is_other = |(other, of): &Sum| other != base && *other != Base::Number && of == terms;
        *base != Base::Number && self.needed.keys().any(is_other)
    }

    /// Makes the sum of a variable's place and a register that moves on for all variables. For the assembler, this addition is
    /// a part of the access; to move a register on for each variable would take instructions of their own.
    fn moving_in_variable(&mut self, (base, terms): &Sum, header: BlockId) -> Selected<(BlockId, Register)> {
        let variable = self.sum(&(base.clone(), Vec::new()))?;
        let moving = self.sum(&(Base::Number, terms.clone()))?;
        let operands = [Operand::Register(variable), Operand::Register(moving)];
        Ok((header, self.in_block(header, |this| this.made("add.s64", Class::B64, &operands))))
    }

    /// Makes a register that starts as `lower` plus the first count, and moves on with the loop.
    fn moving(&mut self, lower: &Sum, term: &Term, counter: &Counter) -> Selected<(BlockId, Register)> {
        let mut first = Address { space: Space::Generic, base: lower.0.clone(), terms: lower.1.clone(), offset: 0 };
        self.addresses().add(&mut first, counter.start, term.widen, term.scale);
        let (start, step) = self.in_block(counter.before, |this| -> Selected<(Operand, Operand)> {
            let start = this.pointer(&first)?;
            let step = match counter.step {
                Value::Local(value) => Operand::Register(this.product(&Term { value: *value, ..term.clone() })?),
                Value::Integer(n) => Operand::text(n.wrapping_mul(term.scale).to_string()),
                _ => return Err("a loop whose step is an address".into()),
            };
            Ok((start, step))
        })?;
        let here = self.fresh(Class::B64);
        let moved = self.fresh(Class::B64);
        let from = vec![(counter.before, Some(start)), (counter.latch, Some(Operand::Register(moved)))];
        self.blocks[counter.header].phis.push(Phi { result: here, from });
        let operands = vec![Operand::Register(moved), Operand::Register(here), step];
        let text = "add.s64 $0, $1, $2;".to_owned();
        self.at_end.push((counter.latch, Inst { text, results: 1, operands, pure: true, early: false, place: None }));
        Ok((counter.header, here))
    }

    /// Returns the register of a widened integer times its scale.
    fn product(&mut self, term: &Term) -> Selected<Register> {
        let key = (term.value, term.widen, term.scale);
        if let Some(register) = self.holding(self.products.get(&key)) {
            return Ok(register);
        }
        let home = self.place(&(Base::Number, vec![term.clone()]));
        let register = self.in_block(home, |this| this.new_product(term))?;
        let known: &mut Known = self.products.entry(key).or_default();
        known.push((home, register));
        Ok(register)
    }

    fn new_product(&mut self, term: &Term) -> Selected<Register> {
        let ty = Type::Integer(if term.widen == Widen::Not { 64 } else { 32 });
        let value = Operand::Register(self.register(&Value::Local(term.value), &ty)?);
        let scale = Operand::text(term.scale.to_string());
        let power = u64::try_from(term.scale).ok().filter(|scale| scale.is_power_of_two());
        let (op, operands) = match (term.widen, term.scale, power) {
            (Widen::Not, 1, _) => match value {
                Operand::Register(register) => return Ok(register),
                value => ("mov.b64", vec![value]),
            },
            (Widen::Signed, 1, _) => ("cvt.s64.s32", vec![value]),
            (Widen::Unsigned, 1, _) => ("cvt.u64.u32", vec![value]),
            (Widen::Not, _, Some(power)) => ("shl.b64", vec![value, Operand::text(power.trailing_zeros().to_string())]),
            (Widen::Signed, ..) if i32::try_from(term.scale).is_ok() => ("mul.wide.s32", vec![value, scale]),
            (Widen::Unsigned, ..) if u32::try_from(term.scale).is_ok() => ("mul.wide.u32", vec![value, scale]),
            (Widen::Not, ..) => ("mul.lo.s64", vec![value, scale]),
            (widen, ..) => {
                let op = if widen == Widen::Signed { "cvt.s64.s32" } else { "cvt.u64.u32" };
                let wide = self.made(op, Class::B64, &[value]);
                ("mul.lo.s64", vec![Operand::Register(wide), scale])
            }
        };
        Ok(self.made(op, Class::B64, &operands))
    }
}
