//! What can go wrong with the store.

use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::address::StoreAddress;
use crate::error::ApiError;

/// Why a command had no effect, or one that is not known.
#[derive(Clone, Debug)]
pub(crate) enum StoreError {
    /// There is no connection, or it broke.
    Away,
    /// The store refused the command: it is full, or the user has no right to it.
    Refused(RedisError),
    /// What the store holds can't be read: another version of the service has written it.
    Unreadable(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Away => f.write_str("the store can't be reached"),
            StoreError::Refused(error) => write!(f, "the store refuses: {}", in_words(error)),
            StoreError::Unreadable(what) => write!(f, "the store holds what this version can't read: {what}"),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Away => ApiError::store_away(),
            StoreError::Refused(_) => ApiError::store_refused(&error),
            StoreError::Unreadable(what) => ApiError::store_unreadable(&what),
        }
    }
}

/// Why the store can't be used.
#[derive(Debug)]
pub(crate) enum StartProblem {
    /// It can't be reached at the moment. Holds why.
    Unreachable(String),
    /// Its version is too old. Holds the version if it is known.
    TooOld(Option<String>),
    ReadOnly,
    /// Its memory is full.
    Full,
    /// It refuses the service. Holds why.
    Refused(String),
    /// Another problem, with the address at which it occurred.
    At(String, Box<StartProblem>),
}

impl StartProblem {
    pub(super) fn new(address: &StoreAddress, error: &RedisError) -> StartProblem {
        StartProblem::of(error).at(address)
    }

    pub(super) fn of(error: &RedisError) -> StartProblem {
        let text = in_words(error);
        match (error.kind(), error.code()) {
            (ErrorKind::RESP3NotSupported, _) => return StartProblem::TooOld(None),
            (_, Some("OOM")) => return StartProblem::Full,
            (_, Some("NOAUTH")) => {
                return StartProblem::Refused("it needs a password, and the URL has none".to_owned());
            }
            _ => {}
        }
        let is_refusal = matches!(error.kind(), ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig)
            || matches!(error.code(), Some("WRONGPASS" | "NOPERM" | "ERR"));
        if is_refusal { StartProblem::Refused(text) } else { StartProblem::Unreachable(text) }
    }

    pub(super) fn at(self, address: &StoreAddress) -> StartProblem {
        StartProblem::At(address.shown(), Box::new(self))
    }

    /// Returns `true` if it may pass without a change of the settings.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            StartProblem::Unreachable(_) | StartProblem::Full => true,
            // The primary may be about to change.
            StartProblem::ReadOnly | StartProblem::TooOld(_) | StartProblem::Refused(_) => false,
            StartProblem::At(_, problem) => problem.may_pass(),
        }
    }
}

impl From<StoreError> for StartProblem {
    fn from(error: StoreError) -> StartProblem {
        match error {
            StoreError::Refused(error) => StartProblem::of(&error),
            StoreError::Away | StoreError::Unreadable(_) => StartProblem::Unreachable(error.to_string()),
        }
    }
}

impl fmt::Display for StartProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartProblem::Unreachable(why) => write!(f, "it can't be reached: {why}"),
            StartProblem::TooOld(version) => {
                let version = version.as_deref().unwrap_or("before 6.0");
                write!(f, "it is Redis {version}, and the service needs Redis 7.0 or Valkey 7.2, or a later one")
            }
            StartProblem::Full => f.write_str("its memory is full"),
            StartProblem::ReadOnly => f.write_str("it is a replica, and can't be written: name the primary"),
            StartProblem::Refused(why) => write!(f, "it refuses the service: {why}"),
            StartProblem::At(address, problem) => write!(f, "the store at {address}: {problem}"),
        }
    }
}

/// What the operator of a store should know at the start.
#[derive(Debug)]
pub(crate) enum StoreWarning {
    /// It can't be used yet.
    Unusable(StartProblem),
    /// It drops keys when its memory is full.
    Evicts { address: String, policy: String },
}

impl fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreWarning::Unusable(problem) => {
                write!(f, "{problem}; until it can be used, the conversations are in this process only")
            }
            StoreWarning::Evicts { address, policy } => write!(
                f,
                "the store at {address}: when its memory is full, it drops conversations, and replicas that live are \
                 taken for dead; set its maxmemory-policy to noeviction (it is {policy})"
            ),
        }
    }
}

/// Describes an error of the client or the server.
fn in_words(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::ReadOnly) => "it is a replica, and can't be written".to_owned(),
        _ if error.code() == Some("OOM") => "its memory is full".to_owned(),
        _ => match (error.code(), error.detail()) {
            (Some(code), Some(detail)) => format!("{code} {detail}"),
            _ => error.to_string(),
        },
    }
}
