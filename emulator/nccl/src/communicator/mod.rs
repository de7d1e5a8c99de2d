//! Communicators and their handles.

mod init;
mod rank;
mod table;

pub(crate) use init::{Pending, all, connect, join};
pub(crate) use rank::Communicator;
pub(crate) use table::{find, insert, remove};
