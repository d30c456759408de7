//! Dialogues: the rules hold whatever the model and the user do.
//!
//! One question is open at a time, every question ends once, mistakes are counted, a refused answer
//! is returned, and the history replays to the same state.

use std::collections::BTreeSet;

use followup::dialogue::{
    Answer, Dialect, Dialogue, Directive, IMAGE_LIMIT, Image, MessageFormat, Reply, Rules, Setup, Severity, Turn,
    Wrapping,
};
use followup::{Events, Parser};

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
}

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
        let has_text = !matches!(kind % 8, step::ASKS | step::TAKES | step::CANCELS);
        rest = if has_text { after } else { tail };
        script.run(kind % 8, number, text);
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
        (rules.number, rules.duplicates) = (Severity::Reject, Severity::Reject);
    }
    let setup = Setup::default().with_dialect(dialect).with_rules(rules);
    setup.with_mistake_limit(u32::from(mistakes % 5)).with_escape(choices & 128 != 0)
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
            step::CANCELS => {
                let before = self.dialogue.clone();
                match self.dialogue.cancel(u64::from(number % 16)) {
                    Ok(reply) => {
                        assert!(self.ended.insert(reply.number.expect("a question's")), "a question ends once");
                        self.replies.push(reply);
                    }
                    Err(_) => assert_eq!(self.dialogue, before),
                }
            }
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
            _ => {
                let image = Image::from_bytes(text, IMAGE_LIMIT).or_else(|_| Image::from_data_url(&string, 64));
                let Ok(image) = image else { return };
                assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT).as_ref(), Ok(&image));
                self.answer(open, Answer::Text(String::new()), vec![image]);
            }
        }
    }

    fn answer(&mut self, number: u64, answer: Answer, images: Vec<Image>) {
        let before = self.dialogue.clone();
        match self.dialogue.answer(number, answer.clone(), images.clone()) {
            Ok(reply) => {
                let open = before.question().expect("only an open question is answered");
                assert_eq!((open.number, reply.number), (number, Some(number)));
                assert!(self.ended.insert(number), "a question ends once");
                let text = match &answer {
                    Answer::Suggestion(i) => &open.suggest[*i].answer,
                    Answer::Edited { text, .. } | Answer::Text(text) => text,
                    Answer::Form(_) => unreachable!("no step answers a form"),
                };
                let Setup { dialect, escape, .. } = before.setup();
                assert!(*escape || reply.text.contains(&**text), "the answer is lost");
                let end = dialect.reply.close.trim();
                if *escape && end.starts_with("</") && end.ends_with('>') {
                    let answer = &reply.text[dialect.reply.open.len()..];
                    assert_eq!(answer.matches(end).count(), 1, "an answer ends before its end: {:?}", reply.text);
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
        assert_eq!((open + dialogue.waiting() + self.ended.len()) as u64, self.asked);
        assert!(open == 1 || dialogue.waiting() == 0 || dialogue.has_stopped());
    }

    fn finish(&self) {
        let stored = serde_json::to_string(self.dialogue.history()).expect("a history serializes");
        let history: Vec<Turn> = serde_json::from_str(&stored).expect("a history deserializes");
        let replayed = Dialogue::replay(self.dialogue.setup().clone(), &history).expect("a history replays");
        assert_eq!(replayed, self.dialogue);
        for format in [MessageFormat::OpenAiChat, MessageFormat::OpenAiResponses, MessageFormat::Anthropic] {
            let messages = Reply::messages_of(&self.replies, format);
            assert!(!messages.is_empty() || self.replies.iter().all(|reply| reply.text.trim().is_empty()));
        }
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
