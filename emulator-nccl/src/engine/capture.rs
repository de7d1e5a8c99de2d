//! Calls on a stream that is captured: a node of the graph does them at each of its launches.

use super::batch::transfer;
use super::plan::Plan;
use super::request::Request;
use crate::driver::{Done, Driver, driver};
use crate::report;
use crate::result::{NcclResult, Outcome};
use std::sync::Arc;

/// Does what is asked for, or captures it, and tells the driver of it. A failure ends all communicators among them.
pub(crate) fn run(requests: Vec<Request>) -> Outcome {
    let communicators: Vec<_> = requests.iter().map(|request| Arc::clone(&request.communicator)).collect();
    let run = || {
        let driver = driver()?;
        let Some(first) = requests.first() else { return Ok(()) };
        driver.enter(first.communicator.context)?;
        requests.iter().try_for_each(|request| request.check(driver))?;
        let done: Vec<Done> = requests.iter().map(Plan::done).collect();
        let captured =
            requests.iter().map(|request| driver.is_capturing(request.stream)).collect::<Outcome<Vec<_>>>()?;
        if captured.contains(&true) { capture(requests, driver) } else { transfer(requests) }?;
        done.iter().try_for_each(|done| driver.tell(done))
    };
    run().map_err(|error| communicators.iter().fold(error, |error, communicator| communicator.fail(error)))
}

/// Puts calls into the graph of their stream.
fn capture(requests: Vec<Request>, driver: &Driver) -> Outcome {
    let stream = requests[0].stream;
    if requests.iter().any(|request| request.stream != stream) {
        let text = "a group is captured whose calls are on several streams: capture those of one stream in one group";
        return Err(NcclResult::INVALID_USAGE.because(text));
    }
    driver.call_on(stream, move || {
        // There is no caller to tell: the communicators have failed, which the next call on them says.
        if let Err(error) = transfer(requests.clone()) {
            report::warn("a graph's NCCL call", &error);
        }
    })
}
