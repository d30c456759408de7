//! Outside our calls: prose, and other tools' calls.

use super::machine::MarkupMachine;
use super::names::{Name, Side};
use super::state::State;
use super::tag::Tag;
use crate::signal::{Signal, Source, ToolRef};

impl MarkupMachine {
    /// Acts on a tool's opening tag.
    pub(super) fn act_outside(&mut self, tag: &Tag, text: &[u8], start: u64, end: u64, from: Source) -> Option<Signal> {
        if let (Name::Envelope(_), State::Prose(code)) = (tag.name, &self.state) {
            self.begin_envelope(tag, text, *code, start, end);
            return None;
        }
        if let Name::Tool(tool) = tag.name {
            if self.busy.plain_left > 0 {
                self.busy.plain_left = 0;
            }
            self.state = State::Opaque { tool, parameter: None };
            return Some(Signal::Opaque { from, tool: ToolRef::Listed(tool), start: true });
        }
        self.begin_call(tag, text, start, end);
        None
    }

    /// Acts on a tag whose text is emitted like any other. Returns whether what follows is not.
    pub(super) fn act_shown(&mut self, tag: &Tag, end: u64) -> bool {
        if let State::Envelope(code) = self.state {
            self.act_envelope(tag, &[], code, end);
            return true;
        }
        match (&mut self.state, tag.name, tag.side) {
            (State::Prose(code), Name::Think | Name::Thinking, Side::Open) => code.enter_thinking(tag.name),
            (State::Prose(code), ..) => code.leave_thinking(),
            (State::Opaque { parameter, .. }, Name::Parameter(name), Side::Open) => *parameter = Some(name),
            (State::Opaque { parameter, .. }, Name::Parameter(_), Side::Close) => *parameter = None,
            (State::Opaque { .. }, ..) => {
                self.state = self.after_call();
                return true;
            }
            _ => {
                if let Some(mut inside) = self.inside() {
                    inside.keep_in_code();
                }
            }
        }
        false
    }
}
