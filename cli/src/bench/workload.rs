//! The messages to be measured, and how they are cut: the only use of the library's test support.

use followup_testing::workloads;

pub(super) use followup_testing::pieces;

/// A message, and the number of complete questions in it.
pub(super) struct Workload {
    pub(super) name: String,
    pub(super) message: String,
    pub(super) questions: usize,
}

/// Returns the built-in messages.
pub(super) fn built_in() -> Vec<Workload> {
    workloads::everyday().map(Workload::from).collect()
}

impl From<workloads::Workload> for Workload {
    fn from(built_in: workloads::Workload) -> Self {
        Workload { name: built_in.name.into(), message: built_in.message, questions: built_in.questions }
    }
}
