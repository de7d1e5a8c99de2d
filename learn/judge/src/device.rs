//! Runs a case on the emulator: its buffers, its launches, and its results.

use crate::counters::{self, Counts};
use crate::found::Found;
use crate::kernel_file::{Argument, Buffer, parameter_block};
use crate::set::{Card, Case, CaseLaunch, LaunchLine};
use emulator::{Counters, Dim3, Kernel, Launch, LaunchError, Memory, Module, Options, Printed, Scene, SharedVariable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The size of device memory in bytes, so that the static arrays of a learner's module cannot fill the machine's memory, or
/// that of a page.
const MEMORY_BYTES: u64 = if cfg!(target_family = "wasm") { 256 << 20 } else { 1 << 30 };

/// The number of bytes before and after a buffer in which an address is attributed to it: an index of 32 bits that wraps is not
/// farther off. The emulator leaves more unused.
const NEAR: i64 = 1 << 34;

/// The way to run the launches of a case, each with a limit on its warp instructions.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// With all checks.
    Checked(u64),
    /// With counters.
    Counted(u64),
    /// With counters, and a scene of each launch.
    Kept(u64),
    /// Not at all: only the scenes are kept, each with the memory before the first launch.
    Set,
}

/// A device with the inputs of a case and a loaded module.
pub struct Device<'a> {
    card: &'a Card,
    case: &'a Case,
    memory: Arc<Memory>,
    module: Module,
    addresses: BTreeMap<&'a str, u64>,
}

/// The outcome of the launches of a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The findings of the checks. Launches are counted from the first of the case.
    pub findings: Vec<Found>,
    /// The fault that ended a launch. The launches after it are not run.
    pub fault: Option<Found>,
    /// The contents of the buffers that the case compares.
    pub results: BTreeMap<String, Vec<u8>>,
    /// The counts of all launches, if this or another run counted them.
    pub counts: Counts,
    /// The text that the launches printed.
    pub printed: Printed,
    /// The scenes of the launches, if they were kept. A launch with a fault is the last.
    pub scenes: Vec<Scene>,
    addresses: BTreeMap<String, u64>,
    /// The arrays in static shared memory of the launch with the findings.
    shared: Vec<SharedVariable>,
    /// The number of launches that have ended.
    ended: usize,
}

impl<'a> Device<'a> {
    /// Loads a module and copies the inputs.
    pub fn prepare(card: &'a Card, case: &'a Case, ptx: &str) -> Result<Self, String> {
        let memory = Arc::new(Memory::new(MEMORY_BYTES));
        let module = Module::load(ptx, &memory).map_err(|error| error.to_string())?;
        memory.track_writes(true);
        let mut addresses = BTreeMap::new();
        for (name, buffer) in &case.buffers {
            let address = memory.allocate(buffer.0.bytes()).map_err(|error| error.to_string())?;
            if let Some(contents) = case.contents(name) {
                memory.write(address, &contents).map_err(|error| error.to_string())?;
            }
            addresses.insert(name.as_str(), address);
        }
        Ok(Self { card, case, memory, module, addresses })
    }

    /// Runs the launches. A learner's launch line replaces grid, block and dynamic shared memory of the card.
    pub fn run(&self, line: Option<LaunchLine>, how: How) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        for launch in &self.case.launches {
            self.fill_constants(launch)?;
            self.launch(launch, line, how, &mut outcome)?;
            if outcome.fault.is_some() {
                break;
            }
            outcome.ended += 1;
        }
        outcome.printed = self.memory.take_printed();
        for name in self.case.results.keys() {
            let buffer = self.buffer(name)?;
            let mut bytes = vec![0; buffer.bytes() as usize];
            self.memory.read(self.addresses[name.as_str()], &mut bytes).map_err(|error| error.to_string())?;
            outcome.results.insert(name.clone(), bytes);
        }
        outcome.addresses = self.addresses.iter().map(|(name, address)| ((*name).to_owned(), *address)).collect();
        Ok(outcome)
    }

    fn buffer(&self, name: &str) -> Result<&'a Buffer, String> {
        let buffer = self.case.buffers.get(name);
        buffer
            .map(|buffer| &buffer.0)
            .ok_or_else(|| format!("the card has no buffer `{name}` in case `{}`", self.case.name))
    }

    fn kernel(&self, name: &str) -> Result<&Kernel, String> {
        if let Some((_, error)) = self.module.refusals().find(|(refused, _)| *refused == name) {
            return Err(error.to_string());
        }
        let missing = || format!("there is no kernel `{name}` in the file: leave its name and parameters as they were");
        self.module.kernel(name).map(Arc::as_ref).ok_or_else(missing)
    }

    fn fill_constants(&self, launch: &CaseLaunch) -> Result<(), String> {
        for (name, part) in &launch.constants {
            let buffer = self.buffer(&part.0.buffer)?;
            let elements = &part.0.elements;
            let size = buffer.element_bytes() as usize;
            let mut bytes = vec![0; elements.len() * size];
            let from = self.addresses[part.0.buffer.as_str()] + (elements.start * size) as u64;
            self.memory.read(from, &mut bytes).map_err(|error| error.to_string())?;
            let kernel = self.kernel(launch.kernel.as_deref().unwrap_or(&self.card.kernel))?;
            let variable = kernel.variables().iter().find(|variable| variable.name == *name);
            let variable = variable.ok_or_else(|| format!("there is no array `{name}` in constant memory"))?;
            self.memory.write(variable.address, &bytes).map_err(|error| format!("`{name}`: {error}"))?;
        }
        Ok(())
    }

    fn launch(
        &self,
        launch: &CaseLaunch,
        line: Option<LaunchLine>,
        how: How,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let kernel = self.kernel(launch.kernel.as_deref().unwrap_or(&self.card.kernel))?;
        let parameters = self.parameters(kernel, &launch.arguments)?;
        let ([grid, block], dynamic_shared_bytes) = launch.shape(line);
        let [grid, block] = [grid, block].map(|[x, y, z]| Dim3 { x, y, z });
        let launch =
            Launch { grid, block, dynamic_shared_bytes, parameters: &parameters, cooperative: false, cluster: None };
        self.perform(how, kernel, &launch, outcome)
    }

    fn perform(&self, how: How, kernel: &Kernel, launch: &Launch<'_>, outcome: &mut Outcome) -> Result<(), String> {
        match how {
            How::Counted(budget) => {
                let options = Options { counters: true, instruction_budget: Some(budget), ..Options::default() };
                let counters = emulator::launch(kernel, &self.memory, launch, &options);
                outcome.add(counters, kernel, launch)
            }
            How::Kept(budget) => {
                // The emulator in a page has one thread.
                let options =
                    Options { counters: true, threads: 1, instruction_budget: Some(budget), ..Options::default() };
                let scene = Scene::before(kernel, &self.memory, launch).map_err(|error| error.to_string())?;
                let counters = emulator::launch(kernel, &self.memory, launch, &options);
                outcome.scenes.push(scene.after(&self.memory).map_err(|error| error.to_string())?);
                outcome.add(counters, kernel, launch)
            }
            How::Set => {
                let scene = Scene::before(kernel, &self.memory, launch).map_err(|error| error.to_string())?;
                outcome.scenes.push(scene.relocated());
                Ok(())
            }
            How::Checked(budget) => {
                let options = Options { instruction_budget: Some(budget), ..Options::default() };
                let verdict =
                    emulator::check(kernel, &self.memory, launch, &options).map_err(|error| error.to_string())?;
                let found = verdict.findings.iter().map(|finding| Found::finding(finding, outcome.ended, launch.grid));
                if outcome.findings.is_empty() {
                    outcome.shared = kernel.shared_variables().to_vec();
                }
                outcome.findings.extend(found);
                outcome.fault = verdict.fault.map(|fault| Found::fault(&fault, outcome.ended, launch.grid));
                Ok(())
            }
        }
    }

    fn parameters(&self, kernel: &Kernel, arguments: &[String]) -> Result<Vec<u8>, String> {
        let value = |text: &String| match (self.addresses.get(text.as_str()), text.parse()) {
            (Some(address), _) => Ok(address.to_le_bytes().into()),
            (None, Ok(Argument::Value { bytes, .. })) => Ok(bytes),
            (None, Ok(_)) => {
                Err(format!("`{text}` in a launch: declare the buffer in the case, and use its name here"))
            }
            (None, Err(error)) => Err(format!("`{text}` is neither a buffer nor a value: {error}")),
        };
        let values = arguments.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let places: Vec<_> = kernel.parameters().iter().map(|place| (place.offset, place.bytes)).collect();
        parameter_block(kernel.name(), &places, &values)
    }
}

impl Outcome {
    /// Adds the counts of a launch, or its fault.
    fn add(
        &mut self,
        counters: Result<Counters, LaunchError>,
        kernel: &Kernel,
        launch: &Launch<'_>,
    ) -> Result<(), String> {
        match counters {
            Ok(counters) => counters::add(&mut self.counts, &counters, kernel, launch),
            Err(LaunchError::Fault(fault)) => self.fault = Some(Found::fault(&fault, self.ended, launch.grid)),
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    /// Returns the array in static shared memory that holds a byte, by its name in PTX, and the byte's place in it.
    pub fn shared_at(&self, address: u64) -> Option<(&str, u64)> {
        let holds = |array: &&SharedVariable| (array.offset..array.offset + array.bytes).contains(&address);
        self.shared.iter().find(holds).map(|array| (array.name.as_str(), address - array.offset))
    }

    /// Returns the buffer and the index of the element at an address that may be up to [`NEAR`] bytes outside of its buffer.
    pub fn element_near<'a>(&self, case: &'a Case, address: u64) -> Option<(&'a str, i64)> {
        let places = case.buffers.iter().filter_map(|(name, buffer)| {
            let offset = address.wrapping_sub(*self.addresses.get(name)?) as i64;
            let distance = offset.saturating_neg().max(offset - buffer.0.bytes() as i64 + 1);
            Some((distance, name.as_str(), offset.div_euclid(buffer.0.element_bytes() as i64)))
        });
        let nearest = places.min_by_key(|(distance, ..)| *distance).filter(|(distance, ..)| *distance < NEAR);
        nearest.map(|(_, name, element)| (name, element))
    }
}
