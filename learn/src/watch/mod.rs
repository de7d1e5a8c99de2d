//! `cargo x learn`: each save of the current exercise is checked, and keys ask for more.

mod events;
mod screen;
mod session;

use crate::error::Error;
use crate::learner::Folder;
use crate::set::Set;
use events::{Event, events};
use screen::Screen;
use session::Session;

/// Watches until the learner quits. Without a terminal there are no keys: lines of standard input take their place.
pub fn run(folder: &Folder, set: &Set) -> Result<(), Error> {
    let _only_one = folder.watch()?;
    let language = folder.progress()?.language();
    let screen = Screen::open()?;
    let (events, _watcher) = events(&folder.path, screen.has_keys())?;
    let mut session = Session::begin(folder, set, language, &screen)?;
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
