//! The linker. It links PTX texts to one PTX text, where a real driver produces machine code. Undefined symbols are reported
//! when the linked text is loaded.

use super::module::{self, read_file};
use super::ptx_image::ptx_text;
use crate::arguments::{In, Out, Text};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid};
use crate::state::current::current;
use crate::state::{Handle, Linker};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// `CU_JIT_INPUT_PTX`, the only kind of input that is text.
const PTX: c_int = 1;

/// `CU_JIT_NUM_INPUT_TYPES`.
const INPUT_KINDS: c_int = 6;

fn add(state: Handle<Linker>, kind: c_int, image: impl FnOnce() -> Outcome<Vec<u8>>) -> Outcome {
    let linker = current()?.driver.linkers.get(state)?;
    match kind {
        PTX => linker.add(ptx_text(image()?)?),
        0..INPUT_KINDS => {
            let detail = format!("linker input of kind {kind} is machine code: the emulator links PTX (kind {PTX})");
            Err(CUresult::NO_BINARY_FOR_GPU.because(detail))
        }
        _ => Err(invalid(format!("CUDA 12.8 has no linker input of kind {kind}"))),
    }
}

api! {
    /// Begins a link. Log buffers among the options remain empty; other options have no effect.
    fn cuLinkCreate_v2(count: c_uint, options: In<c_int>, values: Out<*mut c_char>, state: Out<Handle<Linker>>) {
        let driver = current()?.driver;
        state.require()?;
        // SAFETY: the caller passes `count` options.
        let numbers = unsafe { options.list(count as usize) }?;
        module::clear_logs(&numbers, values)?;
        state.set(driver.linkers.insert(Linker::default()))
    }

    /// Adds PTX text of `bytes` bytes, with or without a terminating NUL.
    fn cuLinkAddData_v2(
        state: Handle<Linker>,
        kind: c_int,
        data: In<u8>,
        bytes: usize,
        _name: Text,
        _count: c_uint,
        _options: In<c_int>,
        _values: Out<*mut c_char>,
    ) {
        // SAFETY: the caller passes the length of its data.
        add(state, kind, || unsafe { data.list(bytes) })
    }

    /// Adds a file of PTX text.
    fn cuLinkAddFile_v2(
        state: Handle<Linker>,
        kind: c_int,
        path: Text,
        _count: c_uint,
        _options: In<c_int>,
        _values: Out<*mut c_char>,
    ) {
        let path = path.name()?;
        add(state, kind, || read_file(&path))
    }

    /// Completes the link. Writes the address of the linked text and its size in bytes with the terminating NUL. The text
    /// lives until the linker is destroyed.
    fn cuLinkComplete(state: Handle<Linker>, image: Out<*const c_void>, bytes: Out<usize>) {
        let linker = current()?.driver.linkers.get(state)?;
        image.require()?;
        let linked = linker.complete()?;
        bytes.set_if_wanted(linked.len())?;
        image.set(linked.as_ptr().cast())
    }

    /// Destroys a linker and its linked text.
    fn cuLinkDestroy(state: Handle<Linker>) {
        current()?.driver.linkers.remove(state).map(drop)
    }
}
