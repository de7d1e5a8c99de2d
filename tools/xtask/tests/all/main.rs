//! The workspace's commands, run as programs. One test program for all of them, so that the emulator is linked once.

mod ceilings;
mod drawers;
mod floors;
mod programs;
mod readme;
mod record;
mod way;
