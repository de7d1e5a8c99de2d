//! The workspace's commands as programs. One test program for all: each would link the emulator again.

mod check;
mod collection;
mod faults;
mod floors;
mod learn;
mod readme;
mod record;
