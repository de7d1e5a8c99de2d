//! The replacements of directives for both languages, one after the other; `book/theme/languages.js` turns them into tabs.

use super::diff;
use super::kernels::Kernel;
use super::source;
use anyhow::Result;

/// Returns the replacement of `{{kernel NAME}}`: the file in each of its languages.
///
/// # Errors
/// Returns an error if there is no such kernel, or if a file lacks its entry point.
pub fn kernel(name: &str) -> Result<String> {
    let cuda = Kernel::find(name)?;
    let rust = cuda.in_rust().ok().map(|twin| source::whole(&twin)).transpose()?;
    Ok(tabs(source::whole(&cuda)?, rust))
}

/// Returns the replacement of `{{kernel NAME item ITEM}}`: one function or type, also in Rust if that file has an item of the same
/// name.
///
/// # Errors
/// Returns an error if the file in CUDA C++ has no such item.
pub fn item(name: &str, item: &str) -> Result<String> {
    let cuda = Kernel::find(name)?;
    let rust = cuda.in_rust().and_then(|twin| source::item(&twin, item)).ok();
    Ok(tabs(source::item(&cuda, item)?, rust))
}

/// Returns the replacement of `{{diff NAME}}` and `{{diff NAME from OTHER}}`: the diff of two kernels in both languages.
///
/// # Errors
/// Returns an error if there is no such kernel, or if nothing differs in CUDA C++.
pub fn diff(new: &Kernel, old: &Kernel) -> Result<String> {
    let twins = old.in_rust().and_then(|old| Ok([old, new.in_rust()?]));
    let rust = twins.and_then(|[old, new]| diff::between(&old, &new)).ok();
    Ok(tabs(diff::between(old, new)?, rust))
}

/// Returns both texts, or the only one. The blank lines make the content of the tags Markdown.
pub fn tabs(cuda: String, rust: Option<String>) -> String {
    let Some(rust) = rust else { return cuda };
    let part =
        |language, text: &str| format!("<div class=\"language\" data-language=\"{language}\">\n\n{text}\n</div>\n");
    format!("<div class=\"languages\">\n{}{}</div>\n", part("cuda", &cuda), part("rust", &rust))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_in_both_languages_has_a_part_for_each_and_one_alone_has_none() {
        let both = kernel("computeForces").unwrap();
        assert!(both.contains("01_compute_forces.cu") && both.contains("01_compute_forces.rs"), "{both}");
        assert_eq!(both.matches("<div class=\"language\"").count(), 2);
        assert_eq!(tabs("one".into(), None), "one");
    }

    #[test]
    fn a_diff_is_of_two_files_in_one_language() {
        let [old, new] = ["computeForces", "computeForces_Tiling"].map(|name| Kernel::find(name).unwrap());
        let both = diff(&new, &old).unwrap();
        assert_eq!(both.matches("01_compute_forces.rs\n+++").count(), 1, "{both}");
        assert_eq!(both.matches("01_compute_forces.cu\n+++").count(), 1, "{both}");
    }

    #[test]
    fn an_item_is_shown_in_rust_where_it_has_the_same_name() {
        let both = item("periodicIntegrate", "periodicIntegrate").unwrap();
        assert!(both.contains("ptx-kernel") && both.contains("__global__"), "{both}");
    }
}
