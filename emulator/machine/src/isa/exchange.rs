//! Instructions that the lanes of a warp execute together.

use super::class::Class;
use super::form::{Form, Modifiers};
use super::matrix::Multiply;
use crate::vector::registers::OperandKind::{self, Narrow, Predicate, Wide};

/// The mode of a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

impl Shuffle {
    /// Returns the lane that a lane reads, and whether it is in range. `b` is the operand with the lane or distance, and `c` the
    /// operand with the clamp value and the segment mask.
    #[inline(always)]
    pub(crate) fn source(self, lane: usize, b: usize, c: usize) -> (usize, bool) {
        let b = b & 31;
        let clamp = c & 31;
        let segment = c >> 8 & 31;
        let highest = (lane & segment) | (clamp & !segment);
        let (source, in_range) = match self {
            Self::Up => (lane.wrapping_sub(b), lane as isize - b as isize >= highest as isize),
            Self::Down => (lane + b, lane + b <= highest),
            Self::Butterfly => (lane ^ b, lane ^ b <= highest),
            Self::Index => {
                let source = (lane & segment) | (b & !segment);
                (source, source <= highest)
            }
        };
        (source & 31, in_range)
    }
}

/// The result of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    /// Whether all predicates are the same.
    Uniform,
    Ballot,
}

/// The operator of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

/// An instruction that the lanes of a warp execute together. Except for [`Exchange::ActiveMask`], the last source is the mask of
/// participating lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// Waits for the lanes of a mask.
    Barrier,
    Shuffle(Shuffle),
    Vote(Vote),
    MatchAny,
    MatchAll,
    /// Combines the values of all lanes.
    Reduce(Combine),
    ActiveMask,
    /// Chooses one lane.
    Elect,
    /// Multiplies matrices whose elements earlier steps have saved.
    Multiply(Multiply),
    /// Distributes matrices that earlier steps have saved.
    Matrices {
        count: u8,
        transposed: bool,
    },
    /// Gives each lane four words of a row of matrices that earlier steps have saved: lane 8 m + r has row r of matrix m.
    Rows {
        count: u8,
        transposed: bool,
    },
}

use Exchange as E;

/// The rows of the table.
pub(crate) const FORMS: &[Form<Exchange>] = &[
    Form::row("bar.warp.sync", Class::Control, "wait for the lanes of mask a", &[], &[Narrow], |_| E::Barrier),
    row(
        "shfl.sync.{up|down|bfly|idx}.b32",
        "d = a of the lane given by b and c; p = whether it is in range",
        &[Narrow, Predicate],
        &[Narrow; 4],
        |m| E::Shuffle(shuffle(m)),
    ),
    row(
        "vote.sync.{all|any|uni}.pred",
        "p = whether a is true for all lanes of mask b, for any, or the same for all",
        &[Predicate],
        &[Predicate, Narrow],
        |m| E::Vote(vote(m)),
    ),
    row(
        "vote.sync.ballot.b32",
        "d = mask of the lanes of mask b whose a is true",
        &[Narrow],
        &[Predicate, Narrow],
        |_| E::Vote(Vote::Ballot),
    ),
    any("match.any.sync.b32", &[Narrow; 2]),
    any("match.any.sync.b64", &[Wide, Narrow]),
    all("match.all.sync.b32", &[Narrow; 2]),
    all("match.all.sync.b64", &[Wide, Narrow]),
    redux("redux.sync.{add|min|max}.{u32|s32}"),
    redux("redux.sync.{and|or|xor}.b32"),
    row(
        "elect.sync",
        "d = lowest lane of mask a; p = whether it is this lane",
        &[Narrow, Predicate],
        &[Narrow],
        |_| E::Elect,
    ),
    row("activemask.b32", "d = mask of the active lanes", &[Narrow], &[], |_| E::ActiveMask),
];

const fn row(
    pattern: &'static str,
    equation: &'static str,
    results: &'static [OperandKind],
    sources: &'static [OperandKind],
    build: fn(&Modifiers<'_>) -> E,
) -> Form<E> {
    Form::row(pattern, Class::Exchange, equation, results, sources, build)
}

const fn any(pattern: &'static str, sources: &'static [OperandKind]) -> Form<E> {
    row(pattern, "d = mask of the lanes of mask b with the same a", &[Narrow], sources, |_| E::MatchAny)
}

const fn all(pattern: &'static str, sources: &'static [OperandKind]) -> Form<E> {
    let equation = "d = mask b if all its lanes have the same a, else 0; p = whether they do";
    row(pattern, equation, &[Narrow, Predicate], sources, |_| E::MatchAll)
}

const fn redux(pattern: &'static str) -> Form<E> {
    let equation = "d = reduction of a over the lanes of mask b";
    row(pattern, equation, &[Narrow], &[Narrow; 2], |m| E::Reduce(reduce(m)))
}

fn shuffle(modifiers: &Modifiers<'_>) -> Shuffle {
    match modifiers.0[1] {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        _ => Shuffle::Index,
    }
}

fn vote(modifiers: &Modifiers<'_>) -> Vote {
    match modifiers.0[1] {
        "all" => Vote::All,
        "any" => Vote::Any,
        _ => Vote::Uniform,
    }
}

fn reduce(modifiers: &Modifiers<'_>) -> Combine {
    match (modifiers.0[1], modifiers.last()) {
        ("add", _) => Combine::Add,
        ("min", "u32") => Combine::MinUnsigned,
        ("min", _) => Combine::MinSigned,
        ("max", "u32") => Combine::MaxUnsigned,
        ("max", _) => Combine::MaxSigned,
        ("and", _) => Combine::And,
        ("or", _) => Combine::Or,
        _ => Combine::Xor,
    }
}
