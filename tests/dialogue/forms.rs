//! Calls of other agents' question tools: what the user is asked, and which answers are accepted.

use followup::dialogue::{
    Answer, AnswerErrorKind, Dialogue, Directive, FormAnswer, IMAGE_LIMIT, Image, ReplyKind, Rules, Setup, Severity,
    Turn,
};
use followup::{Event, Parser, Policy};
use serde_json::{Value, json};

use crate::common::{asked, call};

/// Three questions: a choice, a choice of several without own answers, and a text.
fn three() -> Value {
    json!({"questions": [
        {"question": "Where?", "header": "Env", "options": [{"label": "Test", "recommended": true}, {"label": "Live"}]},
        {"question": "What?", "header": "Parts", "multiSelect": true, "allowFreeformInput": false,
            "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}]},
        {"question": "Why?", "header": "Reason", "message": "See the *plan*."},
    ]})
}

#[test]
fn a_form_has_all_that_the_call_said_and_nothing_else() {
    let dialogue = asked("vscode_askQuestions", &three());
    let question = dialogue.question().unwrap();
    assert_eq!((&*question.question, question.suggest.len()), ("Where?", 2), "those of the first question");
    let form = json!({"tool": "vscode_askQuestions", "shape": "vscode", "questions": [
        {"text": "Where?", "id": "Env", "header": "Env", "multiple": false, "custom": true,
            "options": [{"label": "Test", "recommended": true}, {"label": "Live"}]},
        {"text": "What?", "id": "Parts", "header": "Parts", "multiple": true, "custom": false,
            "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}]},
        {"text": "Why?", "id": "Reason", "header": "Reason", "detail": "See the *plan*.", "multiple": false,
            "custom": true},
    ]});
    assert_eq!(serde_json::to_value(&question.form).unwrap(), form);
    assert_eq!(serde_json::from_str::<Value>(&question.json()).unwrap()["form"], form);
    assert_eq!(serde_json::to_value(&question.form).unwrap(), form);
    assert_eq!(serde_json::from_value::<Option<_>>(form).unwrap(), question.form);
}

#[test]
fn a_kind_and_defaults_are_stored_as_words() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": "integer", "title": "How many?", "default": 3}, "sure": {"type": "boolean", "title": "Sure?"}}});
    let dialogue = asked("elicitation/create", &json!({"message": "M", "requestedSchema": schema}));
    let form = serde_json::to_value(&dialogue.question().unwrap().form).unwrap();
    let first = &form["questions"][0];
    assert_eq!(
        (&first["kind"], &first["defaults"], &first["required"]),
        (&json!("number"), &json!(["3"]), &json!(true))
    );
    assert_eq!(form["questions"][1]["kind"], "yesno");
    let wrong = form.to_string().replace("yesno", "perhaps");
    let error = serde_json::from_str::<followup::dialogue::Form>(&wrong).unwrap_err().to_string();
    assert!(error.starts_with("unknown variant `perhaps`, expected one of `text`, `yesno`, `number`"), "{error}");
}

#[test]
fn a_question_of_ask_followup_question_has_no_form() {
    let dialogue = asked("ask_followup_question", &json!({"question": "Tea?"}));
    let question = dialogue.question().unwrap();
    assert_eq!(question.form, None);
    let stored = json!({"number": 0, "native": true, "question": "Tea?", "suggest": []});
    assert_eq!(serde_json::to_value(question).unwrap(), stored);
}

#[test]
fn a_form_is_answered_question_by_question() {
    let mut dialogue = asked("vscode_askQuestions", &three());
    let answers = vec![FormAnswer::picked([1]), FormAnswer::picked([2, 0]), FormAnswer::text("Because")];
    let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
    assert_eq!((reply.kind, reply.number, dialogue.question()), (ReplyKind::Answer, Some(0), None));
}

#[test]
fn an_answer_that_the_form_does_not_accept_is_returned_with_a_reason() {
    let one = |answer| Answer::Form(vec![answer, FormAnswer::default(), FormAnswer::default()]);
    let two = |answer| Answer::Form(vec![FormAnswer::default(), answer, FormAnswer::default()]);
    let three_of = |answer| Answer::Form(vec![FormAnswer::default(), FormAnswer::default(), answer]);
    for (answer, says) in [
        (Answer::Form(Vec::new()), "the number of questions is 3, and that of answers 0"),
        (Answer::Form(vec![FormAnswer::default(); 4]), "the number of questions is 3, and that of answers 4"),
        (Answer::Suggestion(0), "there are 3 questions: give each its answer"),
        (Answer::Text("All".into()), "there are 3 questions: give each its answer"),
        (Answer::Edited { suggestion: 0, text: "T".into() }, "there are 3 questions: give each its answer"),
        (one(FormAnswer::picked([2])), "question 1 has no such option: it has 2"),
        (one(FormAnswer::picked([0, 1])), "only one option of question 1 may be picked"),
        (two(FormAnswer::picked([0, 1, 0])), "an option of question 2 was picked twice"),
        (two(FormAnswer::text("Other")), "question 2 takes no text: pick an option"),
        (three_of(FormAnswer::picked([usize::MAX])), "question 3 has no options"),
    ] {
        let mut dialogue = asked("vscode_askQuestions", &three());
        let before = dialogue.clone();
        let images = vec![Image::from_bytes(b"GIF89a", IMAGE_LIMIT).unwrap()];
        let error = dialogue.answer(0, answer.clone(), images.clone()).unwrap_err();
        assert_eq!((&*error.to_string(), &error.answer, &error.images), (says, &answer, &images));
        assert_eq!(dialogue, before, "nothing has changed");
    }
}

#[test]
fn a_required_question_is_answered_and_a_number_is_a_number() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}});
    let arguments = json!({"message": "M", "requestedSchema": schema});
    for (answer, says) in [
        (FormAnswer::default(), "question 1 has to be answered"),
        (FormAnswer::text(" \n"), "question 1 has to be answered"),
        (FormAnswer::text("many"), "the answer to question 1 has to be a number"),
        (FormAnswer::text("0x10"), "the answer to question 1 has to be a number"),
        (FormAnswer::text("NaN"), "the answer to question 1 has to be a number"),
    ] {
        let mut dialogue = asked("elicitation/create", &arguments);
        let error = dialogue.answer(0, Answer::Form(vec![answer]), Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), says);
    }
    for text in ["3", "-1.5e3", " 7 ", "123456789012345678901234567890"] {
        let mut dialogue = asked("elicitation/create", &arguments);
        assert!(dialogue.answer(0, Answer::Text(text.into()), Vec::new()).is_ok(), "{text}");
    }
}

#[test]
fn an_answer_to_one_question_means_the_same_as_one_to_a_form_of_it() {
    let arguments = json!({"questions": [
        {"question": "Next?", "header": "N", "options": [{"label": "Build", "mode": "code"}, {"label": "Wait"}]}]});
    for (answer, form, mode) in [
        (Answer::Suggestion(0), FormAnswer::picked([0]), Some("code")),
        (Answer::Text("Stop".into()), FormAnswer::text("Stop"), None),
        (Answer::Edited { suggestion: 0, text: "Build it".into() }, FormAnswer::text("Build it"), Some("code")),
    ] {
        let reply = |answer| asked("question", &arguments).answer(0, answer, Vec::new()).unwrap();
        let (one, other) = (reply(answer), reply(Answer::Form(vec![form])));
        assert_eq!(one.text, other.text);
        assert_eq!(one.mode.as_deref(), mode);
    }
    for answer in [Answer::Suggestion(2), Answer::Edited { suggestion: 2, text: "T".into() }] {
        let error = asked("question", &arguments).answer(0, answer, Vec::new()).unwrap_err();
        assert_eq!(error.kind, AnswerErrorKind::NoSuchOption { question: 0, count: 2 });
    }
    let mut dialogue = asked("ask_followup_question", &json!({"question": "Tea?"}));
    let error = dialogue.answer(0, Answer::Form(vec![FormAnswer::text("Yes")]), Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the question is no form: answer with a suggestion or a text");
}

#[test]
fn a_declined_question_is_over() {
    let mut dialogue = asked("vscode_askQuestions", &three());
    call(&mut dialogue, "vscode_askQuestions", &three());
    assert_eq!(dialogue.decline(1).unwrap().kind, ReplyKind::Declined);
    assert_eq!(dialogue.decline(0).unwrap().number, Some(0));
    assert_eq!((dialogue.decline(0), dialogue.cancel(1).is_err()), (Err(AnswerErrorKind::AlreadyDeclined), true));
    let error = dialogue.answer(0, Answer::Suggestion(0), Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the question has been declined");
    assert!(matches!(dialogue.history(), [.., Turn::Declined { number: 0, .. }]));
}

#[test]
fn a_history_with_forms_is_stored_and_replayed() {
    let mut dialogue = Dialogue::default();
    for _ in 0..3 {
        call(&mut dialogue, "vscode_askQuestions", &three());
    }
    dialogue.decline(0).unwrap();
    dialogue.cancel(1).unwrap();
    let note = FormAnswer { note: Some("Not on Friday".into()), ..FormAnswer::picked([1]) };
    let answers = vec![note, FormAnswer::picked([2, 0]), FormAnswer::default()];
    dialogue.answer(2, Answer::Form(answers), Vec::new()).unwrap();
    let lines: String = dialogue.history().iter().map(Turn::to_line).collect();
    assert!(lines.ends_with(
        "{\"turn\":\"answered\",\"role\":\"user\",\"number\":2,\
         \"answer\":{\"form\":[{\"picked\":[1],\"note\":\"Not on Friday\"},{\"picked\":[2,0]},{}]}}\n"
    ));
    let turns = Turn::from_lines(lines.as_bytes()).unwrap();
    assert_eq!(Dialogue::replay(Setup::default(), &turns).unwrap(), dialogue);
}

#[test]
fn a_stored_form_without_questions_can_not_be_replayed() {
    let line = r#"{"turn":"asked","role":"assistant","number":0,"question":"Q?","suggest":[],
        "form":{"tool":"T","shape":"claude","questions":[]}}"#
        .replace('\n', "");
    let turns = Turn::from_lines(line.as_bytes()).unwrap();
    assert_eq!(Dialogue::replay(Setup::default(), &turns).unwrap_err().turn, 0);
}

#[test]
fn a_misspelt_key_of_an_answer_is_an_error() {
    let error = serde_json::from_str::<Answer>(r#"{"form":[{"pick":[0]}]}"#).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `pick`, expected one of `picked`, `text`, `note`"), "{error}");
}

#[test]
fn rules_are_checked_in_each_question_but_not_the_number_of_options() {
    let arguments = json!({"questions": [
        {"question": "A?", "header": "A", "options": [{"label": "One"}]},
        {"question": "B?", "header": "B", "options": [{"label": "Use [path]"}, {"label": "X"}, {"label": "X"}]}]});
    let dialogue = asked("vscode_askQuestions", &arguments);
    let question = dialogue.question().unwrap();
    let form = question.form.as_ref().unwrap();
    let advice: Vec<String> = form.questions[1].advice.iter().map(ToString::to_string).collect();
    assert_eq!(advice, ["suggestion 1 has a placeholder, [path]", "suggestion 3 is the same as suggestion 2"]);
    assert!(question.advice.is_empty() && form.questions[0].advice.is_empty());

    let mut rules = Rules::default();
    rules.duplicates = Severity::Reject;
    let mut dialogue = Dialogue::new(Setup::default().with_rules(rules));
    call(&mut dialogue, "question", &arguments);
    let [Turn::Corrected { correction, .. }] = dialogue.history() else { panic!("{:?}", dialogue.history()) };
    assert!(correction.user.ends_with("question 2: suggestion 3 is the same as suggestion 2"), "{}", correction.user);
    assert_eq!((&correction.model, correction.is_error, dialogue.mistakes()), (&correction.user, false, 1));

    let mut dialogue = Dialogue::new(Setup::default().with_rules(rules));
    call(&mut dialogue, "AskUserQuestion", &arguments);
    let [Turn::Corrected { correction, .. }] = dialogue.history() else { panic!("{:?}", dialogue.history()) };
    let model =
        "<tool_use_error>InputValidationError: question 2: suggestion 3 is the same as suggestion 2</tool_use_error>";
    assert_eq!((&*correction.model, correction.is_error), (model, true));
}

#[test]
fn an_open_call_of_another_tool_is_shown() {
    let mut parser = Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
    let mut dialogue = Dialogue::default();
    let mut events = parser.feed(r#"{"questions":[{"question":"Wh"#);
    let mut shown = Vec::new();
    while let Some(event) = events.next() {
        assert!(matches!(event, Event::Partial(_)));
        let Directive::Show(call) = dialogue.event(event) else { panic!() };
        shown.extend(call.question().map(ToOwned::to_owned));
    }
    assert_eq!(shown.last().map(|text| &**text), Some("Wh"));
}
