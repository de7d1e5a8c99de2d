//! Splitting communicators: the ranks with the same color form a new one.

use crate::arguments::{CommunicatorHandle, Out};
use crate::arithmetic::Datatype;
use crate::call::Operation;
use crate::communicator::{Communicator, connect, insert};
use crate::engine::{Request, agree};
use crate::network::{Joining, Member, Mesh};
use crate::result::Outcome;
use std::ffi::c_int;
use std::net::TcpListener;
use std::sync::Arc;

/// `NCCL_SPLIT_NOCOLOR`: the rank joins no new communicator.
const NO_COLOR: c_int = -1;

/// A rank that takes part in a split, and the output for its new handle.
pub(crate) struct Split {
    pub(crate) communicator: Arc<Communicator>,
    pub(crate) color: c_int,
    /// The sort key of the ranks with a color. Ranks with equal keys keep their order.
    pub(crate) key: c_int,
    pub(crate) handle: Out<CommunicatorHandle>,
}

/// Splits communicators, each of which may have several ranks in this thread.
pub(crate) fn split(splits: Vec<Split>) -> Outcome {
    let listen = |one: &Split| Joining::listen(one.communicator.rank);
    let listeners = splits.iter().map(listen).collect::<Outcome<Vec<_>>>()?;
    let members = splits.iter().zip(&listeners).map(|(one, listener)| Member::new(one.color, one.key, listener));
    let members = members.collect::<Outcome<Vec<_>>>()?;
    agree(splits.iter().zip(&members).map(|(one, member)| request(one, *member)).collect())?;
    let mut new = Vec::new();
    for ((one, own), listener) in splits.iter().zip(members).zip(listeners) {
        let ranks = one.ranks(own);
        if one.color == NO_COLOR {
            one.handle.set(0)?;
        } else {
            new.push((one, joining(&ranks, one.communicator.rank, listener)?));
        }
    }
    let (places, joining): (Vec<_>, Vec<_>) = new.into_iter().unzip();
    let ranks: Vec<_> = joining.iter().map(|(joining, _)| joining.rank).collect();
    for ((one, rank), streams) in places.into_iter().zip(ranks).zip(connect(joining)?) {
        let Communicator { context, device, together, .. } = *one.communicator;
        one.handle.set(insert(Communicator::new(rank, (context, device), streams, together)?))?;
    }
    Ok(())
}

fn request(one: &Split, member: Member) -> Request {
    Request {
        communicator: Arc::clone(&one.communicator),
        stream: 0,
        operation: Operation::Split,
        count: 0,
        datatype: Datatype::U8,
        send: 0,
        receive: 0,
        member: Some(member),
    }
}

impl Split {
    /// Returns the ranks with this rank's color, in their new order. The arguments of the others arrived with their calls.
    fn ranks(&self, own: Member) -> Vec<(usize, Member)> {
        let others =
            self.communicator.peers().filter_map(|(peer, link)| Some((peer, link.inbox().members.pop_front()?)));
        let mut ranks: Vec<_> = others.chain([(self.communicator.rank, own)]).collect();
        ranks.retain(|(_, member)| member.color == self.color);
        ranks.sort_by_key(|(rank, member)| (member.key, *rank));
        ranks
    }
}

/// Returns the rank that joins its new communicator, and the ports of the others.
fn joining(ranks: &[(usize, Member)], old: usize, listener: TcpListener) -> Outcome<(Joining, Mesh)> {
    let rank = ranks.iter().position(|(rank, _)| *rank == old).unwrap_or(0);
    let ports = ranks.iter().map(|(_, member)| member.port).collect();
    let mesh = Mesh { token: ranks.first().map_or(0, |(_, first)| first.nonce), ports };
    Ok((Joining::known(rank, ranks.len(), listener)?, mesh))
}
