//! The tests that count or look into a launch, on the emulator, in a program of their own: on a machine with a GPU the
//! others run there, and a process has one driver.

mod fault;
mod languages;
