//! The end of a call in a form in which equal means equal.

use followup::{Event, Events, Note, Parser, QuestionKind, Questions, Reason};

/// One question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    pub text: String,
    pub id: Option<String>,
    pub header: Option<String>,
    pub detail: Option<String>,
    pub placeholder: Option<String>,
    pub kind: Option<QuestionKind>,
    pub multiple: Option<bool>,
    pub custom: Option<bool>,
    pub required: Option<bool>,
    pub defaults: Vec<String>,
    pub options: Vec<Choice>,
}

/// One option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    pub label: String,
    pub mode: Option<String>,
    pub description: Option<String>,
    pub value: Option<String>,
    pub preview: Option<String>,
    pub recommended: bool,
}

/// What has been shown of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    pub title: Option<String>,
    pub questions: Vec<Question>,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Why it is rejected.
    pub reason: Option<Reason>,
    pub title: Option<String>,
    pub questions: Vec<Question>,
    pub notes: Vec<Note>,
}

impl End {
    /// Leaves out what a rejection does not promise or does not have: notes, and what no partial
    /// could show.
    pub fn comparable(mut self) -> End {
        if self.reason.is_some() {
            self.notes.clear();
            self.questions = visible(self.questions);
        }
        self
    }
}

/// "A rejection has the questions and suggestions that a partial may show".
fn visible(mut questions: Vec<Question>) -> Vec<Question> {
    for question in &mut questions {
        let shown = question.options.iter().take_while(|one| !one.label.is_empty()).count();
        question.options.truncate(shown);
    }
    questions.retain(|one| !one.text.is_empty() || one.header.is_some() || !one.options.is_empty());
    questions
}

/// Returns what the parser makes of these chunks.
///
/// # Panics
///
/// If something that was shown is taken back.
pub fn end<'c>(mut parser: Parser, chunks: impl IntoIterator<Item = &'c [u8]>) -> End {
    let mut shown = Shown::default();
    for chunk in chunks {
        append(&mut shown, parser.feed_bytes(chunk));
    }
    finish(&mut shown, &mut parser)
}

/// Replaces what has been shown by what the last of these partials shows.
pub fn append(shown: &mut Shown, mut events: Events<'_>) {
    while let Some(event) = events.next() {
        let Event::Partial(partial) = event else { panic!("{event:?} before the end") };
        show(shown, partial.title(), partial.questions());
    }
}

fn show(shown: &mut Shown, title: Option<&str>, questions: Questions<'_>) {
    let now = Shown { title: title.map(str::to_owned), questions: owned(questions) };
    assert!(extends(shown, &now), "something is taken back: {shown:?}\nnow {now:?}");
    *shown = now;
}

/// Ends the stream. Returns what becomes of the call.
pub fn finish(shown: &mut Shown, parser: &mut Parser) -> End {
    let (mut events, mut end) = (parser.finish(), None);
    while let Some(event) = events.next() {
        assert!(end.is_none(), "{event:?} after the end");
        let (reason, title, questions, notes) = match event {
            Event::Partial(partial) => {
                show(shown, partial.title(), partial.questions());
                continue;
            }
            Event::Complete(call) => (None, call.title(), call.questions(), call.notes().to_vec()),
            Event::Rejected(call) => (Some(call.reason()), call.title(), call.questions(), Vec::new()),
            other => panic!("{other:?}"),
        };
        show(shown, title, questions);
        if reason.is_some() {
            assert_eq!(shown.questions, visible(shown.questions.clone()), "nothing that no partial could show");
        }
        let Shown { title, questions } = shown.clone();
        end = Some(End { reason, title, questions, notes });
    }
    end.expect("a call has an end")
}

/// Returns whether the later of two views takes nothing of the earlier one back.
fn extends(before: &Shown, after: &Shown) -> bool {
    let stays = |before: &Option<String>, after: &Option<String>| before.is_none() || before == after;
    let grows = |before: &Option<String>, after: &Option<String>| {
        before.as_ref().is_none_or(|before| after.as_ref().is_some_and(|after| after.starts_with(&**before)))
    };
    let known = |before: Option<bool>, after: Option<bool>| before.is_none() || before == after;
    let option = |(a, b): (&Choice, &Choice)| {
        b.label.starts_with(&*a.label)
            && stays(&a.mode, &b.mode)
            && stays(&a.value, &b.value)
            && grows(&a.description, &b.description)
            && grows(&a.preview, &b.preview)
            && a.recommended <= b.recommended
    };
    let question = |(a, b): (&Question, &Question)| {
        b.text.starts_with(&*a.text)
            && stays(&a.id, &b.id)
            && stays(&a.placeholder, &b.placeholder)
            && grows(&a.header, &b.header)
            && grows(&a.detail, &b.detail)
            && (a.kind.is_none() || a.kind == b.kind)
            && known(a.multiple, b.multiple)
            && known(a.custom, b.custom)
            && known(a.required, b.required)
            && b.defaults.starts_with(&a.defaults)
            && a.options.len() <= b.options.len()
            && a.options.iter().zip(&b.options).all(option)
    };
    grows(&before.title, &after.title)
        && before.questions.len() <= after.questions.len()
        && before.questions.iter().zip(&after.questions).all(question)
}

/// Returns questions with all that is known of them.
pub fn owned(questions: Questions<'_>) -> Vec<Question> {
    let text = |text: Option<&str>| text.map(str::to_owned);
    let questions = questions.iter().map(|one| Question {
        text: one.text.to_owned(),
        id: text(one.id),
        header: text(one.header),
        detail: text(one.detail),
        placeholder: text(one.placeholder),
        kind: one.kind,
        multiple: one.multiple,
        custom: one.custom,
        required: one.required,
        defaults: one.defaults.iter().map(str::to_owned).collect(),
        options: one
            .suggestions
            .iter()
            .map(|one| Choice {
                label: one.answer.to_owned(),
                mode: text(one.mode),
                description: text(one.description),
                value: text(one.value),
                preview: text(one.preview),
                recommended: one.recommended,
            })
            .collect(),
    });
    questions.collect()
}
