//! `cargo learn check` with a kernel's file: a run of any kernel on the emulator, under all checks.

mod causes;
mod compare;
mod costs;
pub mod directives;
mod estimated;
mod extent;
mod limits;
pub mod names;
mod output;
mod place;
mod placed;
mod report;
mod runs;
mod sarif;
mod short;
mod source;
mod table;
mod types;
mod variables;

pub use runs::{Format, run};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use costs::Costs;
use cuda_cpp::Choice;
use cuda_cpp::source::{Parameter, signature, with_headers};
use emulator::Scene;
use emulator::{
    Counted, Diagnosis, Dim3, Kernel, Launch, Memory, MemorySpace, Module, Options, Printed, check_counted,
};
use estimated::{print_costs, print_estimate, print_no_estimate};
use judge::kernel_file::{Detail, Language, Request, Setting, Sources, parameter_block, text};
use names::{has_arguments, in_source, is_mangled, place_of_fault};
use place::Places;
use placed::{Placed, results, upload};
use predict::Gpu;
use report::{Report, Status};
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

/// The warp instructions after which a sample of the other blocks is checked: those of one or two seconds.
const CHECKED_INSTRUCTIONS: u64 = 3_000_000;

/// The largest size of all buffers of a launch that is estimated. Their copies would take longer than the rest of the check.
const MAX_SCENE_BYTES: u64 = 1 << 30;

/// The reason why a larger one is not.
const TOO_LARGE: &str = "its buffers have more than 1 GiB";

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

A file with comments such as `// coalesced: --kernel twice --grid 4 --block 256`
is checked by each of these command lines: cargo learn check FILE…

Exit status: 0 for clean kernels, 1 for findings or a fault, 2 if one could not
be run. Variables of the module, including __constant__ ones, have the initial
values of the source, or those of --set.";

/// The options of a check of any kernel.
#[derive(Args, Clone, Debug)]
pub struct Check {
    #[command(flatten)]
    request: Request,
    /// Set a __constant__ or __device__ variable before the launch, as --arg writes values: mask=f32[3]=1,2,1, size=i32=5, or data=@2
    /// for the address of argument 2
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    settings: Vec<Setting>,
    /// Print the elements of an argument or a variable after the launch: 1 for the first argument, 2.3 for member 3 of a structure,
    /// NAME or NAME=TYPE for a variable
    #[arg(long, value_name = "ARGUMENT")]
    print: Vec<variables::Printed>,
    /// Print the counts of all lines, those first that cost most
    #[arg(long)]
    counts: bool,
    /// Run another version of the kernel with the same arguments, and compare outputs, counts and estimates
    #[arg(long, value_name = "FILE[:KERNEL]")]
    compare: Option<String>,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Print one document in JSON, as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Stop a kernel that does not end after this many warp instructions
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000_000)]
    budget: u64,
    /// Check all blocks of a long launch for races and uninitialized memory. Otherwise, a launch whose blocks do not depend on each
    /// other is checked for a second or two, and then in a sample of its blocks; --counts and --compare check all
    #[arg(long)]
    all_blocks: bool,
    /// Print no estimated time, and no lines that cost much; launches that the model does not cover have no time anyway
    #[arg(long)]
    no_estimate: bool,
    /// Estimate the time on this GPU; cycles instead if it was never measured for this course
    #[arg(long, value_name = "GPU", value_parser = gpus(), default_value = "h200", conflicts_with = "no_estimate")]
    on: &'static Gpu,
    /// Define a macro for the compiler, as nvcc's -D does; 1 if it has no value
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = definition)]
    define: Vec<String>,
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

/// Accepts the definition of a macro.
fn definition(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let is_name = name.chars().all(|part| part.is_alphanumeric() || part == '_');
    let is_macro = is_name && name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if is_macro { Ok(text.to_owned()) } else { Err("a macro is defined as NAME or NAME=VALUE".into()) }
}

/// Returns the parser of a GPU with a model.
fn gpus() -> impl TypedValueParser<Value = &'static Gpu> {
    PossibleValuesParser::new(predict::GPUS.map(|gpu| gpu.id)).map(|id| Gpu::from_id(&id).unwrap_or(&predict::H200))
}

impl Check {
    /// Returns what is printed.
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Returns whether text for people is printed.
    fn is_text(&self) -> bool {
        self.format() == Format::Text
    }
}

/// Runs a kernel, notes what is found in the report, and prints it as text if that is asked for.
///
/// # Errors
/// Returns an error if the file cannot be read, compiled or loaded, if it has no such kernel, if the arguments do not match
/// the kernel's parameters, or if the launch is invalid.
fn examine(check: &Check, report: &mut Report) -> Result<()> {
    let request = &check.request;
    if let Some(folder) = check.include.iter().find(|folder| !folder.is_dir()) {
        bail!("--include {}: there is no such folder", folder.display());
    }
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let module = Module::load(&ptx_text(check, report)?, &memory)
        .with_context(|| format!("cannot load {}", request.file.display()))?;
    if let Some(refusal) = refusal(&module, &request.kernel) {
        bail!("cannot load {}: {refusal}", request.file.display());
    }
    let kernel = kernel(&module, &request.kernel).map_err(|error| source::absence(request).unwrap_or(error))?;
    let parameters = parameters(request);
    for difference in parameters.iter().flat_map(|parameters| types::differences(parameters, &request.arguments)) {
        warn(check, report, format!("warning: {difference}"));
    }
    limits::require_room(kernel, request)?;
    if let Some(note) = limits::note_on_shared_memory(kernel, request) {
        warn(check, report, note);
    }
    memory.track_writes(true);
    let buffers = upload(&memory, &request.arguments, parameters.as_deref())?;
    variables::set(&memory, kernel, &check.settings, &buffers)?;
    let source = cuda_text(request);
    for note in variables::unset(kernel, &check.settings, source.as_deref()) {
        warn(check, report, format!("note: {note}"));
    }
    let launched = launch(kernel, &memory, check, &buffers)?;
    let outcome = launched.outcome;
    show_printed(&memory.take_printed(), check.is_text(), report);
    let dynamic_bytes = u64::from(request.shared);
    let places = Places { placed: &buffers, parameters: parameters.as_deref(), kernel, dynamic_bytes };
    print(check, &outcome, &places, report);
    if !launched.has_fault {
        note_sample(check, launched.counted.blocks, report);
    }
    report.status = if outcome.is_empty() { Status::Clean } else { Status::Findings };
    let is_estimated = if check.is_text() { outcome.is_empty() } else { !launched.has_fault };
    match launched.scene.filter(|_| is_estimated) {
        Some(scene) => print_estimate(&scene, check, report),
        None if is_estimated && !check.no_estimate => print_no_estimate(TOO_LARGE, check, report),
        None => {}
    }
    let costs =
        Costs::new(launched.counted, kernel.ptx(), &mut Sources::new(&request.file), check.on, launched.has_fault);
    print_costs(check, costs, report);
    for printed in &check.print {
        let output = variables::output(&memory, kernel, printed, &buffers, &check.settings, source.as_deref())?;
        if check.is_text() {
            say!("{output}");
        }
        report.outputs.push(output);
    }
    if check.compare.is_some() {
        report.results = results(&memory, &buffers)?;
    }
    Ok(())
}

/// Notes a warning, and prints it if text is printed.
fn warn(check: &Check, report: &mut Report, text: String) {
    if check.is_text() {
        eprintln!("{text}");
    }
    report.warnings.push(text);
}

/// Returns the text of the PTX file, or compiles the kernel's source to PTX.
fn ptx_text(check: &Check, report: &mut Report) -> Result<String> {
    let file = &check.request.file;
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    // Comments may be in another encoding.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match file.extension().and_then(OsStr::to_str) {
        Some("ptx") => Ok(text),
        _ => {
            let compiled = source::compile(check, &text)?;
            if check.is_text() {
                say!("{}", compiled.report);
            }
            compiled.warnings.into_iter().for_each(|warning| warn(check, report, warning));
            (report.compiler, report.left_out) = (Some(compiled.compiler), compiled.left_out);
            Ok(compiled.ptx)
        }
    }
}

/// Returns the kernel's parameters as a file in CUDA C++ declares them.
fn parameters(request: &Request) -> Option<Vec<Parameter>> {
    signature(&cuda_text(request)?, &request.kernel)
}

/// Returns the text of a file in CUDA C++ with its own headers.
fn cuda_text(request: &Request) -> Option<String> {
    let is_cuda = source::language(&request.file) == Some(Language::Cuda);
    let bytes = std::fs::read(&request.file).ok().filter(|_| is_cuda)?;
    Some(with_headers(&request.file, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the reason why the kernel is refused, with its name as it is written; none if it is supported.
fn refusal(module: &Module, name: &str) -> Option<String> {
    let asked_for = |refused: &str| refused == name || is_mangled(refused, name);
    let (symbol, error) = module.refusals().find(|(refused, _)| asked_for(refused))?;
    Some(error.to_string().replace(&format!("`{symbol}`"), &format!("`{name}`")))
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

/// The findings, each with the memory and the address that it concerns, if there is one.
type Outcome = Vec<(Diagnosis, Option<(MemorySpace, u64)>)>;

/// A launch under all checks.
struct Launched {
    outcome: Outcome,
    has_fault: bool,
    counted: Counted,
    /// Everything that it needs to run again, for an estimate.
    scene: Option<Scene>,
}

/// Runs the launch under all checks.
fn launch(kernel: &Kernel, memory: &Memory, check: &Check, arguments: &[Placed<'_>]) -> Result<Launched> {
    let request = &check.request;
    let places: Vec<_> = kernel.parameters().iter().map(|place| (place.offset, place.bytes)).collect();
    let values: Vec<_> = arguments.iter().map(|argument| argument.bytes.clone()).collect();
    let parameters = parameter_block(&request.kernel, &places, &values).map_err(|error| anyhow!(error))?;
    let [grid, block] = [request.grid, request.block].map(|[x, y, z]| Dim3 { x, y, z });
    let launch = Launch {
        grid,
        block,
        dynamic_shared_bytes: request.shared,
        parameters: &parameters,
        cooperative: request.cooperative,
        cluster: None,
    };
    let is_whole = check.all_blocks || check.counts || check.compare.is_some();
    let check_limit = (!is_whole).then_some(CHECKED_INSTRUCTIONS);
    let options = Options { instruction_budget: Some(check.budget), check_limit, ..Options::default() };
    let bytes: u64 = arguments.iter().flat_map(|argument| &argument.buffers).map(|(.., buffer)| buffer.bytes()).sum();
    let is_estimated = !check.no_estimate && bytes <= MAX_SCENE_BYTES;
    let scene = is_estimated.then(|| Scene::before(kernel, memory, &launch)).transpose()?.map(Scene::relocated);
    // Names are shown as they are written on the command line.
    let written = |text: &str| text.replace(&format!("`{}`", kernel.name()), &format!("`{}`", request.kernel));
    let verdict = with_progress(check, || check_counted(kernel, memory, &launch, &options));
    let (verdict, counted) = verdict.map_err(|error| anyhow!(written(&error.to_string())))?;
    let findings = verdict.findings.iter().map(|finding| (finding.into(), place::place_of_finding(finding)));
    let fault = verdict.fault.iter().map(|fault| Diagnosis::from(fault.as_ref()));
    let fault = fault.map(|fault| {
        let is_shared = fault.sides.iter().any(|side| side.place.instruction.contains(".shared"));
        let address = place_of_fault(&fault.title, is_shared);
        (fault, address)
    });
    let outcome = findings
        .chain(fault)
        .map(|(diagnosis, address)| (Diagnosis { title: written(&diagnosis.title), ..diagnosis }, address))
        .collect();
    Ok(Launched { outcome, has_fault: verdict.fault.is_some(), counted, scene })
}

/// Says that only a part of the blocks was checked, if so.
fn note_sample(check: &Check, checked: u64, report: &mut Report) {
    let all: u64 = check.request.grid.iter().map(|&extent| u64::from(extent)).product();
    if checked < all {
        let text = format!(
            "races and uninitialized memory were looked for in {checked} of {all} blocks; --all-blocks checks all"
        );
        report.checked_blocks = Some(checked);
        if check.is_text() {
            say!("  {text}");
        }
    }
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

/// Notes the text that the kernel printed, and writes it out if text is asked for.
fn show_printed(printed: &Printed, is_text: bool, report: &mut Report) {
    report.printed.clone_from(&printed.text);
    report.warnings.extend(printed.loss());
    if !is_text {
        return;
    }
    if let Some(loss) = printed.loss() {
        eprintln!("{loss}");
    }
    let text = printed.text.as_bytes();
    let ends = printed.text.is_empty() || printed.text.ends_with('\n');
    let mut out = std::io::stdout();
    // As for a line, a closed pipe is not an error.
    let _ = out.write_all(text).and_then(|()| if ends { out.flush() } else { writeln!(out) });
}

/// Returns whether a kernel was stopped by a header of cooperative groups, which do not wait in other launches.
fn is_of_cooperative_groups(diagnosis: &Diagnosis) -> bool {
    let is_in_header = |file: &str| file.contains("cooperative_groups");
    diagnosis.title.starts_with("trap ")
        && diagnosis.sides.iter().any(|side| {
            let lines = [&side.place.location, &side.place.inlined];
            lines.into_iter().flatten().any(|(file, _)| is_in_header(file))
        })
}

fn print(check: &Check, outcome: &Outcome, places: &Places<'_>, report: &mut Report) {
    let Request { grid, block, file, .. } = &check.request;
    let mut sources = Sources::new(file);
    for (diagnosis, address) in outcome {
        let element = address.and_then(|address| places.describe(address, diagnosis));
        report.add_finding(diagnosis, element.clone());
        if !check.is_text() {
            continue;
        }
        say!("{}", text(diagnosis, &mut sources, Detail::Ptx));
        if is_of_cooperative_groups(diagnosis) && !check.request.cooperative {
            say!("  --cooperative launches the blocks so that they may wait for each other");
        }
        if let Some(element) = element {
            say!("  {element}");
        }
    }
    if outcome.is_empty() && check.is_text() {
        let volume = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
        let blocks = volume(*grid);
        say!(
            "{}: clean (memcheck, initcheck, racecheck, synccheck), {blocks} block{} of {}",
            check.request.kernel,
            if blocks == 1 { "" } else { "s" },
            volume(*block)
        );
    }
}
