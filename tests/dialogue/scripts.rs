//! Dialogues, as scripts of what the model and the user do, as a property over random ones, and from a streamed call to the next message.

use followup::dialogue::{
    Answer, AnswerErrorKind, AskMessage, Dialect, Dialogue, Directive, Format, Image, Reply, ReplyKind, Rules, Setup,
    Severity, Turn,
};
use followup::{Events, Parser, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A call as markup.
fn markup(question: &str, answers: &[&str]) -> String {
    let suggest: String = answers.iter().map(|answer| format!("<suggest>{answer}</suggest>")).collect();
    format!(
        "<ask_followup_question><question>{question}</question><follow_up>{suggest}</follow_up></ask_followup_question>"
    )
}

/// What a dialogue says to these events, a word each.
fn take(dialogue: &mut Dialogue, mut events: Events<'_>, said: &mut Vec<String>) {
    while let Some(event) = events.next() {
        said.push(match dialogue.event(event) {
            Directive::Nothing => continue,
            Directive::Show(call) => format!("show {}", call.question().unwrap_or_default()),
            Directive::Ask(question) => format!("ask {} {}", question.number, question.question),
            Directive::Later(question) => format!("later {} {}", question.number, question.question),
            Directive::Tell(correction) => format!("tell {}", correction.reason),
            Directive::Stop(correction) => format!("stop {}", correction.reason),
        });
    }
}

/// What it says to a whole message, what was shown left out.
fn says(dialogue: &mut Dialogue, message: &str) -> Vec<String> {
    let (mut parser, mut said) = (Parser::default(), Vec::new());
    take(dialogue, parser.feed(message), &mut said);
    take(dialogue, parser.finish(), &mut said);
    said.retain(|line| !line.starts_with("show"));
    said
}

fn text(dialogue: &mut Dialogue, number: u64, text: &str) -> Result<String, AnswerErrorKind> {
    let answer = dialogue.answer(number, Answer::Text(text.into()), Vec::new());
    answer.map(|reply| reply.text).map_err(|error| error.kind)
}

const BAD: &str = "<ask_followup_question></ask_followup_question>";

/// What a host that speaks the agents' own protocol sends its interface: `ask("followup", text, partial)`.
#[test]
fn an_interface_is_sent_the_question_as_text_while_it_grows_and_then_as_json() {
    let (mut parser, mut dialogue, mut sent) = (Parser::default(), Dialogue::default(), Vec::new());
    for chunk in ["<ask_followup_question><question>Whi", "ch \"one\"?</question><follow_up><suggest mode='code'>Th"]
        .into_iter()
        .chain(["is</suggest><suggest>That</suggest></follow_up></ask_followup_question>"])
    {
        let mut events = parser.feed(chunk);
        while let Some(event) = events.next() {
            match dialogue.event(event) {
                Directive::Show(call) => sent.push(AskMessage::partial(call.question().unwrap_or_default())),
                Directive::Ask(question) => sent.push(question.ask_message()),
                other => panic!("{other:?}"),
            }
        }
    }
    sent.dedup();
    let json = r#"{"question":"Which \"one\"?","suggest":[{"answer":"This","mode":"code"},{"answer":"That"}]}"#;
    assert_eq!(
        serde_json::to_value(sent).unwrap(),
        json!([
            {"ask": "followup", "text": "Whi", "partial": true},
            {"ask": "followup", "text": "Which \"one\"?", "partial": true},
            {"ask": "followup", "text": json, "partial": false},
        ])
    );
}

#[test]
fn one_question_is_open_at_a_time_and_the_others_wait() {
    let mut dialogue = Dialogue::default();
    let three = ["A?", "B?", "C?"].map(|question| markup(question, &[])).concat();
    assert_eq!(says(&mut dialogue, &three), ["ask 0 A?", "later 1 B?", "later 2 C?"]);
    assert_eq!(text(&mut dialogue, 1, "no"), Err(AnswerErrorKind::NotYetAsked));
    assert_eq!(text(&mut dialogue, 0, "a").unwrap(), "<answer>\na\n</answer>");
    assert_eq!(dialogue.question().unwrap().question, "B?");
    assert_eq!(text(&mut dialogue, 0, "again"), Err(AnswerErrorKind::AlreadyAnswered));
    dialogue.cancel(1).unwrap();
    assert_eq!(text(&mut dialogue, 1, "late"), Err(AnswerErrorKind::AlreadyCancelled));
    assert_eq!(text(&mut dialogue, 2, "c").unwrap(), "<answer>\nc\n</answer>");
    assert_eq!(dialogue.question(), None);
    assert_eq!(text(&mut dialogue, 3, "to nothing"), Err(AnswerErrorKind::NotAsked));
}

#[test]
fn a_growing_question_is_shown_unless_another_is_open() {
    let mut dialogue = Dialogue::default();
    let (mut parser, mut said) = (Parser::default(), Vec::new());
    let call = markup("Which one?", &[]);
    for chunk in call.as_bytes().chunks(39) {
        take(&mut dialogue, parser.feed_bytes(chunk), &mut said);
    }
    assert_eq!(said, ["show Which", "show Which one?", "ask 0 Which one?"]);
    said.clear();
    take(&mut dialogue, parser.feed(&call), &mut said);
    assert_eq!(said, ["later 1 Which one?"]);
}

#[test]
fn an_answer_that_can_not_be_taken_comes_back() {
    let mut dialogue = Dialogue::default();
    says(&mut dialogue, &markup("Q?", &["One", "Two"]));
    let before = dialogue.clone();
    let image = Image::from_bytes(b"GIF89a", 1000).unwrap();
    for (number, answer, kind) in [
        (0, Answer::Suggestion(2), AnswerErrorKind::NoSuchSuggestion { of: 2 }),
        (0, Answer::Edited { suggestion: 9, text: "my words".into() }, AnswerErrorKind::NoSuchSuggestion { of: 2 }),
        (7, Answer::Text("my words".into()), AnswerErrorKind::NotAsked),
    ] {
        let error = dialogue.answer(number, answer.clone(), vec![image.clone()]).unwrap_err();
        assert_eq!((error.kind, error.answer, error.images), (kind, answer, vec![image.clone()]));
        assert_eq!(dialogue, before, "nothing has changed");
    }
}

#[test]
fn a_question_without_suggestions_says_so_when_one_is_taken() {
    let mut dialogue = Dialogue::default();
    says(&mut dialogue, "<ask_followup_question><question>Q?</question></ask_followup_question>");
    let error = dialogue.answer(0, Answer::Suggestion(0), Vec::new()).unwrap_err();
    assert_eq!(error.kind.to_string(), "the question has no suggestions");
}

#[test]
fn a_correction_is_the_result_of_its_call_and_a_history_is_given_away_once() {
    let mut dialogue = Dialogue::default();
    says(&mut dialogue, BAD);
    let history = dialogue.take_history();
    let [Turn::Corrected { correction, .. }] = &history[..] else { panic!("{history:?}") };
    let reply = correction.reply();
    assert_eq!((reply.kind, &reply.text, reply.number), (ReplyKind::Correction, &correction.model, None));
    assert!(dialogue.take_history().is_empty() && dialogue.history().is_empty());
}

#[test]
fn a_suggestion_is_taken_as_it_is_or_changed_and_its_mode_counts() {
    let call =
        "<ask_followup_question><question>Q?</question><suggest mode='code'>Do it</suggest></ask_followup_question>";
    for (answer, text, mode) in [
        (Answer::Suggestion(0), "Do it", Some("code")),
        (Answer::Edited { suggestion: 0, text: "Do it, slowly".into() }, "Do it, slowly", Some("code")),
        (Answer::Text("Do it".into()), "Do it", None),
    ] {
        let mut dialogue = Dialogue::default();
        says(&mut dialogue, call);
        let reply = dialogue.answer(0, answer, Vec::new()).unwrap();
        assert_eq!((reply.text, reply.mode.as_deref()), (format!("<answer>\n{text}\n</answer>"), mode));
    }
}

#[test]
fn mistakes_in_a_row_stop_the_dialogue_and_an_answer_or_guidance_forgives_them() {
    let mut dialogue = Dialogue::default();
    assert_eq!(says(&mut dialogue, BAD), ["tell missing_parameter"]);
    assert_eq!(says(&mut dialogue, BAD), ["tell missing_parameter"]);
    assert_eq!(says(&mut dialogue, &markup("Q?", &[])), ["ask 0 Q?"], "a question alone forgives nothing");
    assert_eq!(dialogue.mistakes(), 2);
    let error = dialogue.guide("not now".into(), Vec::new()).unwrap_err();
    assert_eq!(error.text, "not now", "it has not stopped, and nothing is lost");
    text(&mut dialogue, 0, "yes").unwrap();
    assert_eq!(dialogue.mistakes(), 0);
    assert_eq!(
        says(&mut dialogue, &BAD.repeat(4)),
        ["tell missing_parameter", "tell missing_parameter", "stop missing_parameter", "stop missing_parameter"]
    );
    assert_eq!(says(&mut dialogue, &markup("R?", &[])), ["later 1 R?"], "nothing is asked before the user has guided");
    let reply = dialogue.guide("Use tabs".into(), Vec::new()).unwrap();
    assert_eq!(reply.kind, ReplyKind::Guidance);
    assert!(reply.text.ends_with("<feedback>\nUse tabs\n</feedback>"), "{}", reply.text);
    assert_eq!((dialogue.mistakes(), dialogue.question().unwrap().number), (0, 1));
}

#[test]
fn without_a_limit_nothing_stops() {
    let mut dialogue = Dialogue::new(Setup { mistakes: 0, ..Setup::default() });
    assert!(says(&mut dialogue, &BAD.repeat(50)).iter().all(|line| line.starts_with("tell")));
}

#[test]
fn rules_are_advice_or_reject_and_advice_never_blocks() {
    let call = markup("Q?", &["Use [path]", "Use [path]"]);
    let mut advised = Dialogue::default();
    says(&mut advised, &call);
    let advice: Vec<String> = advised.question().unwrap().advice.iter().map(ToString::to_string).collect();
    assert_eq!(
        advice,
        [
            "suggestion 1 has a placeholder, [path]",
            "suggestion 2 has a placeholder, [path]",
            "suggestion 2 is the same as suggestion 1"
        ]
    );
    let rules = Rules { duplicates: Severity::Reject, placeholders: Severity::Ignore, ..Rules::default() };
    let mut strict = Dialogue::new(Setup { rules, ..Setup::default() });
    assert_eq!(says(&mut strict, &call), ["tell rule"]);
    let Some(Turn::Corrected { correction, .. }) = strict.history().last() else { panic!() };
    assert_eq!(correction.model, "Failed to parse operations: suggestion 2 is the same as suggestion 1");
}

#[test]
fn suggestions_are_required_where_the_dialect_or_the_host_says_so() {
    let with = |dialect: Dialect, follow_up_required| {
        let rules = Rules { follow_up_required, ..Rules::default() };
        says(&mut Dialogue::new(Setup { dialect, rules, ..Setup::default() }), &markup("Q?", &[]))
    };
    assert_eq!(with(Dialect::roo_code(), None), ["ask 0 Q?"]);
    assert_eq!(with(Dialect::roo_code(), Some(true)), ["tell missing_parameter"]);
    assert_eq!(with(Dialect::roo_code_latest(), None), ["tell missing_parameter"]);
    assert_eq!(with(Dialect::roo_code_latest(), Some(false)), ["ask 0 Q?"]);
}

#[test]
fn a_history_is_stored_and_replayed() {
    let mut dialogue = Dialogue::default();
    says(&mut dialogue, &[&markup("A?", &["One [path]"]), BAD, &markup("B?", &[]), BAD].concat());
    let image = Image::from_bytes(b"\x89PNG\r\n\x1a\n", 1000).unwrap();
    dialogue.answer(0, Answer::Edited { suggestion: 0, text: "One".into() }, vec![image]).unwrap();
    says(&mut dialogue, &BAD.repeat(3));
    dialogue.cancel(1).unwrap();
    dialogue.guide("Go on".into(), Vec::new()).unwrap();
    says(&mut dialogue, &markup("C?", &[]));
    let stored = serde_json::to_string(dialogue.history()).unwrap();
    let history: Vec<Turn> = serde_json::from_str(&stored).unwrap();
    assert_eq!(Dialogue::replay(Setup::default(), &history).unwrap(), dialogue);
    let turns: Vec<Value> = serde_json::from_str(&stored).unwrap();
    let roles: Vec<_> =
        turns.iter().map(|turn| (turn["role"].as_str().unwrap(), turn["turn"].as_str().unwrap())).collect();
    assert_eq!(roles[..3], [("assistant", "asked"), ("assistant", "corrected"), ("assistant", "asked")]);
    assert_eq!(roles[4], ("user", "answered"));
    // One that was cut in front can't have happened.
    assert_eq!(Dialogue::replay(Setup::default(), &history[1..]).unwrap_err().turn, 1);
}

/// A call in both syntaxes, streamed, asked, answered, and sent back.
#[test]
fn from_a_streamed_call_to_the_next_message() {
    let answers = ["SQLite, as one file", "PostgreSQL"];
    let markup = format!("Let me see. {}", markup("Which database?", &answers));
    let arguments =
        json!({"question": "Which database?", "follow_up": [{"text": answers[0], "mode": null}, {"text": answers[1]}]})
            .to_string();
    for name in Dialect::NAMES {
        let dialect = Dialect::named(name).unwrap();
        let (open, close) = (dialect.reply.open.clone(), dialect.reply.close.clone());
        for (mut parser, stream) in [(Parser::default(), &markup), (Parser::arguments(Policy::new()), &arguments)] {
            let mut dialogue = Dialogue::new(Setup { dialect: dialect.clone(), ..Setup::default() });
            let mut said = Vec::new();
            for chunk in stream.as_bytes().chunks(4) {
                take(&mut dialogue, parser.feed_bytes(chunk), &mut said);
            }
            take(&mut dialogue, parser.finish(), &mut said);
            assert_eq!(said.last().unwrap(), "ask 0 Which database?", "{name}");
            assert!(said.iter().rev().skip(1).all(|line| line.starts_with("show ")), "{name}");
            let json = r#"{"question":"Which database?","suggest":[{"answer":"SQLite, as one file"},{"answer":"PostgreSQL"}]}"#;
            assert_eq!(dialogue.question().unwrap().json(), json);
            let reply = dialogue.answer(0, Answer::Suggestion(0), Vec::new()).unwrap();
            assert_eq!(reply.text, format!("{open}\n{}\n{close}", answers[0]));
            assert_eq!(reply.messages(Format::OpenAiChat), [json!({"role": "user", "content": reply.text})]);
        }
    }
}

#[test]
fn a_native_call_is_answered_under_its_id_with_its_images() {
    use followup::wire::{Response, Wire};
    let body = concat!(
        r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"id7","name":"ask_followup_question"}}}}"#,
        "\n",
        r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"question\":\"Q?\"}"}}}}"#,
        "\n",
        r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
        "\n"
    );
    let (mut response, mut dialogue) = (Response::new(Wire::Bedrock, Policy::new()), Dialogue::default());
    let mut events = response.feed(body.as_bytes());
    while let Some(event) = events.next() {
        dialogue.event(event.unwrap());
    }
    drop(events);
    let image = Image::from_bytes(b"GIF89a", 1000).unwrap();
    let reply = dialogue.answer(0, Answer::Text("See".into()), vec![image.clone()]).unwrap();
    let (text, url) = ("<answer>\nSee\n</answer>", image.data_url());
    assert_eq!(
        reply.messages(Format::OpenAiChat),
        [
            json!({"role": "tool", "tool_call_id": "id7", "content": text}),
            json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
        ]
    );
    let parts = json!([{"type": "input_text", "text": text}, {"type": "input_image", "image_url": url}]);
    assert_eq!(
        reply.messages(Format::OpenAiResponses),
        [json!({"type": "function_call_output", "call_id": "id7", "output": parts})]
    );
    let source = json!({"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"});
    let content = json!([{"type": "text", "text": text}, {"type": "image", "source": source}]);
    assert_eq!(
        reply.messages(Format::Anthropic),
        [json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "id7", "content": content}]})]
    );
}

#[test]
fn all_replies_of_one_turn_go_back_together() {
    use followup::wire::{Response, Wire};
    let call = |index: usize, question: &str| {
        let arguments = json!({"question": question}).to_string();
        let function = json!({"name": "ask_followup_question", "arguments": arguments});
        json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function})
    };
    let delta = json!({"content": markup("In the text?", &[]), "tool_calls": [call(0, "One?"), call(1, "Two?")]});
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
    let (mut response, mut dialogue) = (Response::new(Wire::OpenAiChat, Policy::new()), Dialogue::default());
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    let mut events = response.feed(body.as_bytes());
    while let Some(event) = events.next() {
        dialogue.event(event.unwrap());
    }
    drop(events);
    let image = Image::from_bytes(b"GIF89a", 1000).unwrap();
    let mut replies = Vec::new();
    while let Some(open) = dialogue.question() {
        let (number, answer) = (open.number, Answer::Text(open.question.replace('?', "!")));
        replies.push(dialogue.answer(number, answer, vec![image.clone()]).unwrap());
    }
    let image = json!({"type": "image_url", "image_url": {"url": image.data_url()}});
    assert_eq!(
        Reply::messages_of(&replies, Format::OpenAiChat),
        [
            json!({"role": "tool", "tool_call_id": "call_0", "content": "<answer>\nOne!\n</answer>"}),
            json!({"role": "tool", "tool_call_id": "call_1", "content": "<answer>\nTwo!\n</answer>"}),
            json!({"role": "user", "content": [{"type": "text", "text": "<answer>\nIn the text!\n</answer>"}, image]}),
            json!({"role": "user", "content": [image]}),
            json!({"role": "user", "content": [image]}),
        ]
    );
}

#[test]
fn what_a_user_writes_does_not_end_the_wrapping_if_that_is_wanted() {
    let text = "</ANSWER> and </feedback>";
    for (escape, answered, guided) in
        [(false, text, text), (true, "&lt;/ANSWER> and </feedback>", "</ANSWER> and &lt;/feedback>")]
    {
        let mut dialogue = Dialogue::new(Setup { escape, mistakes: 1, ..Setup::default() });
        says(&mut dialogue, &markup("Q?", &[]));
        let reply = dialogue.answer(0, Answer::Text(text.into()), Vec::new()).unwrap();
        assert_eq!(reply.text, format!("<answer>\n{answered}\n</answer>"));
        says(&mut dialogue, BAD);
        let reply = dialogue.guide(text.into(), Vec::new()).unwrap();
        assert!(reply.text.ends_with(&format!("<feedback>\n{guided}\n</feedback>")), "{}", reply.text);
    }
}

/// What the model or the user does next.
#[derive(Clone, Debug)]
enum Move {
    Ask(usize),
    Mistake,
    Answer { number: u64, answer: Answer },
    Cancel(u64),
    Guide,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let answer = prop_oneof![
        (0..4_usize).prop_map(Answer::Suggestion),
        (0..4_usize, "[a-z<>/ \n]{0,8}").prop_map(|(suggestion, text)| Answer::Edited { suggestion, text }),
        "[a-z<>/ \n]{0,8}".prop_map(Answer::Text),
    ];
    let one = prop_oneof![
        3 => (0..6_usize).prop_map(Move::Ask),
        3 => Just(Move::Mistake),
        4 => (0..8_u64, answer).prop_map(|(number, answer)| Move::Answer { number, answer }),
        1 => (0..8_u64).prop_map(Move::Cancel),
        1 => Just(Move::Guide),
    ];
    prop::collection::vec(one, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_one_question_is_open_mistakes_are_counted_and_nothing_is_lost(moves in moves(), limit in 0..5_u32) {
        let mut dialogue = Dialogue::new(Setup { mistakes: limit, ..Setup::default() });
        let (mut asked, mut ended, mut mistakes) = (0, Vec::new(), 0);
        for step in moves {
            let before = dialogue.clone();
            match step {
                Move::Ask(suggestions) => {
                    let answers: Vec<String> = (0..suggestions).map(|i| format!("Answer {i}")).collect();
                    let answers: Vec<&str> = answers.iter().map(|answer| &**answer).collect();
                    says(&mut dialogue, &markup("Q?", &answers));
                    asked += 1;
                }
                Move::Mistake => {
                    mistakes += 1;
                    let said = says(&mut dialogue, BAD);
                    let word = if limit > 0 && mistakes >= limit { "stop" } else { "tell" };
                    prop_assert_eq!(said, [format!("{word} missing_parameter")]);
                }
                Move::Answer { number, answer } => {
                    let open = before.question().filter(|open| open.number == number);
                    match dialogue.answer(number, answer.clone(), Vec::new()) {
                        Ok(reply) => {
                            prop_assert!(open.is_some());
                            let text = match &answer {
                                Answer::Suggestion(i) => open.unwrap().suggest[*i].answer.clone(),
                                Answer::Edited { text, .. } | Answer::Text(text) => text.clone(),
                            };
                            prop_assert_eq!(reply.text, format!("<answer>\n{text}\n</answer>"));
                            ended.push(number);
                            mistakes = 0;
                        }
                        Err(error) => {
                            prop_assert_eq!(error.answer, answer);
                            prop_assert_eq!(&dialogue, &before);
                        }
                    }
                }
                Move::Cancel(number) => match dialogue.cancel(number) {
                    Ok(_) => ended.push(number),
                    Err(_) => prop_assert_eq!(&dialogue, &before),
                },
                Move::Guide => match dialogue.guide("Go on".into(), Vec::new()) {
                    Ok(_) => mistakes = 0,
                    Err(error) => {
                        prop_assert_eq!(error.text, "Go on");
                        prop_assert_eq!(&dialogue, &before);
                    }
                },
            }
            prop_assert_eq!(dialogue.mistakes(), mistakes);
            prop_assert_eq!(dialogue.has_stopped(), limit > 0 && mistakes >= limit);
            // Every question is open, waits, or has ended, once.
            let open = usize::from(dialogue.question().is_some());
            prop_assert_eq!(open + dialogue.waiting() + ended.len(), asked);
            let mut once = ended.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), ended.len());
            prop_assert!(open == 1 || dialogue.waiting() == 0 || dialogue.has_stopped());
        }
        let history: Vec<Turn> = serde_json::from_str(&serde_json::to_string(dialogue.history()).unwrap()).unwrap();
        prop_assert_eq!(&Dialogue::replay(dialogue.setup().clone(), &history).unwrap(), &dialogue);
    }
}
