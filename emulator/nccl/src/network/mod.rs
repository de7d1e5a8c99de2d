//! The network: how ranks find each other, and their messages.

mod handshake;
mod health;
mod identity;
mod joining;
mod link;
mod root;
mod wire;

pub(crate) use health::Health;
pub(crate) use identity::{UniqueId, new_id};
pub(crate) use joining::{Joining, Streams};
pub(crate) use link::{Ending, Link, notifier};
pub(crate) use wire::{Activity, CHUNK, Lane, Message, WINDOW, empty_frame, payload};
