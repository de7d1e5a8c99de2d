//! The text of one call of `printf`.
//!
//! The conversions are those of the CUDA C++ Programming Guide, "Formatted Output". The results for unusual formats are those
//! of an H200: null as a text is `(null)`, and an unknown conversion is part of the text and takes no argument.

use super::conversion::{Conversion, Count, Kind};

/// The largest number of arguments. Conversions of further arguments are part of the text.
const MAX_ARGUMENTS: u64 = 32;

/// Memory that a call should read and cannot.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// A description of the contents.
    pub(super) what: &'static str,
    pub(super) address: u64,
}

/// The arguments of a call.
pub(super) trait Arguments {
    /// Returns the bits of the next argument, of 4 or 8 bytes.
    fn number(&mut self, bytes: u64) -> Result<u64, Unreadable>;

    /// Returns the text at an address, without its NUL.
    fn text(&self, address: u64) -> Result<Vec<u8>, Unreadable>;
}

/// Returns the text of a call and the number of its arguments, which is the result of `printf`.
pub(super) fn format(format: &[u8], arguments: &mut impl Arguments) -> Result<(Vec<u8>, u64), Unreadable> {
    let mut out = Vec::new();
    let mut taken = 0;
    let mut rest = format;
    while let Some((&first, tail)) = rest.split_first() {
        let conversion = if first == b'%' { Conversion::parse(tail) } else { None };
        let Some((conversion, length)) = conversion.filter(|(found, _)| taken + found.arguments() <= MAX_ARGUMENTS)
        else {
            out.push(first);
            rest = tail;
            continue;
        };
        rest = &tail[length..];
        taken += conversion.arguments();
        out.extend(convert(conversion, arguments)?);
    }
    Ok((out, taken))
}

/// Returns the text of one conversion.
fn convert(mut conversion: Conversion, arguments: &mut impl Arguments) -> Result<Vec<u8>, Unreadable> {
    if conversion.width == Count::Argument {
        conversion.set_width(arguments.number(4)? as i32);
    }
    Ok(match conversion.kind {
        Kind::Percent => b"%".to_vec(),
        Kind::Text => match arguments.number(8)? {
            0 => conversion.text(b"(null)"),
            address => conversion.text(&arguments.text(address)?),
        },
        Kind::Character => conversion.character(arguments.number(4)? as u8),
        Kind::Pointer => conversion.pointer(arguments.number(8)?),
        Kind::Float(style) => conversion.float(style, f64::from_bits(arguments.number(8)?)),
        Kind::Signed => conversion.signed(arguments.number(conversion.argument_bytes())?),
        Kind::Unsigned(radix) => conversion.unsigned(radix, arguments.number(conversion.argument_bytes())?),
    })
}

#[cfg(test)]
mod tests;
