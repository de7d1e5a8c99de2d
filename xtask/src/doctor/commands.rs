//! What each command of the README needs.

use super::machine::Machine;
use serde_json::{Value, json};

/// GiB that a build of everything takes.
const BUILD_GIB: u64 = 4;

const NO_FETCHER: &str = "install pip, on Debian and Ubuntu by `sudo apt-get install python3-pip`, or uv";
const X86_64_ALONE: &str = "run it on x86-64 Linux: what it fetches is pinned for that alone";

/// Whether a command works.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// As the README writes it.
    pub command: &'static str,
    pub works: bool,
    /// What makes it work, or work in full.
    pub advice: Option<String>,
    /// Whether it is one of the two with which the README begins.
    pub is_needed: bool,
}

impl Verdict {
    fn of(command: &'static str, result: Result<(), String>) -> Self {
        Self { command, works: result.is_ok(), advice: result.err(), is_needed: false }
    }

    fn with_advice(self, advice: String) -> Self {
        Self { advice: Some(advice), ..self }
    }

    fn needed(self) -> Self {
        Self { is_needed: true, ..self }
    }

    pub fn json(&self) -> Value {
        json!({ "command": self.command, "works": self.works, "advice": self.advice, "needed": self.is_needed })
    }
}

/// Each command of the README, in its order.
pub fn verdicts(machine: &Machine) -> Vec<Verdict> {
    let needs = |has: bool, advice: &str| if has { Ok(()) } else { Err(advice.to_owned()) };
    let stage = || machine.stage.clone().map(|_| ());
    let room = needs(
        machine.free_gib.is_none_or(|gib| gib >= BUILD_GIB),
        &format!("free {BUILD_GIB} GiB, or name a folder with as much in CARGO_TARGET_DIR"),
    );
    let browser = || match &machine.browser {
        Some(_) => None,
        None => Some("without a browser its pages are not tried: install chromium to have that too".to_owned()),
    };
    let nvrtc = || machine.nvrtc.clone().map(|_| ());
    let rust = || machine.rust_kernels.clone().map(|_| ());
    let fetcher = || needs(machine.fetcher.is_some(), NO_FETCHER);
    // one language is enough to learn in; the other's advice stays
    let learns = match (rust(), nvrtc()) {
        (Err(rust), Err(nvrtc)) => Verdict::of("cargo x learn", Err(format!("in Rust: {rust}; in CUDA C++: {nvrtc}"))),
        (Ok(()), Ok(())) => Verdict::of("cargo x learn", Ok(())),
        (Err(rust), Ok(())) => {
            Verdict::of("cargo x learn", Ok(())).with_advice(format!("in CUDA C++; in Rust: {rust}"))
        }
        (Ok(()), Err(nvrtc)) => {
            Verdict::of("cargo x learn", Ok(())).with_advice(format!("in Rust; in CUDA C++: {nvrtc}"))
        }
    };
    let x86_64 = || needs(machine.is_x86_64_linux, X86_64_ALONE);
    let tests = Verdict::of("cargo test --workspace", stage().and(room));
    let tests = Verdict { advice: tests.advice.or_else(browser), ..tests };
    let components = needs(machine.formatter && machine.lints, "rustup component add rustfmt clippy");
    let wasm = needs(
        machine.wasm.is_some(),
        "rustup target add wasm32-unknown-unknown; or on Debian, apt-get install rustc-web cargo-web rust-web-src lld-16",
    );
    let gpu = needs(machine.has_gpu, "it needs an NVIDIA GPU; `cargo x record emulator` needs none");
    let environments = needs(machine.python_environments, "install python3-venv");
    vec![
        Verdict::of("cargo run -p stage01-naive", stage()).needed(),
        tests.needed(),
        Verdict::of("cargo run -p book", stage()),
        learns,
        Verdict::of("cargo run -p stage07-many", stage()),
        Verdict::of("cargo bench -p stage01-naive", stage()),
        Verdict::of("cargo run -p stage02-shared, after an edit of a kernel", stage().and(nvrtc())),
        Verdict::of("cargo x nvrtc", nvrtc().or_else(|_| fetcher())),
        Verdict::of("cargo x check FILE.ptx", Ok(())),
        Verdict::of("cargo x check FILE.cu", nvrtc().or_else(|_| fetcher())),
        Verdict::of("cargo run -p stage01-naive -- --language rust, after an edit of a kernel", stage().and(rust())),
        Verdict::of("cargo x check FILE.rs", rust()),
        Verdict::of("cargo x ptx", x86_64().and(nvrtc().or_else(|_| fetcher()))),
        Verdict::of("cargo x ci", stage().and(components)),
        Verdict::of("cargo x wasm", wasm),
        Verdict::of("cargo x record DEVICE", stage().and(gpu)),
        Verdict::of("cargo x foreign", x86_64().and(fetcher()).and(environments)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    fn full() -> Machine {
        Machine {
            rust: Ok("rustc 1.95".into()),
            stage: Ok("NVIDIA H200".into()),
            has_gpu: true,
            nvrtc: Ok("NVRTC 12.1".into()),
            fetcher: Some("pip".into()),
            browser: Some("/usr/bin/chromium".into()),
            wasm: Some("rustup"),
            rust_kernels: Ok("1.96.0, LLVM 22.1.8".into()),
            formatter: true,
            lints: true,
            clang_format: None,
            ncu: None,
            python_environments: true,
            free_gib: Some(20),
            is_x86_64_linux: true,
        }
    }

    /// The commands that do not work, and what is said of them.
    fn failing(machine: &Machine) -> Vec<(&'static str, String)> {
        let failing = verdicts(machine).into_iter().filter(|verdict| !verdict.works);
        failing.map(|verdict| (verdict.command, verdict.advice.expect("an advice"))).collect()
    }

    #[test]
    fn all_works_where_all_is_installed() {
        assert_eq!(failing(&full()), []);
        assert!(verdicts(&full()).iter().all(|verdict| verdict.advice.is_none()));
    }

    #[test]
    fn laptop_lacks_the_compiler_for_an_edit_and_a_gpu() {
        let laptop =
            Machine { has_gpu: false, nvrtc: Err("type `cargo x nvrtc`".into()), browser: None, wasm: None, ..full() };
        let names: Vec<_> = failing(&laptop).into_iter().map(|(command, _)| command).collect();
        let edit = "cargo run -p stage02-shared, after an edit of a kernel";
        assert_eq!(names, [edit, "cargo x wasm", "cargo x record DEVICE"]);
        assert_eq!(failing(&laptop)[0].1, "type `cargo x nvrtc`");
        let tests = verdicts(&laptop).remove(1);
        assert!(tests.works && tests.advice.is_some_and(|advice| advice.contains("chromium")));
    }

    #[test]
    fn exercises_need_one_of_the_two_compilers() {
        let learn = |machine: &Machine| {
            let verdict = verdicts(machine).into_iter().find(|verdict| verdict.command == "cargo x learn");
            let verdict = verdict.expect("a verdict");
            (verdict.works, verdict.advice.unwrap_or_default())
        };
        let no_cuda = || Err("type `cargo x nvrtc`".to_owned());
        let no_rust = || Err("type `rustup component add rust-src`".to_owned());
        assert_eq!(learn(&full()), (true, String::new()));
        let advice = "in Rust; in CUDA C++: type `cargo x nvrtc`".to_owned();
        assert_eq!(learn(&Machine { nvrtc: no_cuda(), ..full() }), (true, advice));
        let advice = "in CUDA C++; in Rust: type `rustup component add rust-src`".to_owned();
        assert_eq!(learn(&Machine { rust_kernels: no_rust(), ..full() }), (true, advice));
        let (works, advice) = learn(&Machine { nvrtc: no_cuda(), rust_kernels: no_rust(), stage: no_rust(), ..full() });
        assert!(!works && advice.contains("cargo x nvrtc") && advice.contains("rustup"), "{advice}");
        assert!(learn(&Machine { stage: Err("no linker".into()), ..full() }).0, "it needs no stage");
    }

    #[test]
    fn machine_on_which_nothing_builds_fails_what_is_needed() {
        let broken = Machine { stage: Err("no linker".into()), ..full() };
        assert!(verdicts(&broken).iter().filter(|verdict| verdict.is_needed).all(|verdict| !verdict.works));
        let small = Machine { free_gib: Some(1), ..full() };
        assert_eq!(failing(&small).len(), 1);
        assert!(failing(&small)[0].1.starts_with("free 4 GiB"));
        let alone = Machine { fetcher: None, nvrtc: Err("none".into()), ..full() };
        assert!(failing(&alone).contains(&("cargo x nvrtc", NO_FETCHER.into())));
    }

    /// Commands of the README that need nothing to be judged: they print, or are judged by another command's line.
    const OTHERS: [&str; 4] = ["cargo x doctor", "cargo x check-content", "cargo bench -p emulator", "cargo x --help"];

    /// The README's commands that `known` does not begin with the same words as.
    fn unknown(readme: &str, known: &[&str]) -> Vec<String> {
        let commands = readme.match_indices("cargo ").map(|(place, _)| &readme[place..]);
        let commands = commands.map(|rest| rest.split(['`', '\n']).next().unwrap_or_default());
        let head = |command: &str| {
            let words = command.replace("stage…", "stage01-naive");
            words.split_whitespace().take(if words.contains(" -p ") { 4 } else { 3 }).collect::<Vec<_>>().join(" ")
        };
        let commands = commands.filter(|command| {
            ["run ", "test ", "x ", "bench "].iter().any(|word| command["cargo ".len()..].starts_with(word))
        });
        commands.map(head).filter(|command| !known.iter().any(|known| known.starts_with(command.as_str()))).collect()
    }

    #[test]
    fn every_command_of_the_readme_is_judged() {
        let readme = std::fs::read_to_string(Workspace::this().root.join("README.md")).expect("the README");
        let known: Vec<&str> = verdicts(&full()).iter().map(|verdict| verdict.command).chain(OTHERS).collect();
        assert_eq!(unknown(&readme, &known), [""; 0]);
        assert_eq!(unknown("Type `cargo x fly --high`.", &known), ["cargo x fly"]);
    }
}
