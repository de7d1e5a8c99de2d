//! `.loc`: the line of the source for the instructions that follow, and the calls through which it was inlined.

use super::{Parsed, Parser};
use crate::ptx::tree::SourceLine;
use std::collections::HashMap;

/// A file, a line and a column.
type Spot = (u32, u32, u32);

/// The locations of a function so far.
#[derive(Debug, Default)]
pub(super) struct Locations {
    /// The current one.
    pub(super) source: SourceLine,
    /// The number of each spot with the number of the site of its call.
    sites: HashMap<(Spot, u32), u32>,
    /// The last site of each spot. Compilers write the location of a call before that of the instruction that it inlines.
    last: HashMap<Spot, u32>,
}

impl Locations {
    /// Makes a spot the current one, which is inlined at another one or not. Line 0 stands for no line but that of
    /// the call: the compiler has added what follows. A new site is added to those of the module.
    fn set(&mut self, spot: Spot, call: Option<Spot>, all: &mut Vec<SourceLine>) {
        let (file, line, _) = spot;
        let caller = call.and_then(|call| self.last.get(&call)).copied().unwrap_or(0);
        if line == 0 {
            let call = (caller as usize).checked_sub(1).map_or_else(SourceLine::default, |index| all[index]);
            self.source = SourceLine { site: 0, ..call };
            return;
        }
        let site = *self.sites.entry((spot, caller)).or_insert_with(|| {
            let site = all.len() as u32 + 1;
            all.push(SourceLine { file, line, site, caller });
            site
        });
        self.last.insert(spot, site);
        self.source = SourceLine { file, line, site, caller };
    }
}

impl Parser<'_> {
    /// Parses `.loc file line column` and, behind it, `function_name name, inlined_at file line column`.
    pub(super) fn location(&mut self, locations: &mut Locations) -> Parsed<()> {
        self.next += 1;
        let spot = (self.small("a file number")?, self.small("a line")?, 0);
        let start = self.next;
        self.skip_line();
        let rest = &self.tokens[start..self.next];
        let number = |index: usize| rest.get(index).and_then(|token| token.text.parse().ok());
        let call = rest.iter().position(|token| token.text == "inlined_at").and_then(|at| {
            let [file, line, column] = [1, 2, 3].map(|offset| number(at + offset));
            Some((file?, line?, column.unwrap_or(0)))
        });
        locations.set((spot.0, spot.1, number(0).unwrap_or(0)), call, &mut self.tree.sites);
        Ok(())
    }
}
