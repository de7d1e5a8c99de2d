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
    let body = format!("  ret ptr addrspacecast (ptr {variable} to ptr)");
    Ok(Some((vec![format!("define internal ptr {function}() alwaysinline {{"), body, "}".into()], definition)))
}

/// The line that a line of a function becomes where it asks for dynamic shared memory, and the variable.
pub fn dynamic(line: &str) -> Option<(String, String)> {
    let (result, call) = line.split_once(" = ").filter(|(_, call)| call.contains(DYNAMIC))?;
    let debug = call.find(", !dbg").map_or("", |place| &call[place..]);
    let cast = "addrspacecast ptr addrspace(3) @device_dynamic to ptr";
    Some((format!("{result} = {cast}{debug}"), DYNAMIC_VARIABLE.into()))
}
