//! What NVRTC's files are called on each system, and where toolkits and Python wheels put them.

use std::path::{Path, PathBuf};

/// The names of one system.
#[derive(Debug)]
pub(crate) struct Names {
    /// Names that the system's loader may know, newest first.
    pub of_loader: &'static [&'static str],
    /// The CUDA toolkit's folders below its own.
    pub in_toolkit: &'static [&'static str],
    /// Below `site-packages`, where NVIDIA's wheels install versioned names alone.
    pub in_wheels: &'static [&'static str],
    /// The interpreter in a virtual environment's folder, and on the path.
    python: [&'static str; 2],
}

const UNIX: Names = Names {
    of_loader: &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"],
    in_toolkit: &["lib64/libnvrtc.so"],
    in_wheels: &["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"],
    python: ["bin/python3", "python3"],
};

/// The name of a release's first library holds for all of its major version; the second file's has the minor one too.
const WINDOWS: Names = Names {
    of_loader: &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
    in_toolkit: &["bin/x64/nvrtc64_130_0.dll", "bin/nvrtc64_130_0.dll", "bin/nvrtc64_120_0.dll"],
    in_wheels: &["nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll", "nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll"],
    // `python3` is there a way to Microsoft's shop
    python: ["Scripts/python.exe", "python"],
};

/// Those of this system.
pub(crate) const HERE: Names = if cfg!(windows) { WINDOWS } else { UNIX };

impl Names {
    /// Python: of the active virtual environment, or the one on the path.
    pub fn python(&self) -> PathBuf {
        let [in_environment, on_path] = self.python;
        std::env::var_os("VIRTUAL_ENV").map_or(on_path.into(), |folder| Path::new(&folder).join(in_environment))
    }
}

/// The folder of the CUDA toolkit, whether it is there or not.
pub(crate) fn toolkit() -> PathBuf {
    // what its installer sets on Windows, where each release has a folder of its own
    std::env::var_os("CUDA_PATH").filter(|_| cfg!(windows)).map_or("/usr/local/cuda".into(), PathBuf::from)
}

/// The second file of a library, which holds the built-in headers; `None` where it finds that one by itself.
pub(crate) fn second_file(library: &str, (major, minor): (i32, i32)) -> Option<String> {
    // the wheels from 12.9 to 13.0 hold a second compiler, libnvrtc.alt.so, with a second file of its own
    let kind = if library.contains(".alt.") { ".alt" } else { "" };
    match library.split_once('.')? {
        (name, _) if name.starts_with("libnvrtc") => Some(format!("libnvrtc-builtins{kind}.so.{major}.{minor}")),
        // for both compilers
        (name, _) if name.starts_with("nvrtc64_") => Some(format!("nvrtc-builtins64_{major}{minor}.dll")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_files_are_called_as_nvidias_wheels_have_them() {
        let of = |library, version| second_file(library, version).expect("a name");
        assert_eq!(of("libnvrtc.so.12", (12, 1)), "libnvrtc-builtins.so.12.1");
        assert_eq!(of("libnvrtc.alt.so.12", (12, 9)), "libnvrtc-builtins.alt.so.12.9");
        assert_eq!(of("nvrtc64_120_0.dll", (12, 1)), "nvrtc-builtins64_121.dll");
        assert_eq!(of("nvrtc64_120_0.alt.dll", (12, 9)), "nvrtc-builtins64_129.dll");
        assert_eq!(of("nvrtc64_130_0.dll", (13, 0)), "nvrtc-builtins64_130.dll");
        assert_eq!(second_file("link.so", (12, 1)), None);
    }
}
