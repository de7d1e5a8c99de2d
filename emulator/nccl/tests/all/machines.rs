//! Ranks on several machines: several addresses of this one, and two network namespaces if the system permits.

use crate::support::raw::{Buffers, F32, Raw, SUCCESS, SUM, id, last_error};
use crate::support::values::Values;
use crate::support::{Rank, check_ran, command, is_rank, start_with};
use std::ffi::c_int;
use std::io::Write;
use std::process::Command;

/// All-reduces one number.
fn sum(own: &Rank, comm: &Raw, value: f32) -> f32 {
    let one = Values::new(own, &[value]);
    let buffers = Buffers { send: one.1, receive: one.1, count: 1, datatype: F32 };
    assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
    one.read(own)[0]
}

/// Runs a collective in a communicator of all ranks, and in one created by splitting it.
fn exchange(own: &Rank) {
    let comm = Raw::new(own);
    let world = own.world as f32;
    assert_eq!(sum(own, &comm, 1.0), world);
    let handle = comm.split(0, -(own.rank as c_int)).unwrap();
    assert_eq!(sum(own, &Raw { handle, stream: own.stream.clone() }, 1.0), world);
}

#[test]
fn ranks_at_two_addresses_of_this_machine() {
    let name = "machines::ranks_at_two_addresses_of_this_machine";
    let address = |rank: usize| vec![("COALESCED_NCCL_ADDRESS", format!("127.0.0.{}", 1 + rank % 2))];
    let body = |own: &Rank| {
        exchange(own);
        let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
        assert!(table.contains("0200007F"), "no connection at 127.0.0.2: {table}");
    };
    for (rank, child) in start_with(name, 3, address, body).into_iter().enumerate() {
        check_ran(&child.wait_with_output().unwrap(), rank);
    }
}

#[test]
fn an_interface_by_its_name() {
    let name = "machines::an_interface_by_its_name";
    let cases = [
        ("lo", true),
        ("nothing,l", true),
        ("=lo", true),
        ("=l", false),
        ("=nothing,lo", true),
        ("^lo,nothing", true),
        ("nothing", false),
    ];
    for (value, works) in cases {
        let variables = |_| vec![("NCCL_SOCKET_IFNAME", value.to_owned()), ("COALESCED_TEST_WORKS", works.to_string())];
        let body = |own: &Rank| {
            // `^lo` selects nothing on a machine without a network.
            let only_lo = std::fs::read_dir("/sys/class/net").unwrap().count() == 1;
            if std::env::var("COALESCED_TEST_WORKS").unwrap() == "true" && !(only_lo && value.starts_with('^')) {
                return exchange(own);
            }
            assert!(Raw::of(own, id()).is_err());
            assert!(last_error().contains("no interface"), "{}", last_error());
        };
        for (rank, child) in start_with(name, 2, variables, body).into_iter().enumerate() {
            check_ran(&child.wait_with_output().unwrap(), rank);
        }
    }
}

/// Two network namespaces with a connection between them, deleted at the end of the test.
struct Networks([String; 2]);

fn ip(arguments: &str) -> bool {
    Command::new("ip").args(arguments.split_whitespace()).output().is_ok_and(|output| output.status.success())
}

impl Networks {
    /// Creates the namespaces. Returns `None` without the permission or the program `ip`.
    fn new() -> Option<Self> {
        let names = ["a", "b"].map(|name| format!("coalesced-{}-{name}", std::process::id()));
        let networks = Self(names);
        let [first, second] = &networks.0;
        let made = ip(&format!("netns add {first}"))
            && ip(&format!("netns add {second}"))
            && ip(&format!("link add veth0 netns {first} type veth peer name veth0 netns {second}"));
        let up = |name: &str, address: &str| {
            ip(&format!("-n {name} addr add {address}/24 dev veth0"))
                && ip(&format!("-n {name} link set veth0 up"))
                && ip(&format!("-n {name} link set lo up"))
        };
        (made && up(first, "10.99.0.1") && up(second, "10.99.0.2")).then_some(networks)
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for name in &self.0 {
            let _deleted = ip(&format!("netns del {name}"));
        }
    }
}

#[test]
fn ranks_in_two_networks() {
    let name = "machines::ranks_in_two_networks";
    if is_rank() {
        return drop(start_with(name, 4, |_| Vec::new(), exchange));
    }
    let Some(networks) = Networks::new() else {
        // To standard error directly, which libtest does not capture.
        let needs = "it creates network namespaces: install iproute2 (the program `ip`) and run it as root";
        return writeln!(std::io::stderr(), "skipped: {name}: {needs}").unwrap();
    };
    for root in ["10.99.0.1:29555", "0.0.0.0:29556"] {
        // With the second address, ranks of the root's own namespace connect to it locally, the others through the network.
        let address = |rank: usize| if root.starts_with('0') && rank % 2 == 1 { "10.99.0.1:29556" } else { root };
        let child = |rank: usize| {
            let inner = command(name, rank, 4);
            let mut outer = Command::new("ip");
            outer.args(["netns", "exec", &networks.0[rank % 2]]).arg(inner.get_program()).args(inner.get_args());
            outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
            outer.env("NCCL_COMM_ID", address(rank)).stdout(std::process::Stdio::piped());
            outer.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(child).collect();
        for (rank, child) in children.into_iter().enumerate() {
            check_ran(&child.wait_with_output().unwrap(), rank);
        }
    }
}
