//! Joins loads of adjacent words of shared memory to loads of 16 bytes, as ptxas does.

use super::operation::{Operation, Unit};
use std::collections::{HashMap, HashSet};

/// The size of a joined load in bytes.
const JOINED_BYTES: i64 = 16;

/// Loads that may be joined: of the same 16 bytes, with the same value of the base register and of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Group {
    base: Option<u32>,
    /// How often the base register has been written before.
    version: usize,
    /// How often memory may have changed before.
    epoch: usize,
    line: i64,
}

/// Joins the loads of a basic block.
pub(crate) fn join(mut block: Vec<Operation>) -> Vec<Operation> {
    let mut dropped = HashSet::new();
    for members in groups(&block).into_values() {
        let accesses: Vec<_> = members.iter().filter_map(|&index| block[index].access).collect();
        let bytes: i64 = accesses.iter().map(|access| i64::from(access.bytes)).sum();
        let offsets: HashSet<i64> = accesses.iter().map(|access| access.offset).collect();
        if bytes != JOINED_BYTES || offsets.len() < 2 || offsets.len() != members.len() {
            continue;
        }
        let first = members[0];
        let others = &members[1..];
        for &other in others {
            let writes = block[other].writes.clone();
            let instructions = block[other].instructions.clone();
            block[first].writes.extend(writes);
            block[first].instructions.extend(instructions);
            dropped.insert(other);
        }
        if let Some(access) = &mut block[first].access {
            access.bytes = JOINED_BYTES as u16;
            access.offset = offsets.into_iter().min().unwrap_or(access.offset);
        }
    }
    let kept = block.into_iter().enumerate().filter(|(index, _)| !dropped.contains(index));
    kept.map(|(_, operation)| operation).collect()
}

/// Returns the loads that may be joined, by group, in the order of the text.
fn groups(block: &[Operation]) -> HashMap<Group, Vec<usize>> {
    let (mut versions, mut epoch): (HashMap<u32, usize>, _) = (HashMap::new(), 0);
    let mut groups: HashMap<Group, Vec<usize>> = HashMap::new();
    for (index, operation) in block.iter().enumerate() {
        let stores = operation.unit == Unit::Shared && !operation.loads_shared();
        epoch += usize::from(stores || operation.unit == Unit::Barrier);
        let access = operation.access.filter(|access| matches!(access.bytes, 4 | 8));
        if let (true, false, Some(access)) = (operation.loads_shared(), operation.is_guarded, access) {
            let version = access.base.and_then(|base| versions.get(&base)).copied().unwrap_or(0);
            let line = access.offset.div_euclid(JOINED_BYTES);
            groups.entry(Group { base: access.base, version, epoch, line }).or_default().push(index);
        }
        for &register in &operation.writes {
            *versions.entry(register).or_default() += 1;
        }
    }
    groups
}
