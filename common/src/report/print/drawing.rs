//! Tables as text, within the terminal's width, and within [`WIDTH`] columns.

use crate::format::{DASH, WIDTH};
use console::Term;
use prettytable::format::{Alignment, FormatBuilder};
use prettytable::{Cell, Row};

/// Spaces between two columns.
const GAP: usize = 2;

/// A table under a title. The first column is aligned to the left; the others to the right, unless they are text.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    /// What stands at the right end of the title's line.
    note: String,
    columns: Vec<Cells>,
}

/// A column with its cells, which may have several lines.
#[derive(Clone, Debug)]
struct Cells {
    heading: String,
    cells: Vec<String>,
    /// Whether the cells are text, aligned to the left.
    is_text: bool,
    /// Whether the column is left out of a table that is too wide otherwise; the highest number first.
    optional: Option<usize>,
}

impl Table {
    /// Returns an empty table; without a title, the heading is its first line.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), note: String::new(), columns: Vec::new() }
    }

    /// Returns a table of rows, each with a cell per heading.
    #[must_use]
    pub fn from_rows(title: impl Into<String>, headings: &[&str], rows: &[Vec<String>]) -> Self {
        let mut table = Self::new(title);
        for (index, heading) in headings.iter().enumerate() {
            table.add(heading, rows.iter().map(|row| row[index].clone()).collect());
        }
        table
    }

    /// Sets a text for the right end of the title's line.
    pub fn note(&mut self, note: String) {
        self.note = note;
    }

    /// Adds a column.
    pub fn add(&mut self, heading: &str, cells: Vec<String>) {
        self.columns.push(Cells { heading: heading.into(), cells, is_text: false, optional: None });
    }

    /// Aligns the last column to the left.
    #[must_use]
    pub fn with_text(mut self) -> Self {
        if let Some(column) = self.columns.last_mut() {
            column.is_text = true;
        }
        self
    }

    /// Lets the last column be left out for want of room, before those with lower numbers.
    pub fn optional(&mut self, number: usize) {
        if let Some(column) = self.columns.last_mut() {
            column.optional = Some(number);
        }
    }

    /// Leaves out the columns that say nothing, except those with these headings: every cell is a dash or 0, or all of
    /// several rows are equal. A column of dashes always goes.
    #[must_use]
    pub fn without_silent(self, kept: &[&str]) -> Self {
        self.filtered(|column| !column.is_silent() || (kept.contains(&column.heading.as_str()) && !column.is_missing()))
    }

    /// Leaves out the columns without a value, except the first.
    #[must_use]
    pub fn without_missing(self) -> Self {
        self.filtered(|column| !column.is_missing())
    }

    /// Returns the first column, and those that are shown.
    fn filtered(self, is_shown: impl Fn(&Cells) -> bool) -> Self {
        let shown = |(index, column): &(usize, Cells)| *index == 0 || is_shown(column);
        let Self { title, note, columns } = self;
        let columns = columns.into_iter().enumerate().filter(shown).map(|(_, column)| column).collect();
        Self { title, note, columns }
    }

    /// Draws the table. One that is too wide gets fewer optional columns and headings of two lines, in this order; if it is still too wide, the other columns follow below the first ones.
    #[must_use]
    pub fn render(&self) -> String {
        let terminal = Term::stdout().size_checked();
        self.within(terminal.map_or(WIDTH, |(_, columns)| usize::from(columns).min(WIDTH)))
    }

    fn within(&self, room: usize) -> String {
        if self.width() <= room {
            return self.draw(room);
        }
        let mut table = self.clone();
        while table.width() > room && table.drop_optional() {}
        if table.width() > room {
            table.columns.iter_mut().for_each(|column| column.heading = in_two_lines(&column.heading));
        }
        table.split(room).iter().map(|part| part.draw(room)).collect::<Vec<_>>().join("")
    }

    fn width(&self) -> usize {
        self.columns.iter().map(|column| column.width() + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// Leaves out the optional column with the highest number; returns whether there was one.
    fn drop_optional(&mut self) -> bool {
        let found = self.columns.iter().enumerate().filter_map(|(index, column)| Some((column.optional?, index))).max();
        found.map(|(_, index)| self.columns.remove(index)).is_some()
    }

    /// Splits the columns into tables within the room, each with the first column.
    fn split(&self, room: usize) -> Vec<Self> {
        let Some((first, others)) = self.columns.split_first() else { return vec![self.clone()] };
        let table =
            |title: &str, note: &str| Self { title: title.into(), note: note.into(), columns: vec![first.clone()] };
        let mut tables = vec![table(&self.title, &self.note)];
        for column in others {
            let last = tables.last().expect("it begins with one");
            if last.columns.len() > 1 && last.width() + GAP + column.width() > room {
                tables.push(table("", ""));
            }
            tables.last_mut().expect("it begins with one").columns.push(column.clone());
        }
        tables
    }

    fn draw(&self, room: usize) -> String {
        let mut table = prettytable::Table::new();
        table.set_format(FormatBuilder::new().padding(0, GAP).build());
        table.set_titles(self.row(|column| &column.heading));
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        for index in 0..rows {
            table.add_row(self.row(|column| &column.cells[index]));
        }
        let title = Some(self.title_line(room)).filter(|title| !title.is_empty()).map(|title| format!("{title}\n"));
        let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
        title.unwrap_or_default() + &lines.join("\n") + "\n"
    }

    /// Returns the title, and the note at the right end of the table, or below the title if there is no room.
    fn title_line(&self, room: usize) -> String {
        let Self { title, note, .. } = self;
        let width = self.width();
        let used = title.chars().count() + GAP;
        match note.chars().count() {
            0 => title.clone(),
            length if used + length <= room => format!("{title}  {note:>rest$}", rest = width.saturating_sub(used)),
            _ => format!("{title}\n{note:>width$}"),
        }
    }

    fn row(&self, text: impl Fn(&Cells) -> &String) -> Row {
        let cell = |(index, column): (usize, &Cells)| {
            let alignment = if index == 0 || column.is_text { Alignment::LEFT } else { Alignment::RIGHT };
            Cell::new_align(text(column), alignment)
        };
        Row::new(self.columns.iter().enumerate().map(cell).collect())
    }
}

impl Cells {
    fn width(&self) -> usize {
        let widest = |text: &String| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        self.cells.iter().chain([&self.heading]).map(widest).max().unwrap_or(0)
    }

    /// Whether no row has a value. Blank cells belong to rows to which the column does not apply.
    fn is_missing(&self) -> bool {
        self.cells.iter().all(|cell| cell == DASH || cell.is_empty())
    }

    fn is_silent(&self) -> bool {
        let cells: Vec<&String> = self.cells.iter().filter(|cell| !cell.is_empty()).collect();
        let are_equal = cells.len() > 1 && cells.iter().all(|cell| *cell == cells[0]);
        are_equal || cells.iter().all(|cell| is_nothing(cell))
    }
}

/// Whether a cell is a dash or some form of 0. A mark has a meaning even at 0.
fn is_nothing(cell: &str) -> bool {
    let mut digits = cell.chars().filter(char::is_ascii_digit).peekable();
    cell == DASH || (!cell.starts_with('~') && digits.peek().is_some() && digits.all(|digit| digit == '0'))
}

/// Breaks a heading at the space where its longer half is shortest.
fn in_two_lines(heading: &str) -> String {
    let halves = heading.match_indices(' ').map(|(at, _)| (&heading[..at], &heading[at + 1..]));
    let best = halves.min_by_key(|(first, second)| first.chars().count().max(second.chars().count()));
    best.map_or_else(|| heading.to_owned(), |(first, second)| format!("{first}\n{second}"))
}

/// Returns lines of names separated by commas, within the width of reports.
#[must_use]
pub fn name_lines(names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + name.chars().count() <= WIDTH => {
                line.push_str(", ");
                line.push_str(name);
            }
            last => {
                last.into_iter().for_each(|line| line.push(','));
                lines.push(format!("  {name}"));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.into()).collect()
    }

    #[test]
    fn names_are_on_the_left_and_numbers_on_the_right() {
        let rows = [cells(&["one", "5"]), cells(&["three", "12"])];
        let text = Table::from_rows("A  title", &["kernel", "time"], &rows).render();
        assert_eq!(text, "A  title\nkernel  time\none        5\nthree     12\n");
    }

    #[test]
    fn columns_that_say_nothing_are_left_out() {
        let rows =
            [cells(&["a", "0", "1", "7", "-", "0 %", "3", "-"]), cells(&["b", "0.0", "2", "7", "-", "", "3", "4"])];
        let headings = ["kernel", "zero", "differs", "same", "dash", "zero", "kept", "one"];
        let table = Table::from_rows("", &headings, &rows).without_silent(&["kept", "dash"]);
        let headings: Vec<&str> = table.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["kernel", "differs", "kept", "one"]);
        // a single row is not compared with itself
        let table = Table::from_rows("", &["kernel", "lanes", "barriers"], &[cells(&["a", "100 %", "0"])]);
        assert_eq!(table.without_silent(&[]).columns.len(), 2);
    }

    #[test]
    fn a_heading_breaks_where_its_longer_half_is_shortest() {
        let broken = ["grid x block", "sectors/load", "of peak", "kernel"].map(in_two_lines);
        assert_eq!(broken, ["grid x\nblock", "sectors/load", "of\npeak", "kernel"]);
    }

    #[test]
    fn many_names_take_several_lines() {
        let lines = name_lines(&vec!["computeForces".to_owned(); 14]);
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= WIDTH), "{lines:?}");
    }

    #[test]
    fn a_narrow_terminal_has_fewer_counts() {
        let mut table = Table::from_rows("", &["kernel", "time"], &[cells(&["computeForces", "0.890 ms"])]);
        for (number, count) in ["sectors/load", "traffic"].into_iter().enumerate() {
            table.add(count, cells(&["1.0"]));
            table.optional(number);
        }
        table.add("result", cells(&["correct"]));
        let heading = |room| table.within(room).lines().next().map(str::to_owned);
        assert_eq!(heading(80).as_deref(), Some("kernel             time  sectors/load  traffic   result"));
        assert_eq!(heading(50).as_deref(), Some("kernel             time  sectors/load   result"));
        assert_eq!(heading(40).as_deref(), Some("kernel             time   result"));
    }

    #[test]
    fn a_wide_table_continues_below() {
        let name = "k".repeat(60);
        let mut table = Table::new("title");
        table.add("kernel", cells(&[&name]));
        table.add("limited by", cells(&["latency; issue 28 %"]));
        table.add("time", cells(&["0.890 ms"]));
        table.add("shared memory", cells(&["1"]));
        assert!(table.render().starts_with("title\nkernel  ") && table.render().contains("\n  "), "{}", table.render());
        table.add("registers", cells(&["32"]));
        table.optional(1);
        assert!(!table.render().contains("registers"));
        for heading in ["one column", "another column", "and another"] {
            table.add(heading, cells(&["123456789012"]));
        }
        let text = table.render();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!((text.matches(&name).count(), text.matches("title").count()), (3, 1), "{text}");
    }
}
