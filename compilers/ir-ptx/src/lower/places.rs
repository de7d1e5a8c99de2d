//! Loads that clang has moved out of a loop, which name no place in the source. They get that of the store to the same address: the
//! place of the instruction before, which has nothing to do with the load, would be blamed for its mistakes.

use crate::ir::tree::{Function, Instruction, Operation, Place, Value};

/// Gives places to loads.
pub(crate) fn give(function: &mut Function) {
    let stored = |inst: &Instruction| match &inst.operation {
        Operation::Store(access, _) => Some(((access.address.clone(), access.offset), inst.place?)),
        _ => None,
    };
    let stores: Vec<((Value, i64), Place)> =
        function.blocks.iter().flat_map(|block| &block.body).filter_map(stored).collect();
    for inst in function.blocks.iter_mut().flat_map(|block| &mut block.body) {
        if let (Operation::Load(access), None) = (&inst.operation, inst.place) {
            inst.place = stores
                .iter()
                .find(|((at, offset), _)| (at, *offset) == (&access.address, access.offset))
                .map(|(_, place)| *place);
        }
    }
}
