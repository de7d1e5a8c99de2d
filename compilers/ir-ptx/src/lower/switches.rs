//! Switches become chains of comparisons, one in each block.

use crate::ir::tree::{Block, BlockId, End, Flags, Function, Instruction, Operation, Value};
use crate::ir::types::{BIT, Type};
use crate::table;

/// Replaces all switches of a function.
///
/// # Errors
/// Returns the construct if the type has no comparison.
pub(crate) fn replace(function: &mut Function) -> Result<(), (usize, String)> {
    for block in 0..function.blocks.len() {
        if let End::Switch { ty, value, default, cases } = function.blocks[block].end.clone() {
            let line = function.blocks[block].line;
            let edges = chain(function, block, &ty, &value, default, &cases)
                .ok_or_else(|| (line, format!("`switch` of `{ty}`")))?;
            redirect(function, block, &edges);
        }
    }
    Ok(())
}

/// Makes the chain, and returns who goes where.
fn chain(
    function: &mut Function,
    block: BlockId,
    ty: &Type,
    value: &Value,
    default: BlockId,
    cases: &[(i64, BlockId)],
) -> Option<Vec<(BlockId, BlockId)>> {
    let equal = table::find("icmp eq", ty, &BIT)?;
    let Block { line, place, .. } = function.blocks[block];
    let mut edges = Vec::new();
    let mut here = block;
    function.blocks[block].end = End::Jump(default);
    for (number, (case, to)) in cases.iter().enumerate() {
        let condition = function.ids;
        function.ids += 1;
        let operands = vec![(ty.clone(), value.clone()), (ty.clone(), Value::Integer(*case))];
        let operation = Operation::Row { row: equal, flags: Flags::default(), ty: BIT, operands };
        function.blocks[here].body.push(Instruction { results: vec![condition], operation, line, place });
        let is_last = number + 1 == cases.len();
        let otherwise = if is_last { default } else { function.blocks.len() };
        function.blocks[here].end = End::Branch(Value::Local(condition), *to, otherwise);
        edges.push((here, *to));
        if !is_last {
            function.blocks.push(Block { body: Vec::new(), end: End::Unreachable, line, place });
            here = otherwise;
        }
    }
    edges.push((here, default));
    Some(edges)
}

/// Tells phis which blocks of the chain control comes from now.
fn redirect(function: &mut Function, block: BlockId, edges: &[(BlockId, BlockId)]) {
    for target in 0..function.blocks.len() {
        for inst in &mut function.blocks[target].body {
            let Operation::Phi { from, .. } = &mut inst.operation else { continue };
            let Some(value) = from.iter().find(|(_, before)| *before == block).map(|(value, _)| value.clone()) else {
                continue;
            };
            from.retain(|(_, before)| *before != block);
            let into = edges.iter().filter(|(_, to)| *to == target);
            from.extend(into.map(|(before, _)| (value.clone(), *before)));
        }
    }
}
