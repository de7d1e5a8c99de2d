//! Memory for communication: on emulated devices no other than the driver's.

use crate::arguments::{CommunicatorHandle, DevicePointer, Out};
use crate::boundary::api;
use crate::communicator::find;
use crate::driver::driver;

api! {
    /// Allocates device memory.
    fn ncclMemAlloc(address: Out<DevicePointer>, bytes: usize) {
        address.require()?;
        address.set(driver()?.allocate(bytes)?)
    }

    /// Frees device memory of `ncclMemAlloc`.
    fn ncclMemFree(address: DevicePointer) {
        driver()?.free(address)
    }

    /// Registers a buffer, which makes nothing faster here; the handle is its address.
    fn ncclCommRegister(
        communicator: CommunicatorHandle,
        address: DevicePointer,
        _bytes: usize,
        handle: Out<DevicePointer>,
    ) {
        find(communicator)?;
        handle.set(address)
    }

    /// Ends a registration.
    fn ncclCommDeregister(communicator: CommunicatorHandle, _handle: DevicePointer) {
        find(communicator).map(drop)
    }
}
