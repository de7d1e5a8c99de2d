//! Calls on a stream that is captured: a node of the graph does them at each of its launches.

use super::batch::transfer;
use super::plan::Plan;
use super::request::Request;
use crate::call::Operation;
use crate::driver::{Driver, Range, driver};
use crate::report;
use crate::result::{NcclResult, Outcome};
use std::sync::Arc;

/// Does what is asked for, or captures it, and tells the driver of it. A failure ends all communicators among them.
pub(crate) fn run(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    let done = driver().and_then(|driver| checked(requests, driver));
    done.map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

fn checked(requests: Vec<Request>, driver: &Driver) -> Outcome {
    requests.iter().try_for_each(|request| driver.within(request.communicator.context, || request.check(driver)))?;
    apart(&requests)?;
    let done: Vec<_> = requests.iter().map(|request| (request.communicator.context, Plan::done(request))).collect();
    let capturing =
        |request: &Request| driver.within(request.communicator.context, || driver.is_capturing(request.stream));
    let captured = requests.iter().map(capturing).collect::<Outcome<Vec<_>>>()?;
    if captured.contains(&true) { capture(requests, driver) } else { transfer(requests) }?;
    done.iter().try_for_each(|(context, done)| driver.within(*context, || driver.tell(done)))
}

/// Fails if a receive of a group writes what another call of the group reads or writes: they go on at the same time.
fn apart(requests: &[Request]) -> Outcome {
    for (index, one) in requests.iter().enumerate() {
        if !matches!(one.operation, Operation::Receive { .. }) {
            continue;
        }
        let written = one.writes();
        let meets = |range: Range| written.iter().any(|written| written.meets(range));
        let touches = |other: &&Request| other.reads().into_iter().chain(other.writes()).any(meets);
        let others = requests[..index].iter().chain(&requests[index + 1..]);
        if let Some(other) = others.into_iter().find(touches) {
            let text =
                format!("it writes what {} of the same group uses, and both go on at the same time", other.name());
            return Err(one.refuse(text));
        }
    }
    Ok(())
}

/// Puts calls into the graph of their stream.
fn capture(requests: Vec<Request>, driver: &Driver) -> Outcome {
    let (stream, context) = (requests[0].stream, requests[0].communicator.context);
    if requests.iter().any(|request| request.stream != stream) {
        let text = "a group is captured whose calls are on several streams: capture those of one stream in one group";
        return Err(NcclResult::INVALID_USAGE.because(text));
    }
    let transfer = move || {
        // There is no caller to tell: the communicators have failed, which the next call on them says.
        if let Err(error) = transfer(requests.clone()) {
            report::warn("a graph's NCCL call", &error);
        }
    };
    driver.within(context, || driver.call_on(stream, transfer))
}
