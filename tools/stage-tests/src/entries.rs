//! Kernels that are loaded without the others of their file, as on a GPU.

use crate::turn;
use common::device::{Device, DeviceChoice};
use common::kernel::{KernelSource, Part};
use common::stage::Stage;

/// Requires that each entry point of a file can be loaded alone, and that then no other is there.
pub fn each_is_loaded_alone(stage: &Stage) {
    let _turn = turn();
    let device = Device::open(DeviceChoice::Emulator).expect("the emulator");
    let languages = |source: &KernelSource| [Some(*source), source.rust.copied()];
    for source in stage.rungs.iter().flat_map(|rung| languages(&rung.source)).flatten() {
        let entries: Vec<&str> = source.ptx().lines().filter_map(entry_of).collect();
        assert!(!entries.is_empty(), "{} has no kernel", source.name());
        for &entry in &entries {
            let module = Part { source, entry: entry.into() }.load(&device.context).expect("the emulator reads it");
            let loaded: Vec<&str> = entries.iter().copied().filter(|name| module.load_function(name).is_ok()).collect();
            assert_eq!(loaded, [entry], "{}", source.name());
        }
    }
}

fn entry_of(line: &str) -> Option<&str> {
    line.split_once(".entry ")?.1.split('(').next()
}
