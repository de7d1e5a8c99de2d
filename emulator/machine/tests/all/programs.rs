//! Memory, control flow and what lanes do together: the PTX programs in `programs/` and `faults/`, which say themselves
//! what must come out. The results of `programs/` are those of an H200 (driver 580), where they do not say otherwise.

use crate::support::program::parse;

fn failures(text: &str) -> Vec<String> {
    let runs = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(!runs.is_empty(), "no kernel");
    runs.iter().filter_map(|run| run.check(text).err()).collect()
}

fn check(folder: &str, name: &str) {
    let text = std::fs::read_to_string(crate::support::folder(folder).join(name).with_extension("ptx")).unwrap();
    let failures = failures(&text);
    assert!(failures.is_empty(), "{folder}/{name}.ptx\n{}", failures.join("\n"));
}

macro_rules! files {
    ($folder:ident: $($name:ident)*) => {
        mod $folder {
            $(
                #[test]
                fn $name() {
                    super::check(stringify!($folder), stringify!($name));
                }
            )*

            #[test]
            fn every_file_is_run() {
                let files = crate::support::files(stringify!($folder), "ptx");
                let found: Vec<String> = files.into_iter().map(|(name, _)| name).collect();
                assert_eq!(found, [$(stringify!($name)),*]);
            }
        }
    };
}

files! { programs: async_copies atomics barriers branches bulk_stores calls carries clusters constants digits generic_addresses global_memory halves heap hints invariants local_memory locks matrices mbarriers parts_of_a_warp predicates printing scopes shared_memory shuffles special_registers subroutines vector_atomics vector_reductions votes waits_in_vain warpgroup }
files! { faults: atomic_out_of_bounds barrier_for_too_many_threads barrier_that_half_a_warp_skips block_of_a_cluster_that_has_ended cluster_barrier_that_one_block_skips cluster_wait_without_arrival deadlock_of_many_warps dynamic_shared_out_of_bounds endless_divergent_loop endless_loop failed_assertion freed_twice local_out_of_bounds misaligned_load misaligned_shared_store more_registers_than_reserved null_function null_pointer out_of_bounds_load out_of_bounds_store parameter_out_of_bounds reaching_past_the_end shared_out_of_bounds shuffle_without_its_lanes stack_overflow store_to_constant trap }
