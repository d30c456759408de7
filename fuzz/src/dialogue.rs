//! Dialogues: whatever the model and the user do, in whatever order, one question is open, every question ends once, mistakes are counted, an
//! answer that can't be taken is given back, and the history leads to the same state.

use std::collections::BTreeSet;

use followup::dialogue::{
    Answer, Dialect, Dialogue, Directive, Format, IMAGE_LIMIT, Image, Reply, Rules, Setup, Severity, Turn, Wrapping,
};
use followup::{Events, Parser};

/// What happens next, by the first byte of its two. The second is a number, or how long the text is that follows.
pub mod step {
    /// The model writes that text.
    pub const WRITES: u8 = 0;
    /// The model asks something with so many suggestions.
    pub const ASKS: u8 = 1;
    /// The user takes a suggestion: the lower half says which, the upper half of what question.
    pub const TAKES: u8 = 2;
    /// The user changes the first suggestion of the open question to that text.
    pub const EDITS: u8 = 3;
    /// The user writes that text.
    pub const SAYS: u8 = 4;
    /// The user does not answer the question with that number.
    pub const CANCELS: u8 = 5;
    /// The user says how to go on.
    pub const GUIDES: u8 = 6;
    /// The user answers with that image.
    pub const SHOWS: u8 = 7;
}

/// What stands in for a wrapping of the host's own.
const BROKEN: [&str; 4] = ["", "<", "\n</a>\n", "</é></a>"];

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
    while let Some((&[what, number], behind)) = rest.split_first_chunk() {
        let text = behind.split_at_checked(number.into()).unwrap_or((behind, &[]));
        let takes_text = !matches!(what % 8, step::ASKS | step::TAKES | step::CANCELS);
        rest = if takes_text { text.1 } else { behind };
        script.happens(what % 8, number, text.0);
        script.is_right();
    }
    script.ends();
}

fn setup(choices: u8, mistakes: u8) -> Setup {
    let names = Dialect::NAMES;
    let mut dialect = Dialect::named(names[usize::from(choices) % names.len()]).expect("it is built in");
    if choices & 64 != 0 {
        let [open, close] = [mistakes / 16, mistakes / 64].map(|i| BROKEN[usize::from(i % 4)].into());
        dialect.reply = Wrapping { open, close };
    }
    let rules = match choices & 32 {
        0 => Rules::default(),
        _ => Rules { number: Severity::Reject, duplicates: Severity::Reject, ..Rules::default() },
    };
    Setup { dialect, rules, mistakes: u32::from(mistakes % 5), escape: choices & 128 != 0 }
}

impl Script {
    fn happens(&mut self, what: u8, number: u8, text: &[u8]) {
        let said = String::from_utf8_lossy(text).into_owned();
        let open = self.dialogue.question().map_or(u64::from(number), |open| open.number);
        match what {
            step::WRITES => {
                for chunk in text.chunks(usize::from(number % 7) + 1) {
                    hears(&mut self.dialogue, self.parser.feed_bytes(chunk), &mut self.asked, &mut self.mistakes);
                }
                hears(&mut self.dialogue, self.parser.finish(), &mut self.asked, &mut self.mistakes);
            }
            step::ASKS => {
                let suggest: String = (0..number % 8).map(|i| format!("<suggest>{}</suggest>", i % 6)).collect();
                let call = format!("<ask_followup_question><question>Q</question>{suggest}</ask_followup_question>");
                hears(&mut self.dialogue, self.parser.feed(&call), &mut self.asked, &mut self.mistakes);
            }
            step::TAKES => {
                let (which, question) = (usize::from(number % 16), u64::from(number / 16));
                self.answers(question, Answer::Suggestion(which), Vec::new());
            }
            step::EDITS => self.answers(open, Answer::Edited { suggestion: 0, text: said }, Vec::new()),
            step::SAYS => self.answers(open, Answer::Text(said), Vec::new()),
            step::CANCELS => {
                let before = self.dialogue.clone();
                match self.dialogue.cancel(u64::from(number % 16)) {
                    Ok(reply) => {
                        assert!(self.ended.insert(reply.number.expect("a question's")), "it ends once");
                        self.replies.push(reply);
                    }
                    Err(_) => assert_eq!(self.dialogue, before),
                }
            }
            step::GUIDES => {
                let before = self.dialogue.clone();
                match self.dialogue.guide(said.clone(), Vec::new()) {
                    Ok(reply) => {
                        assert!(before.has_stopped());
                        self.mistakes = 0;
                        self.replies.push(reply);
                    }
                    Err(error) => assert_eq!((error.text, &self.dialogue), (said, &before)),
                }
            }
            _ => {
                let image = Image::from_bytes(text, IMAGE_LIMIT).or_else(|_| Image::from_data_url(&said, 64));
                let Ok(image) = image else { return };
                assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT).as_ref(), Ok(&image));
                self.answers(open, Answer::Text(String::new()), vec![image]);
            }
        }
    }

    fn answers(&mut self, number: u64, answer: Answer, images: Vec<Image>) {
        let before = self.dialogue.clone();
        match self.dialogue.answer(number, answer.clone(), images.clone()) {
            Ok(reply) => {
                let open = before.question().expect("only an open question is answered");
                assert_eq!((open.number, reply.number), (number, Some(number)));
                assert!(self.ended.insert(number), "it ends once");
                let said = match &answer {
                    Answer::Suggestion(i) => &open.suggest[*i].answer,
                    Answer::Edited { text, .. } | Answer::Text(text) => text,
                };
                let Setup { dialect, escape, .. } = before.setup();
                assert!(*escape || reply.text.contains(&**said), "what is said is lost");
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
                assert_eq!((error.answer, error.images), (answer, images), "what can't be taken is given back");
                assert_eq!(self.dialogue, before);
            }
        }
    }

    fn is_right(&self) {
        let dialogue = &self.dialogue;
        assert_eq!(dialogue.mistakes(), self.mistakes);
        let limit = dialogue.setup().mistakes;
        assert_eq!(dialogue.has_stopped(), limit > 0 && self.mistakes >= limit);
        let open = usize::from(dialogue.question().is_some());
        assert_eq!((open + dialogue.waiting() + self.ended.len()) as u64, self.asked);
        assert!(open == 1 || dialogue.waiting() == 0 || dialogue.has_stopped());
    }

    fn ends(&self) {
        let stored = serde_json::to_string(self.dialogue.history()).expect("it can be stored");
        let history: Vec<Turn> = serde_json::from_str(&stored).expect("it was stored");
        let replayed = Dialogue::replay(self.dialogue.setup().clone(), &history).expect("it happened");
        assert_eq!(replayed, self.dialogue);
        for format in [Format::OpenAiChat, Format::OpenAiResponses, Format::Anthropic] {
            let messages = Reply::messages_of(&self.replies, format);
            assert!(!messages.is_empty() || self.replies.iter().all(|reply| reply.text.trim().is_empty()));
        }
    }
}

fn hears(dialogue: &mut Dialogue, mut events: Events<'_>, asked: &mut u64, mistakes: &mut u32) {
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
