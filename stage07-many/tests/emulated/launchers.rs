//! Ranks that are started by a launcher.

use super::program;
use std::process::Stdio;

/// Returns the output of ranks, each started with these variables, in which `{}` is replaced by its number.
fn launched(ranks: usize, variables: &[(&str, &str)], options: &[&str]) -> Vec<String> {
    let start = |rank: usize| {
        let mut command = program(options);
        command.envs(variables.iter().map(|(name, value)| (*name, value.replace("{}", &rank.to_string()))));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let children: Vec<_> = (0..ranks).map(start).collect();
    let finish = |child: std::process::Child| {
        let output = child.wait_with_output().expect("a rank ends");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}");
        String::from_utf8(output.stdout).expect("text")
    };
    children.into_iter().map(finish).collect()
}

/// Returns a port that is currently free.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn ranks_of_torchrun_meet_and_the_first_alone_prints() {
    // the port after it must be free
    let port = (free_port() - 1).to_string();
    let variables = [
        ("TORCHELASTIC_RUN_ID", "test"),
        ("RANK", "{}"),
        ("LOCAL_RANK", "{}"),
        ("WORLD_SIZE", "3"),
        ("LOCAL_WORLD_SIZE", "3"),
        ("MASTER_ADDR", "127.0.0.1"),
        ("MASTER_PORT", &port),
    ];
    let printed = launched(3, &variables, &["--n", "100", "--kernel", "ring"]);
    assert!(printed[0].contains("3 ranks") && printed[0].contains("ring"), "{}", printed[0]);
    assert_eq!(printed[1..], ["", ""]);
}

#[test]
fn ranks_of_open_mpi_meet_where_they_are_told() {
    let meeting = format!("127.0.0.1:{}", free_port());
    let variables = [
        ("OMPI_COMM_WORLD_RANK", "{}"),
        ("OMPI_COMM_WORLD_LOCAL_RANK", "{}"),
        ("OMPI_COMM_WORLD_SIZE", "2"),
        // as if on two machines
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "1"),
        ("NCCL_COMM_ID", &meeting),
    ];
    let printed = launched(2, &variables, &["--n", "100", "--kernel", "two_level", "--json"]);
    let record: serde_json::Value = serde_json::from_str(&printed[0]).expect("a record");
    // one rank per machine: everything received comes from the other machine
    assert_eq!((&record["verified"], &record["counts"]["bytes_from_machines"]), (&true.into(), &(50.0 * 16.0).into()));
}
