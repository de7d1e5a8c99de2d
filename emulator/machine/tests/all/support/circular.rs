//! Sine and cosine from a library that the emulator does not use.

/// Whether the C library is wrong for large arguments, as MinGW's is. There, the tests compare with the emulator's own library.
/// `same_bits` compares the results with those of other systems.
const LIBRARY_IS_WRONG: bool = cfg!(all(windows, target_env = "gnu"));

pub fn sin(x: f64) -> f64 {
    if LIBRARY_IS_WRONG { libm::sin(x) } else { x.sin() }
}

pub fn cos(x: f64) -> f64 {
    if LIBRARY_IS_WRONG { libm::cos(x) } else { x.cos() }
}
