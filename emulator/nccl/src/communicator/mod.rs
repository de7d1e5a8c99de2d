//! Communicators and their handles.

mod init;
mod rank;

pub(crate) use init::{Pending, all, join};
pub(crate) use rank::{Communicator, find, remove};
