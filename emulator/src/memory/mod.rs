//! Device memory: what the host allocates and copies, and what the blocks of a launch see of it.

mod contents;
pub(crate) mod device;
pub(crate) mod region;
pub(crate) mod view;
pub(crate) mod written;
