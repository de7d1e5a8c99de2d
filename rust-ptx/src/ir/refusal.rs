//! What cannot be what it stands for.

/// A marker that cannot be what it stands for.
#[derive(Debug, thiserror::Error)]
#[error("{function}: {reason}")]
pub struct Refusal {
    /// The function, as Rust names it.
    pub function: String,
    /// Why.
    pub reason: String,
    /// The marker, as a line of the IR.
    pub instruction: String,
}

impl Refusal {
    /// The line of the kernel's file that the marker is in, or that it was inlined into.
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

/// The number that follows a word.
fn after(line: &str, word: &str) -> Option<u32> {
    let digits = line.split_once(word)?.1;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
