//! The reductions that a program has made.

use crate::arithmetic::{Datatype, Scale};
use crate::result::{Error, NcclResult, Outcome};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `ncclNumOps`: the numbers below are NCCL's own reductions.
const FIRST: c_int = 5;

/// Factors by the numbers of their reductions, which are never used twice.
#[derive(Default)]
pub(crate) struct Scales(Mutex<Made>);

#[derive(Default)]
struct Made {
    count: c_int,
    live: BTreeMap<c_int, (Datatype, Scale)>,
}

fn unknown(number: c_int) -> Error {
    let text = format!("reduction {number} is none of NCCL's, and none that ncclRedOpCreatePreMulSum has made here");
    NcclResult::INVALID_ARGUMENT.because(text)
}

impl Scales {
    fn all(&self) -> MutexGuard<'_, Made> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a factor and returns the number of its reduction.
    pub(crate) fn insert(&self, datatype: Datatype, scale: Scale) -> c_int {
        let mut all = self.all();
        let number = FIRST + all.count;
        all.count += 1;
        all.live.insert(number, (datatype, scale));
        number
    }

    /// Forgets a reduction.
    pub(crate) fn remove(&self, number: c_int) -> Outcome {
        self.all().live.remove(&number).map(drop).ok_or_else(|| unknown(number))
    }

    /// Returns the factor of a reduction, which is of one data type.
    pub(crate) fn find(&self, number: c_int, datatype: Datatype) -> Outcome<Scale> {
        match self.all().live.get(&number) {
            Some((of, scale)) if *of == datatype => Ok(*scale),
            Some((of, _)) => {
                let text = format!("the reduction was made for {of}, and the values are {datatype}");
                Err(NcclResult::INVALID_ARGUMENT.because(text))
            }
            None => Err(unknown(number)),
        }
    }
}
