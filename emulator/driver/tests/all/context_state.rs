//! The state of a context, as the driver's own functions see it.

use emulator::Memory;
use emulator_driver::result::CUresult;
use emulator_driver::state::Context;
use std::sync::Arc;

fn context() -> (Context, Arc<Memory>) {
    let memory = Arc::new(Memory::new(1 << 20));
    (Context::new(0, &memory, 0), memory)
}

#[test]
fn a_fault_is_reported_by_the_next_call_that_waits_and_by_all_later_calls() {
    let (context, _) = context();
    context.fault(CUresult::ILLEGAL_ADDRESS.because("kernel k"));
    assert!(context.check().is_ok() && context.is_faulted());
    assert!(context.run(|| panic!("work after a fault")).is_ok());
    assert_eq!(context.synchronize().unwrap_err().code, CUresult::ILLEGAL_ADDRESS);
    let error = context.run(|| Ok(())).unwrap_err();
    assert_eq!((error.code, error.detail.as_deref()), (CUresult::ILLEGAL_ADDRESS, Some("kernel k")));
    assert_eq!(context.check().unwrap_err().code, CUresult::ILLEGAL_ADDRESS);
}

#[test]
fn a_context_is_busy_while_its_work_runs() {
    let (context, _) = context();
    assert!(!context.is_busy() && !context.is_faulted());
    assert!(context.run(|| if context.is_busy() { Ok(()) } else { Err(CUresult::UNKNOWN.into()) }).is_ok());
    assert!(!context.is_busy());
}

#[test]
fn allocations_end_with_their_context() {
    let (context, memory) = context();
    let kept = context.allocate(1000).unwrap();
    let freed = context.allocate(24).unwrap();
    assert_eq!(memory.available_bytes(), (1 << 20) - 1024);
    assert!(context.free(freed).is_ok());
    assert_eq!(context.free(freed).unwrap_err().code, CUresult::INVALID_VALUE);
    assert_eq!(context.free(kept + 1).unwrap_err().code, CUresult::INVALID_VALUE);
    drop(context);
    assert_eq!(memory.available_bytes(), 1 << 20);
}
