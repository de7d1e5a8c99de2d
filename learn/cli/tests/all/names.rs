//! Names of kernels, variables and templates, and the places in titles of faults.

use emulator::MemorySpace;
use judge::kernel_file::variable_in_source;
use learn::kernel_check::names::{
    access_bytes, condition_of, has_arguments, in_source, is_mangled, list_parts, place_of_fault, template_parameters,
};

#[test]
fn arguments_of_templates_are_compared() {
    let symbol = "_Z5timesIfLi3EEvPT_i";
    for name in ["times<float, 3>", "times<float,3>", "times", "times<float, N + 1>"] {
        assert!(is_mangled(symbol, name) && has_arguments(symbol, name), "{name}");
    }
    assert!(has_arguments(symbol, "times<float>"), "the second argument may be a default");
    for name in ["times<double, 3>", "times<float, 4>", "times<float, 3, 1>"] {
        assert!(is_mangled(symbol, name) && !has_arguments(symbol, name), "{name}");
    }
    assert!(has_arguments(symbol, "times<float, 3u>"));
    let of_constant = "_ZL5scaleIfL4Mode1EEvPT_";
    assert!(is_mangled(of_constant, "scale<float, SLOW>") && has_arguments(of_constant, "scale<float, SLOW>"));
    let unnamed = "_ZN3lab47_GLOBAL__N__00000000_5_a_cu_673b179b_246754fillEPf";
    assert!(is_mangled(unnamed, "lab::fill") && is_mangled(unnamed, "fill") && !is_mangled(unnamed, "lab::full"));
    assert!(has_arguments("_ZN1a4fillI4BodyjLb1EEvPT_", "a::fill<Body, unsigned int, true>"));
}

#[test]
fn the_condition_around_a_kernel_is_found() {
    let text = "#ifndef A\n#define A\n#endif\n__global__ void always(int* x) {\n#if B\nx[0] = f(1);\n#endif\n}\n\
        #if TILE > 1\ntemplate <int N>\n#else\n  # ifdef C\n__global__\nvoid sometimes(int* x) { always(x); }\n#endif\n#endif\n";
    assert_eq!(condition_of(text, "sometimes"), Some((12, "# ifdef C".to_owned())));
    assert_eq!((condition_of(text, "always"), condition_of(text, "never")), (None, None));
}

#[test]
fn names_in_the_source_are_read() {
    assert_eq!(in_source("_Z5scalePfi"), "scale");
    assert_eq!(in_source("_ZN1a5scaleEPf"), "a::scale");
    assert_eq!(in_source("_ZN32_INTERNAL_00000000_4_k_cu_ab12cd3lab4maskE"), "lab::mask");
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
    assert_eq!(place_of_fault(title, false), Some((MemorySpace::Shared, 0x190)));
    let title = "out-of-bounds access in kernel `k`: 4 bytes of global memory at 0x700001a00, just past the end";
    assert_eq!(place_of_fault(title, false), Some((MemorySpace::Global, 0x7_0000_1a00)));
    let title = "misaligned access in kernel `k`: 0x26f2001102 is not a multiple of 4, the size of the access";
    assert_eq!(place_of_fault(title, false), Some((MemorySpace::Global, 0x26_F200_1102)));
    assert_eq!(place_of_fault(title, true), Some((MemorySpace::Shared, 0x26_F200_1102)));
    assert_eq!(place_of_fault("trap in kernel `k`: ", false), None);
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
