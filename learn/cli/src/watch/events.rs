//! A queue of saves and keys.

use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use judge::Error;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::io::BufRead;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// An event that a watcher waits for.
#[derive(Debug)]
pub enum Event {
    /// A file in the folder was written, moved or created.
    Saved,
    /// A key was pressed.
    Key(char),
    /// Saves or keys can no longer be received, for this reason.
    Broken(String),
}

/// Returns the events of a folder and of the keyboard, and a guard: saves are received until it is dropped. Without
/// `has_keys`, the first letters of the lines of standard input take the place of keys.
pub fn events(folder: &Path, has_keys: bool) -> Result<(Receiver<Event>, RecommendedWatcher), Error> {
    let (sender, receiver) = channel();
    let saves = sender.clone();
    let on_change = move |change: notify::Result<notify::Event>| {
        // Reading a file is not a change. A missing receiver has ended.
        let _ = match change {
            Ok(change) if change.kind.is_access() => Ok(()),
            Ok(_) => saves.send(Event::Saved),
            Err(error) => saves.send(Event::Broken(format!("cannot continue to watch the folder: {error}"))),
        };
    };
    let cannot = |error: notify::Error| Error::System(format!("cannot watch {}: {error}", folder.display()));
    let mut watcher = notify::recommended_watcher(on_change).map_err(cannot)?;
    watcher.watch(folder, RecursiveMode::NonRecursive).map_err(cannot)?;
    // The thread waits for a key that may never come, and ends with the program.
    thread::spawn(move || if has_keys { send_keys(&sender) } else { send_lines(&sender) });
    Ok((receiver, watcher))
}

fn send_keys(sender: &Sender<Event>) {
    loop {
        let event = match event::read() {
            Ok(event::Event::Key(key)) if key.kind == KeyEventKind::Press => match key.code {
                // In raw mode, Ctrl-C is an ordinary key.
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

/// Sends the first letters of lines. The end of standard input does not end the program, because saves continue.
fn send_lines(sender: &Sender<Event>) {
    for line in std::io::stdin().lock().lines() {
        let Ok(Some(key)) = line.map(|line| line.trim().chars().next()) else { continue };
        if sender.send(Event::Key(key.to_ascii_lowercase())).is_err() {
            break;
        }
    }
}
