//! How much of the store can be reached, which the health and the metrics of the service report.

/// How much of the store can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    All,
    /// Some shards of a cluster do not answer.
    Part,
    Nothing,
}
