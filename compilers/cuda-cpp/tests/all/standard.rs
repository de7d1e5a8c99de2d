//! The parts of the standard library that kernels use, with results worked out by hand, from both compilers.

use crate::machine::{Machine, compiled};

/// Returns the eight results of the kernel `k`, which both compilers must agree on.
fn results(test: &str, headers: &str, body: &str) -> Option<Vec<f64>> {
    let includes: String = headers.split(' ').map(|header| format!("#include <{header}>\n")).collect();
    let text = format!("{includes}extern \"C\" __global__ void k(const float* x, double* r) {{\n{body}\n}}\n");
    let both = compiled(test, &text)?;
    let input: Vec<u8> = [2.0_f32, -3.5].iter().flat_map(|value| value.to_le_bytes()).collect();
    let [nvrtc, clang] = [&both.nvrtc, &both.clang].map(|ptx| {
        let bytes = Machine::of(ptx).run("k", 32, &[&input], 8);
        let words = bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("8 bytes")));
        words.take(8).collect::<Vec<f64>>()
    });
    assert_eq!(nvrtc, clang);
    Some(clang)
}

#[test]
fn mathematics_has_its_names_in_std_and_takes_whole_numbers() {
    let body = "const int n = 9;\nif (threadIdx.x) return;\nr[0] = std::sqrt(n) + sqrt(n);\nr[1] = std::abs(x[1]) + std::abs(-4) + std::fabs(-1.5);\n\
        r[2] = std::pow(x[0], 2) + pow(n, 2) + std::pow(2, 0.5f) * 0;\nr[3] = std::isnan(x[0]) + 2 * std::isnan(n) + 4 * std::isinf(x[0] / 0.0f);\n\
        r[4] = std::floor(x[1]) + std::ceil(2.5) + std::round(n);\nr[5] = std::max(3, 2) + std::min(x[0], x[1]);\n\
        r[6] = std::fmax(1, 2.5f) + std::hypot(3, 4.0) + std::lround(x[1]);\nr[7] = std::nextafter(0.0f, 1.0f) > 0 && std::nextafter(1.0, 2.0) > 1;";
    let test = "standard::mathematics_has_its_names_in_std_and_takes_whole_numbers";
    let Some(results) = results(test, "cmath algorithm", body) else { return };
    assert_eq!(results, [6.0, 9.0, 85.0, 4.0, -4.0 + 3.0 + 9.0, 3.0 - 3.5, 2.5 + 5.0 - 4.0, 1.0]);
}

#[test]
fn limits_are_constants() {
    let body = "constexpr float largest = std::numeric_limits<float>::max();\nconstexpr double none = std::numeric_limits<double>::infinity();\n\
        if (threadIdx.x) return;\nr[0] = largest;\nr[1] = none;\nr[2] = std::numeric_limits<int>::lowest();\nr[3] = SIZE_MAX;\n\
        r[4] = UINT32_C(3) << 30;\nr[5] = std::numeric_limits<short>::digits;\nr[6] = std::numeric_limits<unsigned long>::max() == UINT64_MAX;\n\
        r[7] = std::isnan(std::numeric_limits<float>::quiet_NaN()) + std::numeric_limits<double>::has_infinity;";
    let test = "standard::limits_are_constants";
    let Some(results) = results(test, "limits cstdint stdbool.h", body) else { return };
    let all = 18_446_744_073_709_551_615_u64 as f64;
    assert_eq!(results, [f64::from(f32::MAX), f64::INFINITY, -2_147_483_648.0, all, 3_221_225_472.0, 15.0, 1.0, 2.0]);
}

#[test]
fn pairs_arrays_and_traits_are_those_of_cpp() {
    let body = "std::pair<float, int> p = std::make_pair(1.5f, 2);\nfloat a = 1, b = 2;\nstd::swap(a, b);\nstd::array<int, 3> list = {4, 5, 6};\n\
        int sum = 0;\nfor (int value : list) sum += value;\nif (threadIdx.x) return;\nr[0] = p.first + p.second;\nr[1] = 10 * a + b;\n\
        r[2] = sum + list.size();\nr[3] = std::is_same_v<std::remove_cv_t<const volatile int>, int> + 2 * std::is_integral<float>::value;\n\
        r[4] = sizeof(std::conditional_t<std::is_floating_point<double>::value, double, char>);\n\
        r[5] = std::plus<int>()(3, 4) + std::greater<>()(2, 1.5);\nr[6] = std::clamp(7, 1, 5) + std::make_index_sequence<3>::size();\n\
        r[7] = std::is_unsigned<std::make_unsigned_t<int>>::value + std::is_convertible_v<int, float> + std::is_pointer_v<char*>;";
    let test = "standard::pairs_arrays_and_traits_are_those_of_cpp";
    let headers = "utility array type_traits algorithm functional";
    let Some(results) = results(test, headers, body) else { return };
    assert_eq!(results, [3.5, 21.0, 18.0, 1.0, 8.0, 8.0, 8.0, 3.0]);
}
