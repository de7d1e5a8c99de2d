//! The roster of a class: a CSV file with a line per learner.

use super::learner::Learner;
use judge::Error;
use std::collections::BTreeSet;
use std::path::Path;

/// A learner on the roster.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The name, as it is written there.
    pub(super) name: String,
    /// The number, if there is one.
    pub(super) id: String,
    /// The address, if there is one.
    pub(super) email: String,
    keys: BTreeSet<String>,
}

/// The kinds of columns, with the words by which headers name them.
const COLUMNS: [(Column, &[&str]); 6] = [
    (Column::Name, &["name", "learner", "student", "full name", "learners", "students"]),
    (Column::First, &["first name", "given name", "firstname"]),
    (Column::Last, &["last name", "surname", "family name", "lastname"]),
    (Column::Id, &["id", "id number", "student id", "number", "matriculation number"]),
    (Column::Email, &["email", "e-mail", "email address", "mail"]),
    (Column::Aliases, &["aliases", "alias", "username", "user name", "login", "sis login id", "github"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Name,
    First,
    Last,
    Id,
    Email,
    Aliases,
}

/// Reads a roster.
///
/// # Errors
/// It cannot be read, or some of its lines are wrong, all of which the text names by their numbers.
pub(super) fn read(file: &Path) -> Result<Vec<Entry>, Error> {
    let bytes = std::fs::read(file).map_err(Error::file("read", file))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: &u8| first.iter().filter(|byte| *byte == delimiter).count();
    // Spreadsheets of some countries write semicolons.
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new();
    let mut reader =
        reader.has_headers(false).flexible(true).trim(csv::Trim::All).delimiter(delimiter).from_reader(bytes);
    let mut columns: Option<Vec<Option<Column>>> = None;
    let mut entries: Vec<(u64, Entry)> = Vec::new();
    let mut wrong = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                wrong.push(format!("line {line}: {}", reason(&error)));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        if columns.is_none() {
            let header = header(&record);
            let is_header = header.iter().any(Option::is_some);
            columns = Some(if is_header { header } else { usual(record.len()) });
            let of_names = [Column::Name, Column::First, Column::Last];
            if is_header && !columns.iter().flatten().flatten().any(|one| of_names.contains(one)) {
                wrong.push(format!("line {line}: no column is called name"));
                break;
            }
            if is_header {
                continue;
            }
        }
        match Entry::new(&record, columns.as_deref().unwrap_or_default()) {
            None => wrong.push(format!("line {line}: it has no name")),
            Some(entry) => match entries.iter().find(|(_, other)| other.name == entry.name && other.id == entry.id) {
                Some((other, _)) => wrong.push(format!("line {line}: {} is in line {other} already", entry.name)),
                None => entries.push((line, entry)),
            },
        }
    }
    if wrong.is_empty() && entries.is_empty() {
        wrong.push("it has no learners".into());
    }
    if !wrong.is_empty() {
        return Err(Error::Usage(format!("--roster {}: {}", file.display(), wrong.join("; "))));
    }
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".into(),
        _ => error.to_string(),
    }
}

/// Returns the kinds of the columns that a line names, if it is a header.
fn header(record: &csv::StringRecord) -> Vec<Option<Column>> {
    let kind = |cell: &str| {
        let cell = cell.to_lowercase();
        COLUMNS.iter().find(|(_, words)| words.contains(&cell.as_str())).map(|(column, _)| *column)
    };
    record.iter().map(kind).collect()
}

/// Returns the columns of a roster without a header: name, id, email, aliases.
fn usual(count: usize) -> Vec<Option<Column>> {
    [Column::Name, Column::Id, Column::Email, Column::Aliases].into_iter().map(Some).take(count).collect()
}

impl Entry {
    fn new(record: &csv::StringRecord, columns: &[Option<Column>]) -> Option<Self> {
        let cells = |column| {
            let of = columns.iter().zip(record.iter()).filter(move |(one, _)| **one == Some(column));
            of.map(|(_, cell)| cell).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        let join = |all: Vec<&str>| all.join(" ");
        let whole = join(cells(Column::Name));
        let parts = join([cells(Column::First), cells(Column::Last)].concat());
        let name = if whole.is_empty() { parts } else { whole };
        if key(&name).is_empty() {
            return None;
        }
        let (id, email) = (join(cells(Column::Id)), join(cells(Column::Email)));
        let aliases = cells(Column::Aliases).into_iter().flat_map(|cell| cell.split([';', '|'])).map(key);
        let local = email.split('@').next().unwrap_or_default();
        let mut keys: BTreeSet<String> = orders(&name).into_iter().chain(aliases).collect();
        keys.extend([key(&id), key(&email), key(local)]);
        keys.remove("");
        Some(Self { name, id, email, keys })
    }
}

/// Returns a text without case, spaces and punctuation, which platforms change in names.
fn key(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the orders of a name: `Jane Mary Doe`, `Mary Doe Jane` and `Doe Jane Mary`, as platforms put the last names first.
fn orders(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split(|character: char| character.is_whitespace() || character == ',').collect();
    (0..words.len()).map(|first| key(&[&words[first..], &words[..first]].concat().concat())).collect()
}

/// Returns the place on the roster of a learner with this name and number; an error if there are several.
fn find(roster: &[Entry], name: &str, id: Option<&str>) -> Result<Option<usize>, String> {
    let with = |text: &str| {
        let text = key(text);
        let of = roster.iter().enumerate().filter(move |(_, entry)| entry.keys.contains(&text));
        of.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let by_id = id.map(with).unwrap_or_default();
    let by_name = with(name);
    match (&by_name[..], &by_id[..]) {
        ([], []) => Ok(None),
        ([one], _) | ([], [one]) => Ok(Some(*one)),
        (several, [one]) if several.contains(one) => Ok(Some(*one)),
        _ => {
            let several = by_name.iter().chain(&by_id).map(|index| roster[*index].name.as_str());
            Err(several.collect::<Vec<_>>().join(" and "))
        }
    }
}

/// Returns the learners in the order of the roster, with the names there: those without a submission with that reason, and at
/// the end those who are not on it, whom `notes` names.
/// Each further submission of a learner has a row at the end, too.
pub(super) fn arranged<T>(learners: Vec<Learner<T>>, roster: Vec<Entry>, notes: &mut Vec<String>) -> Vec<Learner<T>> {
    let mut of: Vec<Option<Learner<T>>> = roster.iter().map(|_| None).collect();
    let mut others = Vec::new();
    for mut learner in learners {
        match find(&roster, &learner.name, learner.id.as_deref()) {
            Ok(Some(index)) if of[index].is_none() => of[index] = Some(learner),
            Ok(Some(index)) => {
                let name = &roster[index].name;
                notes.push(format!("{}: {name} of the roster has another submission; both have rows", learner.name));
                learner.name = format!("{name} ({})", learner.name);
                others.push(learner);
            }
            Ok(None) => {
                notes.push(format!("{} is nobody on the roster", learner.name));
                others.push(learner);
            }
            Err(names) => {
                notes.push(format!("{} may be {names} on the roster: aliases tell them apart", learner.name));
                others.push(learner);
            }
        }
    }
    let rows = roster.into_iter().zip(of).map(|(Entry { name, id, email, .. }, learner)| {
        let id = Some(id).filter(|id| !id.is_empty());
        match learner {
            Some(learner) => Learner { name, id: id.or(learner.id), email, ..learner },
            None => Learner { name, id, email, exercises: Err("nothing handed in".into()), ignored: Vec::new() },
        }
    });
    rows.chain(others).collect()
}
