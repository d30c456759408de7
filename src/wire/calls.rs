//! The native calls of a message: what each delta does to them.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::call::{CallState, NativeCall};
use super::call_ref::CallRef;
use super::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, Fragment, TextRange};
use super::limits::Limits;
use crate::{Parser, Policy};

/// The tool whose calls are parsed.
const TOOL: &str = "ask_followup_question";

/// The next thing to do because of a delta. Calls are indices into [`NativeCalls::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Parse more prose.
    Text(TextRange),
    /// Report that another tool's call starts.
    StartOtherTool(usize),
    /// Parse more arguments of a call, or pass them on.
    Arguments(usize, TextRange),
    /// Finish a call.
    Finish(usize),
    /// Report the provider's error.
    ProviderError(TextRange),
    /// Report arguments that belong to no call.
    Orphan(TextRange),
    /// Report a call of this tool beyond the limit.
    TooManyCalls(TextRange),
}

/// The native calls of a message.
#[derive(Clone, Debug)]
pub(super) struct NativeCalls {
    policy: Arc<Policy>,
    limits: Limits,
    /// The calls that are open, and some that are over, in the order in which they started.
    pub(super) list: Vec<NativeCall>,
    /// The number of calls that ask a question and have started, in the text as well.
    started: u64,
    /// The high surrogate that the prose ends in.
    pending_surrogate: Option<u16>,
}

impl NativeCalls {
    pub(super) fn new(policy: Arc<Policy>, limits: Limits) -> NativeCalls {
        NativeCalls { policy, limits, list: Vec::new(), started: 0, pending_surrogate: None }
    }

    /// Begins with a new message.
    pub(super) fn restart(&mut self) {
        self.list.clear();
        (self.started, self.pending_surrogate) = (0, None);
    }

    /// Assigns an index to a call that asks a question and starts.
    pub(super) fn next_call_index(&mut self) -> u64 {
        self.started += 1;
        self.started - 1
    }

    /// Opens the only call of a body that is its arguments.
    pub(super) fn open_arguments(&mut self) {
        let call = self.open(None);
        self.set_name(call, TOOL, &mut VecDeque::new());
    }

    /// Appends the actions that a delta demands.
    pub(super) fn apply(&mut self, delta: Delta, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        match delta {
            Delta::Text(fragment) => {
                let range = deltas.join(&mut self.pending_surrogate, fragment);
                push_unless_empty(actions, range, Action::Text);
            }
            Delta::Call(call) => self.apply_call(call, deltas, actions),
            Delta::AllFinal { truncated } => {
                for i in 0..self.list.len() {
                    if truncated { self.close(i, deltas, actions) } else { self.finalize(i, deltas, actions) }
                }
            }
            Delta::Error(message) => actions.push_back(Action::ProviderError(deltas.resolve(message))),
        }
    }

    /// Appends the actions that the end of the prose demands.
    pub(super) fn finish_text(&mut self, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let range = deltas.finish(&mut self.pending_surrogate);
        push_unless_empty(actions, range, Action::Text);
    }

    /// Appends the actions that the end of the message demands for the calls that are open.
    pub(super) fn close_all(&mut self, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        for i in 0..self.list.len() {
            self.close(i, deltas, actions);
        }
    }

    /// Notes that an event was lost, which may have been about any of the open calls.
    pub(super) fn note_lost_event(&mut self) {
        let may_miss_it = |call: &&mut NativeCall| !call.is_closed && !call.received.look_complete();
        self.list.iter_mut().filter(may_miss_it).for_each(|call| call.may_have_gap = true);
    }

    /// Forgets the oldest calls that are over, but for as many as a provider may still refer to.
    pub(super) fn forget_old(&mut self) {
        const REMEMBERED: usize = 256;
        let over = self.list.iter().filter(|call| matches!(call.state, CallState::Over)).count();
        let mut excess = over.saturating_sub(REMEMBERED);
        if excess > 0 {
            self.list.retain(|call| {
                let is_forgotten = excess > 0 && matches!(call.state, CallState::Over);
                excess -= usize::from(is_forgotten);
                !is_forgotten
            });
        }
    }

    fn apply_call(&mut self, call: CallDelta, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let target = CallRef::new(call, deltas);
        let found = if call.starts {
            target.find_started(&self.list, call.arguments, deltas)
        } else {
            target.find(&self.list, &deltas.text)
        };
        let says_nothing = !target.has_name() && !target.has_arguments() && (call.is_final || !target.has_id());
        let i = match found {
            Some(i) => i,
            // An empty delta, or the end of a content block that is no call.
            None if says_nothing => return,
            None if target.is_anonymous() => {
                let range = deltas.resolve(call.arguments.fragment());
                return push_unless_empty(actions, range, Action::Orphan);
            }
            None if self.is_full() => {
                // The call is remembered, so that its other deltas go to no other call; and its
                // name, so that another call in its place is recognised.
                let i = self.open(call.index);
                let skipped = &mut self.list[i];
                skipped.set_ids(target.id(&deltas.text), target.item_id(&deltas.text));
                let name = target.name();
                skipped.name.push_str(&deltas.text[name.0..name.1]);
                (skipped.state, skipped.is_closed) = (CallState::Over, true);
                return actions.push_back(Action::TooManyCalls(name));
            }
            None => self.open(call.index),
        };
        self.identify(i, &target, deltas, actions);
        match call.arguments {
            ArgumentsDelta::None => {}
            ArgumentsDelta::More(more) => self.push_more(i, more, deltas, actions),
            ArgumentsDelta::All(all) => {
                self.push_all(i, all, deltas, actions);
                // A placeholder does not tell whether more is to come.
                let received = &mut self.list[i].received;
                received.came_at_once |= call.starts && received.placeholder.is_empty();
            }
        }
        if call.is_final {
            self.finalize(i, deltas, actions);
        }
    }

    /// Stores the ids and the name of a call, where they are not known yet.
    fn identify(&mut self, i: usize, target: &CallRef, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let call = &mut self.list[i];
        // The id tells the pieces of another tool's call apart, so it stays the same for all of
        // them.
        if !matches!(call.state, CallState::OtherTool) {
            call.set_ids(target.id(&deltas.text), target.item_id(&deltas.text));
        }
        if !matches!(call.state, CallState::Unnamed(_)) || !target.has_name() {
            return;
        }
        let name = target.name();
        let kept = self.set_name(i, &deltas.text[name.0..name.1], actions);
        let kept = deltas.store(kept.as_bytes());
        push_unless_empty(actions, deltas.resolve(kept), |range| Action::Arguments(i, range));
        if self.list[i].is_final {
            self.finalize(i, deltas, actions);
        }
    }

    fn is_full(&self) -> bool {
        let open = self.list.iter().filter(|call| !call.is_closed).count();
        open >= self.limits.open_calls
    }

    fn open(&mut self, index: Option<u64>) -> usize {
        self.list.push(NativeCall::new(index));
        self.list.len() - 1
    }

    /// Sets the tool of a call. Returns the arguments that were kept until it was known.
    fn set_name(&mut self, i: usize, name: &str, actions: &mut VecDeque<Action>) -> String {
        let state = if name == TOOL {
            let parser = Box::new(Parser::arguments(self.policy.clone()));
            CallState::Asking { parser, call_index: self.next_call_index() }
        } else {
            actions.push_back(Action::StartOtherTool(i));
            CallState::OtherTool
        };
        let call = &mut self.list[i];
        call.name.push_str(name);
        match core::mem::replace(&mut call.state, state) {
            CallState::Unnamed(kept) => kept,
            CallState::Asking { .. } | CallState::OtherTool | CallState::Over => String::new(),
        }
    }

    /// Appends a piece of a call's arguments.
    fn push_more(&mut self, i: usize, more: Fragment, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let max_kept = self.max_kept();
        let call = &mut self.list[i];
        if call.is_closed || call.received.came_at_once {
            return;
        }
        let range = deltas.join(&mut call.received.pending_surrogate, more);
        let text = &deltas.text[range.0..range.1];
        // White space without end must not make the placeholder grow without end.
        let has_room = call.received.placeholder.len().saturating_add(text.len()) <= max_kept;
        if has_room && call.received.may_be_placeholder(text) {
            call.received.placeholder.clear();
            call.received.placeholder.push_str(text);
            return;
        }
        if has_room && !call.received.placeholder.is_empty() && text.trim_ascii().is_empty() {
            return call.received.placeholder.push_str(text);
        }
        if text.trim_ascii_start().starts_with('{') {
            call.received.placeholder.clear();
        } else if !text.is_empty() {
            self.deliver_placeholder(i, deltas, actions);
        }
        self.deliver(i, range, deltas, actions);
    }

    /// Delivers the placeholder, because it turned out to be part of the arguments.
    fn deliver_placeholder(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let placeholder = core::mem::take(&mut self.list[i].received.placeholder);
        let placeholder = deltas.store(placeholder.as_bytes());
        self.deliver(i, deltas.resolve(placeholder), deltas, actions);
    }

    /// Returns the bytes of one call's arguments that may be kept.
    ///
    /// All open calls together keep at most as much as one event may have.
    fn max_kept(&self) -> usize {
        self.limits.event / self.limits.open_calls.max(1)
    }

    /// Delivers arguments as the call's state demands: to the parser, the caller or the buffer.
    fn deliver(&mut self, i: usize, range: TextRange, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let max_kept = self.max_kept();
        let call = &mut self.list[i];
        let text = &deltas.text[range.0..range.1];
        call.received.push(text);
        match &mut call.state {
            CallState::Unnamed(kept) => {
                kept.push_str(text);
                if kept.len() > max_kept {
                    self.close(i, deltas, actions);
                }
            }
            CallState::Asking { .. } | CallState::OtherTool => {
                push_unless_empty(actions, range, |range| Action::Arguments(i, range));
            }
            CallState::Over => {}
        }
    }

    /// Appends what has not been received of a call's complete arguments.
    fn push_all(&mut self, i: usize, all: Fragment, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let call = &mut self.list[i];
        if all.is_empty() || call.is_closed {
            return;
        }
        let (start, end) = deltas.resolve(all);
        match call.received.prefix_len(&deltas.text[start..end]) {
            Some(len) => {
                call.may_have_gap = false;
                // The rest has the whole pair, its high surrogate included.
                call.received.pending_surrogate = None;
                let rest = deltas.fragment((start + len, end));
                self.push_more(i, rest, deltas, actions);
            }
            // Something was lost, or the same is only written in another way.
            None => call.received.contradict(&deltas.text[start..end], &self.policy),
        }
    }

    /// Ends a call because the provider says that it is final, as soon as its tool is known.
    fn finalize(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let call = &mut self.list[i];
        call.is_final = true;
        if matches!(call.state, CallState::Unnamed(_)) {
            return;
        }
        if call.received.is_empty() {
            // Some providers send nothing when there are no parameters.
            call.received.placeholder.push_str("{}");
        }
        self.close(i, deltas, actions);
    }

    /// Accepts no more arguments of a call, and finishes it.
    fn close(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        if self.list[i].is_closed {
            return;
        }
        self.list[i].is_closed = true;
        self.deliver_placeholder(i, deltas, actions);
        let last = deltas.finish(&mut self.list[i].received.pending_surrogate);
        self.deliver(i, last, deltas, actions);
        let call = &mut self.list[i];
        match &mut call.state {
            CallState::Over => {}
            CallState::Unnamed(kept) => {
                let kept = deltas.store(kept.as_bytes());
                call.state = CallState::Over;
                push_unless_empty(actions, deltas.resolve(kept), Action::Orphan);
            }
            CallState::Asking { .. } | CallState::OtherTool => actions.push_back(Action::Finish(i)),
        }
    }
}

/// Appends an action about a range of text, unless the range is empty.
fn push_unless_empty(actions: &mut VecDeque<Action>, range: TextRange, action: impl FnOnce(TextRange) -> Action) {
    if range.0 < range.1 {
        actions.push_back(action(range));
    }
}
