//! A state as data, with the version of its format and a checksum.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::hash::Fnv;

/// The reason why a checkpoint can't be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// It has a format version that this version of the crate can't read.
    OtherVersion,
    /// It was made under another policy, which gives its contents another meaning.
    OtherPolicy,
    /// It was damaged or changed: its checksum is wrong, or its contents are out of bounds.
    Corrupt,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ResumeError::OtherVersion => {
                "the checkpoint has another format version: resume it with the version of followup that made it, or begin anew without it"
            }
            ResumeError::OtherPolicy => {
                "the checkpoint was made under another policy: resume it under the policy its parser had"
            }
            ResumeError::Corrupt => "the checkpoint is corrupt: it was damaged or changed; begin anew without it",
        })
    }
}

impl core::error::Error for ResumeError {}

/// A state in the format of this version, or only the version and the checksum of another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sealed<S, const VERSION: u32> {
    version: u32,
    /// The checksum of `state`.
    checksum: u64,
    /// `None` in another version, whose layout is not known.
    state: Option<S>,
}

impl<S: Hash, const VERSION: u32> Sealed<S, VERSION> {
    pub(crate) fn new(state: S) -> Self {
        Sealed { version: VERSION, checksum: checksum(&state), state: Some(state) }
    }

    /// Returns the state.
    ///
    /// # Errors
    ///
    /// If the format has another version, or the checksum is wrong.
    pub(crate) fn open(self) -> Result<S, ResumeError> {
        let state = self.state.filter(|_| self.version == VERSION).ok_or(ResumeError::OtherVersion)?;
        if self.checksum != checksum(&state) {
            return Err(ResumeError::Corrupt);
        }
        Ok(state)
    }

    /// Forges the version and the checksum, if there is a state.
    pub(crate) fn reseal(self) -> Self {
        match self.state {
            Some(state) => Sealed::new(state),
            None => self,
        }
    }
}

fn checksum(state: &impl Hash) -> u64 {
    let mut hash = Fnv::default();
    state.hash(&mut hash);
    hash.finish()
}

#[cfg(any(feature = "serde", feature = "dialogue"))]
mod stored {
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
    use serde::ser::{Error as _, Serialize, SerializeStruct, Serializer};

    use super::Sealed;

    const FIELDS: &[&str] = &["version", "checksum", "state"];

    impl<S: Serialize, const VERSION: u32> Serialize for Sealed<S, VERSION> {
        fn serialize<To: Serializer>(&self, to: To) -> Result<To::Ok, To::Error> {
            let state = self.state.as_ref();
            let state = state.ok_or_else(|| To::Error::custom("a checkpoint of another format version"))?;
            let mut fields = to.serialize_struct("Sealed", FIELDS.len())?;
            fields.serialize_field("version", &self.version)?;
            fields.serialize_field("checksum", &self.checksum)?;
            fields.serialize_field("state", state)?;
            fields.end()
        }
    }

    impl<'de, S: Deserialize<'de>, const VERSION: u32> Deserialize<'de> for Sealed<S, VERSION> {
        fn deserialize<From: Deserializer<'de>>(from: From) -> Result<Self, From::Error> {
            from.deserialize_struct("Sealed", FIELDS, SealedVisitor(PhantomData))
        }
    }

    #[derive(serde::Deserialize)]
    #[serde(field_identifier, rename_all = "lowercase")]
    enum SealedField {
        Version,
        Checksum,
        State,
        #[serde(other)]
        Other,
    }

    /// Reads the version first, and a state only in this version.
    struct SealedVisitor<S, const VERSION: u32>(PhantomData<S>);

    impl<'de, S: Deserialize<'de>, const VERSION: u32> Visitor<'de> for SealedVisitor<S, VERSION> {
        type Value = Sealed<S, VERSION>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a checkpoint")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            let missing = |index| A::Error::invalid_length(index, &self);
            let version = fields.next_element()?.ok_or_else(|| missing(0))?;
            let checksum = fields.next_element()?.ok_or_else(|| missing(1))?;
            let state = match version == VERSION {
                true => Some(fields.next_element()?.ok_or_else(|| missing(2))?),
                false => {
                    // A format that does not say where values end can't skip the state.
                    let _ = fields.next_element::<IgnoredAny>();
                    None
                }
            };
            Ok(Sealed { version, checksum, state })
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            let (mut version, mut checksum, mut state) = (None, None, None);
            // Why the state could not be read, which is no error in another version.
            let mut unread = None;
            loop {
                let field = match fields.next_key() {
                    Ok(Some(field)) => field,
                    Ok(None) => break,
                    Err(error) => return Err(unread.unwrap_or(error)),
                };
                match field {
                    SealedField::Version => version = Some(fields.next_value()?),
                    SealedField::Checksum => checksum = Some(fields.next_value()?),
                    SealedField::State if version.is_some_and(|version| version != VERSION) => {
                        fields.next_value::<IgnoredAny>()?;
                    }
                    SealedField::State => match fields.next_value() {
                        Ok(read) => state = Some(read),
                        // Where a store has sorted the fields, the version comes later.
                        Err(error) if version.is_none() => unread = Some(error),
                        Err(error) => return Err(error),
                    },
                    SealedField::Other => {
                        fields.next_value::<IgnoredAny>()?;
                    }
                }
            }
            let version = version.ok_or_else(|| A::Error::missing_field("version"))?;
            let checksum = match checksum {
                Some(checksum) => checksum,
                // The layout of another version is not known.
                None if version != VERSION => 0,
                None => return Err(A::Error::missing_field("checksum")),
            };
            if state.is_none() && version == VERSION {
                return Err(unread.unwrap_or_else(|| A::Error::missing_field("state")));
            }
            Ok(Sealed { version, checksum, state })
        }
    }
}
