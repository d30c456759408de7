//! The native calls of a message: what each delta does to them.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::convert::Infallible;
use core::hash::Hasher;

use super::call::{CallState, NativeCall};
use super::call_ref::CallRef;
use super::deltas::{ArgumentsDelta, CallDelta, Delta, Deltas, Fragment, TextRange};
use super::drive::asks;
use super::fault::Fault;
use super::limits::Limits;
use super::message_text::{Added, MessageText};
use super::prefix_hashes::HashedText;
use super::received::{ArgumentsMeaning, meaning_of};
use crate::config::ASK;
use crate::hash::Fnv;
use crate::{Checkpoint, Parser, Policy, ResumeError, Shape};

/// The number of calls that are over and are remembered.
const REMEMBERED: usize = 256;

/// The next thing to do because of a delta. Calls are indices into [`NativeCalls::list`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Parse more prose.
    Text(TextRange),
    /// Parse more reasoning.
    Reasoning(TextRange),
    /// Report that another tool's call starts.
    StartOtherTool(usize),
    /// Parse more arguments of a call, or pass them on.
    Arguments(usize, TextRange),
    /// Finish a call.
    Finish(usize),
    /// Report what is wrong.
    Report(Fault),
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
    text: MessageText,
    reasoning: MessageText,
    /// Some calls that are over are not in the list any more.
    has_forgotten: bool,
    /// The number of times that the provider has sent the whole message.
    repetitions: u64,
    /// A hash of the last error that the provider reported.
    error: Option<Fnv>,
}

impl NativeCalls {
    pub(super) fn new(policy: Arc<Policy>, limits: Limits) -> NativeCalls {
        NativeCalls {
            policy,
            limits,
            list: Vec::new(),
            started: 0,
            text: MessageText::default(),
            reasoning: MessageText::default(),
            has_forgotten: false,
            repetitions: 0,
            error: None,
        }
    }

    /// Begins with a new message.
    pub(super) fn restart(&mut self) {
        self.list.clear();
        (self.text, self.reasoning) = (MessageText::default(), MessageText::default());
        (self.started, self.has_forgotten, self.repetitions, self.error) = (0, false, 0, None);
    }

    /// Assigns an index to a call that asks a question and starts.
    pub(super) fn next_call_index(&mut self) -> u64 {
        self.started += 1;
        self.started - 1
    }

    /// Opens the only call of a body that is its arguments.
    pub(super) fn open_arguments(&mut self) {
        let call = self.open(None);
        self.set_name(call, ASK, false, &mut VecDeque::new());
    }

    /// Appends the actions that a delta demands.
    pub(super) fn apply(&mut self, delta: Delta, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        match delta {
            Delta::Text(text) => match self.text.apply(text, deltas) {
                Added::Text(range) if range.0 < range.1 => {
                    self.end_waiting(deltas, actions);
                    actions.push_back(Action::Text(range));
                }
                Added::Text(_) => {}
                Added::Contradiction(all) => actions.push_back(Action::Report(Fault::TextDiffers(all))),
            },
            Delta::Reasoning(text) => {
                // It is not shown, so a repetition that differs is no error.
                if let Added::Text(range) = self.reasoning.apply(text, deltas) {
                    push_unless_empty(actions, range, Action::Reasoning);
                }
            }
            Delta::Call(call) => self.apply_call(call, deltas, actions),
            Delta::AllFinal { truncated } => {
                for i in 0..self.list.len() {
                    if truncated { self.close(i, deltas, actions) } else { self.end(i, deltas, actions) }
                }
            }
            Delta::End => self.end_waiting(deltas, actions),
            Delta::WholeMessage => {
                self.repetitions += 1;
                self.text.begin_repetition();
                self.reasoning.begin_repetition();
            }
            Delta::Error(message) => self.report_error(deltas.resolve(message), deltas, actions),
            Delta::Failed(message) => {
                let message = deltas.resolve(message);
                if self.error.is_none() {
                    self.report_error(message, deltas, actions);
                }
            }
            Delta::Unreadable(data) => actions.push_back(Action::Report(Fault::Unreadable(deltas.resolve(data)))),
        }
    }

    /// Appends the report of a provider's error, unless it has just been reported.
    fn report_error(&mut self, message: TextRange, deltas: &Deltas, actions: &mut VecDeque<Action>) {
        let mut hash = Fnv::default();
        hash.write(&deltas.text.as_bytes()[message.0..message.1]);
        if self.error.replace(hash) != Some(hash) {
            actions.push_back(Action::Report(Fault::Provider(message)));
        }
    }

    /// Appends the actions that the end of the prose and of the reasoning demands.
    pub(super) fn finish_text(&mut self, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let range = self.text.finish(deltas);
        push_unless_empty(actions, range, Action::Text);
        let range = self.reasoning.finish(deltas);
        push_unless_empty(actions, range, Action::Reasoning);
    }

    /// Appends the actions that the end of the message demands for the calls that are open.
    pub(super) fn close_all(&mut self, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        for i in 0..self.list.len() {
            // After an error, it may be cut off as well.
            let is_complete = self.list[i].is_waiting() && self.error.is_none();
            if is_complete { self.end(i, deltas, actions) } else { self.close(i, deltas, actions) }
        }
    }

    /// Notes that an event was lost, which may have been about any of the open calls.
    pub(super) fn note_lost_event(&mut self) {
        self.text.note_lost_event();
        self.reasoning.note_lost_event();
        // A call that is waiting still accepts arguments.
        let may_miss_it = |call: &&mut NativeCall| !call.is_closed && !call.received.look_complete();
        self.list.iter_mut().filter(may_miss_it).for_each(|call| call.may_have_gap = true);
    }

    /// Forgets the oldest calls that are over, but for as many as a provider may still refer to.
    pub(super) fn forget_old(&mut self) {
        let over = self.list.iter().filter(|call| matches!(call.state, CallState::Over)).count();
        let mut excess = over.saturating_sub(REMEMBERED);
        if excess > 0 {
            self.has_forgotten = true;
            self.list.retain(|call| {
                let is_forgotten = excess > 0 && matches!(call.state, CallState::Over);
                excess -= usize::from(is_forgotten);
                !is_forgotten
            });
        }
    }

    fn apply_call(&mut self, call: CallDelta, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let target = CallRef::new(call, deltas);
        let found = if call.may_repeat {
            self.find_repeated(&target, call.arguments, deltas)
        } else if call.starts {
            target.find_started(&self.list, call.arguments, deltas)
        } else {
            target.find(&self.list, &deltas.text)
        };
        let says_nothing = !target.has_name() && !target.has_arguments() && (call.is_final || !target.has_id());
        let i = match found {
            Some(i) => i,
            // An empty delta, or the end of a content block that is no call.
            None if says_nothing => return,
            // It may be one that is forgotten.
            None if call.may_repeat && self.has_forgotten => return,
            None if target.is_anonymous() => {
                let range = deltas.resolve(call.arguments.fragment());
                return push_unless_empty(actions, range, |range| Action::Report(Fault::Orphan(range)));
            }
            None => {
                self.end_waiting(deltas, actions);
                if self.is_full() {
                    return self.skip(call.index, &target, deltas, actions);
                }
                self.open(call.index)
            }
        };
        if call.may_repeat {
            self.list[i].repeated_in = self.repetitions;
            self.check_repeated(i, call.arguments, deltas, actions);
        }
        self.identify(i, &target, call.runs_there, deltas, actions);
        match call.arguments {
            ArgumentsDelta::None => {}
            ArgumentsDelta::More(more) if call.loose_index && self.repeats_received(i, more, deltas) => {
                self.push_all(i, more, deltas, actions);
            }
            ArgumentsDelta::More(more) => self.push_more(i, more, deltas, actions),
            ArgumentsDelta::All(all) => {
                if !call.is_final && !call.may_repeat {
                    self.report_replaced(i, all, deltas, actions);
                }
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

    /// Returns the call that a call of the whole message repeats, if it has come before.
    fn find_repeated(&self, target: &CallRef, arguments: ArgumentsDelta, deltas: &mut Deltas) -> Option<usize> {
        let (start, end) = deltas.resolve(arguments.fragment());
        let all = &deltas.text[start..end];
        let (meanings, hashed) = (RefCell::default(), HashedText::new(all));
        let is_equal = |call: &NativeCall| {
            call.received.equal(&hashed)
                || call.ended_as.is_some_and(|meaning| meaning == self.meaning_as(call, all, &meanings))
        };
        target.find_repeated(&self.list, self.repetitions, all, &is_equal, &deltas.text)
    }

    /// Returns what arguments mean as those of a call's tool, and remembers it.
    fn meaning_as(
        &self,
        call: &NativeCall,
        all: &str,
        known: &RefCell<Vec<(String, ArgumentsMeaning)>>,
    ) -> ArgumentsMeaning {
        if let Some((_, meaning)) = known.borrow().iter().find(|(name, _)| *name == call.name) {
            return *meaning;
        }
        let meaning = meaning_of(&call.name, all, &self.policy);
        known.borrow_mut().push((call.name.clone(), meaning));
        meaning
    }

    /// Appends an error if a call that is over was something else than the whole message says.
    fn check_repeated(&self, i: usize, arguments: ArgumentsDelta, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let call = &self.list[i];
        let all = deltas.resolve(arguments.fragment());
        let text = &deltas.text[all.0..all.1];
        if call.is_closed
            && !call.received.equal(&HashedText::new(text))
            && call.ended_as.is_some_and(|meaning| meaning != meaning_of(&call.name, text, &self.policy))
        {
            actions.push_back(Action::Report(Fault::ArgumentsDiffer(all)));
        }
    }

    /// Stores the ids and the name of a call, where they are not known yet.
    fn identify(
        &mut self,
        i: usize,
        target: &CallRef,
        runs_there: bool,
        deltas: &mut Deltas,
        actions: &mut VecDeque<Action>,
    ) {
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
        let kept = self.set_name(i, &deltas.text[name.0..name.1], runs_there, actions);
        let kept = deltas.store(kept.as_bytes());
        self.pass_on(i, deltas.resolve(kept), deltas, actions);
        if self.list[i].is_final {
            self.finalize(i, deltas, actions);
        }
    }

    /// Skips a call, for which there is no room.
    ///
    /// It is remembered, so that its other deltas go to no other call; and its name, so that
    /// another call in its place is recognised.
    fn skip(&mut self, index: Option<u64>, target: &CallRef, deltas: &Deltas, actions: &mut VecDeque<Action>) {
        let i = self.open(index);
        let skipped = &mut self.list[i];
        skipped.set_ids(target.id(&deltas.text), target.item_id(&deltas.text));
        let name = target.name();
        skipped.name.push_str(&deltas.text[name.0..name.1]);
        (skipped.state, skipped.is_closed) = (CallState::Over, true);
        actions.push_back(Action::Report(Fault::TooManyCalls(name)));
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
    fn set_name(&mut self, i: usize, name: &str, runs_there: bool, actions: &mut VecDeque<Action>) -> String {
        let parser = if runs_there { None } else { Parser::arguments_of(name, self.policy.clone()) };
        let state = match parser.map(Box::new) {
            Some(probe) if probe.shape().is_some_and(Shape::is_generic) => {
                CallState::Unconfirmed { probe, kept: String::new() }
            }
            Some(parser) => CallState::Asking { parser, call_index: self.next_call_index() },
            None => {
                actions.push_back(Action::StartOtherTool(i));
                CallState::OtherTool
            }
        };
        let call = &mut self.list[i];
        call.name.push_str(name);
        match core::mem::replace(&mut call.state, state) {
            CallState::Unnamed(kept) => kept,
            _ => String::new(),
        }
    }

    /// Decides whether an unconfirmed call asks, and passes on the arguments that were kept.
    fn confirm(&mut self, i: usize, asks: bool, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let CallState::Unconfirmed { probe, kept } = &mut self.list[i].state else { return };
        let shape = probe.shape().filter(|_| asks).cloned();
        let kept = deltas.store(core::mem::take(kept).as_bytes());
        let parser = shape.map(|shape| Parser::arguments_by(shape, &self.list[i].name, self.policy.clone()));
        self.list[i].state = match parser.map(Box::new) {
            Some(parser) => CallState::Asking { parser, call_index: self.next_call_index() },
            None => {
                actions.push_back(Action::StartOtherTool(i));
                CallState::OtherTool
            }
        };
        self.pass_on(i, deltas.resolve(kept), deltas, actions);
    }

    /// Returns whether a piece repeats all arguments received for its call.
    ///
    /// Some servers with OpenAI's format send all arguments so far in every delta. After a loss,
    /// only the whole message tells what is complete.
    fn repeats_received(&self, i: usize, piece: Fragment, deltas: &Deltas) -> bool {
        let call = &self.list[i];
        !call.may_have_gap && deltas.plain_text(piece).is_some_and(|text| call.received.are_repeated_by(text))
    }

    /// Appends a piece of a call's arguments.
    fn push_more(&mut self, i: usize, more: Fragment, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let max_kept = self.max_kept();
        let call = &mut self.list[i];
        if call.is_closed || call.received.came_at_once {
            return;
        }
        if call.is_waiting() {
            if deltas.is_blank(more) {
                return;
            }
            // It was ended too early, and ends with the message.
            call.is_final = false;
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

    /// Delivers arguments as the call's state demands.
    fn deliver(&mut self, i: usize, range: TextRange, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        self.list[i].received.push(&deltas.text[range.0..range.1]);
        self.pass_on(i, range, deltas, actions);
    }

    /// Passes on received arguments: to the parser, if there is room, to the caller, or the buffer.
    fn pass_on(&mut self, i: usize, range: TextRange, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let max_kept = self.max_kept();
        let text = &deltas.text[range.0..range.1];
        let call = &mut self.list[i];
        match &mut call.state {
            CallState::Unnamed(kept) => {
                kept.push_str(text);
                if kept.len() > max_kept {
                    self.close(i, deltas, actions);
                }
            }
            CallState::Unconfirmed { probe, kept } => {
                kept.push_str(text);
                let is_too_long = kept.len() > max_kept;
                if let Some(asks) = asks(probe, text).or(is_too_long.then_some(false)) {
                    self.confirm(i, asks, deltas, actions);
                }
            }
            CallState::Asking { .. } => {
                if call.is_closed || self.has_room() {
                    push_unless_empty(actions, range, |range| Action::Arguments(i, range));
                } else {
                    self.reject(i, deltas, actions);
                }
            }
            CallState::OtherTool => push_unless_empty(actions, range, |range| Action::Arguments(i, range)),
            CallState::Over => {}
        }
    }

    /// Returns whether the arguments of all open calls that ask a question are within the limit.
    fn has_room(&self) -> bool {
        let is_open = |call: &&NativeCall| matches!(call.state, CallState::Asking { .. }) && !call.is_closed;
        // Those of a forged checkpoint may overflow.
        let lens = self.list.iter().filter(is_open).map(|call| call.received.len());
        lens.fold(0, usize::saturating_add) <= self.limits.arguments
    }

    /// Rejects a call, for whose arguments there is no room.
    fn reject(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let name = deltas.store(self.list[i].name.as_bytes());
        actions.push_back(Action::Report(Fault::TooManyCalls(deltas.resolve(name))));
        self.list[i].may_have_gap = true;
        self.close(i, deltas, actions);
    }

    /// Reports arguments that come after complete ones in the middle of another tool's call.
    ///
    /// Such a call can't be rejected, and its host may run it with the first ones. (The end of a
    /// call may repeat them with other white space, escapes or order.)
    fn report_replaced(&self, i: usize, all: Fragment, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let NativeCall { state, received, is_closed, .. } = &self.list[i];
        if *is_closed || matches!(state, CallState::Asking { .. }) || !received.look_complete() {
            return;
        }
        let (start, end) = deltas.resolve(all);
        if !received.is_contradicted() && received.prefix_len(&deltas.text[start..end]).is_none() {
            actions.push_back(Action::Report(Fault::ArgumentsDiffer((start, end))));
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
                let was_waiting = call.is_waiting();
                self.push_more(i, rest, deltas, actions);
                if was_waiting {
                    self.finalize(i, deltas, actions);
                }
            }
            // Something was lost, or the same is only written in another way.
            None => {
                let meaning = meaning_of(&call.name, &deltas.text[start..end], &self.policy);
                call.received.contradict(meaning);
            }
        }
    }

    /// Ends a call because the provider says that it is final, as soon as its tool is known.
    ///
    /// A call without arguments waits for what follows.
    fn finalize(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        self.list[i].is_final = true;
        if !self.list[i].is_waiting() {
            self.end(i, deltas, actions);
        }
    }

    /// Ends the calls that are waiting, because the message was not cut off in them.
    fn end_waiting(&mut self, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        for i in 0..self.list.len() {
            if self.list[i].is_waiting() {
                self.end(i, deltas, actions);
            }
        }
    }

    /// Ends a call that is complete, as soon as its tool is known.
    fn end(&mut self, i: usize, deltas: &mut Deltas, actions: &mut VecDeque<Action>) {
        let call = &mut self.list[i];
        call.is_final = true;
        if call.is_closed || matches!(call.state, CallState::Unnamed(_)) {
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
        self.confirm(i, false, deltas, actions);
        let call = &mut self.list[i];
        match &mut call.state {
            CallState::Unnamed(kept) => {
                let kept = deltas.store(kept.as_bytes());
                call.state = CallState::Over;
                push_unless_empty(actions, deltas.resolve(kept), |range| Action::Report(Fault::Orphan(range)));
            }
            _ => actions.push_back(Action::Finish(i)),
        }
    }
}

/// What a checkpoint holds of the calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SavedCalls {
    list: Vec<NativeCall<Checkpoint>>,
    started: u64,
    text: MessageText,
    reasoning: MessageText,
    has_forgotten: bool,
    repetitions: u64,
    error: Option<Fnv>,
}

impl SavedCalls {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl NativeCalls {
    pub(super) fn save(self) -> SavedCalls {
        let NativeCalls { list, started, text, reasoning, has_forgotten, repetitions, error, .. } = self;
        let saved = |call: NativeCall| call.try_map(|parser| Ok::<_, Infallible>(parser.checkpoint()));
        let list = list.into_iter().map(|call| match saved(call) {
            Ok(call) => call,
            Err(never) => match never {},
        });
        SavedCalls { list: list.collect(), started, text, reasoning, has_forgotten, repetitions, error }
    }

    /// Returns the calls that were saved.
    ///
    /// # Errors
    ///
    /// If they are out of bounds.
    pub(super) fn restore(policy: Arc<Policy>, limits: Limits, saved: SavedCalls) -> Result<NativeCalls, ResumeError> {
        let SavedCalls { list, started, text, reasoning, has_forgotten, repetitions, error } = saved;
        // A body that is the arguments of one call has that call in any case.
        let most = limits.open_calls.max(1);
        let open = list.iter().filter(|call| !call.is_closed).count();
        let are_few = open <= most && list.len() <= most.saturating_add(REMEMBERED);
        let numbers_fit = started.max(repetitions) < u64::MAX / 2;
        let texts_fit = text.is_in_bounds() && reasoning.is_in_bounds();
        if !are_few || !numbers_fit || !texts_fit || !list.iter().all(|call| call.is_in_bounds(limits.event)) {
            return Err(ResumeError::Corrupt);
        }
        let resume = |checkpoint| Parser::resume(policy.clone(), checkpoint).map(Box::new);
        let list = list.into_iter().map(|call| call.try_map(resume)).collect::<Result<_, _>>()?;
        let calls = NativeCalls::new(policy, limits);
        Ok(NativeCalls { list, started, text, reasoning, has_forgotten, repetitions, error, ..calls })
    }
}

/// Appends an action about a range of text, unless the range is empty.
fn push_unless_empty(actions: &mut VecDeque<Action>, range: TextRange, action: impl FnOnce(TextRange) -> Action) {
    if range.0 < range.1 {
        actions.push_back(action(range));
    }
}
