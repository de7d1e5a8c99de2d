//! Memory for communication, which is ordinary device memory on emulated devices.

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

    /// Frees device memory from `ncclMemAlloc`.
    fn ncclMemFree(address: DevicePointer) {
        driver()?.free(address)
    }

    /// Registers a buffer, which has no effect. The handle is its address.
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
