//! `cargo x record` with scripts in place of the stages' programs, so that no GPU is needed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A script that prints one record, which contains its own options.
const STAGE: &str = "#!/bin/sh\necho \"banner: $*\" >&2\n\
    echo '{\"kernel\": \"sum\", \"device\": \"DEVICE\", \"driver\": \"580\", \"verified\": true, \
    \"kernel_sha256\": \"12ab\", \"options\": \"'\"$*\"'\"}'\n";

/// A folder with scripts for stages, and a folder for records.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new(device: &str) -> Self {
        let machine = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(machine.path("carried")).expect("a folder");
        fs::write(machine.path("carried/libemulator_driver.so"), "").expect("a file");
        for stage in ["stage01-naive", "stage05-coulomb"] {
            machine.install(stage, &STAGE.replace("DEVICE", device));
        }
        machine
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn install(&self, stage: &str, script: &str) {
        let file = self.path("carried").join(stage);
        fs::write(&file, script).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    /// Runs `cargo x record`, and returns whether everything was recorded, and the output.
    fn record(&self, arguments: &str) -> (bool, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("record")
            .args(arguments.split(' '))
            .args([Path::new("--binaries"), &self.path("carried"), Path::new("--results"), &self.path("results")])
            .output()
            .expect("it starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    fn results(&self, name: &str) -> String {
        fs::read_to_string(self.path("results").join(name)).unwrap_or_default()
    }
}

#[test]
fn all_files_of_a_device_are_written() {
    let machine = Machine::new("NVIDIA X");
    let (recorded, said) = machine.record("nvidia-x");
    assert!(recorded, "{said}");
    assert!(said.starts_with("NVIDIA X, driver 580\n") && !said.contains("missing"), "{said}");
    assert!(machine.results("nvidia-x/stage01.json").contains("\"options\": \"--device cuda --language both --json\""));
    assert!(machine.results("nvidia-x/stage01-sweep.json").contains("--sweep"));
    assert!(
        machine
            .results("emulator/stage01.json")
            .contains("--device emulator --no-estimate --language both --all-blocks --steps 1 --json")
    );
    let shapes: Vec<serde_json::Value> =
        serde_json::from_str(&machine.results("nvidia-x/stage05-sweep.json")).expect("a list");
    assert_eq!(shapes.len(), 6);
}

#[test]
fn limits_are_recorded_if_their_program_is_there() {
    let machine = Machine::new("NVIDIA X");
    let (recorded, said) = machine.record("nvidia-x --only limits");
    assert!(!recorded && said.contains("there is nothing to record"), "{said}");
    machine.install("limits", &STAGE.replace("DEVICE", "NVIDIA X"));
    let (recorded, said) = machine.record("nvidia-x --only limits");
    assert!(recorded && said.contains("stage01.json is missing"), "{said}");
    assert!(machine.results("nvidia-x/limits.json").contains("\"options\": \"--device cuda --json\""));
    assert!(machine.results("nvidia-x/stage01.json").is_empty());
}

#[test]
fn only_force_replaces_the_records_of_another_device() {
    let machine = Machine::new("NVIDIA X");
    assert!(machine.record("gpu --only table").0);
    let before = machine.results("gpu/stage01.json");
    machine.install("stage01-naive", &STAGE.replace("DEVICE", "NVIDIA Y"));
    let (recorded, said) = machine.record("gpu --only table");
    assert!(!recorded && said.contains("has records of NVIDIA X, and this device is NVIDIA Y"), "{said}");
    assert_eq!(machine.results("gpu/stage01.json"), before);
    assert!(machine.record("gpu --only table --force").0);
    assert!(machine.results("gpu/stage01.json").contains("NVIDIA Y"));
}

#[test]
fn failed_runs_keep_their_files_and_the_others_are_recorded() {
    let machine = Machine::new("NVIDIA X");
    assert!(machine.record("gpu --only table").0);
    let before = machine.results("gpu/stage05.json");
    let script = STAGE.replace("DEVICE", "NVIDIA X");
    let broken = [
        (script.replace("true", "false"), "sum has wrong results"),
        (script.replace("\"12ab\"", "null"), "sum was compiled on this machine"),
        (script.replace("\"12ab\"", "\"12ab\", \"estimate\": {}"), "sum has an estimated time"),
        (format!("{script}echo 'error: no memory' >&2\nexit 1\n"), "error: no memory"),
        ("#!/bin/sh\n".to_owned(), "printed no record"),
        ("#!/bin/sh\necho hello\n".to_owned(), "this is not a record: hello"),
    ];
    for (script, reason) in broken {
        machine.install("stage05-coulomb", &script);
        fs::remove_file(machine.path("results/gpu/stage01.json")).expect("it was recorded");
        let (recorded, said) = machine.record("gpu --only table");
        assert!(
            !recorded && said.contains("not recorded: stage05-coulomb, table: ") && said.contains(reason),
            "{said}"
        );
        assert!(machine.results("gpu/stage01.json").contains("sum"), "{said}");
        assert_eq!(machine.results("gpu/stage05.json"), before);
    }
    let left = fs::read_dir(machine.path("results/gpu")).expect("the folder").count();
    assert_eq!(left, 2, "no scratch files");
}

#[test]
fn missing_records_are_named() {
    let machine = Machine::new("NVIDIA X");
    let (recorded, said) = machine.record("gpu --only table --stage stage05-coulomb");
    assert!(recorded && said.contains("gpu/stage01.json is missing"), "{said}");
    let (recorded, said) = machine.record("gpu --stage stage99");
    assert!(
        !recorded
            && said.contains("--stage stage99: there is no such stage; the stages are stage01-naive, stage05-coulomb"),
        "{said}"
    );
    fs::remove_file(machine.path("carried/libemulator_driver.so")).expect("the file");
    let (recorded, said) = machine.record("gpu");
    assert!(recorded && said.contains("results/emulator is left out"), "{said}");
    let (recorded, said) = machine.record("emulator");
    assert!(!recorded && said.contains("there is nothing to record"), "{said}");
}

#[test]
fn the_error_of_a_program_without_a_gpu_is_shown() {
    let machine = Machine::new("NVIDIA X");
    machine.install("stage01-naive", "#!/bin/sh\necho 'error: --device cuda: no driver' >&2\nexit 1\n");
    let (recorded, said) = machine.record("gpu");
    assert!(!recorded && said.contains("error: --device cuda: no driver"), "{said}");
    assert!(machine.results("gpu/stage05.json").is_empty());
}
