//! After a call: its close tag, that of its wrapper, the next call, or what is no part of it.

use super::machine::{Context, EnvelopeMachine, Next, TagRef, Turn};
use super::name;
use super::state::{After, State, Style};
use super::tag::{Kind, Token};

impl EnvelopeMachine {
    /// Consumes text after a call.
    pub(super) fn push_after(&mut self, mut after: After, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        for (i, char) in text.char_indices() {
            let is_object = self.has_object && matches!(self.style, Style::Wrapper | Style::Llama);
            match char {
                _ if name::is_space(char) && after.ticks == 0 => self.held.push(char),
                '}' if is_object
                    && !after.is_closed
                    && after.ticks == 0
                    && !after.is_separated
                    && !self.has_surplus =>
                {
                    self.note_unclosed(context);
                    self.has_surplus = true;
                    self.held.push(char);
                    return (i + 1, self.take_held());
                }
                '`' if self.is_fenced => {
                    after.ticks += 1;
                    self.held.push(char);
                    self.after(after);
                    if after.ticks == 3 {
                        self.is_fenced = false;
                        self.after(After { ticks: 0, ..after });
                        return (i + 1, self.take_held());
                    }
                }
                '{' if self.in_section && self.style == Style::Wrapper && self.has_object && after.ticks == 0 => {
                    self.note_if_open(context);
                    return (i, self.finish(Next::Header, context));
                }
                '{' if after.is_separated => return (i, self.finish(Next::Header, context)),
                ',' if self.style == Style::MistralList && !after.is_separated => {
                    after.is_separated = true;
                    self.held.push(char);
                    self.after(after);
                }
                ';' if self.style == Style::Llama && !after.is_separated => {
                    after.is_separated = true;
                    self.held.push(char);
                    self.after(after);
                }
                ']' if self.style == Style::MistralList && !after.is_separated => {
                    self.held.push(char);
                    self.ends_here = true;
                    return (i + 1, self.finish_with_held(context));
                }
                _ => {
                    self.note_if_open(context);
                    // If a tag that follows is no call of the same wrapper, the space is prose.
                    let may_continue = char == '<' && self.in_section && after.ticks == 0 && !after.is_separated;
                    return (i, self.finish(if may_continue { Next::Header } else { Next::Prose }, context));
                }
            }
            if self.held.len() > context.policy.limits.bare {
                self.held.pop();
                self.note_if_open(context);
                return (i, self.finish(Next::Prose, context));
            }
        }
        (text.len(), Turn::Stay)
    }

    /// What is held back belongs to the call, which ends with it so far.
    fn take_held(&mut self) -> Turn {
        self.ends_here = true;
        if self.ours {
            self.held.clear();
            Turn::Stay
        } else {
            Turn::Opaque
        }
    }

    /// What is held back belongs to the call, which ends with it.
    pub(super) fn finish_with_held(&mut self, context: &mut Context<'_>) -> Turn {
        if self.ours {
            self.held.clear();
            self.finish(Next::Prose, context)
        } else {
            Turn::OpaqueEnd
        }
    }

    /// Leaves a note if the close tag of the call has not come.
    pub(super) fn note_if_open(&self, context: &mut Context<'_>) {
        if let State::After(after) = self.state
            && self.awaits_end(after)
        {
            self.note_unclosed(context);
        }
    }

    /// Returns `true` if a close tag of the call is missing.
    pub(super) fn awaits_end(&self, after: After) -> bool {
        let needs_end = !matches!(self.style, Style::Harmony | Style::Llama | Style::Bare | Style::Mistral);
        needs_end && !after.is_closed
    }

    /// Acts on a tag after a call.
    pub(super) fn act_after(&mut self, after: After, tag: &TagRef<'_>, context: &mut Context<'_>) -> Turn {
        self.held.push_str(tag.text);
        self.end = tag.end;
        let closes_call = match tag.kind {
            Kind::CallEnd => self.style == Style::Tag,
            Kind::Token(token) => matches!(token, Token::CallEnd | Token::DeepseekCallEnd),
            _ => false,
        };
        if closes_call || tag.kind == Kind::CallEnd {
            self.after(After { is_closed: after.is_closed || closes_call, ..after });
            return if self.ours {
                self.held.clear();
                Turn::Stay
            } else {
                Turn::Opaque
            };
        }
        if !matches!(self.style, Style::Wrapper | Style::Keys) {
            self.note_if_open(context);
        }
        self.finish_with_held(context)
    }
}
