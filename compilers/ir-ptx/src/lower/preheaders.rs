//! A block of its own before each loop whose entry is one way of a branch, so that what is made before the loop is not made
//! where the loop is left out.

use crate::flow::Flow;
use crate::ir::tree::{Block, BlockId, End, Function, Operation};

/// Adds the blocks.
pub(crate) fn add(function: &mut Function) {
    for around in &Flow::from_function(function).loops {
        let Some(before) = around.before else { continue };
        if let End::Branch(_, yes, no) = &function.blocks[before].end
            && yes != no
        {
            insert(function, before, around.header);
        }
    }
}

fn insert(function: &mut Function, before: BlockId, header: BlockId) {
    let added = function.blocks.len();
    let Block { line, place, .. } = function.blocks[before];
    function.blocks.push(Block { body: Vec::new(), end: End::Jump(header), line, place });
    if let End::Branch(_, yes, no) = &mut function.blocks[before].end {
        [yes, no].into_iter().filter(|to| **to == header).for_each(|to| *to = added);
    }
    for inst in &mut function.blocks[header].body {
        let Operation::Phi { from, .. } = &mut inst.operation else { continue };
        from.iter_mut().filter(|(_, block)| *block == before).for_each(|(_, block)| *block = added);
    }
}
