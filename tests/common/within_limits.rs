//! Whether what a parser shows stays within its limits.

use followup::{Event, Events, Limits, Suggestions};

/// Asserts that no view of the events exceeds the limits of a call.
pub fn check_views(limits: &Limits, mut events: Events<'_>) {
    let check = |question: Option<&str>, suggestions: Suggestions<'_>| {
        assert!(question.unwrap_or_default().len() <= limits.question, "{question:?}");
        assert!(suggestions.len() <= limits.suggestions, "{suggestions:?}");
        assert!(suggestions.iter().all(|one| one.answer.len() <= limits.answer), "{suggestions:?}");
    };
    while let Some(event) = events.next() {
        match event {
            Event::Text(_) | Event::Opaque(_) => {}
            Event::Partial(call) => check(call.question(), call.suggestions()),
            Event::Complete(call) => check(Some(call.question()), call.suggestions()),
            Event::Rejected(call) => check(call.question(), call.suggestions()),
        }
    }
}
