//! The memory of a device that its graphs allocate.

use super::device::{Device, require_device};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{Outcome, invalid, require};
use std::ffi::{c_int, c_ulonglong, c_void};

/// `CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT` and `…_RESERVED_MEM_CURRENT`: nothing but what is used is reserved.
const CURRENT: [c_int; 2] = [0, 2];
/// `CU_GRAPH_MEM_ATTR_USED_MEM_HIGH` and `…_RESERVED_MEM_HIGH`.
const HIGH: [c_int; 2] = [1, 3];

fn unknown<T>(attribute: c_int) -> Outcome<T> {
    Err(invalid(format!("CUDA 12.8 has no attribute {attribute} of the memory of graphs of this kind")))
}

api! {
    /// Writes the bytes that the graphs of a device have allocated, now or at most so far.
    fn cuDeviceGetGraphMemAttribute(device: Device, attribute: c_int, value: Out<c_void>) {
        let used = require_device(device)?.of_graphs.usage();
        match attribute {
            _ if CURRENT.contains(&attribute) => value.cast::<c_ulonglong>().set(used.bytes),
            _ if HIGH.contains(&attribute) => value.cast::<c_ulonglong>().set(used.most_bytes),
            _ => unknown(attribute),
        }
    }

    /// Makes the most bytes so far those that are allocated now. They can only be set to 0.
    fn cuDeviceSetGraphMemAttribute(device: Device, attribute: c_int, value: Out<c_void>) {
        let device = require_device(device)?;
        if !HIGH.contains(&attribute) {
            return unknown(attribute);
        }
        let bytes: c_ulonglong = value.cast().as_input().require("the value is null")?;
        require(bytes == 0, format_args!("{bytes} bytes at most: must be 0"))?;
        device.of_graphs.reset_most();
        Ok(())
    }

    /// Does nothing: freed memory of graphs is not kept.
    fn cuDeviceGraphMemTrim(device: Device) {
        require_device(device).map(drop)
    }
}
