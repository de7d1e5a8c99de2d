//! The variables of a module: `__constant__` and `__device__` ones, which the command line sets and prints by their names.

use super::names::in_source;
use super::output::{Name, Output};
use super::placed::{Placed, address, buffer};
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::source::signature;
use emulator::{Kernel, Memory, Variable};
use judge::kernel_file::{Buffer, Part, Setting};
use std::str::FromStr;

/// A variable that `--print` prints: a buffer, or a variable with the type of its elements, if it is written.
#[derive(Clone, Debug)]
pub enum Printed {
    Part(Part),
    Variable(String, Option<String>),
}

impl FromStr for Printed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(|character: char| character.is_ascii_digit()) {
            return text.parse().map(Self::Part);
        }
        let (name, element) = text.split_once('=').map_or((text, None), |(name, element)| (name, Some(element)));
        Ok(Self::Variable(name.to_owned(), element.map(str::to_owned)))
    }
}

/// Returns the variable with a name of the source.
fn find<'a>(kernel: &'a Kernel, name: &str) -> Result<&'a Variable> {
    let variables = kernel.variables();
    let is_meant = |variable: &&Variable| {
        let own = in_source(&variable.name);
        own == name || own.rsplit("::").next() == Some(name)
    };
    let exact = variables.iter().find(|variable| variable.name == name);
    exact.or_else(|| variables.iter().find(is_meant)).with_context(|| {
        // The compilers' headers have constants in these namespaces; names in `std` stay mangled.
        let of_headers =
            |name: &String| ["_ZNSt", "nv::", "cuda::", "std::"].iter().any(|start| name.starts_with(start));
        let names = variables.iter().map(|variable| in_source(&variable.name));
        let names: Vec<_> = names.filter(|name| !of_headers(name)).collect();
        if names.is_empty() {
            format!(
                "there is no variable `{name}`, and no other; the compiler leaves out variables that no kernel uses"
            )
        } else {
            format!("there is no variable `{name}`; the variables are {}", names.join(", "))
        }
    })
}

/// Sets the variables of the command line.
///
/// # Errors
/// There is no such variable, or the value does not fit.
pub fn set(memory: &Memory, kernel: &Kernel, settings: &[Setting], placed: &[Placed<'_>]) -> Result<()> {
    for setting in settings {
        let variable = find(kernel, &setting.name)?;
        let bytes = setting.bytes(&|part| address(placed, part).map_err(|error| error.to_string()));
        let bytes = bytes.map_err(|error| anyhow!(error))?;
        if bytes.len() as u64 > variable.bytes {
            bail!("--set {}: the variable has {} bytes, and the value {}", setting.name, variable.bytes, bytes.len());
        }
        memory.write(variable.address, &bytes)?;
    }
    Ok(())
}

/// Returns a line about each `__constant__` variable that the kernel reads, and that has no value but zeros.
pub fn unset(kernel: &Kernel, settings: &[Setting], source: Option<&str>) -> Vec<String> {
    let is_set = |variable: &Variable| {
        settings.iter().any(|setting| find(kernel, &setting.name).is_ok_and(|found| found == variable))
    };
    let has_value = |variable: &Variable| {
        let declaration = source.and_then(|text| declaration(text, &in_source(&variable.name)));
        variable.initialized || declaration.is_some_and(|(_, rest)| rest.contains(['=', '{']))
    };
    let variables = kernel.variables().iter().filter(|variable| variable.constant && reads(kernel, variable));
    let unset = variables.filter(|variable| !is_set(variable) && !has_value(variable));
    unset.map(|variable| {
        let name = in_source(&variable.name);
        let element = source.and_then(|text| element(text, &name));
        let value = match element.and_then(|element| array(element, variable)) {
            Some(array) => format!("{}=…", array.shown),
            None => "TYPE[COUNT]=…".to_owned(),
        };
        format!("nothing has set the __constant__ variable `{name}`, which is 0 in all its {} bytes; --set {name}={value} sets it", variable.bytes)
    })
    .collect()
}

/// Returns whether a kernel, or a function of its module if it calls one, has the name of a variable.
fn reads(kernel: &Kernel, variable: &Variable) -> bool {
    let ptx = kernel.ptx();
    let mut entries = ptx.split(".entry").skip(1);
    let entry = entries.find(|entry| entry.trim_start().split(['(', ' ', '\n', '{']).next() == Some(kernel.name()));
    let entry = entry.map_or(ptx, |entry| entry.split("\n}").next().unwrap_or(entry));
    // The declaration has it, too.
    has_word(entry, &variable.name) || has_word(entry, "call") && words(ptx, &variable.name).count() > 1
}

fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// Returns the places of a word.
fn words(text: &str, word: &str) -> impl Iterator<Item = usize> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let places = text.match_indices(word).map(|(at, word)| (at, at + word.len()));
    places
        .filter(move |&(at, end)| !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part))
        .map(|(at, _)| at)
}

/// Returns the type in the declaration of a variable, and what follows the variable's name in it.
fn declaration<'a>(text: &'a str, name: &str) -> Option<(String, &'a str)> {
    let own_name = name.rsplit("::").next()?;
    words(text, own_name).find_map(|at| {
        let before = &text[..at];
        let start = ["__constant__", "__device__"].iter().filter_map(|word| before.rfind(word)).max()?;
        let head = before[start..].split(['[', '=', ',']).next().filter(|_| !before[start..].contains([';', '(']))?;
        let mut of_type: Vec<&str> = head.split_whitespace().filter(|word| !word.starts_with("__")).collect();
        // The first of several variables is before a comma.
        if head.len() < before[start..].len() {
            of_type.pop();
        }
        let rest = text[at + own_name.len()..].split(';').next()?;
        Some((of_type.join(" "), rest))
    })
}

/// Returns the type of a variable's elements as the source declares it: that of a parameter of this type.
fn element(text: &str, name: &str) -> Option<&'static str> {
    let (of_type, _) = declaration(text, name)?;
    let parameters = signature(&format!("{text}\n__global__ void coalesced_type({of_type} x) {{}}"), "coalesced_type")?;
    parameters.first().filter(|parameter| !parameter.is_pointer)?.element
}

/// Returns an array with elements of a type for the whole of a variable.
fn array(element: &str, variable: &Variable) -> Option<Buffer> {
    let one: Buffer = format!("{element}[1]").parse().ok()?;
    let count = variable.bytes / one.element_bytes();
    format!("{element}[{count}]").parse().ok()
}

/// Returns what `--print` prints.
///
/// # Errors
/// There is no such argument or variable, or its type is not known.
pub fn output(
    memory: &Memory,
    kernel: &Kernel,
    printed: &Printed,
    placed: &[Placed<'_>],
    settings: &[Setting],
    source: Option<&str>,
) -> Result<Output> {
    let (address, buffer, name) = match printed {
        Printed::Part(part) => {
            let found = buffer(placed, part);
            let (address, buffer) =
                found.with_context(|| format!("--print {part}: argument {part} is not a buffer"))?;
            (address, buffer.clone(), Name::Argument(part.clone()))
        }
        Printed::Variable(name, given) => {
            let variable = find(kernel, name)?;
            let set = settings.iter().find(|setting| setting.name == *name).map(|setting| setting.value.element_name());
            let known = given.as_deref().or(set.filter(|element| !element.is_empty()));
            let element = known.or_else(|| element(source?, name));
            let element = element.with_context(|| {
                format!("--print {name}: the type is not known; write --print {name}=f32, or another type")
            })?;
            let array = array(element, variable);
            let array = array.with_context(|| format!("--print {name}: `{element}` is not a type, such as f32"))?;
            (variable.address, array, Name::Variable(name.clone()))
        }
    };
    let mut bytes = vec![0; buffer.bytes() as usize];
    memory.read(address, &mut bytes)?;
    Ok(Output { name, text: buffer.text_of(&bytes), shown: buffer.shown })
}
