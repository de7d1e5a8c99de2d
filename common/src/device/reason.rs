//! Descriptions of driver errors.

use super::emulator_library::EmulatorLibrary;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

/// Describes the error of a driver call: the driver's text, then the emulator's explanation, or advice on a GPU, which may have
/// a display.
pub(super) fn describe(error: DriverError, emulator: Option<EmulatorLibrary>, has_display: bool) -> String {
    let mut reason = driver_text(error);
    let detail = emulator.map_or_else(|| advice(error.0).to_owned(), |emulator| emulator.last_error());
    if !detail.trim().is_empty() {
        reason.push('\n');
        reason.push_str(detail.trim_end());
    }
    if has_display && error.0 == CUresult::CUDA_ERROR_LAUNCH_TIMEOUT {
        reason.push('\n');
        reason.push_str(DISPLAY);
    }
    reason
}

/// Advice on a kernel that took too long. The limit is 2 seconds on Windows, where the registry's `TdrDelay` sets it.
const DISPLAY: &str = "This GPU has a display, whose driver ends a kernel after a few seconds. \
                       A smaller --n takes less; --kernel runs others.";

/// Returns advice on a kernel's fault, for which a GPU reports no source line.
fn advice(result: CUresult) -> &'static str {
    match result {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_LAUNCH_FAILED => {
            "Run it with --device emulator or --check to see the thread and the source line."
        }
        CUresult::CUDA_ERROR_ASSERT => "The failed assertion is printed above, with its line and thread.",
        _ => "",
    }
}

/// Returns `CUDA_ERROR_INVALID_VALUE, invalid argument`.
#[must_use]
pub fn driver_text(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    format!("{:?}, {}", error.0, text.unwrap_or_else(|_| "an error without a text".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_a_kernel_comes_with_what_names_the_line() {
        assert!(advice(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS).contains("--device emulator"));
        assert!(advice(CUresult::CUDA_ERROR_ASSERT).contains("printed above"));
        assert_eq!(advice(CUresult::CUDA_ERROR_OUT_OF_MEMORY), "");
    }
}
