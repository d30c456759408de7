//! What goes back to the model: for each built-in template, the bytes that the tool's host writes.
//!
//! docs/question-tools.md cites where they come from.

use followup::dialogue::{Answer, Dialogue, FormAnswer, IMAGE_LIMIT, Image, Reply, Setup, Template, Turn};
use followup::{Parser, Policy, Shape, Shapes};
use serde_json::{Value, json};

use crate::common::{asked, asked_by, call, feed};

/// Two choices with labels that need care, the second of several, and a question without options.
///
/// The keys are those that most tools have.
fn questions() -> Value {
    json!({"questions": [
        {"id": "a", "header": "Store", "question": "Which \"store\"?",
            "options": [{"label": "Redis, 7"}, {"label": "say \"hi\"\nthen ünï ✓"}]},
        {"id": "b", "header": "Parts", "question": "Which parts?", "multiSelect": true, "multiple": true, "multi": true,
            "options": [{"label": "A, B"}, {"label": "C\\D"}, {"label": "E"}]},
        {"id": "c", "question": "Why?"},
    ]})
}

/// An option of every choice, and an own text.
fn all() -> Vec<FormAnswer> {
    vec![FormAnswer::picked([1]), FormAnswer::picked([2, 0]), FormAnswer::text("It's\n\"new\"")]
}

/// Own texts for the choices, and no answer to the last question.
fn own() -> Vec<FormAnswer> {
    let both = FormAnswer { text: Some("F".into()), ..FormAnswer::picked([0]) };
    vec![FormAnswer::text("a \"b\""), both, FormAnswer::default()]
}

fn none() -> Vec<FormAnswer> {
    vec![FormAnswer::default(); 3]
}

/// Returns the reply to a call that this shape reads.
fn reply(shape: &str, template: Option<&str>, arguments: &impl ToString, answers: Vec<FormAnswer>) -> Reply {
    let mut dialogue = asked_by(shape, template, arguments);
    dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap()
}

/// Asserts what goes back by a template: with all answers, own answers, none, and without answers.
#[track_caller]
fn assert_replies(shape: &str, template: &str, [with_all, with_own, with_none]: [&str; 3], ends: [(&str, bool); 2]) {
    let template = (shape != template).then_some(template);
    for (answers, text) in [(all(), with_all), (own(), with_own), (none(), with_none)] {
        assert_eq!(reply(shape, template, &questions(), answers).text, text, "{shape} {template:?}");
    }
    let cancelled = asked_by(shape, template, &questions()).cancel(0).unwrap();
    let declined = asked_by(shape, template, &questions()).decline(0).unwrap();
    for (reply, (text, is_error)) in [cancelled, declined].into_iter().zip(ends) {
        assert_eq!((&*reply.text, reply.is_error), (text, is_error), "{shape} {template:?}");
    }
}

const CLAUDE_DECLINED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it \
    was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell \
    you how to proceed.";

/// Returns what Claude Code says of answers with the user's own words.
fn claude_own(entries: &str) -> String {
    format!(
        "The user answered: {entries}. Read the answers carefully \u{2014} they may request clarification, changes, or \
        that you not proceed \u{2014} and follow what they actually say."
    )
}

#[test]
fn claude_tells_labels_from_own_words_and_leaves_out_what_was_not_answered() {
    let all = claude_own(
        "\"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \"Which parts?\"=\"E, A, B\", \"Why?\"=\"It's\n\"new\"\"",
    );
    let own = claude_own("\"Which \"store\"?\"=\"a \"b\"\", \"Which parts?\"=\"A, B, F\"");
    let none = "The user did not answer the questions.";
    assert_replies("claude", "claude", [&all, &own, none], [(CLAUDE_DECLINED, true); 2]);
    assert!(!reply("claude", None, &questions(), self::none()).is_error);
    assert!(!reply("claude", None, &questions(), self::all()).is_error);
    let labels = vec![FormAnswer::picked([1]), FormAnswer::picked([2, 0]), FormAnswer::default()];
    assert_eq!(
        reply("claude", None, &questions(), labels).text,
        "Your questions have been answered: \"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \"Which parts?\"=\"E, A, B\". \
         You can now continue with these answers in mind."
    );
}

/// Without an own answer, the images would come with the text for a call that was not answered.
#[test]
fn images_alone_are_an_answer_to_a_form() {
    let image = Image::from_bytes(b"GIF89a", IMAGE_LIMIT).unwrap();
    let answered = |shape: &str, answers: Vec<FormAnswer>| {
        let mut dialogue = asked_by(shape, None, &questions());
        dialogue.answer(0, Answer::Form(answers), vec![image.clone()]).unwrap()
    };
    let reply = answered("claude", none());
    let text = claude_own("\"Which \"store\"?\"=\"(see the attached images)\"");
    assert_eq!((&*reply.text, reply.is_error, reply.images.len()), (&*text, false, 1));
    // Beside an answer, they need no words.
    let picked = vec![FormAnswer::default(), FormAnswer::picked([1]), FormAnswer::default()];
    assert!(!answered("claude", picked).text.contains("attached"));

    // An answer that has to be given is given.
    let field =
        json!({"message": "M", "requestedSchema": {"required": ["a"], "properties": {"a": {"type": "string"}}}});
    let mut dialogue = asked_by("mcp", None, &field);
    let reply = dialogue.answer(0, Answer::Form(vec![FormAnswer::default()]), vec![image.clone()]).unwrap();
    assert_eq!(reply.text, r#"{"action":"accept","content":{"a":"(see the attached images)"}}"#);
    // Images are no number.
    let number = json!({"message": "M", "requestedSchema": {"properties": {"a": {"type": "number"}}}});
    let mut dialogue = asked_by("mcp", None, &number);
    let reply = dialogue.answer(0, Answer::Form(vec![FormAnswer::default()]), vec![image]).unwrap();
    assert_eq!(reply.text, r#"{"action":"accept","content":{}}"#);
}

#[test]
fn claude_sends_the_preview_and_the_note_of_an_option() {
    let arguments = json!({"questions": [{"question": "Which?", "header": "W", "options": [
        {"label": "One", "preview": "# 1\n"}, {"label": "Two"}]}]});
    let noted = |answer: FormAnswer| FormAnswer { note: Some("but \"soon\"".into()), ..answer };
    for (answer, entry) in [
        (noted(FormAnswer::picked([0])), "\"Which?\"=\"One\" selected preview:\n# 1\n notes: but \"soon\""),
        (noted(FormAnswer::picked([1])), "\"Which?\"=\"Two\" notes: but \"soon\""),
        (noted(FormAnswer::default()), "\"Which?\"=\"but \"soon\"\""),
    ] {
        assert_eq!(reply("claude", None, &arguments, vec![answer]).text, claude_own(entry));
    }
    assert_eq!(
        reply("claude", None, &arguments, vec![FormAnswer::picked([0])]).text,
        "Your questions have been answered: \"Which?\"=\"One\" selected preview:\n# 1\n. \
         You can now continue with these answers in mind."
    );
}

#[test]
fn an_older_claude_repeats_own_words_as_notes_and_says_answered_whatever_was_answered() {
    let answered = |entries: &str| {
        format!("User has answered your questions: {entries}. You can now continue with the user's answers in mind.")
    };
    let all = answered(
        "\"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \"Which parts?\"=\"E, A, B\", \
         \"Why?\"=\"It's\n\"new\"\" user notes: It's\n\"new\"",
    );
    let own =
        answered("\"Which \"store\"?\"=\"a \"b\"\" user notes: a \"b\", \"Which parts?\"=\"A, B, F\" user notes: F");
    assert_replies("claude", "claude-older", [&all, &own, &answered("")], [(CLAUDE_DECLINED, true); 2]);

    let arguments = json!({"questions": [{"question": "Which?", "header": "W", "options": [
        {"label": "One", "preview": "# 1\n"}, {"label": "Two"}]}]});
    let noted = FormAnswer { note: Some("soon".into()), ..FormAnswer::picked([0]) };
    let reply = reply("claude", Some("claude-older"), &arguments, vec![noted]);
    assert_eq!(reply.text, answered("\"Which?\"=\"One\" selected preview:\n# 1\n user notes: soon"));

    // A talk is as in newer versions; there is no time for an answer.
    let asked = |template| asked_by("claude", template, &arguments);
    let talk = |template| asked(template).discuss(0, Vec::new()).unwrap().text;
    assert_eq!(talk(Some("claude-older")), talk(None));
    let timed_out = asked(Some("claude-older")).time_out(0, Vec::new()).unwrap();
    assert_eq!((&*timed_out.text, timed_out.is_error), (CLAUDE_DECLINED, true));
}

#[test]
fn letta_has_an_empty_answer_for_what_was_not_answered() {
    let all = "User has answered your questions: \"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \
        \"Which parts?\"=\"E, A, B\", \"Why?\"=\"It's\n\"new\"\". You can now continue with the user's answers in mind.";
    let own = "User has answered your questions: \"Which \"store\"?\"=\"a \"b\"\", \"Which parts?\"=\"A, B, F\", \
        \"Why?\"=\"\". You can now continue with the user's answers in mind.";
    let declined = "User cancelled the approval";
    assert_replies("claude", "letta", [all, own, declined], [(declined, true); 2]);
}

#[test]
fn opencode_and_kilo_say_unanswered() {
    let all = "User has answered your questions: \"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \
        \"Which parts?\"=\"E, A, B\", \"Why?\"=\"It's\n\"new\"\". You can now continue with the user's answers in mind.";
    let own = "User has answered your questions: \"Which \"store\"?\"=\"a \"b\"\", \"Which parts?\"=\"A, B, F\", \
        \"Why?\"=\"Unanswered\". You can now continue with the user's answers in mind.";
    let none = "User has answered your questions: \"Which \"store\"?\"=\"Unanswered\", \"Which parts?\"=\"Unanswered\", \
        \"Why?\"=\"Unanswered\". You can now continue with the user's answers in mind.";
    assert_replies("opencode", "opencode", [all, own, none], [("The user dismissed this question", true); 2]);
    assert_replies("opencode", "kilo", [all, own, none], [("User dismissed the question.", false); 2]);
}

#[test]
fn kimi_has_the_spaces_of_its_serializer() {
    let all = r#"{"answers": {"Which \"store\"?": "say \"hi\"\nthen ünï ✓", "Which parts?": "E, A, B", "Why?": "It's\n\"new\""}}"#;
    let own = r#"{"answers": {"Which \"store\"?": "a \"b\"", "Which parts?": "A, B, F"}}"#;
    let dismissed = r#"{"answers": {}, "note": "User dismissed the question without answering."}"#;
    assert_replies("claude", "kimi", [all, own, dismissed], [(dismissed, false); 2]);
}

#[test]
fn kimi_code_writes_compact_json_and_a_note_if_the_questions_were_dismissed() {
    let all =
        r#"{"answers":{"Which \"store\"?":"say \"hi\"\nthen ünï ✓","Which parts?":"E, A, B","Why?":"It's\n\"new\""}}"#;
    let own = r#"{"answers":{"Which \"store\"?":"a \"b\"","Which parts?":"A, B, F"}}"#;
    let dismissed = r#"{"answers":{},"note":"User dismissed the question without answering."}"#;
    assert_replies("claude", "kimi-code", [all, own, dismissed], [(dismissed, false); 2]);
}

#[test]
fn codex_answers_by_id_and_marks_own_words_as_a_note() {
    let all = r#"{"answers":{"a":{"answers":["say \"hi\"\nthen ünï ✓"]},"b":{"answers":["E"]},"c":{"answers":["user_note: It's\n\"new\""]}}}"#;
    let own = r#"{"answers":{"a":{"answers":["None of the above","user_note: a \"b\""]},"b":{"answers":["A, B","user_note: F"]},"c":{"answers":[]}}}"#;
    let none = r#"{"answers":{"a":{"answers":[]},"b":{"answers":[]},"c":{"answers":[]}}}"#;
    let answers = vec![FormAnswer::picked([1]), FormAnswer::picked([2]), FormAnswer::text("It's\n\"new\"")];
    assert_eq!(reply("codex", None, &questions(), answers).text, all);
    assert_eq!(reply("codex", None, &questions(), self::own()).text, own);
    assert_eq!(reply("codex", None, &questions(), self::none()).text, none);
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let text = reply("codex", None, &questions(), vec![noted, FormAnswer::default(), FormAnswer::default()]).text;
    assert!(text.starts_with(r#"{"answers":{"a":{"answers":["Redis, 7","user_note: now"]},"#), "{text}");
    let cancelled = asked_by("codex", None, &questions()).cancel(0).unwrap();
    assert_eq!(cancelled.text, "request_user_input was cancelled before receiving a response");
    assert!(cancelled.is_error);
}

#[test]
fn vscode_answers_by_header_and_says_what_was_skipped() {
    let mut questions = questions();
    questions["questions"][2]["header"] = "Rea\"son".into();
    let text = |answers| reply("vscode", None, &questions, answers).text;
    assert_eq!(
        text(all()),
        r#"{"answers":{"Store":{"selected":["say \"hi\"\nthen ünï ✓"],"freeText":null,"skipped":false},"Parts":{"selected":["E","A, B"],"freeText":null,"skipped":false},"Rea\"son":{"selected":[],"freeText":"It's\n\"new\"","skipped":false}}}"#
    );
    assert_eq!(
        text(own()),
        r#"{"answers":{"Store":{"selected":[],"freeText":"a \"b\"","skipped":false},"Parts":{"selected":["A, B"],"freeText":"F","skipped":false},"Rea\"son":{"selected":[],"freeText":null,"skipped":true}}}"#
    );
    let skipped = r#"{"answers":{"Store":{"selected":[],"freeText":null,"skipped":true},"Parts":{"selected":[],"freeText":null,"skipped":true},"Rea\"son":{"selected":[],"freeText":null,"skipped":true}}}"#;
    assert_eq!(text(none()), skipped);
    assert_eq!(asked_by("vscode", None, &questions).cancel(0).unwrap().text, skipped);
    assert_eq!(asked_by("vscode", None, &questions).decline(0).unwrap().text, skipped);
}

#[test]
fn cursor_answers_with_ids() {
    let arguments = json!({"questions": [
        {"id": "db", "prompt": "Which?", "options": [{"id": "p\"g", "label": "Postgres"}, {"id": "lite", "label": "SQLite"}]},
        {"id": "é", "prompt": "And?", "allow_multiple": true,
            "options": [{"id": "a,b", "label": "A"}, {"id": "c", "label": "C"}]}]});
    for (answers, text) in [
        (
            vec![FormAnswer::picked([0]), FormAnswer::picked([1, 0])],
            r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"db","selectedOptionIds":["p\"g"]},{"questionId":"é","selectedOptionIds":["c","a,b"]}]}}"#,
        ),
        (
            vec![FormAnswer::default(), FormAnswer::picked([1])],
            r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"é","selectedOptionIds":["c"]}]}}"#,
        ),
        (vec![FormAnswer::default(); 2], r#"{"outcome":{"outcome":"skipped"}}"#),
    ] {
        assert_eq!(reply("cursor", None, &arguments, answers).text, text);
    }
    assert_eq!(asked_by("cursor", None, &arguments).cancel(0).unwrap().text, r#"{"outcome":{"outcome":"cancelled"}}"#);
    assert_eq!(asked_by("cursor", None, &arguments).decline(0).unwrap().text, r#"{"outcome":{"outcome":"skipped"}}"#);
}

#[test]
fn the_tool_of_cursor_gets_a_line_with_the_ids_for_each_question() {
    // As in recordings of its sessions.
    let arguments = json!({"title": "Temperature check", "questions": [{"id": "temperature",
        "prompt": "Is it hot or cold?", "options": [{"id": "hot", "label": "Hot"}, {"id": "cold", "label": "Cold"}]}]});
    let text = "User questions responses:\nQuestion temperature: Selected option(s) cold";
    assert_eq!(reply("cursor-tool", None, &arguments, vec![FormAnswer::picked([1])]).text, text);

    let arguments = json!({"questions": [
        {"id": "a", "prompt": "Which?", "allow_multiple": true,
            "options": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}]},
        {"id": "b", "prompt": "And?", "options": []},
        {"id": "c", "prompt": "Or?", "options": [{"id": "z", "label": "Z"}, {"id": "u", "label": "U"}]}]});
    let answers = vec![FormAnswer::picked([1, 0]), FormAnswer::text("Why \"not\""), FormAnswer::default()];
    assert_eq!(
        reply("cursor-tool", None, &arguments, answers).text,
        "User questions responses:\nQuestion a: Selected option(s) y, x\nQuestion b: Why \"not\""
    );
    let nothing = vec![FormAnswer::default(); 3];
    assert_eq!(reply("cursor-tool", None, &arguments, nothing).text, "User questions responses:");
    // An own text beside options is not lost.
    let both = vec![
        FormAnswer { text: Some("t".into()), ..FormAnswer::picked([0]) },
        FormAnswer::default(),
        FormAnswer::default(),
    ];
    let mut dialogue = asked_by(
        "ask_user",
        Some("cursor-tool"),
        &json!({"questions": [
        {"id": "a", "question": "Which?", "options": [{"value": "x", "label": "X"}]},
        {"id": "b", "question": "B?"}, {"id": "c", "question": "C?"}]}),
    );
    let text = dialogue.answer(0, Answer::Form(both), Vec::new()).unwrap().text;
    assert_eq!(text, "User questions responses:\nQuestion a: Selected option(s) x, t");
}

#[test]
fn each_of_cursors_two_names_gets_its_own_reply() {
    let arguments = json!({"questions": [
        {"id": "q", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}]});
    for (tool, text) in [
        ("AskQuestion", "User questions responses:\nQuestion q: Selected option(s) a"),
        (
            "cursor/ask_question",
            r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"q","selectedOptionIds":["a"]}]}}"#,
        ),
    ] {
        let reply = asked(tool, &arguments).answer(0, Answer::Form(vec![FormAnswer::picked([0])]), Vec::new());
        assert_eq!(reply.unwrap().text, text);
    }
}

#[test]
fn copilot_says_what_was_selected_or_responded() {
    let arguments = json!({"question": "Which port?", "choices": ["80, \"http\"", "8080"]});
    for (answer, text) in [
        (FormAnswer::picked([0]), "User selected: 80, \"http\""),
        (FormAnswer::text("443\nor é"), "User responded: 443\nor é"),
        (FormAnswer::default(), "User skipped question"),
    ] {
        assert_eq!(reply("copilot", None, &arguments, vec![answer]).text, text);
    }
    assert_eq!(asked_by("copilot", None, &arguments).cancel(0).unwrap().text, "User skipped question");
}

#[test]
fn a_label_goes_back_instead_of_the_value_where_the_host_knows_only_labels() {
    let arguments = json!({"questions": [
        {"id": "a", "question": "Which?", "options": [{"label": "HTTP", "value": "80"}, {"label": "TLS", "value": "443"}]},
    ]});
    let both = FormAnswer { text: Some("or else".into()), ..FormAnswer::picked([0]) };
    for (template, picked, with_text) in [
        (
            "codex",
            r#"{"answers":{"a":{"answers":["HTTP"]}}}"#,
            r#"{"answers":{"a":{"answers":["HTTP","user_note: or else"]}}}"#,
        ),
        (
            "vscode",
            r#"{"answers":{"a":{"selected":["HTTP"],"freeText":null,"skipped":false}}}"#,
            r#"{"answers":{"a":{"selected":["HTTP"],"freeText":"or else","skipped":false}}}"#,
        ),
        (
            "openclaw",
            r#"{"status":"answered","answers":{"answers":{"a":["HTTP"]}}}"#,
            r#"{"status":"answered","answers":{"answers":{"a":["HTTP","or else"]}}}"#,
        ),
        ("openhands", "The user answered:\n- Question 1: HTTP", "The user answered:\n- Question 1: HTTP, or else"),
        ("omp", "User answers:\na: HTTP", "User answers:\na: [HTTP, or else]"),
        ("pi", "Q1: user selected: 1. HTTP", "Q1: user selected: 1. HTTP, user wrote: or else"),
    ] {
        let reply = |answer| reply("ask_user", Some(template), &arguments, vec![answer]).text;
        assert_eq!(reply(FormAnswer::picked([0])), picked);
        assert_eq!(reply(both.clone()), with_text);
    }
    let one = json!({"question": "Which?", "choices": [{"label": "HTTP", "value": "80"}]});
    assert_eq!(reply("copilot", None, &one, vec![FormAnswer::picked([0])]).text, "User selected: HTTP");
    assert_eq!(reply("copilot", None, &one, vec![both]).text, "User responded: HTTP, or else");
    // With a text above it, it is still one question.
    let one = r#"{"message": "M", "question": "Which?", "choices": ["A"]}"#;
    assert_eq!(reply("copilot", None, &one, vec![FormAnswer::picked([0])]).text, "User selected: A");
    let late = asked_by("ask_user", Some("omp"), &arguments).time_out(0, Vec::new()).unwrap();
    assert_eq!(late.text, "User answers:\na: HTTP (auto-selected after timeout)");
}

#[test]
fn a_form_of_copilot_goes_back_by_field() {
    // Here the order of keys counts.
    let form = |fields: &str| format!(r#"{{"message": "M", "requestedSchema": {{"properties": {{{fields}}}}}}}"#);
    let env = r#""env": {"type": "string", "oneOf": [{"const": "p", "title": "Production"}, {"const": "t", "title": "Test, \"x\""}]}"#;
    let two = form(&[r#""port": {"type": "integer"}, "#, env].concat());
    for (answers, text) in [
        (vec![FormAnswer::text("80"), FormAnswer::picked([1])], "User responded: port=80, env=t"),
        (vec![FormAnswer::default(), FormAnswer::picked([0])], "User responded: env=p"),
        (vec![FormAnswer::default(); 2], "User accepted but provided no values."),
    ] {
        assert_eq!(reply("copilot", None, &two, answers).text, text);
    }
    assert_eq!(reply("copilot", None, &form(env), vec![FormAnswer::picked([1])]).text, "User responded: t");
    let mut dialogue = asked_by("copilot", None, &two);
    assert_eq!(dialogue.cancel(0).unwrap().text, "User cancelled the request.");
    let declined = "The user is not available to respond and will review your work later. \
        Work autonomously and make good decisions.";
    assert_eq!(asked_by("copilot", None, &two).decline(0).unwrap().text, declined);
}

#[test]
fn gemini_answers_by_index() {
    let all = r#"{"answers":{"0":"say \"hi\"\nthen ünï ✓","1":"E, A, B","2":"It's\n\"new\""}}"#;
    let own = r#"{"answers":{"0":"a \"b\"","1":"A, B, F"}}"#;
    let dismissed = ("[Operation Cancelled] Reason: User denied execution.", true);
    assert_replies("gemini", "gemini", [all, own, r#"{"answers":{}}"#], [dismissed; 2]);
}

#[test]
fn qwen_has_a_line_for_each_header() {
    let all = "User has provided the following answers:\n\n**Store**: say \"hi\"\nthen ünï ✓\n**Parts**: E, A, B\n\
        **Question 3**: It's\n\"new\"";
    let own = "User has provided the following answers:\n\n**Store**: a \"b\"\n**Parts**: A, B, F";
    let none = "User has provided the following answers:\n\nNo valid answers were provided.";
    let cancelled = ("[Operation Cancelled] Reason: User did not allow tool call", true);
    assert_replies("qwen", "qwen", [all, own, none], [cancelled; 2]);
}

#[test]
fn grok_writes_own_words_as_notes_of_the_option_other() {
    let answered = |entries: &str| {
        format!("User has answered your questions: {entries}. You can now continue with the user's answers in mind.")
    };
    let all = answered(
        "\"Which \"store\"?\"=\"say \"hi\"\nthen ünï ✓\", \"Which parts?\"=\"E, A, B\", \
         \"Why?\"=\"Other\" user notes: It's\n\"new\"",
    );
    let own = answered("\"Which \"store\"?\"=\"Other\" user notes: a \"b\", \"Which parts?\"=\"A, B\" user notes: F");
    let declined = "User declined to answer the questions. Continue with the task using your best judgment, or ask \
        different questions.";
    assert_replies("qwen", "grok", [&all, &own, &answered("")], [(declined, false); 2]);
    assert_eq!(asked_by("qwen", Some("grok"), &questions()).time_out(0, Vec::new()).unwrap().text, declined);

    let arguments = json!({"questions": [{"question": "Which?", "options": [{"label": "A", "preview": "# 1"}]}]});
    let noted = |answer: FormAnswer| FormAnswer { note: Some("soon".into()), ..answer };
    for (answer, entry) in [
        (FormAnswer::picked([0]), "\"Which?\"=\"A\" selected preview:\n# 1"),
        (noted(FormAnswer::picked([0])), "\"Which?\"=\"A\" selected preview:\n# 1 user notes: soon"),
        (noted(FormAnswer::text("B")), "\"Which?\"=\"Other\" user notes: B\nsoon"),
    ] {
        assert_eq!(reply("qwen", Some("grok"), &arguments, vec![answer]).text, answered(entry));
    }
}

#[test]
fn cline_gets_the_plain_answer() {
    let arguments = json!({"question": "Which?", "options": ["One, \"1\"", "Two"]});
    for (answer, text) in [
        (FormAnswer::picked([0]), "One, \"1\""),
        (FormAnswer::text("Nö\nthanks"), "Nö\nthanks"),
        (FormAnswer::default(), "[User dismissed the question]"),
    ] {
        assert_eq!(reply("cline", None, &arguments, vec![answer]).text, text);
    }
    assert_eq!(asked_by("cline", None, &arguments).cancel(0).unwrap().text, "[User dismissed the question]");
}

#[test]
fn crush_lists_ids_and_answers_yes_or_no() {
    let arguments = json!({"questions": [
        {"type": "single_choice", "question": "Which?", "description": "D",
            "choices": [{"id": "a\"1", "label": "A"}, {"id": "b,2", "label": "B"}]},
        {"type": "multi_choice", "question": "And \"more\"?", "description": "D",
            "choices": [{"id": "x", "label": "X"}, {"id": "ÿ", "label": "Y"}]},
        {"type": "yes_no", "question": "Sure?", "description": "D"},
        {"type": "free_text", "question": "Why?", "description": "D"}]});
    let both = FormAnswer { text: Some("z\n\"z\"".into()), ..FormAnswer::picked([1, 0]) };
    let answers = vec![FormAnswer::picked([0]), both, FormAnswer::picked([1]), FormAnswer::default()];
    assert_eq!(
        reply("opencode", Some("crush"), &arguments, answers).text,
        "Q1: Which?\nUser selected: [\"a\\\"1\"]\n\nQ2: And \"more\"?\nUser selected: [\"ÿ\",\"x\"]\nUser provided: z\n\"z\"\n\n\
         Q3: Sure?\nUser answered: no\n\nQ4: Why?\nUser skipped this question"
    );
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let answers = vec![FormAnswer::text("C"), FormAnswer::default(), noted, FormAnswer::text("So")];
    assert_eq!(
        reply("opencode", Some("crush"), &arguments, answers).text,
        "Q1: Which?\nUser provided: C\n\nQ2: And \"more\"?\nUser skipped this question\n\n\
         Q3: Sure?\nUser answered: yes\n\nNotes:\n- now\n\nQ4: Why?\nUser provided: So"
    );
    let cancelled = asked_by("opencode", Some("crush"), &arguments).cancel(0).unwrap();
    assert_eq!((&*cancelled.text, cancelled.is_error), ("User cancelled this question", true));
}

#[test]
fn deepagents_and_the_general_template_have_two_lines_for_each_question() {
    let all =
        "Q: Which \"store\"?\nA: say \"hi\"\nthen ünï ✓\n\nQ: Which parts?\nA: E, A, B\n\nQ: Why?\nA: It's\n\"new\"";
    let own = "Q: Which \"store\"?\nA: a \"b\"\n\nQ: Which parts?\nA: A, B, F\n\nQ: Why?\nA: (no answer)";
    let none = "Q: Which \"store\"?\nA: (no answer)\n\nQ: Which parts?\nA: (no answer)\n\nQ: Why?\nA: (no answer)";
    let cancelled = "Q: Which \"store\"?\nA: (cancelled)\n\nQ: Which parts?\nA: (cancelled)\n\nQ: Why?\nA: (cancelled)";
    let blank = |text: &str| text.replace("(no answer)", "");
    assert_replies("ask_user", "deepagents", [all, &blank(own), &blank(none)], [(cancelled, false); 2]);
    let several = json!({"questions": [{"question": "Which?", "type": "multi_select", "choices": [{"value": "A"}, {"value": "B"}]}]});
    let picked = vec![FormAnswer::picked([0, 1])];
    assert_eq!(reply("ask_user", Some("deepagents"), &several, picked).text, "Q: Which?\nA: A, B");
    assert_replies("ask_user", "general", [all, own, none], [("The user denied this operation.", false); 2]);
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let answers = vec![noted, FormAnswer::default(), FormAnswer::default()];
    let text = reply("ask_user", None, &questions(), answers).text;
    assert!(text.starts_with("Q: Which \"store\"?\nA: Redis, 7\nNote: now\n\n"), "{text}");
}

#[test]
fn openclaw_answers_by_id_with_lists() {
    let all = r#"{"status":"answered","answers":{"answers":{"a":["say \"hi\"\nthen ünï ✓"],"b":["E","A, B"],"c":["It's\n\"new\""]}}}"#;
    let own = r#"{"status":"answered","answers":{"answers":{"a":["a \"b\""],"b":["A, B","F"]}}}"#;
    let no_answer = "The question was cancelled; proceed with best judgment.\n\n{\n  \"status\": \"no_answer\"\n}";
    assert_replies("ask_user", "openclaw", [all, own, no_answer], [(no_answer, false); 2]);
}

#[test]
fn openhands_has_a_line_for_each_header() {
    let all = "The user answered:\n- Store: say \"hi\"\nthen ünï ✓\n- Parts: E, A, B\n- Question 3: It's\n\"new\"";
    let own = "The user answered:\n- Store: a \"b\"\n- Parts: A, B, F";
    let none = "The user accepted the request but provided no answers.";
    let ends = [
        ("The user dismissed the question without answering.", false),
        ("The user declined to answer and asked you to stop asking.", false),
    ];
    assert_replies("ask_user", "openhands", [all, own, none], ends);
}

#[test]
fn zed_says_what_was_selected_or_why_nothing_was() {
    let arguments = json!({"question": "Which?", "options": ["One, \"1\"", "Two"], "allow_free_text": true});
    let nothing = "The user submitted the form without providing an answer.";
    for (answer, text, is_error) in [
        (FormAnswer::picked([0]), "The user selected: One, \"1\"", false),
        (FormAnswer::text("Nö\nthanks"), "The user selected: Nö\nthanks", false),
        (FormAnswer::default(), nothing, true),
    ] {
        let reply = reply("ask_user", Some("zed"), &arguments, vec![answer]);
        assert_eq!((&*reply.text, reply.is_error), (text, is_error));
    }
    let cancelled = asked_by("ask_user", Some("zed"), &arguments).cancel(0).unwrap();
    assert_eq!((&*cancelled.text, cancelled.is_error), ("The user cancelled the question without answering.", true));
    let declined = asked_by("ask_user", Some("zed"), &arguments).decline(0).unwrap();
    assert_eq!((&*declined.text, declined.is_error), ("The user declined to answer the question.", true));
}

#[test]
fn an_mcp_form_goes_back_as_values_of_their_types() {
    let parts = r#""parts": {"type": "array", "items": {"type": "string", "enum": ["A, B", "é"]}}"#;
    let arguments = [
        r#"{"message": "M", "requestedSchema": {"type": "object", "required": ["env"], "properties": {
            "env": {"type": "string", "enum": ["p\"1", "t"], "enumNames": ["Production", "Test"]},"#,
        parts,
        r#", "n": {"type": "integer"}, "rate": {"type": "number"}, "sure": {"type": "boolean"},
            "not": {"type": "boolean"}, "na\"me": {"type": "string"}, "skipped": {"type": "string"}}}}"#,
    ]
    .concat();
    let answers = vec![
        FormAnswer::picked([0]),
        FormAnswer::picked([1, 0]),
        FormAnswer::text(" 12 "),
        FormAnswer::text("-1.50"),
        FormAnswer::picked([0]),
        FormAnswer::picked([1]),
        FormAnswer::text("true"),
        FormAnswer::default(),
    ];
    assert_eq!(
        reply("mcp", None, &arguments, answers).text,
        r#"{"action":"accept","content":{"env":"p\"1","parts":["é","A, B"],"n":12,"rate":-1.50,"sure":true,"not":false,"na\"me":"true"}}"#
    );
    let optional = format!(r#"{{"message": "M", "requestedSchema": {{"properties": {{{parts}}}}}}}"#);
    for (answer, text) in [
        (FormAnswer::picked([0]), r#"{"action":"accept","content":{"parts":["A, B"]}}"#),
        (FormAnswer::default(), r#"{"action":"accept","content":{}}"#),
    ] {
        assert_eq!(reply("mcp", None, &optional, vec![answer]).text, text);
    }
    assert_eq!(asked_by("mcp", None, &arguments).cancel(0).unwrap().text, r#"{"action":"cancel"}"#);
    assert_eq!(asked_by("mcp", None, &arguments).decline(0).unwrap().text, r#"{"action":"decline"}"#);
}

#[test]
fn a_permission_goes_back_as_the_id_of_its_option() {
    let arguments = json!({"toolCall": {"title": "Run \"ls\""}, "options": [
        {"optionId": "allow\"1", "name": "Allow, once"}, {"optionId": "nö", "name": "Reject"}]});
    for (answer, text) in [
        (FormAnswer::picked([0]), r#"{"outcome":{"outcome":"selected","optionId":"allow\"1"}}"#),
        (FormAnswer::picked([1]), r#"{"outcome":{"outcome":"selected","optionId":"nö"}}"#),
        (FormAnswer::default(), r#"{"outcome":{"outcome":"cancelled"}}"#),
    ] {
        assert_eq!(reply("acp", None, &arguments, vec![answer]).text, text);
    }
    for reply in [asked_by("acp", None, &arguments).cancel(0), asked_by("acp", None, &arguments).decline(0)] {
        assert_eq!(reply.unwrap().text, r#"{"outcome":{"outcome":"cancelled"}}"#);
    }
}

#[test]
fn hermes_repeats_the_question_and_its_choices() {
    let arguments = json!({"question": "Which \"file\"?", "choices": ["a, b", "é"]});
    for (answer, text) in [
        (
            FormAnswer::picked([0]),
            r#"{"question": "Which \"file\"?", "choices_offered": ["a, b", "é"], "user_response": "a, b"}"#,
        ),
        (
            FormAnswer::text("c\nd"),
            r#"{"question": "Which \"file\"?", "choices_offered": ["a, b", "é"], "user_response": "c\nd"}"#,
        ),
        (
            FormAnswer::default(),
            r#"{"question": "Which \"file\"?", "choices_offered": ["a, b", "é"], "user_response": ""}"#,
        ),
    ] {
        assert_eq!(reply("hermes", None, &arguments, vec![answer]).text, text);
    }
    let several = json!({"question": "Which?", "choices": ["a", "b"], "multi_select": true});
    assert_eq!(
        reply("hermes", None, &several, vec![FormAnswer::picked([1, 0])]).text,
        r#"{"question": "Which?", "choices_offered": ["a", "b"], "user_response": ["b", "a"]}"#
    );
    let batch = json!({"questions": [{"id": "x", "question": "A?"}, {"question": "B?", "choices": ["1", "2"]}]});
    assert_eq!(
        reply("hermes", None, &batch, vec![FormAnswer::text("\"a\""), FormAnswer::default()]).text,
        r#"{"responses": [{"id": "x", "question": "A?", "choices_offered": null, "user_response": "\"a\""}, {"question": "B?", "choices_offered": ["1", "2"], "user_response": ""}]}"#
    );
    assert_eq!(
        asked_by("hermes", None, &batch).cancel(0).unwrap().text,
        r#"{"responses": [{"id": "x", "question": "A?", "choices_offered": null, "user_response": ""}, {"question": "B?", "choices_offered": ["1", "2"], "user_response": ""}]}"#
    );
}

#[test]
fn hermes_gets_an_empty_list_for_a_choice_of_several_that_was_skipped() {
    let several = json!({"question": "Which?", "choices": ["a", "b"], "multi_select": true});
    let nothing = r#"{"question": "Which?", "choices_offered": ["a", "b"], "user_response": []}"#;
    assert_eq!(reply("hermes", None, &several, vec![FormAnswer::default()]).text, nothing);
    assert_eq!(asked_by("hermes", None, &several).cancel(0).unwrap().text, nothing);
    // In a batch it is an empty text.
    let batch = json!({"questions": [{"id": "x", "question": "A?", "choices": ["1", "2"], "multi_select": true}]});
    assert_eq!(
        asked_by("hermes", None, &batch).cancel(0).unwrap().text,
        r#"{"responses": [{"id": "x", "question": "A?", "choices_offered": ["1", "2"], "user_response": ""}]}"#
    );
    // Without choices there is nothing to pick.
    let free = json!({"question": "Which?", "multi_select": true});
    assert_eq!(
        asked_by("hermes", None, &free).cancel(0).unwrap().text,
        r#"{"question": "Which?", "choices_offered": null, "user_response": ""}"#
    );
}

#[test]
fn hermes_gets_a_batch_for_a_list_of_one_question_with_a_title() {
    // Here the order of keys counts: a text before the list is a question.
    let one = r#"{"questions": [{"question": "A?"}], "question": "Setup"}"#;
    let response = r#"{"responses": [{"question": "A?", "choices_offered": null, "user_response": "a"}]}"#;
    assert_eq!(reply("hermes", None, &one, vec![FormAnswer::text("a")]).text, response);
}

#[test]
fn omp_and_pi_have_a_line_for_each_question() {
    let all = "User answers:\na: say \"hi\"\nthen ünï ✓\nb: [E, A, B]\nc: \"It's\n\"new\"\"";
    assert_eq!(reply("omp", None, &questions(), self::all()).text, all);
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let answers = vec![noted, FormAnswer::picked([0]), FormAnswer::default()];
    let text = reply("omp", None, &questions(), answers).text;
    assert_eq!(text, "User answers:\na: Redis, 7 (note: now)\nb: [A, B]\nc: (cancelled)");
    let cancelled = asked_by("omp", None, &questions()).cancel(0).unwrap();
    assert_eq!((&*cancelled.text, cancelled.is_error), ("Ask tool was cancelled by the user", true));

    let arguments = json!({"questions": [
        {"id": "db", "label": "Store", "prompt": "Which?", "options": [{"value": "p", "label": "Pg, \"15\""}, {"value": "l", "label": "Lite"}]},
        {"id": "é", "prompt": "And?", "options": []}]});
    for (answers, text) in [
        (
            vec![FormAnswer::picked([1]), FormAnswer::text("x\ny")],
            "Store: user selected: 2. Lite\nQ2: user wrote: x\ny",
        ),
        (vec![FormAnswer::picked([0]), FormAnswer::default()], "Store: user selected: 1. Pg, \"15\""),
        (vec![FormAnswer::default(); 2], "User cancelled the questionnaire"),
    ] {
        assert_eq!(reply("pi", None, &arguments, answers).text, text);
    }
}

#[test]
fn droid_answers_each_question_with_its_number() {
    let arguments =
        json!({"questionnaire": "1. [question] Which \"one\"? (multi)\n[option] A, B\n[option] ç\n2. [question] Why?"});
    for (answers, text) in [
        (
            vec![FormAnswer::picked([1, 0]), FormAnswer::text("So\n!")],
            r#"{"cancelled":false,"answers":[{"index":1,"question":"Which \"one\"?","answer":"ç, A, B"},{"index":2,"question":"Why?","answer":"So\n!"}]}"#,
        ),
        (
            vec![FormAnswer::default(), FormAnswer::text("So")],
            r#"{"cancelled":false,"answers":[{"index":1,"question":"Which \"one\"?","answer":""},{"index":2,"question":"Why?","answer":"So"}]}"#,
        ),
    ] {
        assert_eq!(reply("droid", None, &arguments, answers).text, text);
    }
    // Its request has a list of questions, and the same reply.
    let request = json!({"toolCallId": "1", "questions": [
        {"index": 1, "topic": "Port", "question": "Which?", "options": ["80", "443"]}]});
    let reply = asked("droid.ask_user", &request).answer(0, Answer::Form(vec![FormAnswer::picked([1])]), Vec::new());
    assert_eq!(
        reply.unwrap().text,
        r#"{"cancelled":false,"answers":[{"index":1,"question":"Which?","answer":"443"}]}"#
    );
    assert_eq!(asked_by("droid", None, &arguments).cancel(0).unwrap().text, r#"{"cancelled":true,"answers":[]}"#);
}

#[test]
fn a_confirmation_goes_back_as_the_words_of_the_example() {
    let arguments = json!({"message": "Delete \"it\"?"});
    for (picked, text) in [(0, "Yes, confirmed."), (1, "No, denied")] {
        assert_eq!(reply("confirm", None, &arguments, vec![FormAnswer::picked([picked])]).text, text);
    }
    assert_eq!(reply("confirm", None, &arguments, vec![FormAnswer::default()]).text, "No, denied");
    assert_eq!(asked_by("confirm", None, &arguments).decline(0).unwrap().text, "No, denied");
}

#[test]
fn a_note_without_a_place_of_its_own_is_part_of_the_answer() {
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let answers = vec![noted.clone(), FormAnswer { text: Some("t".into()), ..noted }, FormAnswer::default()];
    assert_eq!(
        reply("gemini", None, &questions(), answers).text,
        r#"{"answers":{"0":"Redis, 7, now","1":"A, B, t\nnow"}}"#
    );
    let arguments = json!({"questions": [{"id": "q", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}]});
    let noted = FormAnswer { note: Some("now".into()), ..FormAnswer::picked([0]) };
    let error = asked_by("cursor", None, &arguments).answer(0, Answer::Form(vec![noted]), Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "question 1 takes no text: pick an option");
}

#[test]
fn the_model_is_told_in_the_words_of_the_tool_what_is_wrong_with_its_call() {
    let told = |shape: &str, template: Option<&str>, arguments: &str| {
        let dialogue = asked_by(shape, template, &arguments);
        assert_eq!(dialogue.mistakes(), 1);
        let Some(Turn::Corrected { correction, .. }) = dialogue.history().last() else { panic!() };
        let reply = correction.reply();
        assert_eq!(reply.is_error, correction.is_error);
        (correction.user.clone(), reply.text, reply.is_error)
    };
    let told = |shape, template, arguments, user: &str, model: &str, is_error| {
        assert_eq!(
            told(shape, template, arguments),
            (user.to_owned(), model.to_owned(), is_error),
            "{shape} {arguments}"
        );
    };
    let missing = "Missing required parameter 'questions'";
    let malformed = "Failed to parse operations: the arguments are not JSON";
    told(
        "claude",
        None,
        "{}",
        missing,
        "<tool_use_error>InputValidationError: AskUserQuestion failed due to the following issue:\n\
         The required parameter `questions` is missing</tool_use_error>",
        true,
    );
    told(
        "claude",
        None,
        "[1",
        "Failed to parse operations: the message ended inside the call",
        "<tool_use_error>InputValidationError: the message ended before the call was closed</tool_use_error>",
        true,
    );
    told("codex", None, "{}", missing, "failed to parse function arguments: missing field `questions`", true);
    told("qwen", None, "{}", missing, "Parameter \"questions\" must be an array.", true);
    told("opencode", Some("crush"), "{}", missing, "at least one question is required", true);
    told("gemini", None, "{}", missing, "params must have required property 'questions'", true);
    told(
        "vscode",
        None,
        "{}",
        missing,
        "ERROR: Your input to the tool was invalid (must have required property 'questions')\n\
         Please check your input and try again.",
        false,
    );
    told("claude", Some("kimi"), "{}", missing, missing, false);
    told("ask_user", None, "{}", missing, missing, false);
    // Of one question the text is missing.
    let one = r#"{"questions": [{"question": "Q"}, {"options": [{"label": "A"}]}]}"#;
    let (user, details) = ("Missing required parameter 'text of question 2'", "the text of question 2 is missing");
    let error = format!("<tool_use_error>InputValidationError: {details}</tool_use_error>");
    told("claude", None, one, user, &error, true);
    told("qwen", None, one, user, details, true);
    let error =
        format!("ERROR: Your input to the tool was invalid ({details})\nPlease check your input and try again.");
    told("vscode", None, one, user, &error, false);
    told("gemini", None, one, user, details, true);
    told("ask_user", None, "{,", malformed, malformed, false);
    let message = "Missing required parameter 'message'";
    told("confirm", None, "{}", message, message, false);
}

/// Which key the questions have is not known there, nor whether they or only a part is missing.
#[test]
fn what_an_own_tool_misses_is_named_only_by_a_template_of_its_own() {
    let shape = "shape poll\ntool ask_poll\nneeds options\nquestions list\ntext text\noptions options\n";
    let policy = Policy::new().with_shapes(Shapes::new([Shape::parse(shape).unwrap()]));
    let user = |setup: Setup, arguments: &str| {
        let mut dialogue = Dialogue::new(setup);
        feed(&mut dialogue, &mut Parser::arguments_of("ask_poll", policy.clone()).unwrap(), arguments);
        let Some(Turn::Corrected { correction, .. }) = dialogue.history().last() else { panic!() };
        correction.user.clone()
    };
    let template: Template = serde_json::from_str(r#"{"parameter": "list"}"#).unwrap();
    for arguments in ["{}", r#"{"list":[{"text":"Q"}]}"#] {
        let missing = "Missing required parameter 'a question, its text or its options'";
        assert_eq!(user(Setup::default(), arguments), missing, "{arguments}");
        let own = Setup::default().with_template("ask_poll", template.clone());
        assert_eq!(user(own, arguments), "Missing required parameter 'list'", "{arguments}");
    }
    let one = user(Setup::default(), r#"{"list":[{"options":["A"]}]}"#);
    assert_eq!(one, "Missing required parameter 'text of question 1'");
}

#[test]
fn a_custom_template_has_texts_for_own_words_and_for_skipped_choices() {
    let template = r#"{"answered": "picked {entries}", "answered_own": "wrote {entries}", "between_entries": "; ",
        "note": " ({note})", "entry": {"picked": "{answer}{note}", "unanswered": "-", "none_of_several": "none"}}"#;
    let template: Template = serde_json::from_str(template).unwrap();
    let text = |answers: Vec<FormAnswer>| {
        let mut dialogue = Dialogue::new(Setup::default().with_template("AskUserQuestion", template.clone()));
        call(&mut dialogue, "AskUserQuestion", &questions());
        dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap().text
    };
    assert_eq!(text(none()), "picked -; none; -");
    let [unanswered, picked] = [FormAnswer::default(), FormAnswer::picked([0])];
    assert_eq!(text(vec![picked.clone(), unanswered.clone(), unanswered.clone()]), "picked Redis, 7; none; -");
    let noted = FormAnswer { note: Some("now".into()), ..picked.clone() };
    assert_eq!(text(vec![noted, picked.clone(), unanswered.clone()]), "wrote Redis, 7 (now); A, B; -");
    assert_eq!(text(vec![picked, unanswered, FormAnswer::text("So")]), "wrote Redis, 7; none; So");
}

#[test]
fn a_template_survives_serialization() {
    for name in Template::NAMES {
        let template = Template::named(name).unwrap();
        let stored = serde_json::to_string(&template).unwrap();
        assert_eq!(serde_json::from_str::<Template>(&stored).unwrap(), template);
        assert!(template.form.is_none_or(|form| Template::named(&form).is_some()));
    }
    assert_eq!(serde_json::from_str::<Template>("{}").unwrap(), Template::general());
}

#[test]
fn the_page_shows_the_whole_general_template_and_names_all() {
    let page = include_str!("../../docs/question-tools.md").split("### Templates").nth(1).unwrap();
    let json = page.split("```json").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(serde_json::from_str::<Value>(json).unwrap(), serde_json::to_value(Template::general()).unwrap());
    for name in Template::NAMES {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn an_unsupported_placeholder_or_key_of_a_template_is_an_error() {
    for (stored, says) in [
        (r#"{"answered": "{answer}"}"#, "the placeholder {answer} is not known here: it may be {entries}"),
        (r#"{"answered_own": "{answer}"}"#, "the placeholder {answer} is not known here: it may be {entries}"),
        (
            r#"{"timed_out": {"text": "", "entries": "{answer}"}}"#,
            "the placeholder {answer} is not known here: it may be {entries}",
        ),
        (r#"{"entry": {"picked": "", "none_of_several": "{x}"}}"#, "the placeholder {x} is not known here"),
        (
            r#"{"entry": {"picked": "{label}"}}"#,
            "the placeholder {label} is not known here: it may be {index} or {number}",
        ),
        (r#"{"entry": {"picked": "", "both": "{x}"}}"#, "the placeholder {x} is not known here"),
        (r#"{"one": {"picked": "{x}"}}"#, "the placeholder {x} is not known here"),
        (r#"{"pick": "{text}"}"#, "the placeholder {text} is not known here: it may be {label} or {value} or {number}"),
        (r#"{"cancelled": {"text": "", "entry": "{x}"}}"#, "the placeholder {x} is not known here"),
        (
            r#"{"rejected": {"missing_parameter": "{details}", "other": ""}}"#,
            "the placeholder {details} is not known here",
        ),
        (r#"{"entry": {"several": ""}}"#, "missing field `picked`"),
        (r#"{"entries": ""}"#, "unknown field `entries`"),
    ] {
        let error = serde_json::from_str::<Template>(stored).unwrap_err().to_string();
        assert!(error.starts_with(says), "{stored}: {error}");
    }
    // Other braces are text.
    let json = r#"{"entry": {"picked": "{\"a\":{{json}}}"}}"#;
    assert_eq!(serde_json::from_str::<Template>(json).unwrap().entry.picked, "{\"a\":{{json}}}");
}

#[test]
fn the_page_names_a_template_for_each_agent() {
    let page = include_str!("../../docs/question-tools.md");
    let (_, page) = page.split_once("\n## The built-in shapes\n").expect("the section");
    let (page, _) = page.split_once("\n## ").expect("the next section");
    for section in page.split("\n### ").skip(1) {
        let replies: Vec<_> = section.split("Reply:").skip(1).collect();
        assert!(!replies.is_empty(), "{section}");
        for reply in replies {
            let name = reply.split('`').nth(1).unwrap_or_default();
            assert!(Template::named(name).is_some(), "{reply}");
        }
    }
}
