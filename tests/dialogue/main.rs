//! What a host does with the events: dialogues, answers, images and histories.

mod answers;
mod checkpoints;
mod common;
mod elsewhere;
mod endings;
mod form_laws;
mod forms;
mod notes;
mod replies;
mod scripts;
#[path = "../common/stored.rs"]
mod stored;
mod templates;
mod unanswered;
