//! User-defined reductions: sums of values that each rank multiplies by a factor.

use crate::arguments::{CommunicatorHandle, HostBytes, Out};
use crate::arithmetic::{Datatype, Scale};
use crate::boundary::api;
use crate::communicator::find;
use crate::result::{NcclResult, Outcome};
use std::ffi::c_int;

/// `ncclScalarDevice`: the factor is in device memory, and is read when the reduction runs.
const ON_DEVICE: c_int = 0;
/// `ncclScalarHostImmediate`: the factor is in host memory, and is read immediately.
const ON_HOST: c_int = 1;

fn scale(scalar: &HostBytes, datatype: Datatype, residence: c_int) -> Outcome<Scale> {
    match residence {
        ON_DEVICE => Ok(Scale::Device(scalar.address())),
        ON_HOST => {
            // SAFETY: the caller passes a value of this data type.
            let bytes = unsafe { scalar.read(datatype.bytes() as usize) };
            let bytes =
                bytes.ok_or_else(|| NcclResult::INVALID_ARGUMENT.because("the pointer to the factor is null"))?;
            Ok(Scale::of_bytes(&bytes))
        }
        _ => Err(NcclResult::INVALID_ARGUMENT.because(format!("residence {residence} of the factor: must be 0 or 1"))),
    }
}

api! {
    /// Creates a reduction that multiplies this rank's values by a factor and adds the results, and writes its number.
    fn ncclRedOpCreatePreMulSum(
        reduction: Out<c_int>,
        scalar: HostBytes,
        datatype: c_int,
        residence: c_int,
        communicator: CommunicatorHandle,
    ) {
        reduction.require()?;
        let datatype = Datatype::from_number(datatype)?;
        let scale = scale(&scalar, datatype, residence)?;
        reduction.set(find(communicator)?.scales.insert(datatype, scale))
    }

    /// Destroys a user-defined reduction.
    fn ncclRedOpDestroy(reduction: c_int, communicator: CommunicatorHandle) {
        find(communicator)?.scales.remove(reduction)
    }
}
