//! Ranks that find each other, and what they say to each other.

mod address;
mod hello;
mod identity;
mod joining;
mod link;
mod root;
mod wire;

pub(crate) use identity::{UniqueId, new_id};
pub(crate) use joining::{Joining, Mesh};
pub(crate) use link::{Ending, Health, Link, bell};
pub(crate) use wire::{CHUNK, Lane, Message, WINDOW, empty_frame, payload};
