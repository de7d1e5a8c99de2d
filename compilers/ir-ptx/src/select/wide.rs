//! Loads and stores of neighbors, which become one: of two or four numbers, up to 16 bytes.

use super::selector::Selector;
use crate::address::terms::{Address, Base};
use crate::ir::tree::{Access, Id, Instruction, Operation, Value};
use crate::ir::types::Type;
use crate::table::row::Effect;
use std::collections::HashMap;

/// The most bytes of one access.
const MAX_BYTES: u64 = 16;

/// The translation of a load or store.
pub(super) enum Plan {
    /// It is part of another.
    Part,
    Wide(Wide),
}

/// A wide access.
pub(super) struct Wide {
    /// The first of the accesses.
    pub(super) access: Access,
    /// The results of loads; none where nothing needs what is between them.
    pub(super) members: Vec<Option<(Id, Type)>>,
    /// The stored values.
    pub(super) values: Vec<(Type, Value)>,
}

/// An access of a block: its place there, and its address.
struct Found<'b> {
    at: usize,
    access: &'b Access,
    address: Address,
}

fn access_of(inst: &Instruction) -> Option<(&Access, bool)> {
    match &inst.operation {
        Operation::Load(access) => Some((access, false)),
        Operation::Store(access, _) => Some((access, true)),
        _ => None,
    }
    .filter(|(access, _)| !access.volatile && access.order.is_empty())
}

/// Whether an instruction neither accesses memory nor orders accesses.
fn is_quiet(operation: &Operation) -> bool {
    match operation {
        Operation::Row { row, .. } => row.effect != Effect::Order,
        Operation::Element { .. } | Operation::Phi { .. } | Operation::Pack { .. } | Operation::Unpack { .. } => true,
        Operation::Variable { .. } => true,
        Operation::Assembly { effects, .. } => !effects,
        _ => false,
    }
}

impl Selector<'_> {
    /// Returns which accesses of a block become one, by their places.
    pub(super) fn neighbors(&self, body: &[Instruction]) -> HashMap<usize, Plan> {
        let mut plan = HashMap::new();
        for first in 0..body.len() {
            let Some((access, is_store)) = access_of(&body[first]) else { continue };
            if !plan.contains_key(&first) && access.ty != Type::Integer(1) && access.ty.bytes() < MAX_BYTES {
                let mut group = self.group(body, first, is_store, &plan);
                group.sort_by_key(|found| found.address.offset);
                join(body, &group, is_store, &mut plan);
            }
        }
        plan
    }

    /// Returns the accesses like the first that may be done at its time, or with the last of them if they store.
    fn group<'b>(
        &self,
        body: &'b [Instruction],
        first: usize,
        is_store: bool,
        plan: &HashMap<usize, Plan>,
    ) -> Vec<Found<'b>> {
        let found = |at: usize, access: &'b Access| Found { at, access, address: self.address_of(access) };
        let Some((access, _)) = access_of(&body[first]) else { return Vec::new() };
        let start = found(first, access);
        let unwritten = !is_store && self.is_read_only(&start.address);
        let mut group = vec![start];
        for (at, inst) in body.iter().enumerate().skip(first + 1) {
            let Some((access, stores)) = access_of(inst) else {
                if is_quiet(&inst.operation) || unwritten {
                    continue;
                }
                break;
            };
            let new = found(at, access);
            let start = &group[0];
            let is_like = stores == is_store
                && access.ty == start.access.ty
                && new.address.differs_in_bytes_alone(&start.address);
            let is_new = group.iter().all(|known| known.address.offset != new.address.offset);
            if is_like && is_new && !plan.contains_key(&at) {
                group.push(new);
            } else if (stores || is_store) && !unwritten && self.may_overlap(&new.address, &start.address) {
                break;
            }
        }
        group
    }

    fn may_overlap(&self, a: &Address, b: &Address) -> bool {
        let parameters = &self.facts.function.parameters;
        let is_alone =
            |base: &Base| matches!(base, Base::Pointer(id) if parameters.iter().any(|of| of.id == *id && of.noalias));
        match (&a.base, &b.base) {
            (Base::Symbol(x), Base::Symbol(y)) if x != y => false,
            (x, y) if x != y && (is_alone(x) || is_alone(y)) => false,
            _ => a.space == b.space || [a.space, b.space].contains(&crate::space::Space::Generic),
        }
    }
}

/// Joins accesses that are in the order of their addresses.
fn join(body: &[Instruction], group: &[Found], is_store: bool, plan: &mut HashMap<usize, Plan>) {
    let mut rest = group;
    while let [first, ..] = rest {
        let size = first.access.ty.bytes();
        let lanes = |count: u64, most_gaps: usize| {
            let offset = |lane: u64| first.address.offset + (lane * size) as i64;
            let member = |lane: u64| rest.iter().find(|found| found.address.offset == offset(lane));
            let members: Vec<Option<&Found>> = (0..count).map(member).collect();
            let gaps = members.iter().filter(|member| member.is_none()).count();
            let fits = count * size <= MAX_BYTES && first.access.align >= count * size;
            (fits && gaps <= most_gaps).then_some(members)
        };
        // A load of three of four takes the fourth too.
        let Some(members) = lanes(4, usize::from(!is_store)).or_else(|| lanes(2, 0)) else {
            rest = &rest[1..];
            continue;
        };
        let taken: Vec<&Found> = members.iter().flatten().copied().collect();
        rest = &rest[taken.len()..];
        let value = |found: &Found| match &body[found.at].operation {
            Operation::Store(access, value) => Some((access.ty.clone(), value.clone())),
            _ => None,
        };
        let result = |found: &Found| Some((*body[found.at].results.first()?, found.access.ty.clone()));
        let wide = Wide {
            access: first.access.clone(),
            members: members.iter().map(|member| member.and_then(result)).collect(),
            values: taken.iter().filter_map(|found| value(found)).collect(),
        };
        let places = taken.iter().map(|found| found.at);
        // The values of a store are all there at the last, and the results of a load are needed from the first.
        let leader = if is_store { places.max() } else { places.min() };
        taken.iter().for_each(|found| drop(plan.insert(found.at, Plan::Part)));
        plan.extend(leader.map(|leader| (leader, Plan::Wide(wide))));
    }
}
