//! The tests of the driver, in one program.
//!
//! Tests that change settings of the process, crash it, or count its memory start the program again for themselves
//! ([`support::process`]). All others share the process.

mod support;

mod answers;
mod boundary;
mod checked_program;
mod context_state;
mod contexts;
mod cooperative;
mod copies;
mod described;
mod devices;
mod extensions;
mod faults;
mod graph_memory;
mod graphs;
mod handles;
mod heap;
mod hostile;
mod kernels;
mod libraries;
mod lifetimes;
mod log;
mod managed;
mod memory;
mod occupancy;
mod pools;
mod printing;
mod several_devices;
mod stream_order;
mod streams_events;
mod symbols;
mod tensor_maps;
mod textures;
mod threads;
