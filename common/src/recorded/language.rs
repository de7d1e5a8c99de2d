//! The language of a kernel, as records name it.

use crate::stage::Plan;
use serde::{Deserialize, Deserializer, Serialize};

/// A language in which kernels are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// CUDA C++.
    #[default]
    Cuda,
    /// Rust.
    Rust,
}

/// The field in records of any age.
#[derive(Deserialize)]
#[serde(untagged)]
enum Field {
    Language(Language),
    /// `in_rust`, before 2026-11-23.
    InRust(bool),
}

impl Language {
    /// Returns the language of the kernel that a plan runs.
    #[must_use]
    pub fn from_plan(plan: &Plan) -> Self {
        Self::rust_if(plan.in_rust)
    }

    /// Returns [`Language::Rust`] for `true`.
    #[must_use]
    pub fn rust_if(in_rust: bool) -> Self {
        if in_rust { Self::Rust } else { Self::Cuda }
    }

    /// Returns whether this is Rust.
    #[must_use]
    pub fn is_rust(self) -> bool {
        self == Self::Rust
    }

    /// Reads the field `language`, or `in_rust` of an older record.
    ///
    /// # Errors
    /// The deserializer's, for any other value.
    pub fn from_any_record<'de, D: Deserializer<'de>>(field: D) -> Result<Self, D::Error> {
        Ok(match Field::deserialize(field)? {
            Field::Language(language) => language,
            Field::InRust(in_rust) => Self::rust_if(in_rust),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Any {
        #[serde(alias = "in_rust", default, deserialize_with = "Language::from_any_record")]
        language: Language,
    }

    #[test]
    fn records_of_any_age_have_a_language() {
        let read = |text: &str| serde_json::from_str::<Any>(text).map(|any| any.language).ok();
        assert_eq!(read(r#"{"language": "rust"}"#), Some(Language::Rust));
        assert_eq!(read(r#"{"language": "cuda"}"#), Some(Language::Cuda));
        assert_eq!(read(r#"{"in_rust": true}"#), Some(Language::Rust));
        assert_eq!(read(r#"{"in_rust": false}"#), Some(Language::Cuda));
        assert_eq!(read("{}"), Some(Language::Cuda));
        assert_eq!(read(r#"{"language": "c"}"#), None);
        assert_eq!(serde_json::to_string(&Language::Rust).ok().as_deref(), Some(r#""rust""#));
    }
}
