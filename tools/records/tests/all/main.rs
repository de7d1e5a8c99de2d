//! Files of GPUs: one that is accepted, and the kinds of damage for which files are refused.

mod damage;
mod fixture;
mod program;
