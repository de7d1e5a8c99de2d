//! Accesses to memory, and fences.

use super::cursor::{Cursor, Parsed};
use super::reader::Reader;
use super::tree::{Access, Operation, Value};
use super::types::Type;

impl<'a> Reader<'a> {
    /// Takes what loads, stores, or orders accesses.
    pub(super) fn memory(&mut self, name: &'a str, op: &str, at: &mut Cursor<'a>) -> Parsed<()> {
        match op {
            "load" => {
                let atomic = at.eat("atomic");
                let volatile = at.eat("volatile");
                let ty = at.ty(self.named)?;
                at.need(",")?;
                let (_, address) = self.scalar(at)?;
                for (index, access) in accesses(at, &ty, &address, atomic, volatile)?.into_iter().enumerate() {
                    let id = self.id(name, index);
                    self.push(vec![id], Operation::Load(access));
                }
            }
            "store" => {
                let atomic = at.eat("atomic");
                let volatile = at.eat("volatile");
                let (ty, values) = self.typed_values(at)?;
                at.need(",")?;
                let (_, address) = self.scalar(at)?;
                for (access, value) in accesses(at, &ty, &address, atomic, volatile)?.into_iter().zip(values) {
                    self.push(Vec::new(), Operation::Store(access, value));
                }
            }
            "alloca" => {
                let ty = at.ty(self.named)?;
                if at.eat(",") && at.peek() != "align" && at.peek() != "addrspace" {
                    return Err("`alloca` of several elements".into());
                }
                let align = if at.eat("align") { at.number()? } else { ty.align() };
                let id = self.id(name, 0);
                self.push(vec![id], Operation::Variable { bytes: ty.bytes(), align });
            }
            "fence" => {
                let text = fence(at)?;
                self.push(Vec::new(), Operation::Fence { text });
            }
            _ => return self.atomic(name, op, at),
        }
        Ok(())
    }

    fn atomic(&mut self, name: &'a str, op: &str, at: &mut Cursor<'a>) -> Parsed<()> {
        at.eat("weak");
        let volatile = at.eat("volatile");
        let what = if op == "atomicrmw" { at.word() } else { "" };
        let (_, address) = self.scalar(at)?;
        at.need(",")?;
        let (ty, first) = self.scalar(at)?;
        let access = |order: String, ty: Type| Access { ty, address, offset: 0, align: 0, volatile, order };
        if op == "atomicrmw" {
            let id = self.id(name, 0);
            let order = order(at)?;
            self.push(vec![id], Operation::Atomic { name: what.to_owned(), access: access(order, ty), value: first });
            return Ok(());
        }
        at.need(",")?;
        let (_, new) = self.scalar(at)?;
        let ids = vec![self.id(name, 0), self.id(name, 1)];
        let order = order(at)?;
        self.push(ids, Operation::Exchange { access: access(order, ty), expected: first, new });
        Ok(())
    }
}

/// Takes what follows the address of a load or store, and returns its accesses, one for each scalar.
fn accesses(at: &mut Cursor, ty: &Type, address: &Value, atomic: bool, volatile: bool) -> Parsed<Vec<Access>> {
    let order = if atomic { order(at)? } else { String::new() };
    let align = if at.eat(",") && at.eat("align") { at.number()? } else { ty.align() };
    let access = |(offset, ty): (u64, Type)| {
        let known = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) };
        let address = address.clone();
        let order = order.clone();
        Access { ty, address, offset: offset as i64, align: known, volatile, order }
    };
    Ok(ty.parts().into_iter().map(access).collect())
}

/// Takes the scope of an atomic access as a modifier: `.gpu`.
fn scope(at: &mut Cursor) -> Parsed<&'static str> {
    if !at.eat("syncscope") {
        return Ok(".sys");
    }
    at.need("(")?;
    let scope = match at.quoted()? {
        "block" | "workgroup" => ".cta",
        "device" | "agent" => ".gpu",
        "cluster" => ".cluster",
        "" => ".sys",
        other => return Err(format!("`syncscope(\"{other}\")`")),
    };
    at.need(")")?;
    Ok(scope)
}

/// Takes the scope and order of an atomic access as modifiers: `.relaxed.gpu`.
fn order(at: &mut Cursor) -> Parsed<String> {
    let scope = scope(at)?;
    let order = match at.word() {
        "unordered" | "monotonic" => ".relaxed",
        "acquire" => ".acquire",
        "release" => ".release",
        "acq_rel" => ".acq_rel",
        // With a fence before it.
        "seq_cst" => ".seq_cst",
        other => return Err(format!("the order `{other}`")),
    };
    Ok(format!("{order}{scope}"))
}

fn fence(at: &mut Cursor) -> Parsed<&'static str> {
    let scope = scope(at)?;
    Ok(match (scope, at.word()) {
        (".cta", "seq_cst") => "fence.sc.cta;",
        (".cta", _) => "fence.acq_rel.cta;",
        (".gpu", "seq_cst") => "fence.sc.gpu;",
        (".gpu", _) => "fence.acq_rel.gpu;",
        (_, "seq_cst") => "fence.sc.sys;",
        _ => "fence.acq_rel.sys;",
    })
}
