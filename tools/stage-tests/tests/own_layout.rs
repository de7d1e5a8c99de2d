//! A rung with its own data layout and two launches, which needs no change in `common`.

use common::device::DeviceChoice;
use common::kernel_source;
use common::problem::forces::{Bodies, Forces};
use common::problem::{Launch, LaunchResult, Layout, Setup, Size, as_i32};
use common::session::Session;
use common::stage::{Entry, Plan, Rung, Shape};
use common::verify::poison_f32;
use common::{Error, verify::Report};
use cudarc::driver::{CudaSlice, PushKernelArg};
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage01_naive::COMPUTE_FORCES;

/// Bodies and forces as one float4 each.
#[derive(Debug)]
struct Float4s {
    bodies: CudaSlice<[f32; 4]>,
    forces: CudaSlice<[f32; 4]>,
    poison: CudaSlice<[f32; 4]>,
    n: i32,
}

impl Layout for Float4s {
    type Inputs = Bodies;
    type Results = [Vec<f32>; 3];

    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        let [x, y, z] = &bodies.coordinates;
        let mass = &bodies.mass;
        let records: Vec<[f32; 4]> = (0..mass.len()).map(|i| [x[i], y[i], z[i], mass[i]]).collect();
        let poison = vec![[poison_f32(); 4]; mass.len()];
        let bodies = setup.upload(&records)?;
        let forces = setup.upload(&poison)?;
        Ok(Self { bodies, forces, poison: setup.upload(&poison)?, n: as_i32(mass.len()) })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.forces)
    }

    fn results(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        let forces = setup.download(&self.forces)?;
        Ok([0, 1, 2].map(|axis| forces.iter().map(|force| force[axis]).collect()))
    }
}

/// Launches the kernel for the sources from `first` up to `end`.
fn launch_part(launch: &Launch, data: &mut Float4s, first: i32, end: i32) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.bodies).arg(&mut data.forces).arg(&data.n).arg(&first).arg(&end);
    // SAFETY: the kernel has these parameters; both arrays have n float4, and no thread goes past n or `end`, which is
    // at most n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

fn both_halves(launch: &Launch, data: &mut Float4s) -> LaunchResult {
    let half = data.n / 2;
    launch_part(launch, data, 0, half)?;
    launch_part(launch, data, half, data.n)
}

fn first_half_alone(launch: &Launch, data: &mut Float4s) -> LaunchResult {
    launch_part(launch, data, 0, data.n / 2)
}

fn rung(launch: fn(&Launch, &mut Float4s) -> LaunchResult) -> Rung {
    let rung = Rung {
        kernel: "forcesFloat4Halves",
        source: kernel_source!("forces_float4_halves"),
        entry: Entry::Single("forcesFloat4Halves"),
        below: Some(&COMPUTE_FORCES),
        ..COMPUTE_FORCES
    };
    with_work(&rung, Forces { launch })
}

fn verify(rung: &Rung, n: usize) -> Report {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    session.verify(&Plan::new(rung, Size::new(n), Shape::block(128)).unwrap()).unwrap()
}

#[test]
fn two_launches_on_float4_records_are_right_at_every_size() {
    for n in [1, 31, 33, 1000, 1025] {
        let report = verify(&rung(both_halves), n);
        assert!(report.passed(), "n = {n}: {report:?}");
    }
}

#[test]
fn one_of_the_two_launches_alone_is_noticed() {
    for n in [31, 1025] {
        assert!(!verify(&rung(first_half_alone), n).passed(), "n = {n}");
    }
}

#[test]
fn the_prebuilt_ptx_is_of_the_kernel() {
    let source = rung(both_halves).source;
    assert!(source.ptx_is_of(source.text));
}
