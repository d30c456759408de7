//! The dialogue: scripted and random actions of model and user, and streams up to the reply.

use followup::dialogue::{
    Answer, AnswerErrorKind, AskMessage, Dialect, Dialogue, Directive, Image, MessageFormat, Reply, ReplyKind, Rules,
    Setup, Severity, Turn,
};
use followup::{Events, Parser, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns a call as markup.
fn markup(question: &str, answers: &[&str]) -> String {
    let suggest: String = answers.iter().map(|answer| format!("<suggest>{answer}</suggest>")).collect();
    format!(
        "<ask_followup_question><question>{question}</question><follow_up>{suggest}</follow_up></ask_followup_question>"
    )
}

/// Appends the directives for these events, as one line each.
fn direct(dialogue: &mut Dialogue, mut events: Events<'_>, lines: &mut Vec<String>) {
    while let Some(event) = events.next() {
        lines.push(match dialogue.event(event) {
            Directive::Nothing => continue,
            Directive::Show(call) => format!("show {}", call.question().unwrap_or_default()),
            Directive::Ask(question) => format!("ask {} {}", question.number, question.question),
            Directive::Later(question) => format!("later {} {}", question.number, question.question),
            Directive::Tell(correction) => format!("tell {}", correction.reason),
            Directive::Stop(correction) => format!("stop {}", correction.reason),
        });
    }
}

/// Returns the directives for a whole message, without what is only shown.
fn directives(dialogue: &mut Dialogue, message: &str) -> Vec<String> {
    let (mut parser, mut lines) = (Parser::default(), Vec::new());
    direct(dialogue, parser.feed(message), &mut lines);
    direct(dialogue, parser.finish(), &mut lines);
    lines.retain(|line| !line.starts_with("show"));
    lines
}

fn text(dialogue: &mut Dialogue, number: u64, text: &str) -> Result<String, AnswerErrorKind> {
    let answer = dialogue.answer(number, Answer::Text(text.into()), Vec::new());
    answer.map(|reply| reply.text).map_err(|error| error.kind)
}

const BAD: &str = "<ask_followup_question></ask_followup_question>";

/// The agents' own protocol for a user interface is `ask("followup", text, partial)`.
#[test]
fn an_interface_gets_the_growing_question_as_text_and_the_whole_as_json() {
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
    assert_eq!(directives(&mut dialogue, &three), ["ask 0 A?", "later 1 B?", "later 2 C?"]);
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
    let (mut parser, mut lines) = (Parser::default(), Vec::new());
    let call = markup("Which one?", &[]);
    for chunk in call.as_bytes().chunks(39) {
        direct(&mut dialogue, parser.feed_bytes(chunk), &mut lines);
    }
    assert_eq!(lines, ["show Which", "show Which one?", "ask 0 Which one?"]);
    lines.clear();
    direct(&mut dialogue, parser.feed(&call), &mut lines);
    assert_eq!(lines, ["later 1 Which one?"]);
}

#[test]
fn a_refused_answer_is_returned_in_the_error() {
    let mut dialogue = Dialogue::default();
    directives(&mut dialogue, &markup("Q?", &["One", "Two"]));
    let before = dialogue.clone();
    let image = Image::from_bytes(b"GIF89a", 1000).unwrap();
    for (number, answer, kind) in [
        (0, Answer::Suggestion(2), AnswerErrorKind::NoSuchSuggestion { count: 2 }),
        (0, Answer::Edited { suggestion: 9, text: "my words".into() }, AnswerErrorKind::NoSuchSuggestion { count: 2 }),
        (7, Answer::Text("my words".into()), AnswerErrorKind::NotAsked),
    ] {
        let error = dialogue.answer(number, answer.clone(), vec![image.clone()]).unwrap_err();
        assert_eq!((error.kind, error.answer, error.images), (kind, answer, vec![image.clone()]));
        assert_eq!(dialogue, before, "nothing has changed");
    }
}

#[test]
fn taking_a_suggestion_of_a_question_without_any_is_an_error() {
    let mut dialogue = Dialogue::default();
    directives(&mut dialogue, "<ask_followup_question><question>Q?</question></ask_followup_question>");
    let error = dialogue.answer(0, Answer::Suggestion(0), Vec::new()).unwrap_err();
    assert_eq!(error.kind.to_string(), "the question has no suggestions");
}

#[test]
fn a_correction_becomes_a_reply_and_a_history_is_taken_once() {
    let mut dialogue = Dialogue::default();
    directives(&mut dialogue, BAD);
    let history = dialogue.take_history();
    let [Turn::Corrected { correction, .. }] = &history[..] else { panic!("{history:?}") };
    let reply = correction.reply();
    assert_eq!((reply.kind, &reply.text, reply.number), (ReplyKind::Correction, &correction.model, None));
    assert!(dialogue.take_history().is_empty() && dialogue.history().is_empty());
}

#[test]
fn a_suggestion_keeps_its_mode_when_it_is_edited() {
    let call =
        "<ask_followup_question><question>Q?</question><suggest mode='code'>Do it</suggest></ask_followup_question>";
    for (answer, text, mode) in [
        (Answer::Suggestion(0), "Do it", Some("code")),
        (Answer::Edited { suggestion: 0, text: "Do it, slowly".into() }, "Do it, slowly", Some("code")),
        (Answer::Text("Do it".into()), "Do it", None),
    ] {
        let mut dialogue = Dialogue::default();
        directives(&mut dialogue, call);
        let reply = dialogue.answer(0, answer, Vec::new()).unwrap();
        assert_eq!((reply.text, reply.mode.as_deref()), (format!("<answer>\n{text}\n</answer>"), mode));
    }
}

#[test]
fn mistakes_in_a_row_stop_the_dialogue_and_an_answer_or_guidance_resets_them() {
    let mut dialogue = Dialogue::default();
    assert_eq!(directives(&mut dialogue, BAD), ["tell missing_parameter"]);
    assert_eq!(directives(&mut dialogue, BAD), ["tell missing_parameter"]);
    assert_eq!(directives(&mut dialogue, &markup("Q?", &[])), ["ask 0 Q?"], "a question alone resets nothing");
    assert_eq!(dialogue.mistakes(), 2);
    let error = dialogue.guide("not now".into(), Vec::new()).unwrap_err();
    assert_eq!(error.text, "not now", "the dialogue has not stopped, and the text is returned");
    text(&mut dialogue, 0, "yes").unwrap();
    assert_eq!(dialogue.mistakes(), 0);
    assert_eq!(
        directives(&mut dialogue, &BAD.repeat(4)),
        ["tell missing_parameter", "tell missing_parameter", "stop missing_parameter", "stop missing_parameter"]
    );
    assert_eq!(
        directives(&mut dialogue, &markup("R?", &[])),
        ["later 1 R?"],
        "nothing is asked before the user has guided"
    );
    let reply = dialogue.guide("Use tabs".into(), Vec::new()).unwrap();
    assert_eq!(reply.kind, ReplyKind::Guidance);
    assert!(reply.text.ends_with("<feedback>\nUse tabs\n</feedback>"), "{}", reply.text);
    assert_eq!((dialogue.mistakes(), dialogue.question().unwrap().number), (0, 1));
}

#[test]
fn a_dialogue_without_a_limit_never_stops() {
    let mut dialogue = Dialogue::new(Setup::default().with_mistake_limit(0));
    assert!(directives(&mut dialogue, &BAD.repeat(50)).iter().all(|line| line.starts_with("tell")));
}

#[test]
fn a_broken_rule_is_advice_or_rejects_the_question() {
    let call = markup("Q?", &["Use [path]", "Use [path]"]);
    let mut advised = Dialogue::default();
    directives(&mut advised, &call);
    let advice: Vec<String> = advised.question().unwrap().advice.iter().map(ToString::to_string).collect();
    assert_eq!(
        advice,
        [
            "suggestion 1 has a placeholder, [path]",
            "suggestion 2 has a placeholder, [path]",
            "suggestion 2 is the same as suggestion 1"
        ]
    );
    let mut rules = Rules::default();
    (rules.duplicates, rules.placeholders) = (Severity::Reject, Severity::Ignore);
    let mut strict = Dialogue::new(Setup::default().with_rules(rules));
    assert_eq!(directives(&mut strict, &call), ["tell rule"]);
    let Some(Turn::Corrected { correction, .. }) = strict.history().last() else { panic!() };
    assert_eq!(correction.model, "Failed to parse operations: suggestion 2 is the same as suggestion 1");
}

#[test]
fn suggestions_are_required_if_the_rules_or_else_the_dialect_require_them() {
    let with = |dialect: Dialect, follow_up_required| {
        let mut rules = Rules::default();
        rules.follow_up_required = follow_up_required;
        let setup = Setup::default().with_dialect(dialect).with_rules(rules);
        directives(&mut Dialogue::new(setup), &markup("Q?", &[]))
    };
    assert_eq!(with(Dialect::roo_code(), None), ["ask 0 Q?"]);
    assert_eq!(with(Dialect::roo_code(), Some(true)), ["tell missing_parameter"]);
    assert_eq!(with(Dialect::roo_code_latest(), None), ["tell missing_parameter"]);
    assert_eq!(with(Dialect::roo_code_latest(), Some(false)), ["ask 0 Q?"]);
}

#[test]
fn a_stored_history_replays_to_the_same_dialogue() {
    let mut dialogue = Dialogue::default();
    directives(&mut dialogue, &[&markup("A?", &["One [path]"]), BAD, &markup("B?", &[]), BAD].concat());
    let image = Image::from_bytes(b"\x89PNG\r\n\x1a\n", 1000).unwrap();
    dialogue.answer(0, Answer::Edited { suggestion: 0, text: "One".into() }, vec![image]).unwrap();
    directives(&mut dialogue, &BAD.repeat(3));
    dialogue.cancel(1).unwrap();
    dialogue.guide("Go on".into(), Vec::new()).unwrap();
    directives(&mut dialogue, &markup("C?", &[]));
    let stored = serde_json::to_string(dialogue.history()).unwrap();
    let history: Vec<Turn> = serde_json::from_str(&stored).unwrap();
    assert_eq!(Dialogue::replay(Setup::default(), &history).unwrap(), dialogue);
    let turns: Vec<Value> = serde_json::from_str(&stored).unwrap();
    let roles: Vec<_> =
        turns.iter().map(|turn| (turn["role"].as_str().unwrap(), turn["turn"].as_str().unwrap())).collect();
    assert_eq!(roles[..3], [("assistant", "asked"), ("assistant", "corrected"), ("assistant", "asked")]);
    assert_eq!(roles[4], ("user", "answered"));
    // A history without its first turn is an error.
    assert_eq!(Dialogue::replay(Setup::default(), &history[1..]).unwrap_err().turn, 1);
}

/// A call of each syntax is streamed, asked and answered, and the reply is sent back.
#[test]
fn a_streamed_call_leads_to_the_next_message() {
    let answers = ["SQLite, as one file", "PostgreSQL"];
    let markup = format!("Let me see. {}", markup("Which database?", &answers));
    let arguments =
        json!({"question": "Which database?", "follow_up": [{"text": answers[0], "mode": null}, {"text": answers[1]}]})
            .to_string();
    for name in Dialect::NAMES {
        let dialect = Dialect::named(name).unwrap();
        let (open, close) = (dialect.reply.open.clone(), dialect.reply.close.clone());
        for (mut parser, stream) in [(Parser::default(), &markup), (Parser::arguments(Policy::new()), &arguments)] {
            let mut dialogue = Dialogue::new(Setup::default().with_dialect(dialect.clone()));
            let mut lines = Vec::new();
            for chunk in stream.as_bytes().chunks(4) {
                direct(&mut dialogue, parser.feed_bytes(chunk), &mut lines);
            }
            direct(&mut dialogue, parser.finish(), &mut lines);
            assert_eq!(lines.last().unwrap(), "ask 0 Which database?", "{name}");
            assert!(lines.iter().rev().skip(1).all(|line| line.starts_with("show ")), "{name}");
            let json = r#"{"question":"Which database?","suggest":[{"answer":"SQLite, as one file"},{"answer":"PostgreSQL"}]}"#;
            assert_eq!(dialogue.question().unwrap().json(), json);
            let reply = dialogue.answer(0, Answer::Suggestion(0), Vec::new()).unwrap();
            assert_eq!(reply.text, format!("{open}\n{}\n{close}", answers[0]));
            assert_eq!(reply.messages(MessageFormat::OpenAiChat), [json!({"role": "user", "content": reply.text})]);
        }
    }
}

#[test]
fn a_native_call_is_answered_under_its_id_with_images() {
    use followup::wire::{self, ResponseParser};
    let body = concat!(
        r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"id7","name":"ask_followup_question"}}}}"#,
        "\n",
        r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"question\":\"Q?\"}"}}}}"#,
        "\n",
        r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
        "\n"
    );
    let (mut response, mut dialogue) = (ResponseParser::new(wire::Format::Bedrock, Policy::new()), Dialogue::default());
    let mut events = response.feed(body.as_bytes());
    while let Some(event) = events.next() {
        let _ = dialogue.event(event.unwrap());
    }
    drop(events);
    let image = Image::from_bytes(b"GIF89a", 1000).unwrap();
    let reply = dialogue.answer(0, Answer::Text("See".into()), vec![image.clone()]).unwrap();
    let (text, url) = ("<answer>\nSee\n</answer>", image.data_url());
    assert_eq!(
        reply.messages(MessageFormat::OpenAiChat),
        [
            json!({"role": "tool", "tool_call_id": "id7", "content": text}),
            json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
        ]
    );
    let parts = json!([{"type": "input_text", "text": text}, {"type": "input_image", "image_url": url}]);
    assert_eq!(
        reply.messages(MessageFormat::OpenAiResponses),
        [json!({"type": "function_call_output", "call_id": "id7", "output": parts})]
    );
    let source = json!({"type": "base64", "media_type": "image/gif", "data": "R0lGODlh"});
    let content = json!([{"type": "text", "text": text}, {"type": "image", "source": source}]);
    assert_eq!(
        reply.messages(MessageFormat::Anthropic),
        [json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "id7", "content": content}]})]
    );
    let content = json!([{"text": text}, {"image": {"format": "gif", "source": {"bytes": "R0lGODlh"}}}]);
    assert_eq!(
        reply.messages(MessageFormat::BedrockConverse),
        [json!({"role": "user", "content": [{"toolResult": {"toolUseId": "id7", "content": content}}]})]
    );
}

/// Gemini and Ollama often send no id. They find the call by the name of its tool.
#[test]
fn a_native_call_without_an_id_is_answered_under_the_name_of_its_tool() {
    use followup::wire::{self, ResponseParser};
    let tea = ("ask_followup_question", json!({"question": "Tea?"}));
    let when = ("AskUserQuestion", json!({"questions": [{"question": "When?"}]}));
    let nothing = ("ask_followup_question", json!({"question": ""}));
    let written = markup("In the text?", &[]);
    let part = |(name, args): &(&str, Value)| json!({"functionCall": {"name": name, "args": args}});
    let parts = json!([{"text": written}, part(&tea), part(&when), part(&nothing)]);
    let gemini = json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]});
    let call = |(name, args): &(&str, Value)| json!({"function": {"name": name, "arguments": args}});
    let message =
        json!({"role": "assistant", "content": written, "tool_calls": [call(&tea), call(&when), call(&nothing)]});
    let ollama = json!({"model": "m", "message": message, "done": true});
    let messages = |format, body: String, message_format| {
        let (mut response, mut dialogue, mut replies) =
            (ResponseParser::new(format, Policy::new()), Dialogue::default(), Vec::new());
        for chunk in [Some(body.as_bytes()), None] {
            let mut events = match chunk {
                Some(chunk) => response.feed(chunk),
                None => response.finish(),
            };
            while let Some(event) = events.next() {
                if let Directive::Tell(correction) = dialogue.event(event.unwrap()) {
                    replies.push(correction.reply());
                }
            }
        }
        // Another process can go on.
        let stored = serde_json::to_string(&dialogue.checkpoint()).unwrap();
        let mut dialogue = Dialogue::resume(Setup::default(), serde_json::from_str(&stored).unwrap()).unwrap();
        for question in ["In the text?", "Tea?", "When?"] {
            let open = dialogue.question().unwrap();
            assert_eq!(open.question, question);
            let number = open.number;
            replies.push(match question {
                "When?" => dialogue.decline(number).unwrap(),
                _ => dialogue.answer(number, Answer::Text("Yes".into()), Vec::new()).unwrap(),
            });
        }
        let stored = serde_json::to_string(&replies).unwrap();
        let replies: Vec<Reply> = serde_json::from_str(&stored).unwrap();
        let texts: Vec<_> = replies.iter().map(|reply| reply.text.clone()).collect();
        (Reply::messages_of(&replies, message_format), texts)
    };
    let (sent, texts) = messages(wire::Format::Gemini, format!("data: {gemini}\n\n"), MessageFormat::Gemini);
    let [corrected, written, yes, declined] = &*texts else { panic!("{texts:?}") };
    let result = |name, key: &str, text| json!({"functionResponse": {"name": name, "response": {key: text}}});
    assert_eq!(
        sent,
        [
            json!({"role": "user", "parts": [
                result("ask_followup_question", "output", corrected),
                result("ask_followup_question", "output", yes),
                result("AskUserQuestion", "error", declined),
            ]}),
            json!({"role": "user", "parts": [{"text": written}]}),
        ]
    );
    let (sent, texts) = messages(wire::Format::Ollama, format!("{ollama}\n"), MessageFormat::Ollama);
    let [corrected, written, yes, declined] = &*texts else { panic!("{texts:?}") };
    let result = |name, text| json!({"role": "tool", "tool_name": name, "content": text});
    assert_eq!(
        sent,
        [
            result("ask_followup_question", corrected),
            result("ask_followup_question", yes),
            result("AskUserQuestion", declined),
            json!({"role": "user", "content": written}),
        ]
    );
}

#[test]
fn all_replies_of_one_turn_are_sent_together() {
    use followup::wire::{self, ResponseParser};
    let call = |index: usize, question: &str| {
        let arguments = json!({"question": question}).to_string();
        let function = json!({"name": "ask_followup_question", "arguments": arguments});
        json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": function})
    };
    let delta = json!({"content": markup("In the text?", &[]), "tool_calls": [call(0, "One?"), call(1, "Two?")]});
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
    let (mut response, mut dialogue) =
        (ResponseParser::new(wire::Format::OpenAiChat, Policy::new()), Dialogue::default());
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    let mut events = response.feed(body.as_bytes());
    while let Some(event) = events.next() {
        let _ = dialogue.event(event.unwrap());
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
        Reply::messages_of(&replies, MessageFormat::OpenAiChat),
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
fn escaping_keeps_a_users_text_from_ending_the_wrapping() {
    let text = "</ANSWER> and </feedback>";
    for (escape, answered, guided) in
        [(false, text, text), (true, "&lt;/ANSWER> and </feedback>", "</ANSWER> and &lt;/feedback>")]
    {
        let mut dialogue = Dialogue::new(Setup::default().with_escape(escape).with_mistake_limit(1));
        directives(&mut dialogue, &markup("Q?", &[]));
        let reply = dialogue.answer(0, Answer::Text(text.into()), Vec::new()).unwrap();
        assert_eq!(reply.text, format!("<answer>\n{answered}\n</answer>"));
        directives(&mut dialogue, BAD);
        let reply = dialogue.guide(text.into(), Vec::new()).unwrap();
        assert!(reply.text.ends_with(&format!("<feedback>\n{guided}\n</feedback>")), "{}", reply.text);
    }
}

/// One action of the model or the user.
#[derive(Clone, Debug)]
enum Action {
    Ask(usize),
    Mistake,
    Answer { number: u64, answer: Answer },
    Cancel(u64),
    Decline(u64),
    Guide,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let answer = prop_oneof![
        (0..4_usize).prop_map(Answer::Suggestion),
        (0..4_usize, "[a-z<>/ \n]{0,8}").prop_map(|(suggestion, text)| Answer::Edited { suggestion, text }),
        "[a-z<>/ \n]{0,8}".prop_map(Answer::Text),
    ];
    let one = prop_oneof![
        3 => (0..6_usize).prop_map(Action::Ask),
        3 => Just(Action::Mistake),
        4 => (0..8_u64, answer).prop_map(|(number, answer)| Action::Answer { number, answer }),
        1 => (0..8_u64).prop_map(Action::Cancel),
        1 => (0..8_u64).prop_map(Action::Decline),
        1 => Just(Action::Guide),
    ];
    prop::collection::vec(one, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_actions_keep_one_question_open_count_mistakes_and_lose_nothing(actions in actions(), limit in 0..5_u32) {
        let mut dialogue = Dialogue::new(Setup::default().with_mistake_limit(limit));
        let (mut asked, mut ended, mut mistakes) = (0, Vec::new(), 0);
        for action in actions {
            let before = dialogue.clone();
            match action {
                Action::Ask(suggestions) => {
                    let answers: Vec<String> = (0..suggestions).map(|i| format!("Answer {i}")).collect();
                    let answers: Vec<&str> = answers.iter().map(|answer| &**answer).collect();
                    directives(&mut dialogue, &markup("Q?", &answers));
                    asked += 1;
                }
                Action::Mistake => {
                    mistakes += 1;
                    let lines = directives(&mut dialogue, BAD);
                    let word = if limit > 0 && mistakes >= limit { "stop" } else { "tell" };
                    prop_assert_eq!(lines, [format!("{word} missing_parameter")]);
                }
                Action::Answer { number, answer } => {
                    let open = before.question().filter(|open| open.number == number);
                    match dialogue.answer(number, answer.clone(), Vec::new()) {
                        Ok(reply) => {
                            prop_assert!(open.is_some());
                            let text = match &answer {
                                Answer::Suggestion(i) => open.unwrap().suggest[*i].answer.clone(),
                                Answer::Edited { text, .. } | Answer::Text(text) => text.clone(),
                                Answer::Form(_) => unreachable!("no forms here"),
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
                Action::Cancel(number) => match dialogue.cancel(number) {
                    Ok(_) => ended.push(number),
                    Err(_) => prop_assert_eq!(&dialogue, &before),
                },
                Action::Decline(number) => match dialogue.decline(number) {
                    Ok(_) => ended.push(number),
                    Err(_) => prop_assert_eq!(&dialogue, &before),
                },
                Action::Guide => match dialogue.guide("Go on".into(), Vec::new()) {
                    Ok(_) => mistakes = 0,
                    Err(error) => {
                        prop_assert_eq!(error.text, "Go on");
                        prop_assert_eq!(&dialogue, &before);
                    }
                },
            }
            prop_assert_eq!(dialogue.mistakes(), mistakes);
            prop_assert_eq!(dialogue.has_stopped(), limit > 0 && mistakes >= limit);
            // Every question is open, waits or has ended, and none ends twice.
            let open = usize::from(dialogue.question().is_some());
            prop_assert_eq!(open + dialogue.waiting_count() + ended.len(), asked);
            let mut once = ended.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), ended.len());
            prop_assert!(open == 1 || dialogue.waiting_count() == 0 || dialogue.has_stopped());
        }
        let history: Vec<Turn> = serde_json::from_str(&serde_json::to_string(dialogue.history()).unwrap()).unwrap();
        prop_assert_eq!(&Dialogue::replay(dialogue.setup().clone(), &history).unwrap(), &dialogue);
    }
}
