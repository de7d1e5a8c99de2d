//! User-defined reductions.

use crate::arithmetic::{Datatype, Scale};
use crate::result::{Error, NcclResult, Outcome};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `ncclNumOps`: smaller numbers are NCCL's predefined reductions.
const FIRST: c_int = 5;

/// The factors of the reductions, by number. Numbers are never reused.
#[derive(Default)]
pub(crate) struct Scales(Mutex<Made>);

#[derive(Default)]
struct Made {
    count: c_int,
    live: BTreeMap<c_int, (Datatype, Scale)>,
}

fn unknown(number: c_int) -> Error {
    let text = format!("reduction {number} is neither predefined nor created by ncclRedOpCreatePreMulSum");
    NcclResult::INVALID_ARGUMENT.because(text)
}

impl Scales {
    fn all(&self) -> MutexGuard<'_, Made> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a factor and returns the number of its reduction.
    pub(crate) fn insert(&self, datatype: Datatype, scale: Scale) -> c_int {
        let mut all = self.all();
        let number = FIRST + all.count;
        all.count += 1;
        all.live.insert(number, (datatype, scale));
        number
    }

    /// Removes a reduction.
    pub(crate) fn remove(&self, number: c_int) -> Outcome {
        self.all().live.remove(&number).map(drop).ok_or_else(|| unknown(number))
    }

    /// Returns the factor of a reduction. Fails if it was created for another data type.
    pub(crate) fn find(&self, number: c_int, datatype: Datatype) -> Outcome<Scale> {
        match self.all().live.get(&number) {
            Some((of, scale)) if *of == datatype => Ok(*scale),
            Some((of, _)) => {
                let text = format!("the reduction was created for {of}, and the values are {datatype}");
                Err(NcclResult::INVALID_ARGUMENT.because(text))
            }
            None => Err(unknown(number)),
        }
    }
}
