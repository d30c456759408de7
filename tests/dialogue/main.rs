//! What a host does with the events: dialogues, answers, images and histories.

mod answers;
mod scripts;
