//! The error of a marker that cannot be compiled.

/// A marker in a place where it has no meaning, or with invalid arguments.
#[derive(Debug, thiserror::Error)]
#[error("{function}: {reason}")]
pub struct Refusal {
    /// The function's name in Rust.
    pub function: String,
    /// The reason.
    pub reason: String,
    /// The line of the IR with the marker.
    pub instruction: String,
}

impl Refusal {
    /// Returns the line of the kernel's file that contains the marker or into which it was inlined.
    pub fn line(&self, ir: &str) -> Option<u32> {
        let mut place = after(&self.instruction, "!dbg !")?;
        loop {
            let name = format!("!{place} = ");
            let definition = ir.lines().find(|line| line.starts_with(&name))?;
            match after(definition, "inlinedAt: !") {
                Some(outer) => place = outer,
                None => return after(definition, "line: "),
            }
        }
    }
}

/// Returns the number after a word.
fn after(line: &str, word: &str) -> Option<u32> {
    let digits = line.split_once(word)?.1;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
