//! Sine and cosine of doubles by another library than the emulator's.

/// The C library of Windows' gcc is wrong for large arguments. What is compared here is compared elsewhere with another
/// library, and `same_bits` holds the results to those.
const LIBRARY_IS_WRONG: bool = cfg!(all(windows, target_env = "gnu"));

pub fn sin(x: f64) -> f64 {
    if LIBRARY_IS_WRONG { libm::sin(x) } else { x.sin() }
}

pub fn cos(x: f64) -> f64 {
    if LIBRARY_IS_WRONG { libm::cos(x) } else { x.cos() }
}
