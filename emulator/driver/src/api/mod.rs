//! The C functions, one file per family of the CUDA driver API.

pub mod array;
pub mod capture;
pub mod context;
pub mod device;
pub mod event;
pub mod extensions;
pub mod function;
pub mod graph;
pub mod graph_memory;
pub mod host_memory;
pub mod launch;
pub mod library;
pub mod library_transfer;
pub mod linker;
pub mod managed;
pub mod memory;
pub mod module;
pub mod module_functions;
pub mod occupancy;
pub mod peer;
pub mod pitched;
pub mod pointer;
pub mod pool;
pub mod primary_context;
pub mod proc_address;
mod ptx_image;
mod range;
pub mod status;
pub mod stream;
pub mod tensor_map;
pub mod texture;
pub mod transfer;
pub mod unsupported;

use std::ffi::c_void;

/// Returns the address of the driver function `name`.
fn address_of(name: &str) -> Option<*mut c_void> {
    let families = [
        array::symbol,
        capture::symbol,
        context::symbol,
        device::symbol,
        event::symbol,
        function::symbol,
        graph::symbol,
        graph_memory::symbol,
        host_memory::symbol,
        launch::symbol,
        library::symbol,
        library_transfer::symbol,
        linker::symbol,
        managed::symbol,
        memory::symbol,
        module::symbol,
        module_functions::symbol,
        occupancy::symbol,
        peer::symbol,
        pitched::symbol,
        pointer::symbol,
        pool::symbol,
        primary_context::symbol,
        proc_address::symbol,
        status::symbol,
        stream::symbol,
        tensor_map::symbol,
        texture::symbol,
        transfer::symbol,
        unsupported::symbol,
    ];
    families.iter().find_map(|family| family(name))
}
