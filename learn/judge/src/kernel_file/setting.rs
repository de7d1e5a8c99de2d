//! Values for variables of a module, written as text: `mask=f32[3]=1,2,1`.

use super::{Argument, Part};
use std::str::FromStr;

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name in the source.
    pub name: String,
    /// The value. A buffer is an array, which the variable holds.
    pub value: Argument,
}

impl Setting {
    /// Returns the bytes for the variable, where `address` returns that of a buffer which is a part of an argument.
    ///
    /// # Errors
    /// Returns the error of `address`, and an error for an array without values.
    pub fn bytes(&self, address: &impl Fn(&Part) -> Result<u64, String>) -> Result<Vec<u8>, String> {
        match &self.value {
            Argument::Buffer(array) => array.contents(0).ok_or_else(|| {
                format!("--set {}: the values are missing; write {}={}=VALUES", self.name, self.name, array.shown)
            }),
            value if !value.buffers(&Part(Vec::new())).is_empty() => Err(format!(
                "--set {}: a structure for a variable has no buffers of its own; write @2 for the address of argument 2",
                self.name
            )),
            value => value.bytes(address, &Part(Vec::new())),
        }
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            format!("`{text}` has no value; write NAME=TYPE=VALUE, NAME=TYPE[COUNT]=VALUES or NAME=@ARGUMENT")
        })?;
        Ok(Self { name: name.trim().to_owned(), value: value.parse()? })
    }
}
