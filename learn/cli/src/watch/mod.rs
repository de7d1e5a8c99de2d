//! `cargo learn` and `cargo learn watch`: checks each save of the current exercise, and reads keys.

mod events;
mod screen;
mod session;

use crate::compiler::compiler_name;
use crate::learner::Folder;
use crate::worker::Worker;
use events::{Event, events};
use judge::Error;
use judge::set::Set;
use screen::Screen;
use session::Session;

/// Watches until the learner quits, starting with the named exercise or the first that is not solved. Without a terminal,
/// lines of standard input take the place of keys.
pub fn run(worker: &Worker, folder: &Folder, set: &Set, first: Option<&str>) -> Result<(), Error> {
    let _only_one = folder.watch()?;
    let named = first.map(|name| folder.find_file(set, name)).transpose()?;
    let language = match named {
        Some((_, language)) => language,
        None => folder.progress()?.language(),
    };
    let screen = Screen::open()?;
    let (events, _watcher) = events(&folder.path, screen.has_keys())?;
    let mut session = Session::begin(worker, folder, set, language, &screen)?;
    if let Some((exercise, _)) = named {
        session.go_to_exercise(exercise);
    }
    if let Ok(compiler) = compiler_name(language, worker.compiler) {
        screen.say(&format!("compiled by {compiler}"));
    }
    session.show_task()?;
    session.check()?;
    for event in events {
        let goes_on = match event {
            Event::Saved => session.check(),
            Event::Key(key) => session.key(key),
            Event::Broken(reason) => return Err(Error::System(reason)),
        };
        // An error such as a full disk or a missing file may be gone at the next save.
        match goes_on {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => screen.say(&format!("error: {error}")),
        }
    }
    Ok(())
}
