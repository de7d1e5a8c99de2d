//! Loads, stores, atomics, and conversions of addresses between state spaces.

use super::family::instruction_family;
use super::form::{Form, Modifiers};
use super::half::Half;
use crate::ground::cluster::{at_rank, rank_of};
use crate::ground::space::{LOCAL, PARAMETER, SHARED, Space};

instruction_family! {
    /// Address conversions.
    Address {
        FromShared "cvta.{shared|shared::cta|shared::cluster}.u64" Move, "d = generic address of shared address a", (a: u64) -> u64 { a.wrapping_add(SHARED) }
        FromLocal "cvta.local.u64" Move, "d = generic address of local address a", (a: u64) -> u64 { a.wrapping_add(LOCAL) }
        FromParameter "cvta.param.u64" Move, "d = generic address of parameter address a", (a: u64) -> u64 { a.wrapping_add(PARAMETER) }
        FromDevice "cvta.{global|const}.u64" Move, "d = a: device addresses are generic", (a: u64) -> u64 { a }
        ToShared "cvta.to.{shared|shared::cta|shared::cluster}.u64" Move, "d = shared address of generic address a", (a: u64) -> u64 { a.wrapping_sub(SHARED) }
        ToLocal "cvta.to.local.u64" Move, "d = local address of generic address a", (a: u64) -> u64 { a.wrapping_sub(LOCAL) }
        ToParameter "cvta.to.param.u64" Move, "d = parameter address of generic address a", (a: u64) -> u64 { a.wrapping_sub(PARAMETER) }
        ToDevice "cvta.to.{global|const}.u64" Move, "d = a: device addresses are generic", (a: u64) -> u64 { a }
        IsSharedOfCluster "isspacep.shared::cluster" Move, "p = whether a points into shared memory of the cluster", (a: u64) -> bool { Space::from_address(a) == Space::Shared }
        OfBlock32 "mapa[.shared::cluster].u32" Move, "d = address a in the shared memory of block b of the cluster", (a: u32, b: u32) -> u32 { at_rank(u64::from(a), b) as u32 }
        OfBlock64 "mapa[.shared::cluster].u64" Move, "d = address a in the shared memory of block b of the cluster", (a: u64, b: u32) -> u64 { at_rank(a, b) }
        Rank32 "getctarank[.shared::cluster].u32" Move, "d = rank of the block whose shared memory contains a", (a: u32) -> u32 { rank_of(u64::from(a)).0 as u32 }
        Rank64 "getctarank[.shared::cluster].u64" Move, "d = rank of the block whose shared memory contains a", (a: u64) -> u32 { rank_of(a).0 as u32 }
        IsLocal "isspacep.local" Move, "p = whether a points into local memory", (a: u64) -> bool { Space::from_address(a) == Space::Local }
        IsGlobal "isspacep.global" Move, "p = whether a points into device memory", (a: u64) -> bool { Space::from_address(a) == Space::Global }
    }
}

/// The type of an element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The size in bytes: 1, 2, 4 or 8.
    pub(crate) bytes: u8,
    /// Whether a value that is narrower than its register is sign-extended.
    pub(crate) signed: bool,
    /// The memory ordering of the access.
    pub(crate) strength: Strength,
}

/// The threads for which a strong access or a fence orders memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of the block.
    Block,
    /// Those of the device. The scope of a cluster counts as this one.
    Device,
}

impl Scope {
    /// Returns the scope that an instruction names.
    pub(crate) fn of(modifiers: &Modifiers<'_>) -> Self {
        if modifiers.has("cta") { Self::Block } else { Self::Device }
    }
}

/// The guarantees of PTX for an access that races with those of other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Nothing.
    Weak,
    /// Less than nothing: it is a load by the read-only path, which need not see what the launch writes.
    ReadOnly,
    /// It is performed every time, and not torn.
    Volatile,
    /// It is performed at once for a scope, and orders nothing by itself.
    Relaxed(Scope),
    /// It is an atomic, or an acquire.
    Strong(Scope),
    /// It has release semantics: a thread that reads its value also sees the accesses before it.
    Release(Scope),
}

impl Strength {
    /// Returns whether it is volatile, atomic or ordered.
    pub(crate) fn is_strong(self) -> bool {
        !matches!(self, Self::Weak | Self::ReadOnly)
    }

    /// Returns whether it is strong for the threads of its block only.
    pub(crate) fn is_of_block(self) -> bool {
        matches!(self, Self::Relaxed(Scope::Block) | Self::Strong(Scope::Block) | Self::Release(Scope::Block))
    }
}

/// The function of an atomic of the old value `o` and the operands `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicFunction {
    AddInteger,
    AddFloat,
    /// A sum, minimum or maximum.
    Halves(Half),
    MinUnsigned,
    MinSigned,
    MaxUnsigned,
    MaxSigned,
    /// `o >= b ? 0 : o + 1`.
    Increment,
    /// `o == 0 || o > b ? b : o - 1`.
    Decrement,
    And,
    Or,
    Xor,
    Exchange,
    /// `o == b ? c : o`.
    CompareAndSwap,
}

/// A memory instruction, without its addresses and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryOperation {
    Load {
        space: Space,
        element: Element,
        lanes: u8,
    },
    Store {
        space: Space,
        element: Element,
        lanes: u8,
    },
    /// An atomic. With several `lanes`, each value is a separate atomic, except for two of 8 bytes.
    Atomic {
        space: Space,
        element: Element,
        function: AtomicFunction,
        lanes: u8,
        returns: bool,
        /// Whether it adds 1 to a word of shared memory whose old value nobody reads.
        counts: bool,
    },
}

impl MemoryOperation {
    /// Returns the state space, the type of an element, and the number of elements per lane.
    pub(crate) fn accessed(self) -> (Space, Element, u8) {
        match self {
            Self::Load { space, element, lanes }
            | Self::Store { space, element, lanes }
            | Self::Atomic { space, element, lanes, .. } => (space, element, lanes),
        }
    }

    /// Returns whether a loop with this instruction may be a spin loop. A compiler may move a plain load out of a loop, and a
    /// reduction returns nothing.
    pub(crate) fn polls(self) -> bool {
        match self {
            Self::Load { element, .. } => element.strength.is_strong(),
            Self::Store { .. } => false,
            Self::Atomic { returns, .. } => returns,
        }
    }
}

macro_rules! types {
    () => {
        "{b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64}"
    };
}

macro_rules! eviction {
    () => {
        "[.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate]"
    };
}

macro_rules! order {
    ($($name:literal)|+) => {
        concat!("[", $(".", $name, "|",)+ ".weak][.cta|.cluster|.gpu|.sys]")
    };
}

macro_rules! atomic {
    ($name:literal, $order:literal, $function:literal, $types:literal) => {
        concat!(
            $name,
            $order,
            "[.cta|.cluster|.gpu|.sys][.global|.shared|.shared::cta|.shared::cluster].",
            $function,
            ".",
            $types
        )
    };
}

/// The row of an atomic that returns the old value.
macro_rules! returning {
    ($function:literal, $types:literal, $equation:literal) => {
        Form::memory(atomic!("atom", "[.relaxed|.acquire|.release|.acq_rel]", $function, $types), $equation, |m| {
            atomic(m, true)
        })
    };
}

/// The row of a reduction, which is an atomic without a result.
macro_rules! reducing {
    ($function:literal, $types:literal, $equation:literal) => {
        Form::memory(atomic!("red", "[.relaxed|.release]", $function, $types), $equation, |m| atomic(m, false))
    };
}

/// The rows of the table. Cache hints and memory orders have no effect on results, because the machine is sequentially
/// consistent.
pub(crate) const FORMS: &[Form<MemoryOperation>] = &[
    Form::memory(
        concat!(
            "ld",
            order!("volatile" | "relaxed" | "acquire"),
            "[.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|.shared::cluster][.ca|.cg|.cs|.lu|.cv][.nc]",
            eviction!(),
            "[.L2::64B|.L2::128B|.L2::256B][.v2|.v4].",
            types!()
        ),
        "d = memory at a",
        load,
    ),
    Form::memory(
        concat!(
            "ld",
            order!("volatile" | "relaxed" | "acquire"),
            "[.global|.local|.shared|.shared::cta|.shared::cluster].b128"
        ),
        "d = memory at a",
        load,
    ),
    Form::memory(
        concat!(
            "st",
            order!("volatile" | "relaxed" | "release"),
            "[.global|.local|.shared|.shared::cta|.shared::cluster].b128"
        ),
        "memory at a = b",
        store,
    ),
    Form::memory(concat!("ldu.global[.v2|.v4].", types!()), "d = memory at a, the same for all lanes", load),
    Form::memory(
        concat!(
            "st",
            order!("volatile" | "relaxed" | "release"),
            "[.global|.local|.param|.param::func|.shared|.shared::cta|.shared::cluster][.wb|.cg|.cs|.wt]",
            eviction!(),
            "[.v2|.v4].",
            types!()
        ),
        "memory at a = b",
        store,
    ),
    returning!("add", "{u32|s32|u64|f32|f64}", "d = old; memory = old + b"),
    returning!("add.noftz", "{f16|f16x2|bf16|bf16x2}", "d = old; memory = old + b"),
    returning!("{min|max}", "{u32|s32|u64|s64}", "d = old; memory = min(old, b) or max(old, b)"),
    returning!("{inc|dec}", "u32", "d = old; memory = old + 1 or old - 1, wrapping around between 0 and b"),
    returning!("{and|or|xor}", "{b32|b64}", "d = old; memory = bitwise combination of old and b"),
    returning!("exch", "{b32|b64|b128}", "d = old; memory = b"),
    returning!("cas", "{b16|b32|b64|b128}", "d = old; memory = c if old == b"),
    Form::memory(
        "atom[.relaxed|.acquire|.release|.acq_rel][.cta|.cluster|.gpu|.sys][.global].add.{v2|v4}.f32",
        "d = old; memory = old + b, separately for each value",
        |m| atomic(m, true),
    ),
    Form::memory(
        "atom[.relaxed|.acquire|.release|.acq_rel][.cta|.cluster|.gpu|.sys][.global].{add|min|max}.noftz.{v2|v4}.{f16|bf16|f16x2|bf16x2}",
        "d = old; memory = old + b, min(old, b) or max(old, b), separately for each value",
        |m| atomic(m, true),
    ),
    reducing!("add", "{u32|s32|u64|f32|f64}", "memory = old + b"),
    Form::memory(
        "red[.relaxed|.release][.cta|.cluster|.gpu|.sys][.global].add.{v2|v4}.f32",
        "memory = old + b, separately for each value",
        |m| atomic(m, false),
    ),
    Form::memory(
        "red[.relaxed|.release][.cta|.cluster|.gpu|.sys][.global].{add|min|max}.noftz.{v2|v4}.{f16|bf16|f16x2|bf16x2}",
        "memory = old + b, min(old, b) or max(old, b), separately for each value",
        |m| atomic(m, false),
    ),
    reducing!("add.noftz", "{f16|f16x2|bf16|bf16x2}", "memory = old + b"),
    reducing!("{min|max}", "{u32|s32|u64|s64}", "memory = min(old, b) or max(old, b)"),
    reducing!("{inc|dec}", "u32", "memory = old + 1 or old - 1, wrapping around between 0 and b"),
    reducing!("{and|or|xor}", "{b32|b64}", "memory = bitwise combination of old and b"),
];

fn load(modifiers: &Modifiers<'_>) -> MemoryOperation {
    MemoryOperation::Load { space: space(modifiers), element: ordered_element(modifiers), lanes: vector(modifiers) }
}

fn store(modifiers: &Modifiers<'_>) -> MemoryOperation {
    MemoryOperation::Store { space: space(modifiers), element: ordered_element(modifiers), lanes: vector(modifiers) }
}

fn atomic(modifiers: &Modifiers<'_>, returns: bool) -> MemoryOperation {
    use AtomicFunction as F;
    let kind = modifiers.last();
    let lanes = vector(modifiers);
    let name = modifiers.0.iter().rev().skip(1).find(|name| !["v2", "v4", "noftz"].contains(*name));
    let function = match (name.copied().unwrap_or_default(), kind.starts_with('s'), kind.starts_with('f')) {
        (name, ..) if modifiers.has("noftz") => F::Halves(Half::from_atomic(name, modifiers)),
        ("add", _, true) => F::AddFloat,
        ("add", ..) => F::AddInteger,
        ("min", false, _) => F::MinUnsigned,
        ("min", true, _) => F::MinSigned,
        ("max", false, _) => F::MaxUnsigned,
        ("max", true, _) => F::MaxSigned,
        ("inc", ..) => F::Increment,
        ("dec", ..) => F::Decrement,
        ("and", ..) => F::And,
        ("or", ..) => F::Or,
        ("xor", ..) => F::Xor,
        ("exch", ..) => F::Exchange,
        _ => F::CompareAndSwap,
    };
    let scope = Scope::of(modifiers);
    let releases = modifiers.has("release") || modifiers.has("acq_rel");
    let strength = if releases { Strength::Release(scope) } else { Strength::Strong(scope) };
    let element = Element { strength, ..element(kind) };
    MemoryOperation::Atomic { space: space(modifiers), element, function, lanes, returns, counts: false }
}

fn space(modifiers: &Modifiers<'_>) -> Space {
    let named = modifiers.0.iter().find_map(|name| match *name {
        "global" => Some(Space::Global),
        "const" => Some(Space::Constant),
        "shared" | "shared::cta" | "shared::cluster" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "param" | "param::entry" | "param::func" => Some(Space::Parameter),
        _ => None,
    });
    // `ldu` and loads with `.nc` name their space.
    named.unwrap_or(Space::Generic)
}

fn vector(modifiers: &Modifiers<'_>) -> u8 {
    match (modifiers.has("v2") || modifiers.last() == "b128", modifiers.has("v4")) {
        (true, _) => 2,
        (_, true) => 4,
        _ => 1,
    }
}

fn ordered_element(modifiers: &Modifiers<'_>) -> Element {
    let strength = match () {
        () if modifiers.has("volatile") => Strength::Volatile,
        () if modifiers.has("nc") => Strength::ReadOnly,
        () if modifiers.has("release") => Strength::Release(Scope::of(modifiers)),
        () if modifiers.has("relaxed") => Strength::Relaxed(Scope::of(modifiers)),
        () if modifiers.has("acquire") => Strength::Strong(Scope::of(modifiers)),
        () => Strength::Weak,
    };
    Element { strength, ..element(modifiers.last()) }
}

fn element(name: &str) -> Element {
    // The type `f16x2` has no number of bits: pairs of halves are words. 128 bits are two elements.
    let bits: u8 = name.trim_start_matches(char::is_alphabetic).parse().unwrap_or(32).min(64);
    Element { bytes: bits / 8, signed: name.starts_with('s'), strength: Strength::Weak }
}
