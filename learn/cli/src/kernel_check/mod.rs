//! `cargo learn check` with a kernel's file: a run of any kernel on the emulator, under all checks.

pub mod names;
mod place;
mod source;
mod types;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cuda_cpp::source::{Parameter, signature};
use cuda_cpp::{Assembler, Choice};
use emulator::Scene;
use emulator::{Diagnosis, Dim3, Kernel, Launch, LoadError, Memory, MemorySpace, Module, Options, Printed};
use judge::kernel_file::{Argument, Buffer, Detail, Language, Request, Sources, parameter_block, text};
use names::{has_arguments, in_source, is_mangled, place_of_fault};
use place::Places;
use predict::{Gpu, MachineCode, predict};
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Prints a line on standard output. A reader that has closed the pipe, as `head` does, is not an error.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// The size of device memory in bytes. Memory that is not allocated takes no space on the host.
const MEMORY_BYTES: u64 = 16 << 30;

/// The time after which a run reports that it goes on.
const QUIET: Duration = Duration::from_secs(2);

/// The text below the options in `cargo learn check --help`.
pub const EXAMPLE: &str = "Examples:
  cargo learn check exercises/12_guard/kernels/solution.cu --kernel twice \\
      --grid 4 --block 256 --arg f32[1000]=index --arg f32[1000] \\
      --arg i32=1000 --print 2
  cargo learn check emulator/machine/tests/faults/ptx/barrier_missing_after_load.ptx \\
      --kernel faulty --grid 2 --block 64 --arg f32[128]=index --arg f32[128]

A file in CUDA C++ may have host code around its kernels, which is left out.
Without NVRTC and clang, the first such file downloads a compiler.

Exit status: 0 for a clean kernel, 1 for findings or a fault, 2 if nothing could
be run. Variables of the module, including __constant__ ones, have the initial
values of the source.";

/// The options of a check of any kernel.
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    request: Request,
    /// Print the elements of this argument after the launch; the first argument is 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "json")]
    print: Vec<usize>,
    /// Print each finding as a line of JSON, and nothing for a clean kernel
    #[arg(long)]
    json: bool,
    /// Stop a kernel that does not end after this many warp instructions
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000_000)]
    budget: u64,
    /// Print no estimated time for a clean kernel; launches that the model does not cover have none anyway
    #[arg(long)]
    no_estimate: bool,
    /// Estimate the time on this GPU; cycles instead if it was never measured for this course
    #[arg(long, value_name = "GPU", value_parser = gpus(), default_value = "h200", conflicts_with = "no_estimate")]
    on: &'static Gpu,
    /// Look for headers in this folder too [default: those of an installed toolkit, or of `cargo learn headers`]
    #[arg(long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Compile for this architecture, such as 80 or sm_90a [default: the one in the comment at the top of the file, or 75, or 90 if it does not compile for 75]
    #[arg(long, value_name = "ARCH", value_parser = architecture)]
    arch: Option<String>,
    /// Compile with this libnvrtc [default: an installed one, or else the one that `cargo learn nvrtc` downloads]
    #[arg(long, value_name = "FILE", conflicts_with = "compiler")]
    nvrtc: Option<PathBuf>,
    /// The compiler for a kernel in CUDA C++ [default: NVRTC, or clang if there is no NVRTC]
    #[arg(long, value_enum, value_name = "NAME")]
    compiler: Option<Choice>,
}

/// Returns the comment that requires an architecture.
fn architecture(name: &str) -> Result<String, String> {
    cuda_cpp::requirement(name).ok_or_else(|| "architectures are 75, 80, 86, 89, 90 or 90a, also as sm_90".into())
}

/// Returns the parser of a GPU with a model.
fn gpus() -> impl TypedValueParser<Value = &'static Gpu> {
    PossibleValuesParser::new(predict::GPUS.map(|gpu| gpu.id)).map(|id| Gpu::from_id(&id).unwrap_or(&predict::H200))
}

/// Runs a kernel, prints the findings, and returns whether there are none.
///
/// # Errors
/// Returns an error if the file cannot be read, compiled or loaded, if it has no such kernel, if the arguments do not match
/// the kernel's parameters, or if the launch is invalid.
pub fn run(check: &Check) -> Result<bool> {
    let request = &check.request;
    if let Some(folder) = check.include.iter().find(|folder| !folder.is_dir()) {
        bail!("--include {}: there is no such folder", folder.display());
    }
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let module =
        Module::load(&ptx_text(check)?, &memory).with_context(|| format!("cannot load {}", request.file.display()))?;
    if let Some(refusal) = refusal(&module, &request.kernel) {
        return Err(refusal.clone()).with_context(|| format!("cannot load {}", request.file.display()));
    }
    let kernel = kernel(&module, &request.kernel).map_err(|error| source::template_error(request).unwrap_or(error))?;
    let parameters = parameters(request);
    for difference in parameters.iter().flat_map(|parameters| types::differences(parameters, &request.arguments)) {
        eprintln!("warning: {difference}");
    }
    memory.track_writes(true);
    let buffers = upload(&memory, &request.arguments)?;
    let (outcome, scene) = launch(kernel, &memory, check, &buffers)?;
    show_printed(&memory.take_printed(), check.json);
    let dynamic_bytes = u64::from(request.shared);
    let places = Places { arguments: &buffers, parameters: parameters.as_deref(), kernel, dynamic_bytes };
    print(check, &outcome, &places)?;
    if let Some(scene) = scene.filter(|_| outcome.is_empty()) {
        print_estimate(&scene, check.on);
    }
    check.print.iter().try_for_each(|&number| print_elements(&memory, &buffers, number))?;
    Ok(outcome.is_empty())
}

/// Returns the text of the PTX file, or compiles the kernel's source to PTX.
fn ptx_text(check: &Check) -> Result<String> {
    let file = &check.request.file;
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    // Comments may be in another encoding.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match file.extension().and_then(OsStr::to_str) {
        Some("ptx") => Ok(text),
        _ => {
            let compiled = source::compile(check, &text)?;
            if !check.json {
                say!("{}", compiled.report);
            }
            Ok(compiled.ptx)
        }
    }
}

/// Returns the kernel's parameters as a file in CUDA C++ declares them.
fn parameters(request: &Request) -> Option<Vec<Parameter>> {
    let is_cuda = source::language(&request.file) == Some(Language::Cuda);
    let bytes = std::fs::read(&request.file).ok().filter(|_| is_cuda)?;
    signature(&String::from_utf8_lossy(&bytes), &request.kernel)
}

/// Returns the reason why the kernel is refused; none if it is supported.
fn refusal<'a>(module: &'a Module, name: &str) -> Option<&'a LoadError> {
    let asked_for = |refused: &str| refused == name || is_mangled(refused, name);
    module.refusals().find(|(refused, _)| asked_for(refused)).map(|(_, error)| error)
}

/// Returns the kernel with that name. A C++ function without `extern "C"` is also found by its name in the source.
fn kernel<'a>(module: &'a Module, name: &str) -> Result<&'a Kernel> {
    let all = || module.kernels().iter().map(Arc::as_ref);
    let is_meant = |kernel: &&Kernel| is_mangled(kernel.name(), name) && has_arguments(kernel.name(), name);
    let found: Vec<&Kernel> = match module.kernel(name) {
        Some(kernel) => vec![kernel],
        None => all().filter(is_meant).collect(),
    };
    match found[..] {
        [kernel] => Ok(kernel),
        [] if all().next().is_none() => {
            bail!(
                "there is no kernel `{name}`, and no other; a template is named with its arguments, as `{name}<float>`"
            )
        }
        [] => bail!("there is no kernel `{name}`; the kernels are {}", list_names(all(), in_source)),
        _ => bail!("there are several kernels `{name}`; name one of {}", list_names(found.into_iter(), str::to_owned)),
    }
}

fn list_names<'a>(kernels: impl Iterator<Item = &'a Kernel>, shown: fn(&str) -> String) -> String {
    kernels.map(|kernel| shown(kernel.name())).collect::<Vec<_>>().join(", ")
}

/// An argument on the device: the bytes that are passed, and the buffer that they point to.
struct Placed<'a> {
    bytes: Vec<u8>,
    buffer: Option<(u64, &'a Buffer)>,
}

fn upload<'a>(memory: &Memory, arguments: &'a [Argument]) -> Result<Vec<Placed<'a>>> {
    let place = |(index, argument): (usize, &'a Argument)| match argument {
        Argument::Value { bytes, .. } => Ok(Placed { bytes: bytes.clone(), buffer: None }),
        Argument::Buffer(buffer) => {
            let address = memory.allocate(buffer.bytes()).with_context(|| format!("no memory for {}", buffer.shown))?;
            if let Some(contents) = buffer.contents(index as u64) {
                memory.write(address, &contents)?;
            }
            if buffer.is_freed() {
                memory.free(address)?;
            }
            Ok(Placed { bytes: address.to_le_bytes().into(), buffer: Some((address, buffer)) })
        }
    };
    arguments.iter().enumerate().map(place).collect()
}

/// The findings, each with the memory and the address that it concerns, if there is one.
type Outcome = Vec<(Diagnosis, Option<(MemorySpace, u64)>)>;

/// Runs the launch under all checks. Returns its findings and, for an estimate, everything that it needs to run again.
fn launch(
    kernel: &Kernel,
    memory: &Memory,
    check: &Check,
    arguments: &[Placed<'_>],
) -> Result<(Outcome, Option<Scene>)> {
    let request = &check.request;
    let places: Vec<_> = kernel.parameters().iter().map(|place| (place.offset, place.bytes)).collect();
    let values: Vec<_> = arguments.iter().map(|argument| argument.bytes.clone()).collect();
    let parameters = parameter_block(kernel.name(), &places, &values).map_err(|error| anyhow!(error))?;
    let [grid, block] = [request.grid, request.block].map(|[x, y, z]| Dim3 { x, y, z });
    let launch = Launch {
        grid,
        block,
        dynamic_shared_bytes: request.shared,
        parameters: &parameters,
        cooperative: request.cooperative,
        cluster: None,
    };
    let options = Options { instruction_budget: Some(check.budget), ..Options::default() };
    let is_estimated = !check.json && !check.no_estimate;
    let scene = is_estimated.then(|| Scene::before(kernel, memory, &launch)).transpose()?;
    let verdict = with_progress(check, || emulator::check(kernel, memory, &launch, &options))?;
    let findings = verdict.findings.iter().map(|finding| (finding.into(), place::place_of_finding(finding)));
    let fault = verdict.fault.iter().map(|fault| Diagnosis::from(fault.as_ref()));
    let fault = fault.map(|fault| {
        let address = place_of_fault(&fault.title);
        (fault, address)
    });
    let outcome = findings.chain(fault).collect();
    Ok((outcome, scene))
}

/// Runs a launch. After [`QUIET`], a line on standard error says that it still runs and what ends it.
fn with_progress<T>(check: &Check, launch: impl FnOnce() -> T) -> T {
    let (ended, has_ended) = mpsc::channel::<()>();
    let kernel = check.request.kernel.clone();
    let budget = check.budget;
    let watch = thread::spawn(move || {
        if has_ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{kernel} still runs; --budget ends it after {budget} warp instructions");
        }
    });
    let result = launch();
    drop(ended);
    // It ends by itself, and prints at most a line.
    let _ = watch.join();
    result
}

/// Writes out the text that the kernel printed: to standard error, if standard output has lines of JSON.
fn show_printed(printed: &Printed, json: bool) {
    if let Some(loss) = printed.loss() {
        eprintln!("{loss}");
    }
    let text = printed.text.as_bytes();
    let ends = printed.text.is_empty() || printed.text.ends_with('\n');
    let mut out: Box<dyn Write> = if json { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) };
    // As for a line, a closed pipe is not an error.
    let _ = out.write_all(text).and_then(|()| if ends { out.flush() } else { writeln!(out) });
}

/// Returns whether a kernel was stopped by a header of cooperative groups, which do not wait in other launches.
fn is_of_cooperative_groups(diagnosis: &Diagnosis) -> bool {
    let is_in_header = |file: &str| file.contains("cooperative_groups");
    diagnosis.title.starts_with("trap ")
        && diagnosis.sides.iter().any(|side| side.place.location.as_ref().is_some_and(|(file, _)| is_in_header(file)))
}

fn print(check: &Check, outcome: &Outcome, places: &Places<'_>) -> Result<()> {
    let Request { grid, block, file, .. } = &check.request;
    let mut sources = Sources::new(file);
    for (diagnosis, address) in outcome {
        if check.json {
            say!("{}", serde_json::to_string(diagnosis)?);
            continue;
        }
        let named = format!("`{}`", check.request.kernel);
        say!("{}", text(diagnosis, &mut sources, Detail::Ptx).replace(&format!("`{}`", places.kernel.name()), &named));
        if is_of_cooperative_groups(diagnosis) && !check.request.cooperative {
            say!("  --cooperative launches the blocks so that they may wait for each other");
        }
        if let Some(element) = address.and_then(|address| places.describe(address, diagnosis)) {
            say!("  {element}");
        }
    }
    if outcome.is_empty() && !check.json {
        let volume = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
        let blocks = volume(*grid);
        say!(
            "{}: clean (memcheck, initcheck, racecheck, synccheck), {blocks} block{} of {}",
            check.request.kernel,
            if blocks == 1 { "" } else { "s" },
            volume(*block)
        );
    }
    Ok(())
}

/// Prints the estimated time of a launch, or why it has none. Launches that do not fill the GPU are often first tries, about which
/// nothing more is said.
fn print_estimate(scene: &Scene, gpu: &Gpu) {
    let blocks: u64 = scene.grid.iter().map(|&extent| u64::from(extent)).product();
    let assembler = Assembler::find();
    let assembled = assembler.and_then(|assembler| assembler.run(&scene.ptx).ok());
    let code = assembled.and_then(|assembled| MachineCode::decode(&assembled.disassembly, &assembled.messages).ok());
    match predict::run(gpu, vec![predict(gpu, scene, code.as_ref()).into()]) {
        Ok(estimate) => {
            let band = estimate.band_text();
            let limiter = estimate.limited_by();
            let way = estimate.way.name();
            let on = gpu.phrase();
            say!("  {on}: {band}, limited by {limiter}; ESTIMATED from {way}, not measured");
        }
        Err(reason) if blocks >= gpu.multiprocessors => say!("  no estimated time, because {reason}"),
        Err(_) => {}
    }
}

fn print_elements(memory: &Memory, arguments: &[Placed<'_>], number: usize) -> Result<()> {
    let argument = number.checked_sub(1).and_then(|index| arguments.get(index)?.buffer);
    let (address, buffer) = argument.with_context(|| format!("--print {number}: argument {number} is not a buffer"))?;
    let mut bytes = vec![0; buffer.bytes() as usize];
    memory.read(address, &mut bytes)?;
    say!("argument {number}, {}: {}", buffer.shown, buffer.text_of(&bytes));
    Ok(())
}
