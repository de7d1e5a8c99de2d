//! Device memory: allocation and access by the host, and the view of a launch.

pub(crate) mod addresses;
mod blocks;
mod contents;
pub(crate) mod device;
pub(crate) mod heap;
pub(crate) mod numbers;
pub(crate) mod printed;
mod printing;
pub(crate) mod region;
pub(crate) mod view;
