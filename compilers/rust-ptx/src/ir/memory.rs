//! Arrays in shared and constant memory.
//!
//! A function of `device` whose body is a marker returns the address of an array. It becomes a variable in the right address
//! space, and a function that returns the variable's generic address, from which LLVM infers the address space of each access.

use super::Refusal;
use super::text::{arguments, symbol};

/// The marker of an array in shared memory. Its arguments are the size and alignment in bytes.
const SHARED: &str = "@device.shared";

/// The marker of an array in constant memory, with the same arguments. The function is named `constant.` and the variable's name.
const CONSTANT: &str = "@device.constant";

/// The marker of dynamic shared memory.
const DYNAMIC: &str = "@device.dynamic_shared";

/// The generic address of dynamic shared memory, as an instruction.
pub const DYNAMIC_ADDRESS: &str = "addrspacecast ptr addrspace(3) @device_dynamic to ptr";
/// The generic address of dynamic shared memory, as a constant.
pub const DYNAMIC_CONSTANT: &str = "addrspacecast (ptr addrspace(3) @device_dynamic to ptr)";

/// The beginning of the line that returns the address of an array.
pub const RETURN: &str = "  ret ptr ";

/// The variable of dynamic shared memory. PTX requires a size of zero; the alignment serves every type.
const DYNAMIC_VARIABLE: &str = "@device_dynamic = external addrspace(3) global [0 x i8], align 16";

/// Returns the new text of a function that returns an array, and the array's variable; `None` for another function. The
/// variable of an array in shared memory is named by `number`.
pub fn array(name: &str, lines: &[&str], number: usize) -> Result<Option<(Vec<String>, String)>, Refusal> {
    let refusal =
        |reason: &str| Refusal { function: name.to_owned(), reason: reason.into(), instruction: String::new() };
    let size = |marker| lines.iter().find_map(|line| arguments(line, marker));
    let function = symbol(lines[0]);
    let (variable, definition) = if let Some(size) = size(SHARED) {
        let [bytes, align] = size[..] else { return Err(refusal("the size of shared memory must be a constant")) };
        let variable = format!("@shared_{number}");
        let definition = format!("{variable} = internal addrspace(3) global [{bytes} x i8] undef, align {align}");
        (format!("addrspace(3) {variable}"), definition)
    } else if let Some(size) = size(CONSTANT) {
        let [bytes, align] = size[..] else { return Err(refusal("the size of constant memory must be a constant")) };
        let variable = function.replacen("constant.", "", 1);
        let kind = "addrspace(4) externally_initialized global";
        let definition = format!("{variable} = {kind} [{bytes} x i8] zeroinitializer, align {align}");
        (format!("addrspace(4) {variable}"), definition)
    } else {
        return Ok(None);
    };
    let body = format!("{RETURN}addrspacecast (ptr {variable} to ptr)");
    Ok(Some((vec![format!("define internal ptr {function}() alwaysinline {{"), body, "}".into()], definition)))
}

/// Returns the line that replaces the marker of dynamic shared memory, and the variable; `None` for another line.
pub fn dynamic(line: &str) -> Option<(String, String)> {
    let (result, call) = line.split_once(" = ").filter(|(_, call)| call.contains(DYNAMIC))?;
    let debug = call.find(", !dbg").map_or("", |place| &call[place..]);
    Some((format!("{result} = {DYNAMIC_ADDRESS}{debug}"), DYNAMIC_VARIABLE.into()))
}
