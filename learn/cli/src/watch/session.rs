//! A learner's session at the exercises.

use super::screen::Screen;
use crate::actions::{check, diff, hint, reset, rows, solution, verdict_text};
use crate::learner::Folder;
use crate::worker::Worker;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::{Exercise, Set};
use std::time::Instant;

const KEYS: &str = "h hint   n next   p previous   l list   d what you changed   s solution   r reset   q quit";
const GREEN: u8 = 32;
const RED: u8 = 31;

/// A learner's session, at the current exercise.
pub struct Session<'a> {
    worker: &'a Worker,
    folder: &'a Folder,
    set: &'a Set,
    language: Language,
    screen: &'a Screen,
    current: usize,
    /// The text of the last check, since editors may write a file several times per save.
    checked: Option<String>,
    /// The key that must be pressed again to confirm.
    asked: Option<char>,
}

impl<'a> Session<'a> {
    /// Starts at the first exercise that is not solved.
    pub fn begin(
        worker: &'a Worker,
        folder: &'a Folder,
        set: &'a Set,
        language: Language,
        screen: &'a Screen,
    ) -> Result<Self, Error> {
        let mut session = Self { worker, folder, set, language, screen, current: 0, checked: None, asked: None };
        session.current = session.open_after(0)?.unwrap_or(0);
        Ok(session)
    }

    /// Goes to an exercise.
    pub fn go_to_exercise(&mut self, wanted: &Exercise) {
        self.current = self.set.exercises.iter().position(|exercise| exercise.name == wanted.name).unwrap_or(0);
    }

    fn exercise(&self) -> &'a Exercise {
        &self.set.exercises[self.current]
    }

    /// Returns the first exercise from index `first` on that is not solved.
    fn open_after(&self, first: usize) -> Result<Option<usize>, Error> {
        let progress = self.folder.progress()?;
        for index in first..self.set.exercises.len() {
            let exercise = &self.set.exercises[index];
            let entry = progress.entry(&exercise.file_name(self.language));
            if entry.solved.is_none() || !Folder::is_solved(&entry, &self.folder.text(exercise, self.language)?) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Prints the task and the file to edit, which is written if the exercise is new in the set.
    pub fn show_task(&self) -> Result<(), Error> {
        let exercise = self.exercise();
        self.folder.text(exercise, self.language)?;
        let rows = rows(self.folder, self.set, self.language, None)?;
        let total = rows.last().map_or("", String::as_str);
        let file = self.folder.file(exercise, self.language);
        let task = format!(
            "\n{}  {}   ({total})\n{}\n\nEdit {}",
            exercise.name,
            exercise.card.title,
            exercise.card.task.trim(),
            file.display()
        );
        self.screen.say(&task);
        Ok(())
    }

    /// Checks the file if its text has changed. Returns `true`, since the session goes on.
    pub fn check(&mut self) -> Result<bool, Error> {
        let text = self.folder.saved_text(self.exercise(), self.language)?;
        if self.checked == text {
            return Ok(true);
        }
        let Some(text) = text else {
            self.checked = None;
            let name = self.exercise().file_name(self.language);
            self.screen.say(&format!("{name} was deleted: save it again, or press r to begin with the skeleton."));
            return Ok(true);
        };
        let start = Instant::now();
        let judged = check(self.worker, self.folder, self.exercise(), self.language)?;
        self.checked = Some(text);
        let color = if judged.failure().is_none() { GREEN } else { RED };
        let verdict = verdict_text(self.exercise(), &judged);
        let (heading, rest) = verdict.split_once('\n').unwrap_or_default();
        let (first, rest) =
            rest.split_once('\n').map_or((rest, String::new()), |(first, rest)| (first, format!("\n{rest}")));
        let seconds = start.elapsed().as_secs_f64();
        self.screen.say(&format!("\n{heading}   ({seconds:.1} s)\n{}{rest}\n", self.screen.colored(first, color)));
        if judged.failure().is_none() {
            self.screen.say(if self.open_after(0)?.is_none() {
                "All exercises are solved."
            } else {
                "n goes to the next one; s shows our solution."
            });
        }
        self.screen.say(KEYS);
        Ok(true)
    }

    /// Handles a key. Returns whether the session goes on.
    pub fn key(&mut self, key: char) -> Result<bool, Error> {
        let asked = self.asked.take();
        let exercise = self.exercise();
        match key {
            'q' => return Ok(false),
            'h' => self.screen.say(&hint(self.folder, exercise, self.language)?),
            'l' => self.screen.say(&rows(self.folder, self.set, self.language, Some(self.current))?.join("\n")),
            'd' => self.screen.say(&diff(self.folder, exercise, self.language)?),
            'n' => return self.go_to((self.current + 1 < self.set.exercises.len()).then_some(self.current + 1)),
            'p' => return self.go_to(self.current.checked_sub(1)),
            's' => match solution(self.folder, exercise, self.language, asked == Some('s')) {
                Err(Error::Usage(_)) => self
                    .ask('s', "The exercise is not solved yet. Press s again to see the solution, which is recorded, or h for a hint."),
                text => self.screen.say(&text?),
            },
            'r' if asked != Some('r') => self.ask('r', "Press r again to start over; your file is kept under another name."),
            'r' => self.screen.say(&reset(self.folder, exercise, self.language)?),
            _ => self.screen.say(KEYS),
        }
        Ok(true)
    }

    fn ask(&mut self, key: char, question: &str) {
        self.asked = Some(key);
        self.screen.say(question);
    }

    fn go_to(&mut self, index: Option<usize>) -> Result<bool, Error> {
        let Some(index) = index else {
            self.screen.say("There is no such exercise.");
            return Ok(true);
        };
        (self.current, self.checked) = (index, None);
        self.show_task()?;
        self.check()
    }
}
