//! Rounds of a loop: lanes that wait at a warp-level instruction for others, which do not execute it in this round and come in a
//! later one.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{Mistake, Observer};
use super::split::Wait;
use super::waiting::Part;
use crate::lower::step::{Action, Program};
use std::collections::HashSet;

impl<O: Observer> BlockMachine<'_, O> {
    /// Records the lanes of the group that go back to `header`, for lanes of their warps that wait in the loop.
    pub(super) fn note_round(&mut self, step: &BoundStep, header: u32) {
        for index in 0..self.group.members.len() {
            let (warp, _) = self.group.members[index];
            if self.warps[warp].splits.len() == 1 {
                continue;
            }
            let back = self.active(step.guard, index);
            for split in self.warps[warp].splits.iter_mut().flatten() {
                if let Wait::Lanes { members, passed } = &mut split.wait {
                    let new = back & *members & !*passed;
                    if new != 0 && is_in_loop(self.bound.program, split.position, (header, self.group.position)) {
                        *passed |= new;
                    }
                }
            }
        }
    }

    /// Reports parts of a warp that execute a warp-level instruction together, though some have waited there while the others began
    /// another round of the loop. In an unrolled loop, the others wait at a copy of the instruction that follows.
    pub(super) fn report_rounds(&mut self, parts: &[Part]) {
        let program = self.bound.program;
        let site = |part: &Part| program.origins[program.steps[part.position as usize].origin as usize].source.site;
        for part in parts {
            let follows = |other: &&Part| {
                other.position > part.position && site(part) != 0 && site(other) == site(part) && {
                    leads_to(program, part.position, other.position, Way::Forward)
                }
            };
            let lanes = parts.iter().filter(follows).fold(0, |lanes, other| lanes | other.mask);
            if lanes != 0 {
                self.observer.mistaken(Mistake::DifferentRounds, part.warp, lanes, part.position);
            }
            let Some(Wait::Lanes { passed, .. }) = self.warps[part.warp].splits[part.split].map(|split| split.wait)
            else {
                continue;
            };
            let later = parts.iter().filter(|other| other.position == part.position);
            let lanes = later.fold(0, |lanes, other| lanes | other.mask & passed);
            if lanes != 0 {
                self.observer.mistaken(Mistake::DifferentRounds, part.warp, lanes, part.position);
            }
        }
    }
}

/// Returns whether a step is in a loop, given by its first step and a branch back to that: a path leads from there to the step, and
/// on to the branch without a new round.
fn is_in_loop(program: &Program, position: u32, (header, branch): (u32, u32)) -> bool {
    leads_to(program, position, branch, Way::Without(header)) && leads_to(program, header, position, Way::Any)
}

/// A kind of paths.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Any,
    /// Those that do not enter this step.
    Without(u32),
    /// Those without branches back.
    Forward,
}

/// Returns whether a path leads from one step to another.
fn leads_to(program: &Program, from: u32, to: u32, way: Way) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(mut at) = open.pop() {
        while let Some(step) = program.steps.get(at as usize) {
            if at == to {
                return true;
            }
            if matches!(step.action, Action::Enter(_)) && (way == Way::Without(at) && at != from || !seen.insert(at)) {
                break;
            }
            if let Action::Branch { target, .. } = step.action
                && (way != Way::Forward || target > at)
            {
                open.push(target);
            }
            let ends = matches!(step.action, Action::Branch { .. } | Action::Exit | Action::Return | Action::Trap);
            if ends && step.guard.is_none() {
                break;
            }
            at += 1;
        }
    }
    false
}
