//! Reductions of a program's own: sums of values that each rank multiplies by a factor.

use crate::arguments::{CommunicatorHandle, HostBytes, Out};
use crate::arithmetic::{Datatype, Scale};
use crate::boundary::api;
use crate::communicator::find;
use crate::result::{NcclResult, Outcome};
use std::ffi::c_int;

/// `ncclScalarDevice`: the factor lies in device memory and is read when the reduction runs.
const ON_DEVICE: c_int = 0;
/// `ncclScalarHostImmediate`: the factor is read now.
const ON_HOST: c_int = 1;

fn scale(scalar: &HostBytes, datatype: Datatype, residence: c_int) -> Outcome<Scale> {
    match residence {
        ON_DEVICE => Ok(Scale::Device(scalar.address())),
        ON_HOST => {
            // SAFETY: the caller gives a value of this data type.
            let bytes = unsafe { scalar.read(datatype.bytes() as usize) };
            let bytes = bytes.ok_or_else(|| NcclResult::INVALID_ARGUMENT.because("the factor is at a null pointer"))?;
            Ok(Scale::of_bytes(&bytes))
        }
        _ => Err(NcclResult::INVALID_ARGUMENT.because(format!("residence {residence} of the factor: 0 or 1"))),
    }
}

api! {
    /// Makes a reduction that multiplies the own values by a factor and sums them up, and writes its number.
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

    /// Forgets a reduction that the program has made.
    fn ncclRedOpDestroy(reduction: c_int, communicator: CommunicatorHandle) {
        find(communicator)?.scales.remove(reduction)
    }
}
