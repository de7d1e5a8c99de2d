//! Ranks of several machines: other addresses of this one, and other networks where the system gives them to us.

use crate::support::raw::{Buffers, F32, Raw, SUCCESS, SUM, id, last_error};
use crate::support::values::Values;
use crate::support::{Rank, check_ran, command, is_rank, start_with};
use std::ffi::c_int;
use std::process::Command;

/// All-reduces one number.
fn sum(own: &Rank, comm: &Raw, value: f32) -> f32 {
    let one = Values::new(own, &[value]);
    let buffers = Buffers { send: one.1, receive: one.1, count: 1, datatype: F32 };
    assert_eq!(comm.numbered("ncclAllReduce", buffers, SUM), SUCCESS);
    one.read(own)[0]
}

/// Exchanges something in a communicator of all, and in one that is split off.
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
    for (value, works) in [("lo", true), ("=lo", true), ("^lo,nothing", true), ("nothing", false)] {
        let variables = |_| vec![("NCCL_SOCKET_IFNAME", value.to_owned()), ("COALESCED_TEST_WORKS", works.to_string())];
        let body = |own: &Rank| {
            // `^lo` leaves no interface where there is no network.
            let alone = std::fs::read_dir("/sys/class/net").unwrap().count() == 1;
            if std::env::var("COALESCED_TEST_WORKS").unwrap() == "true" && !(alone && value.starts_with('^')) {
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

/// Two networks with a cable between them, until the test ends.
struct Networks([String; 2]);

fn ip(arguments: &str) -> bool {
    Command::new("ip").args(arguments.split_whitespace()).output().is_ok_and(|output| output.status.success())
}

impl Networks {
    /// Makes them; `None` without the right or the program to.
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
        return println!("skipped: `ip netns add` is not possible here");
    };
    for root in ["10.99.0.1:29555", "0.0.0.0:29556"] {
        // The second is reached by each network's own loopback or cable: only the first rank's machine knows itself.
        let meeting = |rank: usize| if root.starts_with('0') && rank % 2 == 1 { "10.99.0.1:29556" } else { root };
        let child = |rank: usize| {
            let inner = command(name, rank, 4);
            let mut outer = Command::new("ip");
            outer.args(["netns", "exec", &networks.0[rank % 2]]).arg(inner.get_program()).args(inner.get_args());
            outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
            outer.env("NCCL_COMM_ID", meeting(rank)).stdout(std::process::Stdio::piped());
            outer.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(child).collect();
        for (rank, child) in children.into_iter().enumerate() {
            check_ran(&child.wait_with_output().unwrap(), rank);
        }
    }
}
