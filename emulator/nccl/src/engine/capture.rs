//! Calls on a captured stream, which run at each launch of the graph.

use super::batch::transfer;
use super::request::Request;
use crate::call::Operation;
use crate::driver::{Driver, Range, driver};
use crate::report;
use crate::result::{NcclResult, Outcome};
use std::sync::Arc;

/// Runs or captures calls, and records them in the driver. If one fails, all their communicators fail.
pub(crate) fn run(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    let done = driver().and_then(|driver| check_and_run(requests, driver));
    done.map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

fn check_and_run(requests: Vec<Request>, driver: &Driver) -> Outcome {
    requests.iter().try_for_each(|request| driver.within(request.communicator.context, || request.check(driver)))?;
    require_disjoint(&requests)?;
    let done: Vec<_> = requests.iter().map(|request| (request.communicator.context, request.done())).collect();
    let capturing =
        |request: &Request| driver.within(request.communicator.context, || driver.is_capturing(request.stream));
    let captured = requests.iter().map(capturing).collect::<Outcome<Vec<_>>>()?;
    if captured.contains(&true) { capture(requests, driver) } else { transfer(requests) }?;
    done.iter().try_for_each(|(context, done)| driver.within(*context, || driver.record(done)))
}

/// Fails if a receive of a group writes memory that another call of the group accesses, because they run concurrently.
fn require_disjoint(requests: &[Request]) -> Outcome {
    for (index, one) in requests.iter().enumerate() {
        if !matches!(one.operation, Operation::Receive { .. }) {
            continue;
        }
        let written = one.writes();
        let meets = |range: Range| written.iter().any(|written| written.meets(range));
        let touches = |other: &&Request| other.reads().into_iter().chain(other.writes()).any(meets);
        let others = requests[..index].iter().chain(&requests[index + 1..]);
        if let Some(other) = others.into_iter().find(touches) {
            let text = format!("it writes memory that {} of the same group accesses concurrently", other.name());
            return Err(one.refuse(text));
        }
    }
    Ok(())
}

/// Adds calls to the graph of their stream.
fn capture(requests: Vec<Request>, driver: &Driver) -> Outcome {
    let stream = requests[0].stream;
    let context = requests[0].communicator.context;
    if requests.iter().any(|request| request.stream != stream) {
        let text = "the calls of a captured group are on several streams: use one group per stream";
        return Err(NcclResult::INVALID_USAGE.because(text));
    }
    let transfer = move || {
        // There is no caller to return the error to. The next call on each communicator will fail with it.
        if let Err(error) = transfer(requests.clone()) {
            report::warn("a graph's NCCL call", &error);
        }
    };
    driver.within(context, || driver.call_on(stream, transfer))
}
