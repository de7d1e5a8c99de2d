//! From phis to registers: values share one where they can, and are copied where they cannot.

pub(crate) mod assign;
pub(crate) mod lives;
