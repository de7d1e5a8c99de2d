//! The peak rates of a chip, from attributes that its driver reports.

use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUdevice_attribute as Attribute;

/// The device's attributes. One that the driver does not report is `None`: a dash in the table, never a guess.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Streaming multiprocessors.
    pub multiprocessors: Option<u32>,
    /// The most resident threads per multiprocessor.
    pub threads_per_multiprocessor: Option<u32>,
    /// Single-precision operations per second, a fused multiply-add counted as two, at the nominal clock.
    pub fp32_flops_per_second: Option<f64>,
    /// Operations on factors of 16 bits with sums of single precision that tensor cores do per second, a multiply-add counted as
    /// two, of dense matrices, at the nominal clock.
    pub tensor_flops_per_second: Option<f64>,
    /// Reciprocal square roots and other results of the special-function units per second, at the nominal clock.
    pub special_functions_per_second: Option<f64>,
    /// Bytes per second between the chip and its memory, at the nominal memory clock.
    pub memory_bytes_per_second: Option<f64>,
}

impl Attributes {
    /// Reads the attributes of a device of the given compute capability.
    #[must_use]
    pub fn query(context: &CudaContext, compute_capability: (i32, i32)) -> Self {
        let get = |name| attribute(context, name);
        let multiprocessors = get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        let clock_khz = get(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        let per_second = |per_clock| per_second(multiprocessors, per_clock, clock_khz);
        Self {
            multiprocessors,
            threads_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            fp32_flops_per_second: per_second(fp32_flops_per_clock(compute_capability)),
            tensor_flops_per_second: per_second(tensor_flops_per_clock(compute_capability)),
            special_functions_per_second: per_second(special_functions_per_clock(compute_capability)),
            memory_bytes_per_second: memory_bytes(
                get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
                get(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
            ),
        }
    }
}

pub(super) fn attribute(context: &CudaContext, name: Attribute) -> Option<u32> {
    context.attribute(name).ok().and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0)
}

fn fp32_flops_per_clock(compute_capability: (i32, i32)) -> Option<u32> {
    fp32_lanes_per_multiprocessor(compute_capability).map(|lanes| 2 * lanes)
}

fn per_second(multiprocessors: Option<u32>, per_clock: Option<u32>, clock_khz: Option<u32>) -> Option<f64> {
    Some(f64::from(multiprocessors?) * f64::from(per_clock?) * f64::from(clock_khz?) * 1e3)
}

/// Returns the most resident threads of one multiprocessor, from the table "Technical Specifications per Compute
/// Capability" of the CUDA C++ Programming Guide; `None` for a compute capability that it does not list.
#[must_use]
pub fn threads_per_multiprocessor(compute_capability: (i32, i32)) -> Option<u32> {
    match compute_capability {
        (7, 5) => Some(1024),
        (8, 6 | 7 | 9) | (12, 0 | 1) => Some(1536),
        (5 | 6, _) | (7, 0 | 2) | (8, 0) | (9, 0) | (10, 0 | 3) => Some(2048),
        _ => None,
    }
}

/// Returns the bandwidth of double data rate: two transfers per clock.
fn memory_bytes(clock_khz: Option<u32>, bus_bits: Option<u32>) -> Option<f64> {
    Some(2.0 * f64::from(clock_khz?) * 1e3 * f64::from(bus_bits?) / 8.0)
}

/// Returns the single-precision lanes of one multiprocessor, from the table "Throughput of Native Arithmetic Instructions" of the
/// CUDA C++ Programming Guide; `None` for a compute capability that it does not list.
#[must_use]
pub fn fp32_lanes_per_multiprocessor(compute_capability: (i32, i32)) -> Option<u32> {
    match compute_capability {
        (6, 0) | (7, 0) | (7, 2) | (7, 5) | (8, 0) => Some(64),
        (5, _) | (6, 1) | (6, 2) | (8, 6) | (8, 7) | (8, 9) | (9, 0) | (10, 0) | (10, 3) | (12, 0) | (12, 1) => {
            Some(128)
        }
        _ => None,
    }
}

/// Returns the reciprocal square roots per multiprocessor and clock, from the same table; `None` if unknown.
#[must_use]
pub fn special_functions_per_clock(compute_capability: (i32, i32)) -> Option<u32> {
    match compute_capability {
        (7, 0) | (7, 2) | (7, 5) | (8, 0) | (8, 6) | (8, 7) | (8, 9) | (9, 0) => Some(16),
        _ => None,
    }
}

/// Returns the operations of tensor cores per multiprocessor and clock, as in
/// [`Attributes::tensor_flops_per_second`]: of 312 TFLOP/s of an A100 with 108 multiprocessors at 1.41 GHz, and of 989 TFLOP/s
/// of an H100 with 132 at 1.83 GHz (white paper *NVIDIA H100 Tensor Core GPU Architecture*, table of comparison). `None` for
/// others, some of which have half of their rate with sums of single precision.
#[must_use]
pub fn tensor_flops_per_clock(compute_capability: (i32, i32)) -> Option<u32> {
    match compute_capability {
        (8, 0) => Some(2048),
        (9, 0) => Some(4096),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fp32_limit_of_an_h200_is_67_teraflops() {
        let flops = per_second(Some(132), fp32_flops_per_clock((9, 0)), Some(1_980_000));
        assert_eq!(flops, Some(66.908_16e12));
    }

    #[test]
    fn tensor_limits_are_those_of_the_white_paper_at_its_clocks() {
        let limit = |multiprocessors, capability, clock_khz| {
            per_second(Some(multiprocessors), tensor_flops_per_clock(capability), Some(clock_khz))
                .map(|flops| flops / 1e12)
        };
        assert_eq!(limit(108, (8, 0), 1_410_000).map(f64::round), Some(312.0));
        assert_eq!(limit(132, (9, 0), 1_830_000).map(f64::round), Some(989.0));
        assert_eq!(limit(128, (8, 9), 2_520_000), None);
    }

    #[test]
    fn special_function_limit_of_an_h200_is_4_18e12_a_second() {
        let limit = per_second(Some(132), special_functions_per_clock((9, 0)), Some(1_980_000));
        assert_eq!(limit, Some(4.181_76e12));
    }

    #[test]
    fn memory_limit_of_an_h200_is_4917_gigabytes_a_second() {
        let bytes = memory_bytes(Some(3_201_000), Some(6144)).unwrap();
        assert!((bytes - 4.916736e12).abs() < 1e6, "{bytes}");
    }

    #[test]
    fn an_unknown_chip_or_a_missing_clock_gives_no_limit() {
        assert_eq!(per_second(Some(132), fp32_flops_per_clock((99, 0)), Some(1)), None);
        assert_eq!(per_second(Some(132), Some(256), None), None);
        assert_eq!(per_second(Some(132), special_functions_per_clock((10, 0)), Some(1)), None);
        assert_eq!(memory_bytes(None, Some(6144)), None);
    }
}
