//! Communicators and their handles.

mod init;
mod rank;
mod table;

pub(crate) use init::{Pending, all, join};
pub(crate) use rank::Communicator;
pub(crate) use table::{find, remove};
