//! What a rank has: a device, two streams, a communicator with the other ranks, and the kernels that it has loaded.

mod doing;
mod share;
mod verify;

pub use doing::Doing;
pub use share::{Machines, Share};
pub use verify::{Twice, number_from, require_as_alone};

use crate::process::place::{MEETING, Place};
use crate::process::{child, nccl};
use common::Error;
use common::device::{Backend, Device, DeviceChoice};
use common::kernel::{KernelLoader, KernelSource};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use cudarc::nccl::{Comm, Id, NcclType, ReduceOp};
use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::Arc;

/// A rank, ready to work.
#[derive(Debug)]
pub struct Rank {
    /// Which of the ranks.
    pub place: Place,
    /// Its device.
    pub device: Device,
    /// The stream of kernels that run beside transfers.
    pub compute: Arc<CudaStream>,
    /// The stream of transfers, and of kernels in rungs with one stream. It has priority: a transfer that waits for a
    /// multiprocessor gets the next that is free.
    pub transfers: Arc<CudaStream>,
    /// All ranks.
    pub world: Comm,
    /// What rungs know of machines.
    pub machines: Machines,
    kernels: RefCell<KernelLoader>,
    /// Whether kernels are the twins in Rust.
    pub in_rust: bool,
    /// GPUs that work: one a rank, or all those of a single process.
    pub devices: usize,
}

/// Numerically lower is more urgent; drivers take the most urgent that they have for anything beyond it.
const MOST_URGENT: i32 = -100;

impl Rank {
    /// Opens the rank's device, and meets the others. Where `machines` is given, the ranks are taken for as many.
    ///
    /// # Errors
    /// [`Error::Open`], when there is no device or no NCCL, and [`Error::Driver`].
    pub fn open(place: Place, choice: DeviceChoice, machines: Option<u32>, in_rust: bool) -> Result<Self, Error> {
        child::end_with_parent();
        let device = open_device(&place, choice)?;
        let explain = |error| device.explain("cannot make a stream", error);
        // SAFETY: the rungs order their streams themselves, by events, as one does with NCCL and as a graph can record; each
        // waits for its work before its buffers are freed. cudarc's tracking knows one reader of a buffer at a time.
        unsafe { device.context.disable_event_tracking() };
        let compute = device.context.new_stream().map_err(explain)?;
        let transfers = device.context.new_stream_with_priority(MOST_URGENT).map_err(explain)?;
        nccl::load(device.backend == Backend::Emulator)?;
        let world = meet(&place, &transfers)?;
        let ranks_each = match machines.map(|machines| machines as usize) {
            Some(machines) => place.world.is_multiple_of(machines).then(|| place.world / machines),
            None => Some(place.local_world).filter(|&each| place.world.is_multiple_of(each)),
        };
        let kernels = RefCell::new(KernelLoader::new(false));
        let machines = Machines { ranks_each };
        let devices = child::devices_of_one_process().unwrap_or(place.world);
        Ok(Self { place, device, compute, transfers, world, machines, kernels, in_rust, devices })
    }

    /// A communicator with some of the ranks, in which this one is `rank` of `size`. All ranks must call, those of one
    /// communicator with the same `group`, which counts from 0 and is below the number of ranks.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn communicator(&self, group: usize, rank: usize, size: usize) -> Result<Comm, Error> {
        let own = if rank == 0 { *Id::new().doing("cannot make an id of NCCL")?.internal() } else { [0; 128] };
        // Of each group its first rank has the id; it travels to all, with its group.
        let mut told = vec![u8::from(rank == 0)];
        told.extend((group as u32).to_le_bytes());
        told.extend(own.map(|byte| byte.to_ne_bytes()[0]));
        let all = self.gather(&told)?;
        let of_group = |told: &&[u8]| told[0] == 1 && told[1..5] == (group as u32).to_le_bytes();
        let found = all.chunks_exact(told.len()).find(of_group).map(|told| &told[5..]);
        let mut id = [0; 128];
        id.iter_mut().zip(found.unwrap_or_default()).for_each(|(to, from)| *to = c_char::from_ne_bytes([*from]));
        Comm::from_rank(self.transfers.clone(), rank, size, Id::uninit(id)).doing("cannot make a communicator")
    }

    /// Multiprocessors of the device; 1 where it does not say.
    #[must_use]
    pub fn multiprocessors(&self) -> u32 {
        self.device.limits.multiprocessors.unwrap_or(1).max(1)
    }

    /// Loads an entry point of a kernel file.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn kernel(&self, source: &KernelSource, entry: &str) -> Result<CudaFunction, Error> {
        let loaded = self.kernels.borrow_mut().load(&self.device, source.written(self.in_rust), entry)?;
        Ok(loaded.function)
    }

    /// Copies values to the device, and waits.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        let copied = self.transfers.clone_htod(values).and_then(|copy| self.transfers.synchronize().map(|()| copy));
        copied.map_err(|error| self.device.explain("cannot copy to the device", error))
    }

    /// Values of zero on the device.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, count: usize) -> Result<CudaSlice<T>, Error> {
        let made = self.transfers.alloc_zeros(count).and_then(|made| self.transfers.synchronize().map(|()| made));
        made.map_err(|error| self.device.explain("cannot allocate on the device", error))
    }

    /// Copies values back, after all work on both streams.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran before.
    pub fn download<T: DeviceRepr>(&self, values: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        self.finish()?;
        self.transfers.clone_dtoh(values).map_err(|error| self.device.explain("cannot copy from the device", error))
    }

    /// Waits for both streams.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran on them.
    pub fn finish(&self) -> Result<(), Error> {
        let both = self.compute.synchronize().and_then(|()| self.transfers.synchronize());
        both.map_err(|error| self.device.explain("cannot run a step to its end", error))
    }

    /// What all ranks give, in the order of ranks. All must call, with as many.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn gather<T: DeviceRepr + ValidAsZeroBits + NcclType>(&self, own: &[T]) -> Result<Vec<T>, Error> {
        let (own, mut all) = (self.upload(own)?, self.zeros(own.len() * self.place.world)?);
        self.world.all_gather(&own, &mut all).doing("cannot gather what ranks tell")?;
        self.download(&all)
    }

    /// The largest of what all ranks give, number by number.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn largest(&self, own: &[f64]) -> Result<Vec<f64>, Error> {
        self.reduced(own, &ReduceOp::Max)
    }

    /// The sum of what all ranks give, number by number.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn sum(&self, own: &[f64]) -> Result<Vec<f64>, Error> {
        self.reduced(own, &ReduceOp::Sum)
    }

    fn reduced(&self, own: &[f64], how: &ReduceOp) -> Result<Vec<f64>, Error> {
        let (own, mut all) = (self.upload(own)?, self.zeros(own.len())?);
        self.world.all_reduce(&own, &mut all, how).doing("cannot reduce what ranks tell")?;
        self.download(&all)
    }

    /// Whether all ranks say so. All must call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn all_agree(&self, own: bool) -> Result<bool, Error> {
        Ok(self.largest(&[f64::from(u8::from(!own))])? == [0.0])
    }
}

/// The rank's device: the one of its number, or the only one that it is let see, as Slurm arranges it.
fn open_device(place: &Place, choice: DeviceChoice) -> Result<Device, Error> {
    let emulated = matches!(common::device::choose(choice)?, common::device::Driver::Emulator { .. });
    let count = cudarc::driver::CudaContext::device_count().unwrap_or(1);
    let is_only = emulated || count == 1 && std::env::var_os("CUDA_VISIBLE_DEVICES").is_some();
    let number = if is_only { 0 } else { place.local_rank };
    if number >= usize::try_from(count).unwrap_or(0) {
        return Err(Error::Usage(format!(
            "rank {} is number {number} of its machine, counted from 0, and finds {count} GPUs: start one rank for each",
            place.rank
        )));
    }
    Device::open_one_of(choice, number)
}

/// The communicator of all ranks. Each makes the id by itself: where they meet is in their environment.
fn meet(place: &Place, stream: &Arc<CudaStream>) -> Result<Comm, Error> {
    let id = Id::new().doing("cannot make an id of NCCL")?;
    let world = Comm::from_rank(stream.clone(), place.rank, place.world, id);
    let world = world.doing(&format!("cannot meet the other ranks at {}", place.root))?;
    // With it, ids of other communicators would name the same place.
    // SAFETY: only this thread of the program reads or writes the environment while ranks start.
    unsafe { std::env::remove_var(MEETING) };
    Ok(world)
}
