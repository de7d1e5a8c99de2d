//! Which of two accesses comes first, whatever the schedule: what barriers, warp-level instructions and fences order.
//! Accesses of different blocks are ordered by what the later block knows: `knowledge.rs`.

use super::finding::Distance;
use super::knowledge::{Clock, Known, Words, joined};
use super::phases::Phases;
use crate::ground::lanes::{LANES, active};
use crate::machine::events::Arriving;
use std::collections::HashMap;
use std::sync::Arc;

/// An access of one lane, or of several lanes of a warp at once, to a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Number of the block in the grid.
    pub(crate) block: u64,
    /// The step.
    pub(crate) position: u32,
    /// Warp in the block.
    pub(super) warp: u16,
    /// One bit a lane.
    pub(super) lanes: u32,
    pub(super) atomic: bool,
    /// Whether it is the landing of a copy that its lane does not wait for.
    copied: bool,
    moment: Moment,
}

impl Touch {
    pub(super) fn is_of_warp_of(&self, other: &Self) -> bool {
        (self.block, self.warp) == (other.block, other.warp)
    }

    /// Whether both are of the same single lane of a warp.
    pub(super) fn is_of_lane_of(&self, other: &Self) -> bool {
        self.is_of_warp_of(other) && self.lanes == other.lanes && self.lanes.is_power_of_two()
    }

    /// The thread in the block; the first of several.
    pub(crate) fn thread(&self) -> u32 {
        u32::from(self.warp) * LANES as u32 + self.lanes.trailing_zeros() % LANES as u32
    }
}

/// What a warp had passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moment {
    /// Barriers of the block.
    barriers: u32,
    /// Instructions that synchronized all lanes of the warp.
    whole: u32,
    /// Instructions that synchronized some of them.
    parts: u32,
    /// Fences for the device.
    fences: u32,
    /// What barriers in shared memory had ordered in the block.
    phases: u32,
}

/// When lanes of a warp last met: `met[a][b]` is what `parts` was when lane `a` learned of lane `b`.
type Meetings = [[u32; LANES]; LANES];

/// The state of one warp.
#[derive(Clone, Debug, Default)]
struct WarpOrder {
    moment: Moment,
    met: Option<Box<Meetings>>,
    /// What it knows of other blocks, and what its writes hand over: what it knew at its last fence.
    known: Known,
    fenced: Known,
    /// What it was told last: a loop that waits is told the same each time.
    told: Known,
}

/// What has happened in the block at hand, in those that are put aside, and in global memory.
#[derive(Debug, Default)]
pub(super) struct Order {
    block: u64,
    warps: Vec<WarpOrder>,
    phases: Phases,
    aside: HashMap<u64, (Vec<WarpOrder>, Phases)>,
    words: Words,
}

impl Order {
    pub(super) fn begin(&mut self, block: u64, warps: usize) {
        self.block = block;
        self.phases = Phases::default();
        self.warps.clear();
        self.warps.resize(warps, WarpOrder::default());
    }

    /// The block at hand is put aside.
    pub(super) fn put_aside(&mut self) {
        self.aside.insert(self.block, (std::mem::take(&mut self.warps), std::mem::take(&mut self.phases)));
    }

    /// A block goes on that was put aside.
    pub(super) fn take_up(&mut self, block: u64) {
        self.block = block;
        (self.warps, self.phases) = self.aside.remove(&block).unwrap_or_default();
    }

    /// An access that happens now.
    pub(super) fn touch(&self, warp: usize, lanes: u32, position: u32, atomic: bool) -> Touch {
        let moment = Moment { phases: self.phases.now(), ..self.warps[warp].moment };
        Touch { block: self.block, position, warp: warp as u16, lanes, atomic, copied: false, moment }
    }

    /// The landing of a copy that a lane has asked for, now.
    pub(super) fn landing(&self, warp: usize, lane: usize, position: u32, waited: bool) -> Touch {
        Touch { copied: !waited, ..self.touch(warp, 1 << lane, position, false) }
    }

    /// Somebody arrives at a barrier in shared memory.
    pub(super) fn arrive(&mut self, barrier: u64, by: Arriving, ends: bool) {
        let nothing = (None, None);
        let knows = match by {
            Arriving::Thread(warp, _) => (self.warps[warp].known.clone(), self.warps[warp].fenced.clone()),
            Arriving::Nobody | Arriving::Copies => nothing,
        };
        self.phases.arrive(self.warps.len(), barrier, by, &knows, ends);
    }

    /// A thread sees that a phase of such a barrier is over.
    pub(super) fn pass(&mut self, barrier: u64, warp: usize, lane: usize) {
        let (known, fenced) = self.phases.pass(barrier, warp, lane);
        let order = &mut self.warps[warp];
        (order.known, order.fenced) = (joined(&order.known, &known), joined(&order.fenced, &fenced));
    }

    /// All threads of the block know what one of them knew. Also what one has fenced, another may hand over.
    pub(super) fn barrier(&mut self) {
        self.phases.barrier();
        let all = |of: fn(&WarpOrder) -> &Known| self.warps.iter().fold(None, |all, warp| joined(&all, of(warp)));
        let (known, fenced) = (all(|warp| &warp.known), all(|warp| &warp.fenced));
        for warp in &mut self.warps {
            warp.moment.barriers += 1;
            warp.known.clone_from(&known);
            warp.fenced.clone_from(&fenced);
        }
    }

    /// The lanes `mask` of a warp wait for each other.
    pub(super) fn synchronise(&mut self, warp: usize, mask: u32, alive: u32) {
        self.phases.synchronise(warp, mask);
        let WarpOrder { moment, met, .. } = &mut self.warps[warp];
        if mask == alive {
            moment.whole += 1;
            return;
        }
        moment.parts += 1;
        let met = met.get_or_insert_with(|| Box::new([[0; LANES]; LANES]));
        let members = || (0..LANES).filter(move |lane| mask >> lane & 1 != 0);
        for other in 0..LANES {
            let known = members().map(|lane| met[lane][other]).max().unwrap_or(0);
            let known = if mask >> other & 1 != 0 { moment.parts } else { known };
            members().for_each(|lane| met[lane][other] = known);
        }
    }

    pub(super) fn fence(&mut self, warp: usize) {
        let WarpOrder { moment, known, fenced, .. } = &mut self.warps[warp];
        moment.fences += 1;
        let own = Clock::of_fence(self.block, moment.barriers, warp as u16, moment.fences);
        *fenced = joined(known, &Some(Arc::new(own)));
    }

    /// A warp reads words of global memory that others may have written to hand something over.
    pub(super) fn acquire(&mut self, warp: usize, address: u64, bytes: u64) {
        let WarpOrder { known, told, .. } = &mut self.warps[warp];
        let now = self.words.read(address, bytes);
        let same = matches!((&now, &*told), (Some(now), Some(told)) if Arc::ptr_eq(now, told));
        if !same {
            *known = joined(known, &now);
            *told = now;
        }
    }

    /// A warp writes such words.
    pub(super) fn release(&mut self, warp: usize, address: u64, bytes: u64, atomic: bool) {
        self.words.write(address, bytes, &self.warps[warp].fenced, atomic);
    }

    /// How near two threads are that nothing orders; `None` if something does, or if it is one thread.
    pub(super) fn unordered(&self, earlier: &Touch, touch: &Touch) -> Option<Distance> {
        if earlier.atomic && touch.atomic {
            return None;
        }
        if earlier.block != touch.block {
            let Moment { barriers, fences, .. } = earlier.moment;
            let known = self.warps[usize::from(touch.warp)].known.as_ref();
            let over = known.is_some_and(|clock| clock.covers(earlier.block, barriers, earlier.warp, fences));
            return (!over).then_some(Distance::BetweenBlocks);
        }
        if earlier.moment.barriers != touch.moment.barriers {
            return None;
        }
        let actors = (!earlier.copied).then_some((usize::from(earlier.warp), earlier.lanes));
        if self.phases.know((usize::from(touch.warp), touch.lanes), actors, earlier.moment.phases) {
            return None;
        }
        if earlier.warp != touch.warp {
            return Some(Distance::BetweenWarps);
        }
        if earlier.copied {
            return Some(Distance::InsideWarp);
        }
        let ordered = earlier.is_of_lane_of(touch)
            || earlier.moment.whole != touch.moment.whole
            || self.met_since(earlier, touch);
        (!ordered).then_some(Distance::InsideWarp)
    }

    /// Whether the warp of an access of this block has had a fence since then.
    pub(super) fn fenced_since(&self, earlier: &Touch) -> bool {
        earlier.block == self.block && self.warps[usize::from(earlier.warp)].moment.fences > earlier.moment.fences
    }

    /// Whether each lane of the second has met each of the first since then.
    fn met_since(&self, earlier: &Touch, touch: &Touch) -> bool {
        let Some(met) = self.warps[usize::from(touch.warp)].met.as_ref() else { return false };
        active(touch.lanes)
            .all(|lane| active(earlier.lanes & !(1 << lane)).all(|other| met[lane][other] > earlier.moment.parts))
    }
}
