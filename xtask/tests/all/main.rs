//! The workspace's commands as programs. One test program for all: each would link the emulator again.

mod check;
mod collection;
mod faults;
mod floors;
mod learn;
#[cfg(unix)]
mod learn_in_trouble;
mod programs;
mod readme;
mod record;
