//! The pages of sheets, for A4 paper.

use super::questions::Question;
use crate::fill::notation::escape;
use crate::footer;

/// The style sheets of figures, which are those of the book, and of sheets.
pub const STYLES: [&str; 3] = ["course.css", "charts.css", "sheets.css"];

/// The title of the test.
pub const TEST: &str = "A test before, and again after";

/// The parts that all sheets contain.
pub struct Paper {
    /// The text of the style sheets.
    pub styles: String,
}

impl Paper {
    /// Returns the sheet of a session: its questions, each with room for a prediction, a reason and the result.
    pub fn sheet(&self, title: &str, questions: &[Question]) -> String {
        let row = |name: &str| format!("<p class=\"line\"><span>{name}</span></p>\n");
        let room = row("I predict") + &row("because") + &row("It was");
        let advice =
            "<p>Write your prediction and a reason before the result is shown. A wrong one costs nothing.</p>\n";
        self.around(title, &(person("") + advice + &list(questions, &room)))
    }

    /// Returns the sheet of the test, without its answers.
    pub fn test(&self, questions: &[Question]) -> String {
        let when = "<span class=\"box\">before</span> <span class=\"box\">after</span>";
        let advice =
            "<p>Ten minutes. There are no marks: what you do not know yet tells what the course has to say.</p>\n";
        self.around(TEST, &(person(when) + advice + &list(questions, "<p class=\"room\"></p>\n")))
    }

    /// Returns the page with all answers, from those of the sheets.
    pub fn instructor(&self, answers: &str) -> String {
        let about = "<p>The questions of the sheets with their answers, the wrong predictions to expect, and what to say, from the \
                     slides and their notes. Learners with the repository can read all of it.</p>\n";
        self.around("For the instructor", &(about.to_owned() + answers))
    }

    fn around(&self, title: &str, body: &str) -> String {
        let title = escape(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\" class=\"light\">\n<head>\n<meta charset=\"UTF-8\">\n<title>{title} - Coalesced</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<style>\n\
             {}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n{}</body>\n</html>\n",
            self.styles,
            footer::element()
        )
    }
}

/// Returns the section of a sheet on the instructor's page.
pub fn answers(title: &str, questions: &[Question]) -> String {
    let one = |question: &Question| {
        let notes = match question.notes.as_str() {
            "" => String::new(),
            notes => format!("<div class=\"say\">\n{notes}</div>\n"),
        };
        format!(
            "<li>\n<div class=\"ask\">\n{}</div>\n<div class=\"answer\">\n{}</div>\n{notes}</li>\n",
            question.ask,
            lower(&question.answer)
        )
    };
    format!(
        "<section>\n<h2>{}</h2>\n<ol>\n{}</ol>\n</section>\n",
        escape(title),
        questions.iter().map(one).collect::<String>()
    )
}

/// Returns an answer whose heading is below that of its session.
fn lower(answer: &str) -> String {
    answer.replace("<h2>", "<h3>").replace("</h2>", "</h3>")
}

/// Returns the fields for a name and a date.
fn person(more: &str) -> String {
    format!("<p class=\"person\"><span>Name</span> <span>Date</span> {more}</p>\n")
}

fn list(questions: &[Question], room: &str) -> String {
    let items = questions.iter().map(|question| format!("<li>\n{}{room}</li>\n", question.ask));
    format!("<ol>\n{}</ol>\n", items.collect::<String>())
}
