//! The current exercise, and what is done with it.

use super::screen::Screen;
use crate::command::{diff, hint, judge_one, reset, rows, solution, verdict_text};
use crate::error::Error;
use crate::learner::Folder;
use crate::set::{Exercise, Set};
use crate::worker::Worker;
use kernel_file::Language;
use std::time::Instant;

const KEYS: &str = "h hint   n next   p previous   l list   d what you changed   s solution   r reset   q quit";
const GREEN: u8 = 32;
const RED: u8 = 31;

/// A learner at an exercise.
pub struct Session<'a> {
    worker: &'a Worker,
    folder: &'a Folder,
    set: &'a Set,
    language: Language,
    screen: &'a Screen,
    current: usize,
    /// The text that the last verdict is of: editors write a file several times.
    checked: Option<String>,
    /// The key that was asked to be pressed once more.
    asked: Option<char>,
}

impl<'a> Session<'a> {
    /// At the first exercise that is not solved.
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

    /// At the exercise of this name.
    pub fn go_to_named(&mut self, name: &str) -> Result<(), Error> {
        let wanted = self.set.find(name)?;
        self.current = self.set.exercises.iter().position(|exercise| exercise.name == wanted.name).unwrap_or(0);
        Ok(())
    }

    fn exercise(&self) -> &'a Exercise {
        &self.set.exercises[self.current]
    }

    /// The first exercise from this one on that is not solved.
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

    /// What is to be done, in which file.
    pub fn show_task(&self) -> Result<(), Error> {
        let exercise = self.exercise();
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

    /// Checks the file if it is another than before.
    pub fn check(&mut self) -> Result<bool, Error> {
        let text = self.folder.text(self.exercise(), self.language)?;
        if self.checked.as_ref() == Some(&text) {
            return Ok(true);
        }
        let start = Instant::now();
        let judged = judge_one(self.worker, self.folder, self.exercise(), self.language)?;
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
                "n goes on to the next one; s shows our solution."
            });
        }
        self.screen.say(KEYS);
        Ok(true)
    }

    /// Does what a key says; whether it goes on.
    pub fn key(&mut self, key: char) -> Result<bool, Error> {
        let asked = self.asked.take();
        let exercise = self.exercise();
        match key {
            'q' => return Ok(false),
            'h' => self.screen.say(&hint(self.folder, exercise)?),
            'l' => self.screen.say(&rows(self.folder, self.set, self.language, Some(self.current))?.join("\n")),
            'd' => self.screen.say(&diff(self.folder, exercise)?),
            'n' => return self.go_to((self.current + 1 < self.set.exercises.len()).then_some(self.current + 1)),
            'p' => return self.go_to(self.current.checked_sub(1)),
            's' => match solution(self.folder, exercise, asked == Some('s')) {
                Err(Error::Usage(_)) => self
                    .ask('s', "It is not solved yet. s once more shows the solution, which is recorded; h has hints."),
                text => self.screen.say(&text?),
            },
            'r' if asked != Some('r') => self.ask('r', "r once more begins again; your file is kept beside it."),
            'r' => self.screen.say(&reset(self.folder, exercise)?),
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
            self.screen.say("There is none.");
            return Ok(true);
        };
        (self.current, self.checked) = (index, None);
        self.show_task()?;
        self.check()
    }
}
