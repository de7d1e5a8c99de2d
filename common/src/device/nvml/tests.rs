//! A made-up NVML.

use super::*;

/// The second of two GPUs, which does not report its power.
static FAKE: Functions = Functions {
    handle_by_pci_bus_id: {
        unsafe extern "C" fn find(id: *const c_char, handle: *mut *mut c_void) -> c_int {
            // SAFETY: the caller passes a text with a NUL, and a pointer to a handle.
            unsafe {
                *handle = std::ptr::without_provenance_mut(7);
                if CStr::from_ptr(id) == c"00000000:a1:00.0" { 0 } else { 6 }
            }
        }
        find
    },
    clock: value::<1410>,
    max_clock: value::<1980>,
    temperature: value::<83>,
    power: {
        unsafe extern "C" fn unsupported(_: *mut c_void, _: *mut c_uint) -> c_int {
            3
        }
        unsupported
    },
    throttle_reasons: {
        unsafe extern "C" fn heat(_: *mut c_void, bits: *mut c_ulonglong) -> c_int {
            // SAFETY: the caller passes a pointer to an integer.
            unsafe { *bits = 0x20 };
            0
        }
        heat
    },
};

unsafe extern "C" fn value<const VALUE: u32>(handle: *mut c_void, kind: c_uint, value: *mut c_uint) -> c_int {
    assert!(handle.addr() == 7 && kind == if VALUE == 83 { CHIP } else { SM });
    // SAFETY: the caller passes a pointer to an integer.
    unsafe { *value = VALUE };
    0
}

#[test]
fn the_gpu_is_found_by_its_place_and_what_it_does_not_report_is_missing() {
    assert!(Nvml::with(&FAKE, [0, 0x1a, 0]).is_none());
    let reading = Nvml::with(&FAKE, [0, 0xa1, 0]).expect("the GPU").read().expect("a clock");
    assert_eq!((reading.sm_mhz, reading.max_sm_mhz), (1410, Some(1980)));
    assert_eq!((reading.power_w, reading.temperature_c), (None, Some(83)));
    assert_eq!(reading.throttled.names().collect::<Vec<_>>(), ["temperature"]);
}
