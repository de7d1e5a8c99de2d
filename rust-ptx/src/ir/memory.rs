//! Arrays in shared and constant memory.
//!
//! A function of `device` whose body is the marker stands for the array's address. It becomes a variable of the right
//! address space, and a function that gives its generic address, from which LLVM infers the space of each access.

use super::Refusal;
use super::text::{arguments, symbol};

/// In shared memory, of size and alignment.
const SHARED: &str = "@device.shared";

/// In constant memory, likewise; the function's name is `constant.` and the variable's.
const CONSTANT: &str = "@device.constant";

/// What the launch asks for.
const DYNAMIC: &str = "@device.dynamic_shared";

/// Its generic address, as an instruction and as a constant.
pub const DYNAMIC_ADDRESS: &str = "addrspacecast ptr addrspace(3) @device_dynamic to ptr";
pub const DYNAMIC_CONSTANT: &str = "addrspacecast (ptr addrspace(3) @device_dynamic to ptr)";

/// How the function for an array begins the line that gives its address.
pub const RETURN: &str = "  ret ptr ";

/// PTX wants a size of zero, and an alignment that serves every type.
const DYNAMIC_VARIABLE: &str = "@device_dynamic = external addrspace(3) global [0 x i8], align 16";

/// A function that stands for an array: its new text, and the variable, which is called by `number` where its name is of
/// no importance.
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

/// The line that a line of a function becomes where it asks for dynamic shared memory, and the variable.
pub fn dynamic(line: &str) -> Option<(String, String)> {
    let (result, call) = line.split_once(" = ").filter(|(_, call)| call.contains(DYNAMIC))?;
    let debug = call.find(", !dbg").map_or("", |place| &call[place..]);
    Some((format!("{result} = {DYNAMIC_ADDRESS}{debug}"), DYNAMIC_VARIABLE.into()))
}
