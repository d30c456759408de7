//! After a call: its close tag, that of its wrapper, the next call, or what is no part of it.

use super::change::{AfterCall, Change};
use super::kinds::{Kind, Token};
use super::machine::{Context, EnvelopeMachine, TagRef};
use super::name;
use super::state::{After, EnvelopeState, Fence, Style};

impl EnvelopeMachine {
    /// Consumes text after a call.
    pub(super) fn push_after(&mut self, mut after: After, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        for (i, char) in text.char_indices() {
            let is_closing = matches!(self.fence, Fence::Closing(_));
            match (char, self.style) {
                _ if name::is_space(char) && !is_closing => self.unconfirmed_text.push(char),
                ('}', Style::Object | Style::Llama) if !is_closing && after == After::default() => {
                    self.note_unclosed(context);
                    self.unconfirmed_text.push(char);
                    self.after(After { has_surplus: true, ..after });
                    self.ends_here = true;
                    return (i + 1, self.consume_held());
                }
                ('`', _) if self.fence != Fence::None => {
                    self.unconfirmed_text.push(char);
                    self.fence = match self.fence {
                        Fence::Closing(1) => Fence::Closing(2),
                        Fence::Closing(_) => Fence::None,
                        _ => Fence::Closing(1),
                    };
                    if self.fence == Fence::None {
                        self.ends_here = true;
                        return (i + 1, self.consume_held());
                    }
                }
                ('{', Style::Object) if !is_closing => {
                    self.note_if_open(context);
                    return (i, self.finish(AfterCall::Header, context));
                }
                ('{', _) if after.is_separated => return (i, self.finish(AfterCall::Header, context)),
                (';', Style::Llama) if self.unconfirmed_text.len() < context.policy.limits.unconfirmed => {
                    self.unconfirmed_text.push(char);
                    return (i + 1, self.finish(AfterCall::Header, context));
                }
                (',', Style::MistralList) if !after.is_separated => {
                    after.is_separated = true;
                    self.unconfirmed_text.push(char);
                    self.after(after);
                }
                (']', Style::MistralList) if !after.is_separated => {
                    self.unconfirmed_text.push(char);
                    self.ends_here = true;
                    return (i + 1, self.finish_with_held(context));
                }
                _ => {
                    self.note_if_open(context);
                    // If a tag that follows is no call of the same wrapper, the space is prose.
                    let may_continue = char == '<' && self.in_section && !is_closing && !after.is_separated;
                    return (i, self.finish(if may_continue { AfterCall::Header } else { AfterCall::Prose }, context));
                }
            }
            if self.unconfirmed_text.len() > context.policy.limits.unconfirmed {
                self.unconfirmed_text.pop();
                self.note_if_open(context);
                return (i, self.finish(AfterCall::Prose, context));
            }
        }
        (text.len(), Change::Stay)
    }

    /// What is held back belongs to the call.
    fn consume_held(&mut self) -> Change {
        if self.is_read() {
            self.unconfirmed_text.clear();
            Change::Stay
        } else {
            Change::Opaque
        }
    }

    /// What is held back belongs to the call, which ends with it.
    pub(super) fn finish_with_held(&mut self, context: &mut Context<'_>) -> Change {
        if self.is_read() {
            self.unconfirmed_text.clear();
            self.finish(AfterCall::Prose, context)
        } else {
            Change::OpaqueEnd
        }
    }

    /// Leaves a note if the close tag of the call has not come.
    pub(super) fn note_if_open(&self, context: &mut Context<'_>) {
        if self.awaits_end() {
            self.note_unclosed(context);
        }
    }

    /// Returns `true` after a call whose close tag is missing.
    pub(super) fn awaits_end(&self) -> bool {
        let needs_end = !matches!(self.style, Style::Harmony | Style::Llama | Style::Bare | Style::Mistral);
        needs_end && matches!(self.state, EnvelopeState::After(After { is_closed: false, .. }))
    }

    /// Acts on a tag after a call.
    pub(super) fn act_after(&mut self, after: After, tag: &TagRef<'_>, context: &mut Context<'_>) -> Change {
        self.unconfirmed_text.push_str(tag.text);
        self.end = tag.end;
        if matches!(tag.kind, Kind::CallEnd | Kind::Token(Token::CallEnd | Token::DeepseekCallEnd)) {
            self.after(After { is_closed: true, ..after });
            self.fence = Fence::None;
            return self.consume_held();
        }
        if !matches!(self.style, Style::Wrapper | Style::Object | Style::Keys) {
            self.note_if_open(context);
        }
        self.finish_with_held(context)
    }
}
