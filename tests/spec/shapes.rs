//! The arguments of question tools mean what docs/question-tools.md says.

use std::fmt::Write;

use followup::{
    CallPart, Envelopes, Event, Field, Limits, Malformed, Note, Parser, Policy, Question, Reason, Shape, Shapes,
    Suggestion,
};

/// Writes a question in one line: `{id} [header] text / detail (placeholder) <kind> flags:
/// options`.
pub fn line(question: Question<'_>) -> String {
    let mut line = String::new();
    let mut add = |before: &str, text: Option<&str>, after: &str| {
        if let Some(text) = text {
            write!(line, "{before}{text}{after}").unwrap();
        }
    };
    add("{", question.id, "} ");
    add("[", question.header, "] ");
    add("", Some(question.text), "");
    add(" / ", question.detail, "");
    add(" (", question.placeholder, ")");
    add(" <", question.kind.map(|kind| kind.name()), ">");
    let flags = [("multiple", question.multiple), ("custom", question.custom), ("required", question.required)];
    for (name, flag) in flags {
        add(if flag == Some(true) { " +" } else { " -" }, flag.map(|_| name), "");
    }
    question.defaults.iter().for_each(|default| add(" =", Some(default), ""));
    question.suggestions.iter().for_each(|one| add("; ", Some(&option(one)), ""));
    line
}

fn option(one: Suggestion<'_>) -> String {
    let mut option = one.answer.to_owned();
    let parts = [("=", one.value), (": ", one.description), (" @", one.mode), (" ~", one.preview)];
    for (before, part) in parts {
        part.iter().for_each(|part| write!(option, "{before}{part}").unwrap());
    }
    if one.recommended { option + " *" } else { option }
}

/// Reads arguments. Returns the lines of the questions and the notes, or why they are rejected.
pub fn read(mut parser: Parser, arguments: &str) -> Result<(Vec<String>, Vec<Note>), Reason> {
    drop(parser.feed(arguments));
    let mut events = parser.finish();
    match events.next() {
        Some(Event::Complete(call)) => Ok((call.questions().iter().map(line).collect(), call.notes().to_vec())),
        Some(Event::Rejected(call)) => Err(call.reason()),
        event => panic!("{event:?}: {arguments}"),
    }
}

pub fn parser(tool: &str) -> Parser {
    Parser::arguments_of(tool, Policy::new()).unwrap()
}

/// The arguments of each tool that a built-in shape of the default list reads, and their questions.
const OWN: [(&str, &str, &[&str]); 29] = [
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Where to?","header":"Place","options":[{"label":"Sea","description":"wet","preview":"~~"},{"label":"Hills (Recommended)","description":"dry"}],"multiSelect":true}]}"#,
        &["[Place] Where to? +multiple +custom; Sea: wet ~~~; Hills (Recommended): dry *"],
    ),
    (
        "request_user_input",
        r#"{"questions":[{"header":"Name","id":"name","options":[{"description":"short","label":"Al"}],"question":"Which?"}]}"#,
        &["{name} [Name] Which? -multiple +custom; Al: short"],
    ),
    (
        "vscode_askQuestions",
        r#"{"questions":[{"header":"Fruit","question":"Which?","allowFreeformInput":false,"message":"Ripe ones.","options":[{"label":"Fig","recommended":true}]}]}"#,
        &["{Fruit} [Fruit] Which? / Ripe ones. -multiple -custom; Fig *"],
    ),
    (
        "copilot_askQuestions",
        r#"{"questions":[{"header":"Fruit","question":"Which?","options":[{"label":"Fig"},{"label":"Pear"}]}]}"#,
        &["{Fruit} [Fruit] Which? -multiple +custom; Fig; Pear"],
    ),
    (
        "askQuestions",
        r#"{"questions":[{"header":"Fruit","question":"Which?","multiSelect":true,"options":[{"label":"Fig","description":"ripe"},{"label":"Pear"}]}]}"#,
        &["{Fruit} [Fruit] Which? +multiple +custom; Fig: ripe; Pear"],
    ),
    (
        "AskQuestion",
        r#"{"title":"T","questions":[{"id":"q","prompt":"Which?","options":[{"id":"1","label":"One"},{"id":"2","label":"Two"}],"allow_multiple":true}]}"#,
        &["{q} Which? +multiple -custom; One=1; Two=2"],
    ),
    (
        "cursor/ask_question",
        r#"{"toolCallId":"1","title":"T","questions":[{"id":"q","prompt":"Which?","allowMultiple":true,"options":[{"id":"1","label":"One"},{"id":"2","label":"Two"}]}]}"#,
        &["{q} Which? +multiple -custom; One=1; Two=2"],
    ),
    (
        "ask_user",
        r#"{"questions":[{"question":"Sure?","header":"S","type":"yesno"},{"question":"Name?","header":"N","type":"text","placeholder":"Al"}]}"#,
        &["[S] Sure? <yesno> -multiple +custom; Yes; No", "[N] Name? (Al) <text> -multiple +custom"],
    ),
    (
        "ask_user",
        r#"{"question":"Which?","choices":["A","B"],"allow_freeform":false}"#,
        &["Which? -multiple -custom; A; B"],
    ),
    (
        "ask_user",
        r#"{"questions":[{"question":"Which?","header":"H","options":[{"id":"a","label":"A","description":"d"}],"multi_select":true}]}"#,
        &["[H] Which? +multiple +custom; A: d"],
    ),
    (
        "ask_user",
        r#"{"question":"Which?","options":["A","B"],"allow_free_text":false}"#,
        &["Which? -multiple -custom; A; B"],
    ),
    (
        "ask_user",
        r#"{"message":"m","requestedSchema":{"properties":{"n":{"type":"integer","title":"Count"}},"required":["n"]}}"#,
        &["{n} Count <number> -multiple -custom +required"],
    ),
    (
        "question",
        r#"{"questions":[{"question":"Next?","header":"N","options":[{"label":"Go","description":"now","mode":"code"}],"multiple":false}]}"#,
        &["[N] Next? -multiple +custom; Go: now @code"],
    ),
    (
        "question",
        r#"{"questions":[{"label":"Go","type":"yes_no","question":"Now?","description":"All of it."}]}"#,
        &["[Go] Now? / All of it. <yesno> -multiple +custom; Yes; No"],
    ),
    ("ask_question", r#"{"question":"Which?","options":["A","B"]}"#, &["Which? -multiple +custom; A; B"]),
    // qwen-code, Grok Build, Devin, Mistral Vibe.
    (
        "ask_user_question",
        r#"{"questions":[{"question":"Run?","header":"Tests","multiSelect":false,"options":[{"label":"All","description":"slow","preview":"p"},{"label":"None"}]}],"metadata":{"header":"x"}}"#,
        &["[Tests] Run? -multiple +custom; All: slow ~p; None"],
    ),
    (
        "ask_user_question",
        r#"{"questions":[{"question":"Which?","options":[{"label":"API"},{"label":"UI"}],"multi_select":true}]}"#,
        &["Which? +multiple +custom; API; UI"],
    ),
    (
        "ask_user_question",
        r#"{"questions":[{"question":"Which?","header":"Branch","options":[{"label":"main","description":"old"},{"label":"next","description":"new"}],"multi_select":true}]}"#,
        &["[Branch] Which? +multiple +custom; main: old; next: new"],
    ),
    (
        "ask_user_question",
        r#"{"questions":[{"question":"Which?","header":"Way","options":[{"label":"A","description":""},{"label":"B"}],"multi_select":false,"hide_other":true}],"footer_note":"Read."}"#,
        &["[Way] Which? -multiple +custom; A; B"],
    ),
    (
        "elicitation/create",
        r#"{"message":"m","requestedSchema":{"properties":{"s":{"type":"string","title":"Size","enum":["s","l"],"enumNames":["Small","Large"],"default":"l"},"b":{"type":"boolean","description":"Really?"},"t":{"type":"string"}},"required":["s"]}}"#,
        &[
            "{s} Size -multiple -custom +required =l; Small=s; Large=l",
            "{b} Really? <yesno> -multiple -custom -required; Yes=true; No=false",
            "{t} t <text> -multiple -custom -required",
        ],
    ),
    (
        "clarify",
        r#"{"question":"How?","choices":["A",{"description":"B"},{"title":"C"}]}"#,
        &["How? -multiple +custom; A; B; C"],
    ),
    (
        "ask",
        r#"{"questions":[{"id":"i","question":"Which?","options":[{"label":"A"},{"label":"B"}],"recommended":1}]}"#,
        &["{i} Which? -multiple +custom; A; B *"],
    ),
    (
        "ask",
        r#"{"questions":[{"question":"Q?","options":[{"label":"A"}],"recommended":0.0}]}"#,
        &["Q? -multiple +custom; A *"],
    ),
    (
        "questionnaire",
        r#"{"questions":[{"id":"i","label":"L","prompt":"Which?","options":[{"value":"a","label":"A"}],"allowOther":false}]}"#,
        &["{i} [L] Which? -multiple -custom; A=a"],
    ),
    (
        "AskUser",
        r#"{"questionnaire":"1. [question] Which? (multi)\n[topic] T\n[option] A\n[option] B\n2. [question] Why?"}"#,
        &["[T] Which? +multiple +custom; A; B", "Why? -multiple +custom"],
    ),
    (
        "droid.ask_user",
        r#"{"toolCallId":"1","questions":[{"index":1,"topic":"T","question":"Which?","options":["A","B"],"multiSelect":true}]}"#,
        &["[T] Which? +multiple +custom; A; B"],
    ),
    ("askForConfirmation", r#"{"message":"Send?"}"#, &["Send? -multiple -custom; Yes; No"]),
    (
        "session/request_permission",
        r#"{"toolCall":{"title":"Run?"},"options":[{"optionId":"y","name":"Allow"}]}"#,
        &["Run? -multiple -custom; Allow=y"],
    ),
    (
        "session/request_permission",
        r#"{"sessionId":"s","title":"Run ls?","description":"To see it.","subject":{"type":"tool_call","toolCall":{"title":"ls"}},"options":[{"optionId":"y","name":"Allow"}]}"#,
        &["Run ls? / To see it. -multiple -custom; Allow=y"],
    ),
];

/// The same for shapes that a policy has to choose, since the default list reads their tool by
/// another one. With the names of the shapes.
const CHOSEN: [(&str, &str, &[&str]); 3] = [
    (
        "gemini",
        r#"{"questions":[{"question":"One\\nor two?","header":"S","type":"yesno"},{"question":"Name?","header":"N","type":"text","placeholder":"Al"},{"question":"Which?","header":"W","type":"choice","options":[{"label":"A","description":"a"},{"label":"B"}],"multiSelect":true}]}"#,
        &[
            "[S] One\nor two? <yesno> -multiple +custom; Yes; No",
            "[N] Name? (Al) <text> -multiple +custom",
            "[W] Which? +multiple +custom; A: a; B",
        ],
    ),
    (
        "copilot",
        r#"{"question":"Which?","choices":["A","B"],"allow_freeform":false}"#,
        &["Which? -multiple -custom; A; B"],
    ),
    (
        "copilot",
        r#"{"message":"m","requestedSchema":{"properties":{"n":{"type":"integer","title":"Count"}},"required":["n"]}}"#,
        &["{n} Count <number> -multiple -custom +required"],
    ),
];

/// Returns a parser of the calls of a tool that only this shape reads.
fn parser_of(shape: &Shape, tool: &str) -> Parser {
    Parser::arguments_of(tool, Policy::new().with_shapes(Shapes::new([shape.clone()]))).unwrap()
}

#[test]
fn each_tools_own_arguments_are_read_without_a_note() {
    for (tool, arguments, lines) in OWN {
        let (read, notes) = read(parser(tool), arguments).unwrap_or_else(|reason| panic!("{tool}: {reason}"));
        assert_eq!(read, lines, "{tool}");
        assert_eq!(notes, [], "{tool}");
    }
    for (name, arguments, lines) in CHOSEN {
        let shape = Shape::built_in(name).unwrap();
        for tool in shape.tools() {
            let (read, notes) =
                read(parser_of(&shape, tool), arguments).unwrap_or_else(|reason| panic!("{name}: {reason}"));
            assert_eq!(read, lines, "{name}");
            assert_eq!(notes, [], "{name}");
        }
    }
}

#[test]
fn every_tool_of_a_built_in_shape_has_its_own_arguments_above() {
    for shape in Shape::built_in_names().filter_map(Shape::built_in) {
        for tool in shape.tools() {
            let is_default = Shapes::default().find(tool).as_ref() == Some(&shape);
            let has_row = match is_default {
                true => OWN.iter().any(|(known, ..)| *known == tool),
                false => CHOSEN.iter().any(|(known, ..)| *known == shape.name()),
            };
            assert!(has_row, "{tool} of {}", shape.name());
        }
    }
}

/// Returns a strict parser of `AskUserQuestion`.
fn strict() -> Parser {
    Parser::arguments_of("AskUserQuestion", Policy::new().with_malformed(Malformed::Reject)).unwrap()
}

const QUESTION: &str = r#"{"question":"Q?","options":[{"label":"A"},{"label":"B"}]}"#;

#[test]
fn a_repair_has_its_note_and_the_strict_policy_rejects_it() {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let wrapped = |questions: &str| format!("{{\"questions\":{questions}}}");
    let with_options = |options: &str| wrapped(&format!("[{{\"question\":\"Q?\",\"options\":{options}}}]"));
    for (arguments, note) in [
        (format!("[{QUESTION}]"), Note::ListAsArguments),
        (quoted(&wrapped(&format!("[{QUESTION}]"))), Note::ArgumentsAsText),
        (format!("```json\n{}\n```", wrapped(&format!("[{QUESTION}]"))), Note::FencedArguments),
        (QUESTION.to_owned(), Note::QuestionWithoutList),
        (wrapped(QUESTION), Note::QuestionsAsObject),
        (wrapped(&format!("{{\"1\":{QUESTION}}}")), Note::QuestionsAsObject),
        // As XML becomes JSON.
        (wrapped(&format!("{{\"item\":[{QUESTION}]}}")), Note::QuestionsAsObject),
        (with_options(r#"{"item":[{"label":"A"},{"label":"B"}]}"#), Note::SuggestionsAsObject),
        (wrapped(&quoted(&format!("[{QUESTION}]"))), Note::QuestionsAsText),
        (wrapped(&format!("[{}]", quoted(QUESTION))), Note::QuestionAsText),
        (with_options(r#"["A","B"]"#), Note::SuggestionAsText),
        (with_options(&quoted(r#"[{"label":"A"},{"label":"B"}]"#)), Note::SuggestionsAsText),
        (with_options(&quoted("A\nB")), Note::SuggestionsAsText),
        (with_options(r#"{"0":{"label":"A"},"1":{"label":"B"}}"#), Note::SuggestionsAsObject),
        (
            wrapped(r#"[{"question":"Q?","multiSelect":" False","options":[{"label":"A"},{"label":"B"}]}]"#),
            Note::FlagAsText,
        ),
        (wrapped(r#"[{"question":"Q?","multiSelect":0,"options":[{"label":"A"},{"label":"B"}]}]"#), Note::FlagAsText),
    ] {
        let (lines, notes) =
            read(parser("AskUserQuestion"), &arguments).unwrap_or_else(|why| panic!("{why}: {arguments}"));
        assert_eq!(lines, ["Q? -multiple +custom; A; B"], "{arguments}");
        assert_eq!(notes, [note], "{arguments}");
        assert_eq!(read(strict(), &arguments), Err(Reason::Malformed(note)), "{arguments}");
    }
}

#[test]
fn what_the_host_would_refuse_is_asked_with_a_note_and_the_strict_policy_rejects_it() {
    let options = |count: usize| vec![r#"{"label":"A"}"#; count].join(",");
    let question = |text: &str, count| format!(r#"{{"question":"{text}","options":[{}]}}"#, options(count));
    let many = |count: usize| (0..count).map(|index| question(&index.to_string(), 2)).collect::<Vec<_>>();
    for (questions, asked) in [
        (vec![question("Q?", 1)], 1),
        (vec![question("Q?", 5)], 1),
        (vec![question("Q?", 2), question("Q?", 2)], 2),
        (many(5), 5),
    ] {
        let arguments = format!(r#"{{"questions":[{}]}}"#, questions.join(","));
        let (lines, notes) = read(parser("AskUserQuestion"), &arguments).unwrap();
        assert_eq!((lines.len(), &notes[..]), (asked, &[Note::RefusedByHost][..]), "{arguments}");
        assert_eq!(read(strict(), &arguments), Err(Reason::Malformed(Note::RefusedByHost)), "{arguments}");
    }
    // What it takes is no repair.
    for questions in [vec![question("Q?", 2)], vec![question("Q?", 4)], many(4)] {
        let arguments = format!(r#"{{"questions":[{}]}}"#, questions.join(","));
        assert_eq!(read(strict(), &arguments).unwrap().0.len(), questions.len(), "{arguments}");
    }
}

#[test]
fn an_ill_formed_string_is_kept_as_it_is_with_a_note_and_the_strict_policy_rejects_it() {
    let title = Shape::parse("shape s\ntool ask_s\ntitle t\ntext q\noptions o\nlabel l\npreview p").unwrap();
    for ill_formed in ["a\nb", "a\u{1}b", r"a\qb", r"a\u12xb"] {
        for (arguments, line) in [
            (r#"{"q":"TEXT"}"#, "TEXT"),
            (r#"{"q":"Q?","o":[{"l":"TEXT"}]}"#, "Q?; TEXT"),
            (r#"{"q":"Q?","o":[{"l":"A","p":"TEXT"}]}"#, "Q?; A ~TEXT"),
            (r#"{"t":"TEXT","q":"Q?"}"#, "Q?"),
        ] {
            let [arguments, line] = [arguments, line].map(|text| text.replace("TEXT", ill_formed));
            let asked = read(parser_of(&title, "ask_s"), &arguments);
            assert_eq!(asked, Ok((vec![line], vec![Note::IllFormedString])), "{arguments:?}");
            let strict = Policy::new().with_malformed(Malformed::Reject).with_shapes(Shapes::new([title.clone()]));
            let rejected = read(Parser::arguments_of("ask_s", strict).unwrap(), &arguments);
            assert_eq!(rejected, Err(Reason::Malformed(Note::IllFormedString)), "{arguments:?}");
        }
    }
}

/// Grok Build's tool has no such limits.
#[test]
fn ask_user_question_takes_any_number_of_questions_and_options() {
    let option = |index: usize| format!(r#"{{"label":"{index}"}}"#);
    for (questions, options) in [(5, 5), (1, 1), (1, 5)] {
        let options = (0..options).map(option).collect::<Vec<_>>().join(",");
        let question = |index: usize| format!(r#"{{"question":"Q{index}?","options":[{options}]}}"#);
        let list = (0..questions).map(question).collect::<Vec<_>>().join(",");
        let strict = Policy::new().with_malformed(Malformed::Reject);
        let parser = Parser::arguments_of("ask_user_question", strict).unwrap();
        assert_eq!(read(parser, &format!(r#"{{"questions":[{list}]}}"#)).unwrap().0.len(), questions);
    }
    // Equal questions are refused.
    let twice = format!(r#"{{"questions":[{QUESTION},{QUESTION}]}}"#);
    assert_eq!(read(parser("ask_user_question"), &twice).unwrap().1, [Note::RefusedByHost]);
}

#[test]
fn what_cannot_be_asked_is_rejected_with_its_reason() {
    for (arguments, reason) in [
        ("{}", Reason::MissingParameter),
        (r#""""#, Reason::WrongType(CallPart::Arguments)),
        (r#"{"questions":[]}"#, Reason::MissingParameter),
        (r#"{"questions":[{"options":["A"]}]}"#, Reason::MissingParameter),
        (r#""hello""#, Reason::WrongType(CallPart::Arguments)),
        ("7", Reason::WrongType(CallPart::Arguments)),
        (r#"{"questions":7}"#, Reason::WrongType(CallPart::Questions)),
        (r#"{"questions":[{"question":{}}]}"#, Reason::WrongType(CallPart::Question)),
        ("Which one?", Reason::Malformed(Note::IllFormedJson)),
        (r#"{"questions":"[{"}"#, Reason::Malformed(Note::IllFormedJson)),
        (r#"{"questions":[{"question":"Q?"}]} and"#, Reason::Malformed(Note::TextAfterArguments)),
        (r#"{"questions":[{"question":"Q?","question":"R?"}]}"#, Reason::Malformed(Note::RepeatedKey)),
        (r#"{"questions":[{"question":"Q"#, Reason::Truncated(CallPart::Question)),
        (r#"{"questions":[{"question":"Q?","options":[{"label":"A"#, Reason::Truncated(CallPart::Answer)),
        (r#"{"questions":[{"question":"Q?"}]"#, Reason::Truncated(CallPart::Parameters)),
        (r#""{\"questions\":[{\"question\"""#, Reason::Malformed(Note::IllFormedJson)),
        (r#""{\"questions\":[{\"question\""#, Reason::Truncated(CallPart::Parameters)),
    ] {
        assert_eq!(read(parser("AskUserQuestion"), arguments), Err(reason), "{arguments}");
    }
}

#[test]
fn the_first_of_two_names_counts_and_a_header_stands_in_for_a_question_at_its_end() {
    let ask = |tool, arguments| read(parser(tool), arguments).unwrap().0;
    let two = r#"{"questions":[{"id":"i","prompt":"Q?","options":[],"allowMultiple":true,"allow_multiple":false}]}"#;
    assert_eq!(ask("AskQuestion", two), ["{i} Q? +multiple -custom"]);
    let header = r#"{"questions":[{"header":"Only a header","options":[{"label":"A"},{"label":"B"}]}]}"#;
    assert_eq!(ask("AskUserQuestion", header), ["[Only a header] Only a header -multiple +custom; A; B"]);
}

#[test]
fn a_shape_from_a_text_reads_its_tool() {
    let shape = Shape::parse(
        "shape poll\ntool ask_poll\nquestions data.polls\ntext title\noptions answers\nstrings\nlabel name\nmultiple :no\ncustom :no",
    );
    let policy = Policy::new().with_shapes(Shapes::new([shape.unwrap()]));
    let parser = Parser::arguments_of("ask_poll", policy.clone()).unwrap();
    let (lines, notes) = read(parser, r#"{"data":{"polls":[{"title":"Q?","answers":["A","B"]}]}}"#).unwrap();
    assert_eq!((&lines[..], &notes[..]), (&["Q? -multiple -custom; A; B".to_owned()][..], &[][..]));
    assert!(Parser::arguments_of("AskUserQuestion", policy).is_none());
}

#[test]
fn a_title_is_shown_above_the_questions_and_is_no_question() {
    for (tool, title, rest) in [
        ("AskQuestion", "title", r#""questions":[{"id":"a","prompt":"A?","options":[]}]"#),
        ("elicitation/create", "message", r#""requestedSchema":{"properties":{"a":{"type":"string","title":"A?"}}}"#),
        ("ask_user", "message", r#""requestedSchema":{"properties":{"a":{"type":"string","title":"A?"}}}"#),
    ] {
        for arguments in [format!(r#"{{"{title}":"Set up",{rest}}}"#), format!(r#"{{{rest},"{title}":"Set up"}}"#)] {
            let (mut parser, mut shown) = (parser(tool), String::new());
            for byte in arguments.bytes() {
                parser.feed_bytes(&[byte]).for_each(|event| {
                    let Event::Partial(call) = event else { panic!("{event:?}") };
                    if call.field() == Field::Title {
                        shown.push_str(call.delta());
                        assert_eq!(call.title(), Some(&*shown));
                    }
                });
            }
            match parser.finish().next() {
                Some(Event::Complete(call)) => {
                    assert_eq!((call.title(), call.question()), (Some("Set up"), "A?"));
                    assert_eq!(call.questions().len(), 1);
                }
                event => panic!("{event:?}: {arguments}"),
            }
            assert_eq!(shown, "Set up");
        }
        // A title alone asks nothing.
        assert_eq!(read(parser(tool), &format!(r#"{{"{title}":"Set up"}}"#)), Err(Reason::MissingParameter));
    }
}

#[test]
fn a_flag_or_kind_that_is_known_and_a_header_that_was_shown_do_not_change() {
    let drawn = |lines: &str, arguments: &str| {
        let shape = Shape::parse(format!("shape s\ntool ask_s\ntext q\n{lines}")).unwrap();
        let policy = Policy::new().with_shapes(Shapes::new([shape]));
        read(Parser::arguments_of("ask_s", policy).unwrap(), arguments).unwrap().0
    };
    assert_eq!(drawn("kind k l", r#"{"k":"text","l":"number","q":"Q?"}"#), ["Q? <text>"]);
    let list = "questions l\nid i\nrequired-ids r\nrequired n";
    assert_eq!(drawn(list, r#"{"l":[{"q":"Q?","i":"a","n":false}],"r":["a"]}"#), ["{a} Q? -required"]);
    let topics = r#"{"questionnaire":"[question] Q?\n[topic] A\n[topic] B"}"#;
    assert_eq!(read(parser("AskUser"), topics).unwrap().0, ["[A] Q? -multiple +custom"]);
}

#[test]
fn of_two_lists_of_questions_the_first_with_a_question_counts() {
    let shape = Shape::parse("shape s\ntool ask_s\nquestions a b\ntext q").unwrap();
    let policy = Policy::new().with_shapes(Shapes::new([shape]));
    let ask = |arguments| read(Parser::arguments_of("ask_s", policy.clone()).unwrap(), arguments).unwrap().0;
    assert_eq!(ask(r#"{"a":[{"q":"A?"}],"b":[{"q":"B?"}]}"#), ["A?"]);
    assert_eq!(ask(r#"{"a":[],"b":[{"q":"B?"}]}"#), ["B?"]);
}

#[test]
fn a_list_of_questions_after_the_beginning_of_another_has_nothing_of_that() {
    let shape = Shape::parse("shape s\ntool ask_s\nsingle\nquestions l\ntext q\noptions o\nnames n\nlabel x\nvalue v");
    let policy = Policy::new().with_shapes(Shapes::new([shape.unwrap()]));
    let arguments = r#"{"n":["Name"],"l":[{"q":"Q?","o":[{"v":"a"}]}]}"#;
    assert_eq!(read(Parser::arguments_of("ask_s", policy).unwrap(), arguments).unwrap().0, ["Q?; a"]);
}

#[test]
fn no_question_of_a_list_is_lost_to_a_text_beside_it() {
    let ask = |tool, arguments: &str| {
        let (lines, notes) = read(parser(tool), arguments).unwrap_or_else(|why| panic!("{why}: {arguments}"));
        (lines.join(" | "), notes)
    };
    let batch = r#""questions":[{"question":"A?","choices":["x","y"]},{"id":"b","question":"B?"}]"#;
    let asked = "A? -multiple +custom; x; y | {b} B? -multiple +custom";
    // What was shown as a question stays one, and those of the list follow.
    for own in [r#""question":"Batch""#, r#""question":"Batch","choices":[],"multi_select":false"#] {
        let lines = format!("Batch -multiple +custom | {asked}");
        assert_eq!(ask("clarify", &format!("{{{own},{batch}}}")), (lines, vec![]));
    }
    let lines = format!("Batch -multiple +custom; z | {asked}");
    assert_eq!(ask("clarify", &format!(r#"{{"question":"Batch","choices":["z"],{batch}}}"#)), (lines, vec![]));
    // It is not counted: five questions are as many as the host takes.
    let five = r#"{"question":"B","questions":["a","b","c","d","e"]}"#;
    assert_eq!(ask("clarify", five).1, [Note::QuestionAsText]);
    // After the list it is the title.
    let mut late = parser("clarify");
    drop(late.feed(&format!("{{{batch},\"question\":\"Batch\"}}")));
    match late.finish().next() {
        Some(Event::Complete(call)) => assert_eq!((call.title(), call.questions().len()), (Some("Batch"), 2)),
        event => panic!("{event:?}"),
    }
    // An empty list is no value, wherever it is.
    for arguments in [
        r#"{"question":"Q?","questions":[],"choices":["x"],"multi_select":true}"#,
        r#"{"multi_select":true,"questions":[],"question":"Q?","choices":["x"]}"#,
    ] {
        assert_eq!(ask("clarify", arguments), ("Q? +multiple +custom; x".to_owned(), vec![]), "{arguments}");
    }
    // Without a text the question can't end before the list.
    let unfinished = format!(r#"{{"choices":["z"],{batch},"question":"Q?"}}"#);
    assert_eq!(ask("clarify", &unfinished), ("Q? -multiple +custom; z".to_owned(), vec![Note::RepeatedQuestion]));
}

#[test]
fn the_keys_of_a_question_map_are_ids_whatever_they_are() {
    let ask = |properties: &str| {
        let arguments = format!(r#"{{"requestedSchema":{{"properties":{properties}}}}}"#);
        read(parser("elicitation/create"), &arguments).unwrap().0
    };
    assert_eq!(ask(r#"{"1":{"type":"string"}}"#), ["{1} 1 <text> -multiple -custom -required"]);
    assert_eq!(ask(r#"{"a":"Which?"}"#), ["{a} Which? -multiple -custom -required"]);
    assert_eq!(ask(r#""Which?""#), ["Which? -multiple -custom -required"]);
}

#[test]
fn the_object_of_a_path_or_a_form_may_be_json_in_a_string() {
    let schema = r#" {"properties":{"a":{"type":"array","items":"{\"enum\":[\"x\"]}"}},"required":["a"]}"#;
    let arguments = format!(r#"{{"message":"m","requestedSchema":{}}}"#, serde_json::to_string(schema).unwrap());
    for tool in ["elicitation/create", "ask_user"] {
        let (lines, notes) = read(parser(tool), &arguments).unwrap();
        assert_eq!(
            (&*lines.join("|"), &*notes),
            ("{a} a +multiple -custom +required; x", &[Note::ArgumentsAsText][..])
        );
        // Another string means nothing, as another value did.
        let text = r#"{"requestedSchema":"x"}"#;
        assert_eq!(read(parser(tool), text), Err(Reason::MissingParameter));
    }
}

#[test]
fn the_key_of_an_option_is_its_label_if_the_object_has_none() {
    let ask = |tool, options: &str| {
        let arguments = format!(r#"{{"questions":[{{"question":"Q?","options":{options}}}]}}"#);
        read(parser(tool), &arguments).unwrap().0
    };
    let map = r#"{"Redis":{"description":"fast"},"pg":{"label":"Postgres"},"None (recommended)":{}," ":{},"0":{"label":"x"},"1":{}}"#;
    let lines = ["Q? -multiple +custom; Redis: fast; Postgres; None (recommended) *; x"];
    assert_eq!(ask("AskUserQuestion", map), lines);
    // The key counts before what follows `else`.
    let lines = ["Q? -multiple +custom; Redis=r: fast"];
    assert_eq!(ask("ask_user", r#"{"Redis":{"value":"r","description":"fast"}}"#), lines);
}

#[test]
fn a_control_character_in_a_string_that_holds_json_is_a_repair() {
    let arguments = "{\"questions\":\"[{\\\"question\\\":\\\"Q?\\\"}\n]\"}";
    assert_eq!(read(parser("AskUserQuestion"), arguments).unwrap().1, [Note::QuestionsAsText, Note::IllFormedString]);
}

#[test]
fn json_in_a_string_that_ends_before_it_is_malformed_whatever_is_whole_in_it() {
    let inner = r#"{"question":"Q?","options":"[\"A\"]"#;
    let arguments = serde_json::to_string(inner).unwrap();
    let malformed = Err(Reason::Malformed(Note::IllFormedJson));
    assert_eq!(read(parser("AskUserQuestion"), &arguments), malformed);
}

#[test]
fn a_string_in_a_list_grows_unless_it_may_be_an_object() {
    let shown = |tool: &str, arguments: &str| {
        let (mut parser, mut shown) = (parser(tool), String::new());
        parser.feed(arguments).for_each(|event| {
            let Event::Partial(call) = event else { panic!("{event:?}") };
            write!(shown, "{:?} {:?}; ", call.field(), call.delta()).unwrap();
        });
        shown
    };
    assert_eq!(shown("ask_user", r#"{"question":"Q?","choices":["Re"#), r#"Question "Q?"; Suggestion "Re"; "#);
    assert_eq!(shown("ask_user", r#"{"question":"Q?","choices":["  Re"#), r#"Question "Q?"; Suggestion "  Re"; "#);
    assert_eq!(shown("ask_user", r#"{"question":"Q?","choices":["{Re"#), r#"Question "Q?"; "#);
    assert_eq!(shown("ask_user", r#"{"question":"Q?","choices":[12"#), r#"Question "Q?"; "#);
    assert_eq!(shown("AskUserQuestion", r#"{"questions":["Whi"#), r#"Question "Whi"; "#);
    assert_eq!(
        read(parser("ask_user"), r#"{"question":"Q?","choices":["A","  ","{B","{\"label\":\"C\"}",7]}"#).unwrap().0,
        ["Q? -multiple +custom; A; {B; C; 7"]
    );
}

#[test]
fn a_backslash_is_shown_once_no_n_can_follow_it() {
    let shapes = Shapes::new([Shape::built_in("gemini").unwrap()]);
    let policy = Policy::new().with_shapes(shapes).with_envelopes(Envelopes::all());
    let shown = |mut parser: Parser, stream: &[u8]| {
        let (mut events, mut shown) = (parser.feed_bytes(stream), String::new());
        while let Some(event) = events.next() {
            let Event::Partial(partial) = event else { panic!("{event:?}") };
            shown = partial.question().unwrap_or_default().to_owned();
        }
        shown
    };
    let native = || Parser::arguments_of("ask_user", policy.clone()).unwrap();
    assert_eq!(shown(native(), br#"{"question":"a\\"#), "a");
    assert_eq!(shown(native(), br#"{"question":"a\\b"#), r"a\b");
    // The first byte of a character.
    assert_eq!(shown(native(), b"{\"question\":\"a\\\\\xE2"), r"a\");
    let leaked = |rest: &[u8]| {
        shown(Parser::new(policy.clone()), &[b"<function=ask_user><parameter=question>a\\", rest].concat())
    };
    assert_eq!(leaked(b""), "a");
    assert_eq!(leaked(b" "), r"a\");
    assert_eq!(leaked(b"\xE2"), r"a\");
    assert_eq!(leaked(b" \xE2"), r"a\");
    assert_eq!(leaked(b" \xC3"), r"a\ ");
}

#[test]
fn a_detail_is_shown_with_the_first_character_of_its_question_even_if_that_is_cut() {
    let mut parser = parser("vscode_askQuestions");
    let mut shown = Vec::new();
    for chunk in [&br#"{"questions":[{"message":"m","question":""#[..], b"\xC3", b"\xA9", b""] {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            let Event::Partial(partial) = event else { panic!("{event:?}") };
            shown.push((partial.field(), partial.delta().to_owned()));
        }
    }
    assert_eq!(shown, [(Field::Question, "é".to_owned()), (Field::Detail, "m".to_owned())]);
}

#[test]
fn all_texts_of_a_call_together_have_a_limit() {
    let asked = |texts: usize, arguments: &str| {
        let limits = Limits { texts, ..Limits::default() };
        read(Parser::arguments_of("AskUserQuestion", Policy::new().with_limits(limits)).unwrap(), arguments)
    };
    let too_long = |limit| Err(Reason::TooLong { part: CallPart::Arguments, limit });
    let lines = |texts, arguments| asked(texts, arguments).map(|(lines, _)| lines);
    let two = r#"{"questions":[{"question":"123","options":[{"label":"45","description":"67"}]},{"question":"89"}]}"#;
    assert_eq!(lines(9, two), Ok(vec!["123 -multiple +custom; 45: 67".into(), "89 -multiple +custom".into()]));
    assert_eq!(lines(8, two), too_long(8));
    // What is dropped counts, but not what is blank.
    let dropped = r#"{"questions":[{"question":"123","options":[{"description":"67"},{"label":"    "}]}]}"#;
    assert_eq!(lines(8, dropped), too_long(8));
    assert_eq!(lines(9, dropped), Ok(vec!["123 -multiple +custom".into()]));
    // Names of a question that is dropped do not count.
    let mcp =
        r#"{"requestedSchema":{"properties":{"a":{"title":"A"},"b":{"enumNames":["123456789"]}}},"message":"Hi"}"#;
    let limits = Limits { texts: 12, questions: 1, ..Limits::default() };
    let parser = Parser::arguments_of("elicitation/create", Policy::new().with_limits(limits)).unwrap();
    assert!(read(parser, mcp).is_ok());
    // A header that stands in for the text is there once.
    assert_eq!(lines(3, r#"{"questions":[{"header":"123"}]}"#), Ok(vec!["[123] 123 -multiple +custom".into()]));
}

#[test]
fn a_role_after_else_stands_in_only_where_the_page_says() {
    let rest = "shape a\ntool b\ntext t\n";
    for line in ["label l else header", "id i else detail", "id i else value", "label l else id"] {
        let error = Shape::parse(format!("{rest}{line}")).unwrap_err();
        assert_eq!(error.line(), 4, "{line}");
    }
    assert!(Shape::parse("shape a\ntool b\ntext t else value").is_err());
}

/// "the name at its index", and "the index of an option": in the list as the model wrote it.
#[test]
fn an_index_counts_what_is_no_option_and_no_name_too() {
    let lines = |tool: &str, arguments: &str| read(parser(tool), arguments).unwrap().0;
    let form = |lists: &str| format!(r#"{{"requestedSchema":{{"properties":{{"p":{{"title":"P?",{lists}}}}}}}}}"#);
    let long = "x".repeat(20_000);
    for (lists, expected) in [
        (r#""enum":["","low","high"],"enumNames":["(none)","Low","High"]"#.to_owned(), "Low=low; High=high"),
        (r#""enum":[null,"low","high"],"enumNames":["(none)","Low","High"]"#.into(), "Low=low; High=high"),
        (r#""enum":["low",["x"],"high"],"enumNames":["Low","(none)","High"]"#.into(), "Low=low; High=high"),
        (r#""enum":["low","high"],"enumNames":[null,"High"]"#.into(), "low; High=high"),
        (r#""enum":["low","high"],"enumNames":[{"a":["b"]},"High"]"#.into(), "low; High=high"),
        (r#""enumNames":["","High"],"enum":["low","high"]"#.into(), "low; High=high"),
        (format!(r#""enum":["low","high"],"enumNames":["{long}","High"]"#), "low; High=high"),
    ] {
        let [line] = &lines("elicitation/create", &form(&lists))[..] else { panic!("one question") };
        assert_eq!(line.split_once("; ").unwrap().1, expected, "{lists:.80}");
    }
    let ask = |options: &str, index: &str| {
        format!(r#"{{"questions":[{{"question":"Q?","options":{options},"recommended":{index}}}]}}"#)
    };
    for (options, index, expected) in [
        (r#"[null,{"label":"A"},{"label":"B"}]"#, "1", "A *; B"),
        (r#"[{"label":""},{"label":"A"},{"label":"B"}]"#, "2", "A; B *"),
        (r#"[[],{"label":"A"},{"label":"B"}]"#, "0", "A; B"),
        (r#"[{"label":"A"},{"label":"B"}]"#, "\"+1\"", "A; B"),
        (r#"[{"label":"A"},{"label":"B"}]"#, "\"1\"", "A; B *"),
    ] {
        let [line] = &lines("ask", &ask(options, index))[..] else { panic!("one question") };
        assert_eq!(line.split_once("; ").unwrap().1, expected, "{options} {index}");
    }
}
