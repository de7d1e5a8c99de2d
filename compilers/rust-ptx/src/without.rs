//! Compilation without one optimization, to measure its effect.

use crate::ir::{memory, panics};

/// The optimization that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// Fusing `a * b + c` to one instruction.
    MultiplyAdd,
    /// Unrolling by four if the kernel does not state a number. Without it, LLVM decides.
    Unrolling,
    /// The address spaces of arrays in shared and constant memory. Without it, accesses to them are generic.
    AddressSpaces,
    /// The order of instructions in which few values are live. Without it, they keep the order of the source.
    Order,
    /// Bounds checks and all other panics. Without them, the compiler assumes that they cannot fail.
    Checks,
}

impl Without {
    /// All optimizations.
    pub const ALL: [Self; 5] = [Self::MultiplyAdd, Self::Unrolling, Self::AddressSpaces, Self::Order, Self::Checks];

    /// Returns the name in file names and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MultiplyAdd => "multiply-add",
            Self::Unrolling => "unrolling",
            Self::AddressSpaces => "address-spaces",
            Self::Order => "order",
            Self::Checks => "checks",
        }
    }

    /// Changes rustc's IR.
    pub(crate) fn change_raw(self, ir: &str) -> String {
        // A trap is followed by `unreachable`, from which LLVM may conclude that the panic never happens.
        let is_kept = |line: &&str| self != Self::Checks || !panics::is_trap(line);
        ir.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
    }

    /// Changes the IR for `opt`.
    pub(crate) fn change_prepared(self, ir: &str) -> String {
        if self != Self::AddressSpaces {
            return ir.to_owned();
        }
        // LLVM does not analyze assembly.
        let hidden = |address: &str| format!("call ptr asm \"mov.b64 $0, $1;\", \"=l,l\"(ptr {address})");
        let change = |line: &str| match line.strip_prefix(memory::RETURN) {
            Some(address) => format!("  %hidden = {}\n  ret ptr %hidden\n", hidden(address)),
            None => line.replace(memory::DYNAMIC_ADDRESS, &hidden(memory::DYNAMIC_CONSTANT)) + "\n",
        };
        ir.lines().map(change).collect()
    }

    /// Returns what replaces an option of LLVM.
    pub(crate) fn change_option(self, option: &'static str) -> Option<&'static str> {
        match (self, option) {
            (Self::MultiplyAdd, "--nvptx-fma-level=2") => Some("--nvptx-fma-level=0"),
            (Self::Unrolling, "-unroll-max-count=4" | "-unroll-partial-threshold=160") => None,
            (Self::Order, crate::FEW_VALUES) => None,
            _ => Some(option),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_removes_its_optimization() {
        let options = crate::options();
        let changed =
            |without: Without| options.iter().filter(move |&&option| without.change_option(option) != Some(option));
        assert_eq!(Without::ALL.map(|without| changed(without).count()), [1, 2, 0, 1, 0]);
        let ir = "  call void @llvm.trap() #7\n  unreachable\n  ret ptr addrspacecast (ptr x to ptr)\n";
        assert_eq!(Without::Checks.change_raw(ir), ir.split_inclusive('\n').skip(1).collect::<String>());
        let generic = Without::AddressSpaces.change_prepared(ir);
        assert!(generic.contains("asm \"mov.b64 $0, $1;\", \"=l,l\"(ptr addrspacecast (ptr x to ptr))\n"), "{generic}");
        assert!(Without::Order.change_raw(ir) == ir && Without::Order.change_prepared(ir) == ir);
    }
}
