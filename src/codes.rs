//! Codes: variants as one word, for programs, and in words, for people.

/// Gives each variant of an enum its code and its words, and finds the variant of a code.
///
/// The variants with data follow the others. They have a code, and can't be found by it.
macro_rules! codes {
    (
        $(#[$doc:meta])*
        $type:ident { $($variant:ident => $code:literal: $words:literal,)+ }
        $($other:ident(_) => $other_code:literal: $other_words:literal,)*
    ) => {
        impl $type {
            $(#[$doc])*
            pub fn code(&self) -> &'static str {
                match self {
                    $($type::$variant => $code,)+
                    $($type::$other(_) => $other_code,)*
                }
            }

            /// Returns what it says, or what it is.
            pub(crate) fn words(&self) -> &'static str {
                match self {
                    $($type::$variant => $words,)+
                    $($type::$other(_) => $other_words,)*
                }
            }

            /// Returns the variant without data that has this code.
            #[cfg(feature = "dialogue")]
            pub(crate) fn from_code(code: &str) -> Option<$type> {
                match code {
                    $($code => Some($type::$variant),)+
                    _ => None,
                }
            }

            /// The codes of all variants.
            #[cfg(test)]
            pub(crate) const CODES: &[&str] = &[$($code,)+ $($other_code,)*];
        }
    };
}

pub(crate) use codes;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use crate::{CallPart, Note};

    /// Returns the words of a type in the package for JavaScript.
    fn words_of(name: &str, source: &str) -> Vec<String> {
        let (_, after) = source.split_once(&format!("export type {name} =")).expect("the type is there");
        let (words, _) = after.split_once(';').expect("the type ends");
        words.split('"').skip(1).step_by(2).map(Into::into).collect()
    }

    #[test]
    fn codes_are_unique_and_those_that_packages_promise() {
        let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("bindings");
        // A published crate does not have the packages.
        let source = bindings.exists().then(|| fs::read_to_string(bindings.join("js/src/names.ts")).unwrap());
        for (name, codes) in [("NoteCode", Note::CODES), ("CallPart", CallPart::CODES)] {
            let unique: BTreeSet<&str> = codes.iter().copied().collect();
            assert_eq!(unique.len(), codes.len());
            if let Some(source) = &source {
                let promised = words_of(name, source);
                assert_eq!(unique, promised.iter().map(String::as_str).collect(), "{name}");
            }
        }
    }

    #[cfg(feature = "dialogue")]
    #[test]
    fn a_code_finds_its_variant() {
        for code in CallPart::CODES {
            assert_eq!(CallPart::from_code(code).map(|part| part.code()), Some(*code));
        }
        for code in Note::CODES.iter().filter(|code| **code != "envelope") {
            assert_eq!(Note::from_code(code).map(|note| note.code()), Some(*code));
        }
        assert_eq!(Note::from_code("envelope"), None);
    }
}
