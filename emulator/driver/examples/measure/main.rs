//! Records a GPU's hardware counters: launches kernels with one instruction each under Nsight Compute, and converts its tables
//! to the readings that the emulator is compared with (`emulator/machine/tests/all/hardware.rs`). `docs/maintaining.md` contains
//! the commands. Built with `--features measure`.
//!
//!     measure groups                      lists the groups of kernels: shared, global, ...
//!     measure metrics GROUP               prints the metrics for Nsight Compute
//!     measure launch GROUP [KERNEL ...]   launches the cases of a group, or of some of its kernels, on the first GPU
//!     measure products ABOUT              multiplies random matrices on the first GPU and prints the sums
//!     measure join TABLES FOLDER ABOUT    converts TABLES/GROUP*.csv to FOLDER/GROUP.json; ABOUT is device, versions, date

mod cases;
#[path = "../../../machine/tests/all/support/fragments.rs"]
mod fragments;
mod join;
mod launch;
#[path = "../../../machine/tests/all/support/measured.rs"]
mod measured;
mod metrics;
mod products;
mod reasons;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["groups"] => {
            println!("{}", cases::names().join(" "));
            Ok(())
        }
        ["metrics", group] => join::metrics(group).map(|metrics| println!("{metrics}")),
        ["launch", group, kernels @ ..] => launch::all(group, kernels),
        ["products", about] => products::record(about),
        ["join", tables, folder, about] => join::all(tables.as_ref(), folder.as_ref(), about),
        _ => Err("usage: measure groups | metrics GROUP | launch GROUP [KERNEL ...] | products ABOUT | join TABLES FOLDER ABOUT".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}
