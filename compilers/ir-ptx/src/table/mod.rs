//! The table: what each instruction and intrinsic of the IR is in PTX. Memory, control flow, calls and addresses, which
//! depend on more than their operands, are in `select`.

mod convert;
mod integer;
mod machine;
mod real;
pub(crate) mod row;

use crate::ir::types::Type;
use row::{Line, Row};
use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: LazyLock<HashMap<String, Vec<Row>>> = LazyLock::new(|| {
    let mut table: HashMap<String, Vec<Row>> = HashMap::new();
    for line in lines() {
        for row in line.rows() {
            table.entry(row.name.to_owned()).or_default().push(row);
        }
    }
    table
});

/// Returns the row of an instruction whose first operand, or else its result, is of the type `of`, and whose result is of the
/// type `to`.
pub(crate) fn find(name: &str, of: &Type, to: &Type) -> Option<&'static Row> {
    TABLE.get(name)?.iter().find(|row| row.of.contains(of) && row.to.contains(to))
}

/// Returns the lines of the table.
pub(crate) fn lines() -> impl Iterator<Item = &'static Line> {
    [integer::ROWS, real::ROWS, convert::ROWS, machine::ROWS].into_iter().flatten()
}
