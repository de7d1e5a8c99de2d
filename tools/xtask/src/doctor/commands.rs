//! The requirements of each command of the README.

use super::machine::{Machine, NoBrowser};
use cuda_cpp::Choice;
use serde_json::{Value, json};

/// The space in GiB that a build of the workspace takes.
const BUILD_GIB: u64 = 4;

const NO_ENVIRONMENTS: &str =
    "install Python's module venv, on Debian and Ubuntu by `sudo apt-get install python3-venv`";
const NO_NPM: &str = "without compiling in its pages, which needs npm, on Debian and Ubuntu `sudo apt-get install npm`";
const X86_64_ONLY: &str = "run it on x86-64 Linux, the only platform of its pinned downloads";

/// Whether a command works.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The command as in the README.
    pub command: &'static str,
    pub works: bool,
    /// How to make it work, or work in full.
    pub advice: Option<String>,
    /// Whether it is one of the README's first two commands.
    pub is_needed: bool,
}

impl Verdict {
    fn of(command: &'static str, result: Result<(), String>) -> Self {
        Self { command, works: result.is_ok(), advice: result.err(), is_needed: false }
    }

    fn with_advice(self, advice: String) -> Self {
        Self { advice: Some(advice), ..self }
    }

    /// Adds an advice if the command works without one.
    fn or_with_advice(self, advice: impl FnOnce() -> String) -> Self {
        Self { advice: self.advice.or_else(|| Some(advice())), ..self }
    }

    fn needed(self) -> Self {
        Self { is_needed: true, ..self }
    }

    pub fn json(&self) -> Value {
        json!({ "command": self.command, "works": self.works, "advice": self.advice, "needed": self.is_needed })
    }
}

/// Returns a verdict on each command of the README, in its order.
pub fn verdicts(machine: &Machine) -> Vec<Verdict> {
    let needs = |has: bool, advice: &str| if has { Ok(()) } else { Err(advice.to_owned()) };
    let stage = || machine.stage.clone().map(|_| ());
    let room = needs(
        machine.free_gib.is_none_or(|gib| gib + machine.built_gib >= BUILD_GIB),
        &format!("free {BUILD_GIB} GiB of disk space, or set CARGO_TARGET_DIR to a folder on another disk"),
    );
    let cuda = || machine.cuda.clone().map(|_| ());
    let rust = || machine.rust_kernels.clone().map(|_| ());
    let fetched = |cannot: &Option<String>| cannot.clone().map_or(Ok(()), Err);
    let (nvrtc, clang) = (|| fetched(&machine.no_nvrtc_wheel), || fetched(&machine.no_clang_wheel));
    let book = Verdict::of("cargo run -p book", stage());
    let book = if machine.pages_compile { book } else { book.or_with_advice(|| NO_NPM.into()) };
    // One language is enough; the advice on the other stays.
    let learns = match (rust(), cuda()) {
        (Err(rust), Err(cuda)) => Verdict::of("cargo x learn", Err(format!("in Rust: {rust}; in CUDA C++: {cuda}"))),
        (Ok(()), Ok(())) => Verdict::of("cargo x learn", Ok(())),
        (Err(rust), Ok(())) => {
            Verdict::of("cargo x learn", Ok(())).with_advice(format!("in CUDA C++; in Rust: {rust}"))
        }
        (Ok(()), Err(cuda)) => {
            Verdict::of("cargo x learn", Ok(())).with_advice(format!("in Rust; in CUDA C++: {cuda}"))
        }
    };
    let x86_64 = || needs(machine.is_x86_64_linux, X86_64_ONLY);
    // Prebuilt PTX of unchanged kernels in Rust stays as it is if their compiler is missing.
    let ptx = Verdict::of("cargo x ptx", x86_64().and(nvrtc()));
    let ptx = match rust() {
        Err(reason) if ptx.works => ptx.with_advice(format!("without edited kernels in Rust: {reason}")),
        _ => ptx,
    };
    let tests = Verdict::of("cargo test --workspace", stage().and(room));
    let components = needs(machine.formatter && machine.lints, "rustup component add rustfmt clippy");
    let browser = match &machine.browser {
        Err(named @ NoBrowser::Named(_)) => Err(format!("{named}: correct or unset it")),
        _ => Ok(()),
    };
    let ci = Verdict::of("cargo x ci", stage().and(components).and(browser));
    let skipped = [
        machine.clang_format.is_none().then_some("clang-format (cargo x clang-format --help)"),
        machine.browser.is_err().then_some("a browser (chromium)"),
        (!machine.pages_compile).then_some("the compiler of the book's pages (npm)"),
        machine.rust_kernels.is_err().then_some("the compiler for kernels in Rust"),
        machine.nvrtc.is_err().then_some("NVRTC (cargo x nvrtc)"),
        machine.clang.is_err().then_some("clang (cargo x clang)"),
    ];
    let skipped: Vec<&str> = skipped.into_iter().flatten().collect();
    let ci = match skipped[..] {
        [_, ..] if ci.works => ci.with_advice(format!("without the checks that need {}", skipped.join(", "))),
        _ => ci,
    };
    let wasm = needs(
        machine.wasm.is_some(),
        "rustup target add wasm32-unknown-unknown; or on Debian, apt-get install rustc-web cargo-web rust-web-src lld-16",
    );
    let reason = machine.no_gpu().map_or_else(String::new, |reason| format!(" ({reason})"));
    let gpu = needs(machine.has_gpu, &format!("it needs an NVIDIA GPU{reason}; `cargo x record emulator` needs none"));
    let environments = needs(machine.python_environments, NO_ENVIRONMENTS);
    let check = |result| Verdict::of("cargo x check FILE.cu", result);
    let check = match machine.cuda_to_fetch {
        None => check(cuda()),
        Some(choice) => check(if choice == Choice::Clang { clang() } else { nvrtc() })
            .or_with_advice(|| format!("the first file downloads a compiler, as `cargo x {choice}` does")),
    };
    vec![
        Verdict::of("cargo run -p stage01-naive", stage()).needed(),
        tests.needed(),
        book,
        learns,
        Verdict::of("cargo run -p stage07-many", stage()),
        Verdict::of("cargo bench -p bench", stage()),
        Verdict::of("cargo run -p stage02-shared, after an edit of a kernel", stage().and(cuda())),
        Verdict::of("cargo x nvrtc", nvrtc()),
        Verdict::of("cargo x clang", clang()),
        Verdict::of("cargo x check FILE.ptx", Ok(())),
        check,
        Verdict::of("cargo run -p stage01-naive -- --language rust, after an edit of a kernel", stage().and(rust())),
        Verdict::of("cargo x check FILE.rs", rust()),
        ptx,
        ci,
        Verdict::of("cargo x wasm", wasm),
        Verdict::of("cargo x record DEVICE", stage().and(gpu)),
        Verdict::of("cargo x foreign", x86_64().and(stage()).and(environments)),
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
            clang: Ok("clang 22.1.8".into()),
            cuda: Ok("NVRTC 12.1".into()),
            cuda_to_fetch: None,
            no_nvrtc_wheel: None,
            no_clang_wheel: None,
            fetcher: Some("pip".into()),
            browser: Ok("/usr/bin/chromium".into()),
            pages_compile: true,
            wasm: Some("rustup"),
            rust_kernels: Ok("1.96.0, LLVM 22.1.8".into()),
            formatter: true,
            lints: true,
            clang_format: Some("18.1.8".into()),
            ncu: None,
            python_environments: true,
            free_gib: Some(20),
            built_gib: 0,
            is_x86_64_linux: true,
        }
    }

    /// Returns the commands that do not work, each with its advice.
    fn failing(machine: &Machine) -> Vec<(&'static str, String)> {
        let failing = verdicts(machine).into_iter().filter(|verdict| !verdict.works);
        failing.map(|verdict| (verdict.command, verdict.advice.expect("an advice"))).collect()
    }

    #[test]
    fn everything_works_if_everything_is_installed() {
        assert_eq!(failing(&full()), []);
        assert!(verdicts(&full()).iter().all(|verdict| verdict.advice.is_none()));
    }

    /// A machine without a compiler for CUDA C++.
    fn without_cuda() -> Machine {
        let missing = |command: &str| Err(format!("type `cargo x {command}`"));
        let cuda = Err("type `cargo x nvrtc`; or type `cargo x clang`".to_owned());
        Machine { nvrtc: missing("nvrtc"), clang: missing("clang"), cuda, cuda_to_fetch: Some(Choice::Nvrtc), ..full() }
    }

    #[test]
    fn a_compiler_that_is_named_in_vain_is_not_replaced() {
        let named = "COALESCED_NVRTC names a file that is not a usable NVRTC".to_owned();
        let machine = Machine { cuda: Err(named.clone()), nvrtc: Err(named.clone()), ..full() };
        let edit = "cargo run -p stage02-shared, after an edit of a kernel";
        assert_eq!(failing(&machine), [(edit, named.clone()), ("cargo x check FILE.cu", named)]);
    }

    #[test]
    fn a_laptop_lacks_the_compiler_for_edited_kernels_and_a_gpu() {
        let laptop = Machine { has_gpu: false, browser: Err(NoBrowser::NotInstalled), wasm: None, ..without_cuda() };
        let names: Vec<_> = failing(&laptop).into_iter().map(|(command, _)| command).collect();
        let edit = "cargo run -p stage02-shared, after an edit of a kernel";
        assert_eq!(names, [edit, "cargo x wasm", "cargo x record DEVICE"]);
        assert_eq!(failing(&laptop)[0].1, "type `cargo x nvrtc`; or type `cargo x clang`");
    }

    #[test]
    fn exercises_need_one_of_the_two_compilers() {
        let learn = |machine: &Machine| {
            let verdict = verdicts(machine).into_iter().find(|verdict| verdict.command == "cargo x learn");
            let verdict = verdict.expect("a verdict");
            (verdict.works, verdict.advice.unwrap_or_default())
        };
        let no_rust = || Err("type `rustup component add rust-src`".to_owned());
        assert_eq!(learn(&full()), (true, String::new()));
        let advice = "in Rust; in CUDA C++: type `cargo x nvrtc`; or type `cargo x clang`".to_owned();
        assert_eq!(learn(&without_cuda()), (true, advice));
        let advice = "in CUDA C++; in Rust: type `rustup component add rust-src`".to_owned();
        assert_eq!(learn(&Machine { rust_kernels: no_rust(), ..full() }), (true, advice));
        let (works, advice) = learn(&Machine { rust_kernels: no_rust(), stage: no_rust(), ..without_cuda() });
        assert!(!works && advice.contains("cargo x nvrtc") && advice.contains("rustup"), "{advice}");
        assert!(learn(&Machine { stage: Err("no linker".into()), ..full() }).0, "it needs no stage");
    }

    #[test]
    fn checks_that_are_left_out_are_named() {
        let advice = |machine: &Machine, command: &str| {
            let verdict = verdicts(machine).into_iter().find(|verdict| verdict.command == command);
            let verdict = verdict.expect("a verdict");
            assert!(verdict.works, "{command}");
            verdict.advice
        };
        let no_rust = || Machine { rust_kernels: Err("type `rustup …`".into()), ..full() };
        let edited = "without edited kernels in Rust: type `rustup …`";
        assert_eq!(advice(&no_rust(), "cargo x ptx").as_deref(), Some(edited));
        let machine = Machine { clang_format: None, nvrtc: Err("none".into()), ..no_rust() };
        let needs =
            "clang-format (cargo x clang-format --help), the compiler for kernels in Rust, NVRTC (cargo x nvrtc)";
        assert_eq!(advice(&machine, "cargo x ci"), Some(format!("without the checks that need {needs}")));
    }

    #[test]
    fn the_first_commands_fail_if_nothing_builds() {
        let broken = Machine { stage: Err("no linker".into()), ..full() };
        assert!(verdicts(&broken).iter().filter(|verdict| verdict.is_needed).all(|verdict| !verdict.works));
        let small = Machine { free_gib: Some(1), ..full() };
        assert_eq!(failing(&small).len(), 1);
        assert!(failing(&small)[0].1.starts_with("free 4 GiB"));
        assert_eq!(failing(&Machine { free_gib: Some(1), built_gib: 3, ..full() }), []);
        let no_pip = || "install pip".to_owned();
        let alone = Machine { no_nvrtc_wheel: Some(no_pip()), ..without_cuda() };
        assert!(failing(&alone).contains(&("cargo x nvrtc", no_pip())));
        assert!(failing(&alone).contains(&("cargo x check FILE.cu", no_pip())));
    }

    /// Commands of the README without a verdict: they need nothing, or the verdict on another command covers them.
    const OTHERS: [&str; 3] = ["cargo x doctor", "cargo x check-content", "cargo x --help"];

    /// Returns the README's commands that do not begin like any command in `known`.
    fn unknown(readme: &str, known: &[&str]) -> Vec<String> {
        let commands = readme.match_indices("cargo ").map(|(place, _)| &readme[place..]);
        let commands = commands.map(|rest| rest.split(['`', '\n', ',']).next().unwrap_or_default());
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
