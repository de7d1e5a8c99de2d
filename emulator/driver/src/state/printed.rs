//! The text that kernels print, which goes to standard output as with NVIDIA's drivers: at calls that wait for the device, and
//! before the next launch.

use emulator::Memory;
use std::io::Write;

/// Writes the text that kernels of a device have printed to standard output, and what is lost to standard error.
pub(super) fn write_out(memory: &Memory) {
    let printed = memory.take_printed();
    if let Some(loss) = printed.loss() {
        eprintln!("{loss}");
    }
    if !printed.text.is_empty() {
        let mut stdout = std::io::stdout().lock();
        // A program may have closed its output.
        let _closed = stdout.write_all(printed.text.as_bytes()).and_then(|()| stdout.flush());
    }
}
