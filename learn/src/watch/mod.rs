//! `cargo x learn`: each save of the current exercise is checked, and keys ask for more.

mod events;
mod screen;
mod session;

use crate::error::Error;
use crate::learner::Folder;
use crate::set::Set;
use crate::worker::Worker;
use events::{Event, events};
use screen::Screen;
use session::Session;

/// Watches until the learner quits, from the named exercise on, or from the first that is not solved. Without a terminal there are no keys: lines of standard input take their place.
pub fn run(worker: &Worker, folder: &Folder, set: &Set, first: Option<&str>) -> Result<(), Error> {
    let _only_one = folder.watch()?;
    let language = folder.progress()?.language();
    let screen = Screen::open()?;
    let (events, _watcher) = events(&folder.path, screen.has_keys())?;
    let mut session = Session::begin(worker, folder, set, language, &screen)?;
    if let Some(name) = first {
        session.go_to_named(name)?;
    }
    session.show_task()?;
    session.check()?;
    for event in events {
        let goes_on = match event {
            Event::Saved => session.check(),
            Event::Key(key) => session.key(key),
            Event::Broken(reason) => return Err(Error::System(reason)),
        };
        // What fails now may work at the next save: a full disk, a file that was moved for a moment.
        match goes_on {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => screen.say(&format!("error: {error}")),
        }
    }
    Ok(())
}
