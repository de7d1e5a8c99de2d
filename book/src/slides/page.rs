//! The page of a session's slides.

use super::deck::Slide;
use super::frame::Frame;
use super::plan::Plan;
use crate::fill::notation::escape;
use crate::fill::{Sources, exercises};
use crate::{footer, qr};
use anyhow::{Context, Result, anyhow};
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd, html};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};
use std::path::Path;

/// The number of letters in a line of code up to which its comment stays.
const MAX_LETTERS: usize = 72;

/// What becomes of links to the book's pages.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Links<'a> {
    /// They lead to the folder above.
    #[default]
    ToBook,
    /// Likewise, and QR codes have the address of that folder: `https://example.org/course/`.
    ToBookAt(&'a str),
    /// They lead to an address, which ends with `/`.
    To(&'a str),
    /// They are plain text, because the book is not there.
    AsText,
}

/// Makes the slides of one file.
pub(crate) struct Maker<'a> {
    /// The sources of directives.
    pub sources: &'a Sources,
    /// The file of the slides, for messages.
    pub file: &'a Path,
    /// What becomes of links to the book.
    pub links: Links<'a>,
}

impl Maker<'_> {
    /// Returns the page of a session.
    ///
    /// # Errors
    /// Returns an error, which names file and line, if a directive cannot be replaced.
    pub fn page(&self, session: usize, plan: &Plan, slides: &[Slide<'_>], frame: &Frame) -> Result<String> {
        let mut sheets = vec![title(plan), self.goals(plan)?];
        let mut parts = plan.parts.iter();
        let mut part = None;
        for slide in slides {
            if slide.begins.is_some() {
                part = parts.next();
            }
            let minutes =
                part.filter(|_| slide.begins.is_some()).map(|part| format!("<p>{} minutes.</p>\n", part.minutes));
            let (body, captions) = self.shown(&slide.body)?;
            let notes = self.html(&self.fill(&slide.notes)?);
            let notes = minutes.unwrap_or_default() + &notes + &captions;
            sheets.push(Sheet { kind: kind(&body), part: part.map(|part| part.name.clone()), body, notes });
        }
        sheets.push(self.end(plan)?);
        let count = sheets.len();
        let numbered = (1..).zip(&sheets).map(|(number, sheet)| sheet.html(session, number, count));
        Ok(frame.around(&escape(&plan.title), &numbered.collect::<String>()))
    }

    /// Returns lines of the file as HTML without the captions of figures, and these.
    ///
    /// # Errors
    /// Returns an error, which names file and line, if a directive cannot be replaced.
    pub fn shown(&self, lines: &[(usize, &str)]) -> Result<(String, String)> {
        Ok(without_captions(&self.html(&self.fill(lines)?)))
    }

    /// Returns lines of the file with their directives replaced, and a link to each exercise below its command.
    fn fill(&self, lines: &[(usize, &str)]) -> Result<String> {
        let line = |line: &str| {
            let filled = self.sources.fill_line(line)?;
            Ok(filled.replacen("\n```\n", &format!("\n```\n{}", self.way_to_exercise(line)?), 1) + "\n")
        };
        let filled = lines.iter().map(|(number, text)| {
            line(text).map_err(|error: anyhow::Error| anyhow!("{}:{number}: {error:#}", self.file.display()))
        });
        filled.collect()
    }

    /// Returns a link to the exercise of a line, `{{exercise NAME briefly}}`, with its QR code; empty for other lines.
    fn way_to_exercise(&self, line: &str) -> Result<String> {
        let name = line.strip_prefix("{{exercise ").and_then(|rest| rest.strip_suffix(" briefly}}"));
        let Some(name) = name else { return Ok(String::new()) };
        let (page, anchor) = exercises::place(name)?;
        let link = format!("{page}#{anchor}");
        let Some(target) = self.target(&link) else { return Ok(String::new()) };
        let (Links::ToBookAt(address) | Links::To(address)) = self.links else {
            return Ok(format!("\n<p class=\"way\"><a href=\"{target}\">In the page</a></p>\n"));
        };
        let code = qr::svg(&(address.to_owned() + &in_book(&link))).context("the address is too long for a QR code")?;
        let typed = address.split_once("://").map_or(address, |(_, typed)| typed);
        Ok(format!(
            "\n<p class=\"way\"><a href=\"{target}\">In the page: <code>{}</code></a>{code}</p>\n",
            escape(typed)
        ))
    }

    /// Returns a text of the plan as HTML.
    fn plan_html(&self, text: &str) -> Result<String> {
        Ok(self.html(&self.sources.fill_line(text).context(super::CHAPTER)?))
    }

    fn goals(&self, plan: &Plan) -> Result<Sheet> {
        let goals: String = plan.goals.iter().map(|goal| format!("- {goal}\n")).collect();
        let body = format!("<h2>Afterwards you can</h2>\n{}", self.html(&goals));
        let notes = format!("<p><strong>When late:</strong></p>\n{}", self.plan_html(&plan.when_late)?);
        Ok(Sheet { kind: "", part: None, body, notes })
    }

    fn end(&self, plan: &Plan) -> Result<Sheet> {
        let body = format!("<h2>To read</h2>\n{}{}", self.plan_html(&plan.reading)?, footer::element());
        Ok(Sheet { kind: "end", part: None, body, notes: String::new() })
    }

    /// Returns Markdown as HTML, with links that fit the place of the page.
    fn html(&self, markdown: &str) -> String {
        let mut is_text = false;
        let events = new_cmark_parser(markdown, &MarkdownOptions::default()).filter_map(|event| match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = self.target(&dest_url);
                is_text = target.is_none();
                Some(Event::Start(Tag::Link { link_type, dest_url: target?.into(), title, id }))
            }
            Event::End(TagEnd::Link) if is_text => None,
            other => Some(other),
        });
        let mut page = String::new();
        html::push_html(&mut page, events);
        color_diffs(&shorten(&page))
    }

    /// Returns where a link to a chapter, `../text/waiting.md#a`, leads from a page of slides; none if it leads nowhere.
    fn target(&self, link: &str) -> Option<String> {
        if link.contains("://") {
            return Some(link.into());
        }
        match self.links {
            Links::ToBook | Links::ToBookAt(_) => Some(format!("../{}", in_book(link))),
            Links::To(address) => Some(address.to_owned() + &in_book(link)),
            Links::AsText => None,
        }
    }
}

/// Returns the page of a link to a chapter from the folder of the pages: `waiting.html#a` for `../text/waiting.md#a`.
fn in_book(link: &str) -> String {
    let (path, anchor) =
        link.split_once('#').map_or((link, String::new()), |(path, anchor)| (path, format!("#{anchor}")));
    let name = path.rsplit('/').next().unwrap_or(path).strip_suffix(".md").unwrap_or(path);
    format!("{name}.html{anchor}")
}

fn title(plan: &Plan) -> Sheet {
    let (session, subject) = plan.title.split_once(": ").unwrap_or(("", &plan.title));
    let parts =
        plan.parts.iter().map(|part| format!("<tr><td>{}</td><td>{}</td></tr>\n", part.minutes, escape(&part.name)));
    let table = "<table>\n<thead><tr><th>minutes</th><th>part</th></tr></thead>\n<tbody>\n".to_owned()
        + &parts.collect::<String>()
        + "</tbody></table>\n";
    let body = format!("<p class=\"session\">{session}</p>\n<h1>{}</h1>\n{table}", escape(subject));
    let keys = "<p>Keys: <kbd>?</kbd> lists them. Opened in two windows of one browser, both show the same slide: put one on the \
                projector, and press <kbd>s</kbd> in the other.</p>\n";
    Sheet { kind: "title", part: None, body, notes: keys.into() }
}

/// A slide of the page.
struct Sheet {
    /// Its class; may be empty.
    kind: &'static str,
    /// The part of the session that it belongs to.
    part: Option<String>,
    body: String,
    notes: String,
}

impl Sheet {
    fn html(&self, session: usize, number: usize, count: usize) -> String {
        let part = self.part.as_ref().map_or_else(String::new, |part| format!(" · {}", escape(part)));
        let notes = match self.notes.as_str() {
            "" => String::new(),
            notes => format!("<aside class=\"notes\" aria-label=\"Notes to slide {number}\">\n{notes}</aside>\n"),
        };
        format!(
            "<section class=\"slide {}\" id=\"{number}\" aria-label=\"Slide {number} of {count}\">\n<div class=\"sheet\">\n\
             <div class=\"shown\">\n{}</div>\n<p class=\"place\"><span>Session {session}{part}</span> <a href=\"#{number}\">{number} / \
             {count}</a></p>\n</div>\n{notes}</section>\n",
            self.kind, self.body
        )
    }
}

/// Returns the class of a slide: a question to the class looks different, and words alone are larger.
fn kind(body: &str) -> &'static str {
    let is_words = !["<pre", "<figure", "<table", "<div", "<math"].iter().any(|begin| body.contains(begin));
    match (body.trim_start().starts_with("<h2>Predict"), is_words) {
        (true, true) => "predict words",
        (true, false) => "predict",
        (false, true) => "words",
        (false, false) => "",
    }
}

/// Returns HTML without the captions of its figures and the sources of its numbers, and these as paragraphs.
fn without_captions(body: &str) -> (String, String) {
    let (body, captions) = without(body, "<figcaption>", "</figcaption>");
    let (body, sources) = without(&body, "<p class=\"source\">", "</p>");
    (body, captions + &sources)
}

/// Returns HTML without what is between two tags, and that as paragraphs.
fn without(body: &str, begin: &str, end: &str) -> (String, String) {
    let mut rest_of_body = String::new();
    let mut removed = String::new();
    let mut rest = body;
    while let Some((before, (inside, after))) =
        rest.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?)))
    {
        rest_of_body += before;
        removed += &format!("<p>{inside}</p>\n");
        rest = after;
    }
    (rest_of_body + rest, removed)
}

/// Returns code without the comments at the end of lines that are too long for a slide.
fn shorten(page: &str) -> String {
    let line = |line: &str| match line.split_once(" // ") {
        Some((code, _)) if line.chars().count() > MAX_LETTERS && !code.trim().is_empty() => code.trim_end().to_owned(),
        _ => line.to_owned(),
    };
    page.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns HTML whose diffs have their lines marked, which the book's pages leave to a script.
fn color_diffs(page: &str) -> String {
    let mark = |line: &str| match line.chars().next() {
        Some('+') if !line.starts_with("+++") => format!("<ins>{line}</ins>"),
        Some('-') if !line.starts_with("---") => format!("<del>{line}</del>"),
        _ => line.to_owned(),
    };
    let mut parts = page.split("<code class=\"language-diff\">");
    let mut marked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once("</code>").unwrap_or((part, ""));
        let lines: Vec<String> = code.lines().map(mark).collect();
        marked += &format!("<code class=\"language-diff\">{}</code>{rest}", lines.join("\n"));
    }
    marked
}
