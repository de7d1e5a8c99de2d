//! The engine: runs calls by transferring bytes between ranks until all have arrived or cannot arrive any more.

mod batch;
mod capture;
mod deadlock;
mod plan;
mod request;
mod transfer;
mod work;

pub(crate) use capture::run;
pub(crate) use request::Request;
