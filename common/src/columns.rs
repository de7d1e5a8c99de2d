//! The columns of a stage's tables: names, meanings, and the value of `--columns`.

/// A column of a table of kernels; [`Column::meaning`] describes each.
#[expect(missing_docs, reason = "the meanings are the texts of --help")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    Kernel,
    Shape,
    Stage,
    Time,
    Range,
    Gain,
    Rate,
    OfPeak,
    LimitedBy,
    Issue,
    Fp32,
    Special,
    Tensor,
    Memory,
    BlockStarts,
    Registers,
    SharedMemory,
    Occupancy,
    VersusCpu,
    Instructions,
    SectorsPerLoad,
    SectorsPerStore,
    ConflictsPerLoad,
    ConflictsPerStore,
    ConflictsPerAtomic,
    Traffic,
    Barriers,
    Shuffles,
    Divergent,
    Lanes,
    Rust,
    Best,
    Error,
    Result,
}

/// The value of `--columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// All columns.
    All,
    /// These columns.
    These(Vec<Column>),
}

impl Column {
    /// The columns in the order of the tables, each with its heading and its meaning.
    const WORDS: [(Self, &'static str, &'static str); 34] = [
        (Self::Kernel, "kernel", "the kernel's name"),
        (Self::Shape, "grid x block", "blocks x threads per block"),
        (Self::Stage, "stage", "the stage that introduces the kernel"),
        (Self::Time, "time", "median time of a run on the GPU, all steps; ~ a range that is estimated"),
        (Self::Range, "range", "(slowest run - fastest run) / median"),
        (Self::Gain, "gain", "time of the row above (↑2: two rows up) / this time; same: within 1.5 %"),
        (Self::Rate, "rate", "useful work per second, in the unit of the heading"),
        (Self::OfPeak, "of peak", "rate / the GPU's peak, from its nominal clocks"),
        (Self::LimitedBy, "limited by", "the busiest unit, in % of its measured peak; launch overhead left out"),
        (Self::Issue, "issue slots", "time that the schedulers need for the instructions / this time"),
        (Self::Fp32, "FP32", "the same for single-precision arithmetic"),
        (Self::Special, "special functions", "the same for the special-function units"),
        (Self::Tensor, "tensor cores", "the same for the tensor cores"),
        (Self::Memory, "memory", "time that memory needs for inputs and outputs / this time"),
        (Self::BlockStarts, "block starts", "time that the GPU needs to start as many empty blocks / this time"),
        (Self::Registers, "registers", "registers per thread"),
        (Self::SharedMemory, "shared memory", "bytes of shared memory per block"),
        (Self::Occupancy, "occupancy", "warps that a multiprocessor can hold of this kernel / of any kernel"),
        (Self::VersusCpu, "vs CPU", "time of the tutorial's loop on one CPU core / this time"),
        (Self::Instructions, "instructions", "instructions of all warps: of the machine code if profiled, else of PTX"),
        (Self::SectorsPerLoad, "sectors/load", "32-byte sectors: 1 one word, 4 neighbors, 16 float4, 32 scattered"),
        (Self::SectorsPerStore, "sectors/store", "32-byte sectors: 4 neighbors, 16 float4, 32 scattered"),
        (Self::ConflictsPerLoad, "conflicts/load", "bank conflicts: extra turns per load of shared memory; 0 is best"),
        (Self::ConflictsPerStore, "conflicts/store", "the same per store to shared memory"),
        (
            Self::ConflictsPerAtomic,
            "conflicts/atomic",
            "bank conflicts: extra turns per atomic on shared memory; 0 is best",
        ),
        (Self::Traffic, "traffic", "bytes of all sectors, before any cache / bytes of inputs and outputs"),
        (Self::Barriers, "barriers", "waits of a warp for the others of its block, of all warps"),
        (Self::Shuffles, "shuffles", "exchanges of registers within a warp, of all warps"),
        (Self::Divergent, "divergent", "divergent branches / all branches"),
        (Self::Lanes, "lanes", "active lanes of an average instruction / 32"),
        (Self::Rust, "Rust/CUDA", "the kernel in Rust / in CUDA C++: time, or instructions on the emulator"),
        (Self::Best, "best", "the best launch shape of --sweep"),
        (Self::Error, "error", "largest error of a value / sum of the magnitudes of its terms"),
        (Self::Result, "result", "correct: every compared value is within its bound of the CPU's"),
    ];

    /// Returns all columns, in the order of the tables.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.into_iter().map(|(column, ..)| column)
    }

    /// Returns the heading.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize].1
    }

    /// Returns the meaning, in one line.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        Self::WORDS[self as usize].2
    }

    /// Returns the name as `--columns` accepts it: `grid-x-block`.
    #[must_use]
    pub fn option(self) -> String {
        self.name().to_lowercase().replace(' ', "-")
    }
}

impl Chosen {
    /// Returns whether a column is among them.
    #[must_use]
    pub fn has(&self, column: Column) -> bool {
        match self {
            Self::All => true,
            Self::These(columns) => columns.contains(&column),
        }
    }

    /// Parses `all`, or names separated by commas.
    ///
    /// # Errors
    /// A message that lists the names.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let column = |name: &str| {
            let wanted = name.trim().to_lowercase().replace(' ', "-");
            Column::all().find(|column| column.option() == wanted).ok_or_else(|| {
                let names: Vec<String> = Column::all().map(Column::option).collect();
                format!("there is no column `{}`; choose from all, {}", name.trim(), names.join(", "))
            })
        };
        text.split(',').map(column).collect::<Result<_, _>>().map(Self::These)
    }
}

/// Returns a line for each column with its meaning, for `--help`.
#[must_use]
pub fn help() -> String {
    let line = |column: Column| format!("  {:<18} {}", column.option(), column.meaning());
    let lines: Vec<String> = Column::all().map(line).collect();
    format!("Columns of --columns:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_in_any_case_and_with_spaces() {
        let chosen = Chosen::parse("time, Of Peak,vs-cpu").expect("columns");
        assert_eq!(chosen, Chosen::These(vec![Column::Time, Column::OfPeak, Column::VersusCpu]));
        assert_eq!(Chosen::parse("ALL"), Ok(Chosen::All));
    }

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let error = Chosen::parse("time,speed").unwrap_err();
        assert!(error.starts_with("there is no column `speed`; choose from all, kernel, grid-x-block"), "{error}");
        assert!(Column::all().all(|column| error.contains(&column.option())), "{error}");
    }

    #[test]
    fn every_column_is_listed_once_with_its_meaning_within_a_hundred_columns() {
        let help = help();
        for (place, column) in Column::all().enumerate() {
            assert_eq!(place, column as usize);
            assert_eq!(Column::all().filter(|other| other.name() == column.name()).count(), 1);
            assert!(help.contains(column.meaning()));
        }
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}
