//! Ranks that find each other, and what they say to each other.

mod address;
mod bell;
mod health;
mod hello;
mod identity;
mod joining;
mod link;
mod root;
mod wire;

pub(crate) use bell::bell;
pub(crate) use health::Health;
pub(crate) use identity::{UniqueId, new_id};
pub(crate) use joining::{Joined, Joining, Mesh};
pub(crate) use link::{Ending, Link};
pub(crate) use wire::{Activity, CHUNK, Lane, Member, Message, WINDOW, empty_frame, payload};
