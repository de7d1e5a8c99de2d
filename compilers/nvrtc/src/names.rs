//! The names of NVRTC's files on each system, and their places in toolkits and Python wheels.

use std::path::{Path, PathBuf};

/// The names on one system.
#[derive(Debug)]
pub(crate) struct Names {
    /// The names for the system's loader, newest first.
    pub of_loader: &'static [&'static str],
    /// The paths below the folder of the CUDA toolkit.
    pub in_toolkit: &'static [&'static str],
    /// The paths below `site-packages`, where NVIDIA's wheels install only versioned names.
    pub in_wheels: &'static [&'static str],
    /// The Python interpreter in the folder of a virtual environment, and on the PATH.
    python: [&'static str; 2],
}

const UNIX: Names = Names {
    of_loader: &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"],
    in_toolkit: &["lib64/libnvrtc.so"],
    in_wheels: &["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"],
    python: ["bin/python3", "python3"],
};

/// The name of the library is the same for all releases of a major version. The name of the second file contains the minor
/// version too.
const WINDOWS: Names = Names {
    of_loader: &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
    in_toolkit: &["bin/x64/nvrtc64_130_0.dll", "bin/nvrtc64_130_0.dll", "bin/nvrtc64_120_0.dll"],
    in_wheels: &["nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll", "nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll"],
    // On Windows, `python3` may be a link to the Microsoft Store.
    python: ["Scripts/python.exe", "python"],
};

/// The names on this system.
pub(crate) const HERE: Names = if cfg!(windows) { WINDOWS } else { UNIX };

impl Names {
    /// Returns the Python interpreter of the active virtual environment, or else the one on the PATH.
    pub fn python(&self) -> PathBuf {
        let [in_environment, on_path] = self.python;
        std::env::var_os("VIRTUAL_ENV").map_or(on_path.into(), |folder| Path::new(&folder).join(in_environment))
    }
}

/// Returns the folder of the CUDA toolkit, which need not exist.
pub(crate) fn toolkit() -> PathBuf {
    // The installer sets this variable on Windows, where each release has another folder.
    std::env::var_os("CUDA_PATH").filter(|_| cfg!(windows)).map_or("/usr/local/cuda".into(), PathBuf::from)
}

/// Returns the name of a library's second file, which contains the built-in headers; `None` if the library finds it by itself.
pub(crate) fn second_file(library: &str, (major, minor): (i32, i32)) -> Option<String> {
    // The wheels from 12.9 to 13.0 contain a second compiler, libnvrtc.alt.so, with another second file.
    let kind = if library.contains(".alt.") { ".alt" } else { "" };
    match library.split_once('.')? {
        (name, _) if name.starts_with("libnvrtc") => Some(format!("libnvrtc-builtins{kind}.so.{major}.{minor}")),
        // On Windows both compilers share it.
        (name, _) if name.starts_with("nvrtc64_") => Some(format!("nvrtc-builtins64_{major}{minor}.dll")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_files_are_named_as_in_nvidias_wheels() {
        let of = |library, version| second_file(library, version).expect("a name");
        assert_eq!(of("libnvrtc.so.12", (12, 1)), "libnvrtc-builtins.so.12.1");
        assert_eq!(of("libnvrtc.alt.so.12", (12, 9)), "libnvrtc-builtins.alt.so.12.9");
        assert_eq!(of("nvrtc64_120_0.dll", (12, 1)), "nvrtc-builtins64_121.dll");
        assert_eq!(of("nvrtc64_120_0.alt.dll", (12, 9)), "nvrtc-builtins64_129.dll");
        assert_eq!(of("nvrtc64_130_0.dll", (13, 0)), "nvrtc-builtins64_130.dll");
        assert_eq!(second_file("link.so", (12, 1)), None);
    }
}
