//! Does what calls ask for: moves bytes between ranks until all that was asked for is there, or cannot be any more.

mod batch;
mod capture;
mod intake;
mod plan;
mod request;
mod transfer;
mod watch;
mod work;

pub(crate) use batch::transfer as agree;
pub(crate) use capture::run;
pub(crate) use request::Request;
