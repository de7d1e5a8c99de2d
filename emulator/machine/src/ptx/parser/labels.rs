//! Labels, which belong to the braces around them: a label that stands in two pairs of braces is two labels.

use crate::ptx::tree::{Function, Operand, Statement};
use std::collections::{HashMap, HashSet};

/// The mark before the number of a pair of braces in the unique name of a label. No name of PTX contains it.
const MARK: char = '{';

/// A place that names a label.
#[derive(Debug)]
enum Use {
    /// The branch that is this statement.
    Branch(usize),
    /// The member with this number of the list of labels with this name.
    Listed(String, usize),
}

/// The labels between two braces.
#[derive(Debug, Default)]
struct Braces<'a> {
    /// The number of the pair of braces in its function; 0 for the body.
    number: usize,
    /// The number of uses before it.
    uses_before: usize,
    names: HashSet<&'a str>,
}

/// The labels of the braces around the current statement, innermost last, and the uses between inner braces that have not met
/// their label. A label may follow its uses, so they are resolved where braces end, from the inside out.
#[derive(Debug, Default)]
pub(super) struct Labels<'a> {
    braces: Vec<Braces<'a>>,
    /// The number of pairs of braces so far.
    count: usize,
    /// The number of uses so far.
    used: usize,
    /// The unresolved uses of each name, each with its number, in ascending order.
    uses: HashMap<String, Vec<(usize, Use)>>,
}

impl<'a> Labels<'a> {
    /// Enters braces.
    pub(super) fn open(&mut self) {
        self.braces.push(Braces { number: self.count, uses_before: self.used, names: HashSet::new() });
        self.count += 1;
    }

    /// Returns the unique name of a label that stands here, or `None` if it stands between these braces already.
    pub(super) fn define(&mut self, name: &'a str) -> Option<String> {
        let braces = self.braces.last_mut()?;
        braces.names.insert(name).then(|| unique(name, braces.number))
    }

    /// Records the branch that follows these statements, if it is one to a label.
    pub(super) fn branch(&mut self, statements: usize, opcode: &str, operands: &[Operand]) {
        if let (true, Some(Operand::Symbol(name, 0))) = (opcode.starts_with("br"), operands.last()) {
            self.add(name, Use::Branch(statements));
        }
    }

    /// Records the labels of a list.
    pub(super) fn list(&mut self, list: &str, labels: &[String]) {
        labels.iter().enumerate().for_each(|(index, name)| self.add(name, Use::Listed(list.to_owned(), index)));
    }

    /// Outside of inner braces, names are unique.
    fn add(&mut self, name: &str, at: Use) {
        if self.braces.len() > 1 {
            self.uses.entry(name.to_owned()).or_default().push((self.used, at));
            self.used += 1;
        }
    }

    /// Leaves braces: what names one of their labels between them gets its unique name.
    pub(super) fn close(&mut self, function: &mut Function, statements: &mut [Statement]) {
        let Some(Braces { number: number @ 1.., uses_before, names }) = self.braces.pop() else { return };
        for name in names {
            let Some(uses) = self.uses.get_mut(name) else { continue };
            while let Some((_, at)) = uses.pop_if(|(use_number, _)| *use_number >= uses_before) {
                let place = match at {
                    Use::Branch(index) => match &mut statements[index] {
                        Statement::Instruction(branch) => match branch.operands.last_mut() {
                            Some(Operand::Symbol(label, _)) => Some(label),
                            _ => None,
                        },
                        Statement::Label(_) => None,
                    },
                    Use::Listed(list, index) => function.branch_targets.get_mut(&list).map(|labels| &mut labels[index]),
                };
                if let Some(label) = place {
                    *label = unique(name, number);
                }
            }
        }
    }
}

fn unique(name: &str, braces: usize) -> String {
    if braces == 0 { name.to_owned() } else { format!("{name}{MARK}{braces}") }
}
