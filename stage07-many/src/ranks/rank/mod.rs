//! A rank: a device, two streams, a communicator with the other ranks, and the loaded kernels.

mod doing;
mod share;
mod verify;

pub use doing::Doing;
pub use share::{Machines, Share};
pub use verify::Sampled;

use crate::ranks::process::place::{MEETING, Place};
use crate::ranks::process::{child, nccl};
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
    /// The rank's place among the others.
    pub place: Place,
    /// The rank's device.
    pub device: Device,
    /// The stream of kernels that run concurrently with transfers.
    pub compute: Arc<CudaStream>,
    /// The stream of transfers, and of kernels in strategies with one stream. It has priority: a transfer that waits
    /// for a multiprocessor gets the next free one.
    pub transfers: Arc<CudaStream>,
    /// The communicator of all ranks.
    pub world: Comm,
    /// The distribution of ranks over machines.
    pub machines: Machines,
    kernels: RefCell<KernelLoader>,
    /// Whether kernels are the Rust versions.
    pub in_rust: bool,
    /// The number of GPUs: one per rank, or all GPUs of a single process.
    pub devices: usize,
}

/// Lower is more urgent; drivers clamp the value to the most urgent priority that they support.
const HIGHEST_PRIORITY: i32 = -100;

impl Rank {
    /// Opens the rank's device and connects to the other ranks. If `machines` is given, the ranks count as distributed
    /// over this many.
    ///
    /// # Errors
    /// [`Error::Open`] if there is no device or no NCCL, and [`Error::Driver`].
    pub fn open(place: Place, choice: DeviceChoice, machines: Option<u32>, in_rust: bool) -> Result<Self, Error> {
        child::end_with_parent();
        let device = open_device(&place, choice)?;
        let explain = |error| device.explain("cannot create a stream", error);
        // SAFETY: strategies order their streams by events, as is usual with NCCL and can be captured in a graph; each
        // waits for its work before its buffers are freed. cudarc's tracking supports only one reader of a buffer at a
        // time.
        unsafe { device.context.disable_event_tracking() };
        let compute = device.context.new_stream().map_err(explain)?;
        let transfers = device.context.new_stream_with_priority(HIGHEST_PRIORITY).map_err(explain)?;
        nccl::load(device.backend == Backend::Emulator)?;
        let world = connect(&place, &transfers)?;
        let ranks_each = match machines.map(|machines| machines as usize) {
            Some(machines) => place.world.is_multiple_of(machines).then(|| place.world / machines),
            None => Some(place.local_world).filter(|&each| place.world.is_multiple_of(each)),
        };
        let kernels = RefCell::new(KernelLoader::new(None));
        let machines = Machines { ranks_each };
        let devices = child::devices_of_one_process().unwrap_or(place.world);
        Ok(Self { place, device, compute, transfers, world, machines, kernels, in_rust, devices })
    }

    /// Creates a communicator with some of the ranks, in which this one is `rank` of `size`. A collective call of all
    /// ranks; those of one communicator pass the same `group`, from 0 to below the number of ranks.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn communicator(&self, group: usize, rank: usize, size: usize) -> Result<Comm, Error> {
        let own = if rank == 0 { *Id::new().doing("cannot create an NCCL id")?.internal() } else { [0; 128] };
        // The first rank of each group creates the id, which is gathered by all ranks together with its group.
        let mut announced = vec![u8::from(rank == 0)];
        announced.extend((group as u32).to_le_bytes());
        announced.extend(own.map(|byte| byte.to_ne_bytes()[0]));
        let all = self.gather(&announced)?;
        let of_group = |record: &&[u8]| record[0] == 1 && record[1..5] == (group as u32).to_le_bytes();
        let found = all.chunks_exact(announced.len()).find(of_group).map(|record| &record[5..]);
        let mut id = [0; 128];
        id.iter_mut().zip(found.unwrap_or_default()).for_each(|(to, from)| *to = c_char::from_ne_bytes([*from]));
        Comm::from_rank(self.transfers.clone(), rank, size, Id::uninit(id)).doing("cannot create a communicator")
    }

    /// Returns the number of multiprocessors; 1 if the device does not report it.
    #[must_use]
    pub fn multiprocessors(&self) -> u32 {
        self.device.attributes.multiprocessors.unwrap_or(1).max(1)
    }

    /// Loads an entry point of a kernel file.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn kernel(&self, source: &KernelSource, entry: &str) -> Result<CudaFunction, Error> {
        let loaded = self.kernels.borrow_mut().load(&self.device, source.written(self.in_rust), entry)?;
        Ok(loaded.function)
    }

    /// Copies values to the device, and waits for the copy.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        let copied = self.transfers.clone_htod(values).and_then(|copy| self.transfers.synchronize().map(|()| copy));
        copied.map_err(|error| self.device.explain("cannot copy to the device", error))
    }

    /// Allocates zeros on the device.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, count: usize) -> Result<CudaSlice<T>, Error> {
        let made = self.transfers.alloc_zeros(count).and_then(|made| self.transfers.synchronize().map(|()| made));
        made.map_err(|error| self.device.explain("cannot allocate on the device", error))
    }

    /// Copies values to the host, after all work on both streams.
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
        both.map_err(|error| self.device.explain("cannot complete a step", error))
    }

    /// Gathers the values of all ranks, in the order of ranks. A collective call; all ranks must pass the same number
    /// of values.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn gather<T: DeviceRepr + ValidAsZeroBits + NcclType>(&self, own: &[T]) -> Result<Vec<T>, Error> {
        let mut all = self.zeros(own.len() * self.place.world)?;
        let own = self.upload(own)?;
        self.world.all_gather(&own, &mut all).doing("cannot gather values of all ranks")?;
        self.download(&all)
    }

    /// Returns the element-wise maximum over all ranks. A collective call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn largest(&self, own: &[f64]) -> Result<Vec<f64>, Error> {
        self.reduce(own, &ReduceOp::Max)
    }

    /// Returns the element-wise sum over all ranks. A collective call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn sum(&self, own: &[f64]) -> Result<Vec<f64>, Error> {
        self.reduce(own, &ReduceOp::Sum)
    }

    fn reduce(&self, own: &[f64], how: &ReduceOp) -> Result<Vec<f64>, Error> {
        let mut all = self.zeros(own.len())?;
        let own = self.upload(own)?;
        self.world.all_reduce(&own, &mut all, how).doing("cannot reduce values of all ranks")?;
        self.download(&all)
    }

    /// Returns whether all ranks pass `true`. A collective call.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn all_agree(&self, own: bool) -> Result<bool, Error> {
        Ok(self.largest(&[f64::from(u8::from(!own))])? == [0.0])
    }
}

/// Opens the rank's device: the one with its local number, or the only visible one, as Slurm arranges it.
fn open_device(place: &Place, choice: DeviceChoice) -> Result<Device, Error> {
    let emulated = matches!(common::device::choose(choice)?, common::device::Driver::Emulator { .. });
    let count = cudarc::driver::CudaContext::device_count().unwrap_or(1);
    let is_only = emulated || count == 1 && std::env::var_os("CUDA_VISIBLE_DEVICES").is_some();
    let number = if is_only { 0 } else { place.local_rank };
    if number >= usize::try_from(count).unwrap_or(0) {
        return Err(Error::Usage(format!(
            "rank {} has local number {number}, counted from 0, but finds {count} GPUs: start one rank per GPU",
            place.rank
        )));
    }
    Device::open_one_of(choice, number)
}

/// Creates the communicator of all ranks. Each creates the id itself: the meeting point is in its environment.
fn connect(place: &Place, stream: &Arc<CudaStream>) -> Result<Comm, Error> {
    let id = Id::new().doing("cannot create an NCCL id")?;
    let world = Comm::from_rank(stream.clone(), place.rank, place.world, id);
    let world = world.doing(&format!("cannot connect to the other ranks at {}", place.root))?;
    // If it remained, the ids of other communicators would name the same meeting point.
    // SAFETY: only this thread of the program accesses the environment while ranks start.
    unsafe { std::env::remove_var(MEETING) };
    Ok(world)
}
