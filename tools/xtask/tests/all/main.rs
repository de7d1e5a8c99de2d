//! The workspace's commands and rules: programs that run, floors, drawers, ceilings.

mod ceilings;
mod drawers;
mod floors;
mod programs;
mod readme;
mod record;
mod way;
