//! Scenes: launches recorded as data, which can be replayed without their program and device.

use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::refusal::{LoadError, MemoryError};
use crate::memory::addresses::{FIRST_ADDRESS, address_after};
use crate::memory::device::Memory;
use crate::module::kernel::{Kernel, Variable};
use crate::module::load::Module;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An allocation of device memory with its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// The address of the allocation.
    pub address: u64,
    /// The contents, which serialize in hexadecimal.
    #[serde(with = "hex")]
    pub contents: Vec<u8>,
}

/// A module-scope variable with its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableContents {
    /// The name in PTX.
    pub name: String,
    /// The contents, which serialize in hexadecimal.
    #[serde(with = "hex")]
    pub contents: Vec<u8>,
}

/// A launch with its inputs and results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// The PTX text of the module.
    pub ptx: String,
    /// The name of the kernel.
    pub entry: String,
    /// The number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// The number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// The parameter block.
    #[serde(with = "hex")]
    pub parameters: Vec<u8>,
    /// Whether it is a cooperative launch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cooperative: bool,
    /// The number of blocks of a cluster along x, y and z, if the launch asks for clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// The allocations that parameters point into, before the launch.
    pub memory: Vec<Contents>,
    /// The variables of the module, before the launch.
    pub variables: Vec<VariableContents>,
    /// The allocations that the launch changed, after the launch.
    pub results: Vec<Contents>,
}

/// The reason why a scene cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The module cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The allocations of the scene cannot be made.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The module has no kernel or variable with this name.
    #[error("the module has no `{0}`")]
    Missing(String),
}

impl Scene {
    /// Returns scenes as a JSON array. It is not generic, so this crate, always optimized, compiles it: they may have megabytes.
    ///
    /// # Errors
    /// As [`serde_json::to_string`].
    pub fn all_to_json(scenes: &[Self]) -> serde_json::Result<String> {
        serde_json::to_string(scenes)
    }

    /// Returns the scenes of such an array.
    ///
    /// # Errors
    /// As [`serde_json::from_str`].
    pub fn all_from_json(text: &str) -> serde_json::Result<Vec<Self>> {
        serde_json::from_str(text)
    }

    /// Records the inputs of a launch before it runs: the variables of the module, and the allocations whose addresses are
    /// in the parameters.
    ///
    /// # Errors
    /// Returns [`MemoryError`] if another thread frees memory at the same time.
    pub fn before(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>) -> Result<Self, MemoryError> {
        let Launch { grid, block, dynamic_shared_bytes, parameters, cooperative, cluster } = *launch;
        let extents = |dimensions: Dim3| [dimensions.x, dimensions.y, dimensions.z];
        let words = parameters.chunks_exact(8).filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)));
        let mut places: Vec<_> = words.filter_map(|word| memory.allocation_of(word)).collect();
        places.sort_unstable();
        places.dedup();
        let read = |address, bytes| {
            let mut contents = vec![0; bytes as usize];
            memory.read(address, &mut contents).map(|()| contents)
        };
        let contents = |(address, bytes)| Ok(Contents { address, contents: read(address, bytes)? });
        let variable = |variable: &Variable| {
            let contents = read(variable.address, variable.bytes)?;
            Ok(VariableContents { name: variable.name.clone(), contents })
        };
        Ok(Self {
            ptx: kernel.ptx().to_owned(),
            entry: kernel.name().to_owned(),
            grid: extents(grid),
            block: extents(block),
            shared_bytes: dynamic_shared_bytes,
            parameters: parameters.to_vec(),
            cooperative,
            cluster: cluster.map(extents),
            memory: places.into_iter().map(contents).collect::<Result<_, MemoryError>>()?,
            variables: kernel.variables().iter().map(variable).collect::<Result<_, MemoryError>>()?,
            results: Vec::new(),
        })
    }

    /// Adds the results after the launch. All addresses become those of a new memory, so that the same launch always gives
    /// the same scene.
    ///
    /// # Errors
    /// Returns [`MemoryError`] if another thread frees memory at the same time.
    pub fn after(mut self, memory: &Memory) -> Result<Self, MemoryError> {
        for before in &self.memory {
            let mut contents = vec![0; before.contents.len()];
            memory.read(before.address, &mut contents)?;
            if contents != before.contents {
                self.results.push(Contents { address: before.address, contents });
            }
        }
        Ok(self.relocated())
    }

    /// Returns the scene with its memory, and the parameters that point into it, at the addresses of a new memory.
    #[must_use]
    pub fn relocated(mut self) -> Self {
        let mut moves = Vec::new();
        let mut next = FIRST_ADDRESS;
        for place in &self.memory {
            moves.push((place.address, place.contents.len() as u64, next));
            next = address_after(next, place.contents.len() as u64);
        }
        let moved = |address: u64| {
            let inside = moves.iter().find(|(from, bytes, _)| address.wrapping_sub(*from) < *bytes);
            inside.map_or(address, |(from, _, to)| address - from + to)
        };
        self.memory.iter_mut().chain(&mut self.results).for_each(|place| place.address = moved(place.address));
        for word in self.parameters.chunks_exact_mut(8) {
            let value = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            word.copy_from_slice(&moved(value).to_le_bytes());
        }
        self
    }

    /// Loads the module into a new memory of `capacity_bytes`, and restores memory and variables.
    ///
    /// # Errors
    /// Returns [`SceneError`] if the module or the memory of the scene is invalid.
    pub fn set_up(&self, capacity_bytes: u64) -> Result<Replay<'_>, SceneError> {
        let memory = Arc::new(Memory::new(capacity_bytes));
        for Contents { address, contents } in &self.memory {
            memory.place(*address, contents)?;
        }
        let module = Module::load(&self.ptx, &memory)?;
        let missing = |name: &str| SceneError::Missing(name.to_owned());
        for VariableContents { name, contents } in &self.variables {
            let variable = module.variable(name).ok_or_else(|| missing(name))?;
            memory.write(variable.address, contents)?;
        }
        if let Some(refusal) = module.refusal(&self.entry) {
            return Err(refusal.clone().into());
        }
        let kernel = Arc::clone(module.kernel(&self.entry).ok_or_else(|| missing(&self.entry))?);
        Ok(Replay { scene: self, memory, kernel, _module: module })
    }
}

/// A scene that is ready to be launched.
#[derive(Debug)]
pub struct Replay<'a> {
    scene: &'a Scene,
    /// The memory of the scene.
    pub memory: Arc<Memory>,
    /// The kernel of the scene.
    pub kernel: Arc<Kernel>,
    _module: Module,
}

impl Replay<'_> {
    /// Returns the launch.
    #[must_use]
    pub fn launch(&self) -> Launch<'_> {
        let extent = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        Launch {
            grid: extent(self.scene.grid),
            block: extent(self.scene.block),
            dynamic_shared_bytes: self.scene.shared_bytes,
            parameters: &self.scene.parameters,
            cooperative: self.scene.cooperative,
            cluster: self.scene.cluster.map(extent),
        }
    }

    /// Returns the number of 4-byte words that differ from the recorded results.
    ///
    /// # Errors
    /// Returns [`MemoryError`] if the results are not inside the memory of the scene.
    pub fn unequal_words(&self) -> Result<usize, MemoryError> {
        let mut unequal = 0;
        for before in &self.scene.memory {
            let after = self.scene.results.iter().find(|after| after.address == before.address).unwrap_or(before);
            let mut contents = vec![0; after.contents.len()];
            self.memory.read(after.address, &mut contents)?;
            unequal += contents.chunks(4).zip(after.contents.chunks(4)).filter(|(ours, theirs)| ours != theirs).count();
        }
        Ok(unequal)
    }
}
