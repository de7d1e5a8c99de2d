//! The options of a stage's problems, `--steps` among them.

use crate::problem::{Facts, FileOption, Parameter, Parameters};
use crate::stage::Stage;
use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use predict::Gpu;
use serde_json::Number;
use std::path::PathBuf;

const STEPS: &str = "steps";

/// The values of the problems' own options, as far as they were given.
pub struct Values {
    /// The value of `--steps`.
    pub steps: Option<u32>,
    /// Options with numbers.
    pub parameters: Parameters,
    /// Options with files.
    pub files: Vec<(&'static FileOption, PathBuf)>,
}

/// Returns the arguments of the problems' own options.
pub fn arguments(problems: &[&'static Facts]) -> Vec<Arg> {
    let steps = problems.iter().any(|problem| problem.steps.is_some()).then(steps);
    let numbers = parameters(problems).into_iter().map(number);
    let files = problems.iter().flat_map(|problem| problem.files).map(file);
    steps.into_iter().chain(numbers).chain(files).map(|own| own.help_heading("These kernels' own options")).collect()
}

/// Returns the options with numbers, each once: problems that differ in precision share theirs.
fn parameters(problems: &[&'static Facts]) -> Vec<&'static Parameter> {
    let mut all: Vec<&Parameter> = Vec::new();
    for parameter in problems.iter().flat_map(|problem| problem.parameters) {
        if all.iter().all(|other| other.name != parameter.name) {
            all.push(parameter);
        }
    }
    all
}

/// Returns the values of the problems' own options.
pub fn values(matches: &ArgMatches, problems: &[&'static Facts]) -> Values {
    let mut values = Values { steps: given(matches, STEPS), parameters: Parameters::default(), files: Vec::new() };
    for parameter in parameters(problems) {
        if let Some(value) = given::<Number>(matches, parameter.name) {
            values.parameters = values.parameters.with(parameter.name, value);
        }
    }
    for file in problems.iter().flat_map(|problem| problem.files) {
        values.files.extend(given(matches, file.name).map(|path| (file, path)));
    }
    values
}

/// Returns whether an option was given on the command line.
pub fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

/// Parses the value of `--seed`.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a whole number in 0..={}", u64::MAX))
}

/// Explains that an unknown option may be one of another stage.
pub fn explain_unknown(stage: &str, command: &Command, error: clap::Error) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(unknown)) = (error.kind(), error.get(ContextKind::InvalidArg)) else {
        return error;
    };
    let similar = error.get(ContextKind::SuggestedArg).map_or(String::new(), |option| format!(", {option} is similar"));
    let text =
        format!("{unknown}: no kernel of {stage} takes this option; see --help for the available options{similar}");
    command.clone().error(ErrorKind::UnknownArgument, text)
}

fn steps() -> Arg {
    let range = clap::value_parser!(u32).range(1..=100_000);
    let steps = Arg::new(STEPS).long(STEPS).value_name("COUNT").help("Number of time steps");
    steps.allow_negative_numbers(true).value_parser(range)
}

fn number(parameter: &'static Parameter) -> Arg {
    let help = format!("{} [default: {}]", parameter.help, parameter.default);
    let value = StringValueParser::new().try_map(|text| parameter.parse(&text));
    let option = Arg::new(parameter.name).long(parameter.name).value_name(parameter.value_name);
    option.help(help).allow_negative_numbers(true).value_parser(value)
}

fn file(file: &'static FileOption) -> Arg {
    let option = Arg::new(file.name).long(file.name).value_name(file.value_name).help(file.help);
    let option = option.value_parser(ValueParser::path_buf()).conflicts_with("check");
    file.requires.into_iter().fold(option, Arg::requires)
}

fn given<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

/// Returns the parser of a GPU with a model.
pub fn gpus() -> impl TypedValueParser<Value = &'static Gpu> {
    PossibleValuesParser::new(predict::GPUS.map(|gpu| gpu.id)).map(|id| Gpu::from_id(&id).unwrap_or(&predict::H200))
}

/// Returns the problems of a stage's kernels, each once.
pub(super) fn problems(stage: &Stage) -> Vec<&'static Facts> {
    let mut problems: Vec<&'static Facts> = Vec::new();
    for facts in stage.rungs.iter().map(|rung| rung.work.facts()) {
        if !problems.contains(&facts) {
            problems.push(facts);
        }
    }
    problems
}

/// Returns the meaning of the rate of each problem, for `--help`.
pub(super) fn rates(problems: &[&'static Facts]) -> String {
    let rate = |facts: &&Facts| format!("  {}  {}", facts.letter, facts.rate.legend.replace('\n', "\n     "));
    format!("Rates:\n{}", problems.iter().map(rate).collect::<Vec<_>>().join("\n"))
}
