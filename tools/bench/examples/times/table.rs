//! The table of the times.

/// A kernel's times in milliseconds, in the order of the compilers, or why it has none.
pub struct Row {
    /// The kernel.
    pub kernel: &'static str,
    /// The lowest medians.
    pub times: [Result<f64, String>; 3],
}

impl Row {
    /// Returns the time with the PTX of the compiler with this index, divided by that with NVRTC's.
    fn ratio(&self, index: usize) -> Option<f64> {
        Some(self.times[index].as_ref().ok()? / self.times[0].as_ref().ok()?)
    }
}

/// The names of the compilers that are compared with NVRTC.
const COMPARED: [(usize, &str); 2] = [(1, "LLVM's back end"), (2, "ir-ptx")];

/// Prints the time with NVRTC's PTX, and the ratios of the others.
pub fn print(row: &Row) {
    let nvrtc = row.times[0].as_ref().map_or("-".into(), |time| format!("{time:.4}"));
    let ratio = |index| row.ratio(index).map_or("-".into(), |ratio| format!("{ratio:.3}"));
    println!("| {} | {nvrtc} | {} | {} |", row.kernel, ratio(1), ratio(2));
    for error in row.times.iter().filter_map(|time| time.as_ref().err()) {
        eprintln!("{}: {error}", row.kernel);
    }
}

/// Prints the geometric mean, the lowest and the highest of the ratios.
pub fn print_summary(rows: &[Row]) {
    for (index, name) in COMPARED {
        let mut ratios: Vec<(f64, &str)> =
            rows.iter().filter_map(|row| Some((row.ratio(index)?, row.kernel))).collect();
        ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else { continue };
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!(
            "{name}: {} of {} kernels, geometric mean {mean:.3}, least {:.3} ({}), most {:.3} ({})",
            ratios.len(),
            rows.len(),
            least.0,
            least.1,
            most.0,
            most.1
        );
    }
}
