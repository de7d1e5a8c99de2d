//! Saves and keys, in one queue.

use crate::error::Error;
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::io::BufRead;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What a watcher waits for.
#[derive(Debug)]
pub enum Event {
    /// A file in the folder was written, moved or made.
    Saved,
    /// A key.
    Key(char),
    /// No more saves or keys can be seen.
    Broken(String),
}

/// The events of a folder and, with `has_keys`, of the terminal; else the first letters of lines of standard input.
/// Saves are seen as long as the second value lives.
pub fn events(folder: &Path, has_keys: bool) -> Result<(Receiver<Event>, RecommendedWatcher), Error> {
    let (sender, receiver) = channel();
    let saves = sender.clone();
    let on_change = move |change: notify::Result<notify::Event>| {
        // Who reads a file changes nothing. A receiver that is gone wants no more.
        let _ = match change {
            Ok(change) if change.kind.is_access() => Ok(()),
            Ok(_) => saves.send(Event::Saved),
            Err(error) => saves.send(Event::Broken(format!("cannot watch the folder any more: {error}"))),
        };
    };
    let cannot = |error: notify::Error| Error::System(format!("cannot watch {}: {error}", folder.display()));
    let mut watcher = notify::recommended_watcher(on_change).map_err(cannot)?;
    watcher.watch(folder, RecursiveMode::NonRecursive).map_err(cannot)?;
    // Both wait for a key that may never come, and end with the program.
    thread::spawn(move || if has_keys { send_keys(&sender) } else { send_lines(&sender) });
    Ok((receiver, watcher))
}

fn send_keys(sender: &Sender<Event>) {
    loop {
        let event = match event::read() {
            Ok(event::Event::Key(key)) if key.kind == KeyEventKind::Press => match key.code {
                // In raw mode it is a key like others.
                KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Event::Key('q'),
                KeyCode::Char(key) => Event::Key(key.to_ascii_lowercase()),
                _ => continue,
            },
            Ok(_) => continue,
            Err(error) => Event::Broken(format!("cannot read keys: {error}")),
        };
        let is_last = matches!(event, Event::Broken(_));
        if sender.send(event).is_err() || is_last {
            break;
        }
    }
}

/// The end of standard input ends nothing: saves go on.
fn send_lines(sender: &Sender<Event>) {
    for line in std::io::stdin().lock().lines() {
        let Ok(Some(key)) = line.map(|line| line.trim().chars().next()) else { continue };
        if sender.send(Event::Key(key.to_ascii_lowercase())).is_err() {
            break;
        }
    }
}
