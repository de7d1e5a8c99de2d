//! The extent of a buffer or a variable, and texts about addresses in it and beside it.

/// The unit of addresses in an extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Elements of so many bytes.
    Element(u64),
    /// Values of so many bytes, which an instruction accesses: PTX does not name the types of variables. 0 is unknown.
    Access(u64),
    /// The extent is one element of an array, with these indices.
    Part(Vec<u64>),
}

/// A range of addresses with a name.
pub struct Extent {
    pub base: u64,
    pub bytes: u64,
    pub unit: Unit,
    /// The name in the text: ``argument 2 `out` ``.
    pub name: String,
    /// The type of a buffer as written, `f32[8]`; empty for others.
    pub shown: String,
    pub is_freed: bool,
}

impl Extent {
    /// Returns the number of bytes between an address and the extent, 0 inside.
    pub fn distance(&self, address: u64) -> u64 {
        let offset = self.offset(address);
        (-offset).max(offset - i128::from(self.bytes) + 1).max(0) as u64
    }

    /// Addresses that wrapped below 0 are negative.
    fn offset(&self, address: u64) -> i128 {
        i128::from(address as i64) - i128::from(self.base)
    }

    /// Describes the element at an address, or the element that the address would be.
    pub fn describe(&self, address: u64) -> String {
        let Self { bytes, name, .. } = self;
        let offset = self.offset(address);
        let freed = if self.is_freed { ", which is freed" } else { "" };
        let size = match &self.unit {
            Unit::Part(indices) => {
                return match indices[..] {
                    [index] => format!("element {index} of {name}"),
                    _ => format!(
                        "element {} of {name}",
                        indices.iter().map(|index| format!("[{index}]")).collect::<String>()
                    ),
                };
            }
            Unit::Access(_) if *bytes == 0 => return beside(offset, name),
            Unit::Element(size) | Unit::Access(size) => *size,
        };
        let of_access = matches!(self.unit, Unit::Access(_));
        let wide = i128::from(size);
        if of_access && (size == 0 || !bytes.is_multiple_of(size) || offset.rem_euclid(wide) != 0) {
            return format!("byte {offset} of {name}, which has {bytes} bytes");
        }
        let byte = match offset.rem_euclid(wide) {
            0 => String::new(),
            byte => format!("byte {byte} of "),
        };
        let element = format!("{byte}element {} of {name}", offset.div_euclid(wide));
        let count = bytes / size;
        let elements = if count == 1 { "element" } else { "elements" };
        match self.distance(address) {
            _ if of_access => format!("{element}, which has {count} {elements} of {size} bytes"),
            0 => format!("{element}, {}{freed}", self.shown),
            _ => format!("{element}, which has {count} {elements} ({}){freed}", self.shown),
        }
    }
}

/// Describes an address by its distance from another one.
fn beside(offset: i128, name: &str) -> String {
    match offset {
        0 => format!("at {name}"),
        past @ 1.. => format!("{past} bytes past {name}"),
        before => format!("{} bytes before {name}", -before),
    }
}
