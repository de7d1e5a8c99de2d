use super::*;

fn launched(variables: &[(&str, &str)]) -> Result<Option<Place>, String> {
    let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Place::from_launcher(get).map_err(|error| error.to_string())
}

fn place(rank: usize, world: usize, local_rank: usize, local_world: usize, root: &str) -> Place {
    Place { rank, world, local_rank, local_world, root: root.into() }
}

#[test]
fn torchrun_has_its_agent_at_master_port_so_that_ranks_meet_at_the_next() {
    let found = launched(&[
        ("TORCHELASTIC_RUN_ID", "none"),
        ("RANK", "3"),
        ("WORLD_SIZE", "4"),
        ("LOCAL_RANK", "1"),
        ("LOCAL_WORLD_SIZE", "2"),
        ("MASTER_ADDR", "node0"),
        ("MASTER_PORT", "29500"),
    ]);
    assert_eq!(found, Ok(Some(place(3, 4, 1, 2, "node0:29501"))));
}

#[test]
fn torchrun_like_variables_set_by_hand_will_do() {
    let by_hand =
        [("RANK", "0"), ("WORLD_SIZE", "2"), ("LOCAL_RANK", "0"), ("MASTER_ADDR", "h"), ("MASTER_PORT", "1000")];
    assert_eq!(launched(&by_hand), Ok(Some(place(0, 2, 0, 2, "h:1001"))));
}

#[test]
fn open_mpi_on_one_machine_needs_no_more_than_its_own_variables() {
    let own = [
        ("OMPI_COMM_WORLD_RANK", "1"),
        ("OMPI_COMM_WORLD_SIZE", "2"),
        ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
    ];
    let found = launched(&own).unwrap().unwrap();
    assert!(found.rank == 1 && found.local_rank == 1 && found.root.starts_with("127.0.0.1:2"), "{found:?}");
}

#[test]
fn open_mpi_on_two_machines_must_be_told_where_ranks_meet() {
    let own = [
        ("OMPI_COMM_WORLD_RANK", "1"),
        ("OMPI_COMM_WORLD_SIZE", "4"),
        ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
    ];
    let error = launched(&own).unwrap_err();
    assert!(error.contains("NCCL_COMM_ID is not set") && error.contains("HOST:PORT"), "{error}");
    let told: Vec<_> = own.into_iter().chain([("NCCL_COMM_ID", "10.0.0.1:29501")]).collect();
    assert_eq!(launched(&told), Ok(Some(place(1, 4, 1, 2, "10.0.0.1:29501"))));
}

#[test]
fn hydra_of_mpich_has_names_of_its_own() {
    let own = [("PMI_RANK", "0"), ("PMI_SIZE", "3"), ("MPI_LOCALRANKID", "0"), ("MPI_LOCALNRANKS", "3")];
    assert_eq!(launched(&own).unwrap().map(|place| (place.rank, place.world, place.local_world)), Some((0, 3, 3)));
}

#[test]
fn srun_meets_on_its_first_machine() {
    let step = [
        ("SLURM_STEP_ID", "2"),
        ("SLURM_JOB_ID", "100"),
        ("SLURM_PROCID", "9"),
        ("SLURM_STEP_NUM_TASKS", "16"),
        ("SLURM_LOCALID", "1"),
        ("SLURM_STEP_TASKS_PER_NODE", "8(x2)"),
        ("SLURM_NODELIST", "gpu[03-04]"),
        ("PMI_RANK", "9"),
    ];
    assert_eq!(launched(&step), Ok(Some(place(9, 16, 1, 8, "gpu03:23102"))));
}

#[test]
fn a_batch_script_of_slurm_is_no_rank() {
    assert_eq!(launched(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "16"), ("SLURM_NODELIST", "gpu1")]), Ok(None));
}

#[test]
fn first_names_of_slurms_lists() {
    let lists = ["gpu1", "gpu1,gpu2", "gpu[3-5]", "gpu[007,009-011]", "gpu[03-05]-ib,cpu1", "a,b[1-2]"];
    assert_eq!(lists.map(first_node), ["gpu1", "gpu1", "gpu3", "gpu007", "gpu03-ib", "a"]);
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let missing = launched(&[("TORCHELASTIC_RUN_ID", "x"), ("RANK", "0")]).unwrap_err();
    assert!(missing.contains("torchrun") && missing.contains("WORLD_SIZE is not set"), "{missing}");
    let beyond = launched(&[("PMI_RANK", "3"), ("PMI_SIZE", "3"), ("MPI_LOCALRANKID", "0")]).unwrap_err();
    assert!(beyond.contains("PMI_RANK is 3, but there are 3 ranks"), "{beyond}");
}

#[test]
fn a_prepared_rank_reads_what_its_parent_wrote() {
    let place = place(2, 4, 2, 4, "127.0.0.1:5");
    let variables = place.environment();
    let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    assert_eq!(Place::from_prepared(get).unwrap(), Some(place.clone()));
    assert!(Place::from_prepared(|_| Some("2 of 4".into())).is_err());
}
