//! Calls of the driver's functions. One program for all that leave the state of the process alone: those that change it
//! (`contexts`, `extensions`), crash it (`hostile_calls`) or count its memory (`hostile_cycles`) have programs of their own.

mod support;

mod together {
    mod cooperative;
    mod copies;
    mod devices;
    mod faults;
    mod graphs;
    mod handles;
    mod kernels;
    mod libraries;
    mod log;
    mod memory;
    mod occupancy;
    mod streams_events;
    mod symbols;
    mod threads;
}
