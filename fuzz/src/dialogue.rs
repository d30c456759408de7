//! Dialogues: the rules hold whatever the model and the user do.
//!
//! One question is open at a time, every question ends once, mistakes are counted, a refused answer
//! is returned, and the history replays to the same state.

use std::collections::BTreeSet;

use followup::dialogue::{
    Answer, AnswerErrorKind, Dialect, Dialogue, Directive, FormAnswer, IMAGE_LIMIT, Image, MessageFormat, Question,
    Reply, Rules, Setup, Severity, Template, Turn, Wrapping,
};
use followup::{Events, Parser, Policy};

/// The kinds of steps.
///
/// A step is its kind and a number: an argument, or the length of the text after it.
pub mod step {
    /// The model writes the text.
    pub const WRITES: u8 = 0;
    /// The model asks a question with this number of suggestions.
    pub const ASKS: u8 = 1;
    /// The user takes a suggestion.
    ///
    /// The low four bits are its index, the others the question's number.
    pub const TAKES: u8 = 2;
    /// The user edits the first suggestion of the open question into the text.
    pub const EDITS: u8 = 3;
    /// The user answers the open question with the text.
    pub const SAYS: u8 = 4;
    /// The user cancels the question with this number.
    pub const CANCELS: u8 = 5;
    /// The user guides the model with the text.
    pub const GUIDES: u8 = 6;
    /// The user answers the open question with the text as an image.
    pub const SHOWS: u8 = 7;
    /// The model calls the question tool with this number.
    pub const CALLS: u8 = 8;
    /// The user answers the open form: each byte of the text is the answer to a question.
    pub const FILLS: u8 = 9;
    /// The user declines the question with this number.
    pub const DECLINES: u8 = 10;
    /// The user wants to talk about the open question, after the answers of the text.
    pub const DISCUSSES: u8 = 11;
    /// The time for the open question is over, after the answers of the text.
    pub const TIMES_OUT: u8 = 12;

    /// How many kinds there are.
    pub const KINDS: u8 = 13;
}

/// Calls of question tools: one and several questions, of every kind, and one that can't be asked.
const CALLS: [(&str, &str); 16] = [
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Q","header":"H","options":[{"label":"A","preview":"p"},{"label":"B"}]},
            {"question":"R","options":[{"label":"C"},{"label":"D"}],"multiSelect":true},{"question":"S"}]}"#,
    ),
    ("request_user_input", r#"{"questions":[{"header":"H","id":"i","options":[{"label":"A"}],"question":"Q"}]}"#),
    (
        "vscode_askQuestions",
        r#"{"questions":[{"header":"H","question":"Q","allowFreeformInput":false,"options":["A"]}]}"#,
    ),
    ("AskQuestion", r#"{"title":"T","questions":[{"id":"i","prompt":"Q","options":[{"id":"1","label":"A"}]}]}"#),
    ("ask_user", r#"{"question":"Q","choices":["A","B"]}"#),
    ("question", r#"{"questions":[{"question":"Q","options":[{"label":"A","mode":"code"}]},{"question":"R"}]}"#),
    ("ask_question", r#"{"question":"Q","options":["A","B"]}"#),
    ("ask_user_question", r#"{"questions":[{"question":"Q","header":"H","options":[{"label":"A"},{"label":"B"}]}]}"#),
    (
        "elicitation/create",
        r#"{"message":"m","requestedSchema":{"required":["n"],"properties":{"n":{"type":"integer"},
            "b":{"type":"boolean"},"s":{"type":"array","items":{"enum":["x","y"]}}}}}"#,
    ),
    ("clarify", r#"{"question":"Q","choices":["A","B"]}"#),
    (
        "ask",
        r#"{"questions":[{"id":"i","question":"Q","options":["A","B"],"recommended":1},{"id":"j","question":"R"}]}"#,
    ),
    ("questionnaire", r#"{"questions":[{"id":"i","prompt":"Q","options":[{"value":"a","label":"A"}]}]}"#),
    ("AskUser", r#"{"questionnaire":"[question] Q (multi)\n[option] A\n[option] B\n[question] R"}"#),
    ("askForConfirmation", r#"{"message":"Q"}"#),
    ("session/request_permission", r#"{"toolCall":{"title":"Q"},"options":[{"optionId":"a","name":"A"}]}"#),
    ("AskUserQuestion", r#"{"questions":[]}"#),
];

/// The sides of a wrapping of the host's own.
const SIDES: [&str; 4] = ["", "<", "\n</a>\n", "</é></a>"];

struct Script {
    dialogue: Dialogue,
    parser: Parser,
    asked: u64,
    ended: BTreeSet<u64>,
    mistakes: u32,
    replies: Vec<Reply>,
}

pub fn read(input: &[u8]) {
    let Some((&[choices, mistakes], mut rest)) = input.split_first_chunk() else { return };
    let mut script = Script {
        dialogue: Dialogue::new(setup(choices, mistakes)),
        parser: Parser::default(),
        asked: 0,
        ended: BTreeSet::new(),
        mistakes: 0,
        replies: Vec::new(),
    };
    while let Some((&[kind, number], tail)) = rest.split_first_chunk() {
        let (text, after) = tail.split_at_checked(number.into()).unwrap_or((tail, &[]));
        let kind = kind % step::KINDS;
        let has_text = !matches!(kind, step::ASKS | step::TAKES | step::CANCELS | step::CALLS | step::DECLINES);
        rest = if has_text { after } else { tail };
        script.run(kind, number, text);
        script.check();
    }
    script.finish();
}

fn setup(choices: u8, mistakes: u8) -> Setup {
    let names = Dialect::NAMES;
    let mut dialect = Dialect::named(names[usize::from(choices) % names.len()]).expect("a built-in dialect");
    if choices & 64 != 0 {
        let [open, close] = [mistakes / 16, mistakes / 64].map(|i| SIDES[usize::from(i % 4)].into());
        dialect.reply = Wrapping { open, close };
    }
    let mut rules = Rules::default();
    if choices & 32 != 0 {
        (rules.suggestion_count, rules.duplicates) = (Severity::Reject, Severity::Reject);
    }
    let setup = Setup::default().with_dialect(dialect).with_rules(rules);
    let setup = setup.with_mistake_limit(u32::from(mistakes % 5)).with_escape(choices & 128 != 0);
    let Some(template) = template(mistakes) else { return setup };
    let template = Template::named(template).expect("a built-in template");
    CALLS.iter().fold(setup, |setup, (tool, _)| setup.with_template(*tool, template.clone()))
}

/// Returns the template of all tools that the second byte chooses, or `None` if each has its own.
pub fn template(mistakes: u8) -> Option<&'static str> {
    Template::NAMES.get(usize::from(mistakes / 5)).copied()
}

impl Script {
    fn run(&mut self, kind: u8, number: u8, text: &[u8]) {
        let string = String::from_utf8_lossy(text).into_owned();
        let open = self.dialogue.question().map_or(u64::from(number), |open| open.number);
        match kind {
            step::WRITES => {
                for chunk in text.chunks(usize::from(number % 7) + 1) {
                    handle(&mut self.dialogue, self.parser.feed_bytes(chunk), &mut self.asked, &mut self.mistakes);
                }
                handle(&mut self.dialogue, self.parser.finish(), &mut self.asked, &mut self.mistakes);
            }
            step::ASKS => {
                let suggest: String = (0..number % 8).map(|i| format!("<suggest>{}</suggest>", i % 6)).collect();
                let call = format!("<ask_followup_question><question>Q</question>{suggest}</ask_followup_question>");
                handle(&mut self.dialogue, self.parser.feed(&call), &mut self.asked, &mut self.mistakes);
            }
            step::TAKES => {
                let (index, question) = (usize::from(number % 16), u64::from(number / 16));
                self.answer(question, Answer::Suggestion(index), Vec::new());
            }
            step::EDITS => self.answer(open, Answer::Edited { suggestion: 0, text: string }, Vec::new()),
            step::SAYS => self.answer(open, Answer::Text(string), Vec::new()),
            step::CANCELS => self.end(|dialogue| dialogue.cancel(u64::from(number % 16))),
            step::DECLINES => self.end(|dialogue| dialogue.decline(u64::from(number % 16))),
            step::DISCUSSES => {
                // A dialogue that has stopped may have none open; then it may be one that waits.
                let can_discuss = self.dialogue.question().is_none_or(|open| open.can_discuss);
                let answers = self.answers(text);
                let replies = self.replies.len();
                self.end(|dialogue| dialogue.discuss(open, answers));
                assert!(can_discuss || self.replies.len() == replies, "a reply that the tool does not have");
            }
            step::TIMES_OUT => {
                let answers = self.answers(text);
                self.end(|dialogue| dialogue.time_out(open, answers));
            }
            step::CALLS => {
                let (tool, arguments) = CALLS[usize::from(number) % CALLS.len()];
                let mut parser = Parser::arguments_of(tool, Policy::new()).expect("a question tool");
                handle(&mut self.dialogue, parser.feed(arguments), &mut self.asked, &mut self.mistakes);
                handle(&mut self.dialogue, parser.finish(), &mut self.asked, &mut self.mistakes);
            }
            step::FILLS => self.answer(open, Answer::Form(self.answers(text)), Vec::new()),
            step::GUIDES => {
                let before = self.dialogue.clone();
                match self.dialogue.guide(string.clone(), Vec::new()) {
                    Ok(reply) => {
                        assert!(before.has_stopped());
                        self.mistakes = 0;
                        self.replies.push(reply);
                    }
                    Err(error) => assert_eq!((error.text, &self.dialogue), (string, &before)),
                }
            }
            step::SHOWS => {
                let image = Image::from_bytes(text, IMAGE_LIMIT).or_else(|_| Image::from_data_url(&string, 64));
                let Ok(image) = image else { return };
                assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT).as_ref(), Ok(&image));
                self.answer(open, Answer::Text(String::new()), vec![image]);
            }
            kind => panic!("{kind} is no kind of step"),
        }
    }

    /// Ends a question without an answer.
    fn end(&mut self, end: impl FnOnce(&mut Dialogue) -> Result<Reply, AnswerErrorKind>) {
        let before = self.dialogue.clone();
        match end(&mut self.dialogue) {
            Ok(reply) => {
                assert!(self.ended.insert(reply.number.expect("a question's")), "a question ends once");
                self.replies.push(reply);
            }
            Err(_) => assert_eq!(self.dialogue, before),
        }
    }

    /// Returns the answers that the bytes are.
    ///
    /// The options that are picked, and whether there are a text and a note. Without bytes, as many
    /// as there are questions, which are not answered.
    fn answers(&self, bytes: &[u8]) -> Vec<FormAnswer> {
        let form = self.dialogue.question().and_then(|open| open.form.as_ref());
        let count = form.map_or(0, |form| form.questions.len());
        let answer = |byte: u8| {
            let picked = (0..3).filter(|bit| byte >> bit & 1 == 1).collect();
            let text = ["", " ", "7", "\"a\"\n"][usize::from(byte >> 3 & 3)];
            FormAnswer {
                picked,
                text: (byte & 32 != 0).then(|| text.to_owned()),
                note: (byte & 64 != 0).then(|| "a note".to_owned()),
            }
        };
        match bytes {
            [] => vec![FormAnswer::default(); count],
            bytes => bytes.iter().take(count.max(4)).map(|&byte| answer(byte)).collect(),
        }
    }

    fn answer(&mut self, number: u64, answer: Answer, images: Vec<Image>) {
        let before = self.dialogue.clone();
        match self.dialogue.answer(number, answer.clone(), images.clone()) {
            Ok(reply) => {
                let open = before.question().expect("only an open question is answered");
                assert_eq!((open.number, reply.number), (number, Some(number)));
                assert!(self.ended.insert(number), "a question ends once");
                match &open.form {
                    Some(_) => check_form(&answer, &reply.text),
                    None => check_wrapping(open, &answer, before.setup(), &reply.text),
                }
                assert_eq!(reply.images, images);
                self.mistakes = 0;
                self.replies.push(reply);
            }
            Err(error) => {
                assert_eq!((error.answer, error.images), (answer, images), "a refused answer is returned");
                assert_eq!(self.dialogue, before);
            }
        }
    }

    fn check(&self) {
        let dialogue = &self.dialogue;
        assert_eq!(dialogue.mistakes(), self.mistakes);
        let limit = dialogue.setup().mistake_limit;
        assert_eq!(dialogue.has_stopped(), limit > 0 && self.mistakes >= limit);
        let open = usize::from(dialogue.question().is_some());
        assert_eq!((open + dialogue.waiting_count() + self.ended.len()) as u64, self.asked);
        assert!(open == 1 || dialogue.waiting_count() == 0 || dialogue.has_stopped());
    }

    fn finish(&self) {
        let stored = serde_json::to_string(self.dialogue.history()).expect("a history serializes");
        let history: Vec<Turn> = serde_json::from_str(&stored).expect("a history deserializes");
        let replayed = Dialogue::replay(self.dialogue.setup().clone(), &history).expect("a history replays");
        assert_eq!(replayed, self.dialogue);
        for format in MessageFormat::ALL {
            let messages = Reply::messages_of(&self.replies, format);
            assert!(!messages.is_empty() || self.replies.iter().all(|reply| reply.text.trim().is_empty()));
        }
    }
}

/// Checks that the answer to a question without a form is in its wrapping.
fn check_wrapping(open: &Question, answer: &Answer, setup: &Setup, reply: &str) {
    let text = match answer {
        Answer::Suggestion(i) => &open.suggest[*i].answer,
        Answer::Edited { text, .. } | Answer::Text(text) => text,
        Answer::Form(_) => panic!("a question without a form took the answers to one"),
    };
    let Setup { dialect, escape, .. } = setup;
    assert!(*escape || reply.contains(&**text), "the answer is lost");
    let end = dialect.reply.close.trim();
    if *escape && end.starts_with("</") && end.ends_with('>') {
        let answer = &reply[dialect.reply.open.len()..];
        assert_eq!(answer.matches(end).count(), 1, "an answer ends before its end: {reply:?}");
    }
}

/// Checks that what the user wrote into a form is in the reply, as it is or as in JSON.
fn check_form(answer: &Answer, reply: &str) {
    let texts = match answer {
        Answer::Edited { text, .. } | Answer::Text(text) => vec![&**text],
        Answer::Suggestion(_) => vec![],
        Answer::Form(answers) => {
            answers.iter().flat_map(|one| [&one.text, &one.note]).flatten().map(|s| &**s).collect()
        }
    };
    for text in texts.into_iter().map(str::trim) {
        let quoted = serde_json::to_string(text).expect("a text serializes");
        assert!(reply.contains(text) || reply.contains(&quoted[1..quoted.len() - 1]), "{text:?} is lost: {reply:?}");
    }
}

fn handle(dialogue: &mut Dialogue, mut events: Events<'_>, asked: &mut u64, mistakes: &mut u32) {
    while let Some(event) = events.next() {
        match dialogue.event(event) {
            Directive::Nothing | Directive::Show(_) => {}
            Directive::Ask(question) | Directive::Later(question) => {
                assert_eq!(question.number, *asked);
                *asked += 1;
            }
            Directive::Tell(_) | Directive::Stop(_) => *mistakes += 1,
        }
    }
}
