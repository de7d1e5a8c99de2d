//! Names of kernels, variables and templates, and the places in titles of faults.

use emulator::MemorySpace;
use learn::kernel_check::names::{
    access_bytes, has_arguments, in_source, is_mangled, list_parts, place_of_fault, template_parameters,
    variable_in_source,
};

#[test]
fn arguments_of_templates_are_compared() {
    let symbol = "_Z5timesIfLi3EEvPT_i";
    for name in ["times<float, 3>", "times<float,3>", "times", "times<float, N + 1>"] {
        assert!(is_mangled(symbol, name) && has_arguments(symbol, name), "{name}");
    }
    for name in ["times<double, 3>", "times<float, 4>", "times<float>", "times<float, 3, 1>"] {
        assert!(is_mangled(symbol, name) && !has_arguments(symbol, name), "{name}");
    }
    assert!(has_arguments("_ZN1a4fillI4BodyjLb1EEvPT_", "a::fill<Body, unsigned int, true>"));
}

#[test]
fn names_in_the_source_are_read() {
    assert_eq!(in_source("_Z5scalePfi"), "scale");
    assert_eq!(in_source("_ZN1a5scaleEPf"), "a::scale");
    for symbol in ["scale", "_Z5timesIfLi3EEvPT_i", "_ZN12_GLOBAL__N_1", "_Z", "_Z99x"] {
        assert_eq!(in_source(symbol), symbol);
    }
}

#[test]
fn names_and_sizes_are_read() {
    assert_eq!(variable_in_source("_ZZ1kPiiE4tile"), "tile");
    assert_eq!(variable_in_source("_Z1kPi.1._ZZ1kPiE2tE_0"), "tE");
    assert_eq!(variable_in_source("tile"), "tile");
    assert_eq!(access_bytes("@%p st.shared.v2.f32 \t[%r1], {%f1, %f2};"), 4);
    assert_eq!(access_bytes("atom.shared.add.u64 %rd1, [%r1], 1;"), 8);
    assert_eq!(access_bytes("mbarrier.init"), 0);
}

#[test]
fn the_address_of_a_fault_is_in_its_title() {
    let title = "out-of-bounds access in kernel `k`: 4 bytes of shared memory at 0x190, which is 288 bytes long";
    assert_eq!(place_of_fault(title), Some((MemorySpace::Shared, 0x190)));
    let title = "out-of-bounds access in kernel `k`: 4 bytes of global memory at 0x700001a00, just past the end";
    assert_eq!(place_of_fault(title), Some((MemorySpace::Global, 0x7_0000_1a00)));
    assert_eq!(place_of_fault("trap in kernel `k`: "), None);
}

#[test]
fn templates_are_found_with_their_parameters() {
    let text = "template <typename T>\n__device__ T twice(T x) { return x; }\ntemplate <typename T, int N> __global__ void\n\
                __launch_bounds__(64) times(T* x) { }\n__global__ void plain(float* x) {}\nvoid host() { times<float, 3>(0); }";
    assert_eq!(template_parameters(text, "times").as_deref(), Some("typename T, int N"));
    for name in ["plain", "twice", "time", "host", "none"] {
        assert_eq!(template_parameters(text, name), None, "{name}");
    }
}

#[test]
fn long_lists_are_cut() {
    let parts: Vec<String> = (0..14).map(|part| part.to_string()).collect();
    assert!(list_parts(&parts).ends_with("10, 11 and 2 more") && !list_parts(&parts[..12]).contains("more"));
}
