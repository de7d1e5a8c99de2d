//! The emulator in a page of the book, where it runs kernels, steps through them and answers what an access costs.
//!
//! Questions and answers are JSON texts; [`answer`] is all there is. `boundary` hands them over between the linear
//! memory of WebAssembly and JavaScript (`book/theme/emulator.js`), and nothing is imported.
//!
//! | question | answer |
//! |---|---|
//! | `{"ask":"global","addresses":[…],"active":…,"bytes":…}` | sectors of one warp's load or store |
//! | `{"ask":"shared","addresses":[…],"active":…,"bytes":…,"store":…}` | its wavefronts and conflicts |
//! | `{"ask":"shuffle","mode":"idx\|up\|down\|bfly","operand":…,"width":…,"active":…}` | the lane that each reads |
//! | `{"ask":"occupancy","registers":…,"shared_bytes":…,"block":…}` | resident blocks, and what limits them |
//! | `{"ask":"run","scene":{…}}` | counters, and whether memory is as where the scene was taken |
//! | `{"ask":"trace","scene":{…},"block":…,"most_steps":…}` | each instruction of each warp of a block |

mod boundary;
mod question;
mod replay;
mod warp;

pub use question::Question;

use serde_json::{Value, json};

/// Answers a question; what cannot be answered becomes `{"error": "…"}`.
#[must_use]
pub fn answer(question: &str) -> String {
    let answered =
        serde_json::from_str(question).map_err(|error| error.to_string()).and_then(|question| reply(&question));
    answered.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn reply(question: &Question) -> Result<Value, String> {
    match question {
        Question::Global(access) => warp::sectors(access),
        Question::Shared { access, store } => warp::wavefronts(access, *store),
        Question::Shuffle { mode, operand, width, active } => warp::shuffle(*mode, *operand, *width, *active),
        Question::Occupancy { registers, shared_bytes, block } => warp::occupancy(*registers, *shared_bytes, *block),
        Question::Run { scene } => replay::run(scene),
        Question::Trace { scene, block, most_steps } => replay::trace(scene, *block, *most_steps),
    }
}
