//! Checkpoints as stored data: each comes back as it was, and a damaged or forged one does no harm.
//!
//! That a stream resumes from any checkpoint, and that equal bytes make equal checkpoints, are laws
//! in `properties.rs`.

use std::sync::Arc;

use followup::{
    CallStart, Checkpoint, Entities, Envelopes, Event, Events, Limits, Malformed, Parser, Policy, ResumeError, Shape,
    Shapes, Tools,
};
use followup_testing::Syntax;
use serde_json::{Value, json};

use crate::common::stored::paths;
use crate::common::sweep::Sweep;
use crate::common::within_limits::check_views;

const MESSAGE: &str = "Hm `x` <b> <read_file><path>a.rs</path> </read_file>\
    <ask_followup_question a='>'>\n<question>Which &amp; why? </question>\n<follow_up>\n\
    <suggest mode=\"code\"> A `<suggest>` &lt; é </suggest><suggest><mode> ask</mode><content>B </content></suggest>\
    <suggest><mode>m</mode>text</suggest></follow_up><options>[\"x\", 1]</options></ask_followup_question> \
    <ask_followup_question> Bare? <";

/// Values that begin with an incomplete entity.
const ENTITIES: &str = "<ask_followup_question><question> &#38; &amp &#x1F600;</question><suggest>&lt;a&gt;</suggest>\
    <suggest><mode>&#109;</mode>&#32;A&#x</suggest><suggest>\u{e9}</suggest>\
    <suggest><mode>\u{e9}</mode><content>\u{e9}</content>\u{e9}</suggest><suggest>&am";

/// Text that begins like a tag but is no tag, in every place of a message.
const NO_TAGS: &str = "<ask_followup_question a='>\u{e9}' a <q<questio <</ <\u{e9}<question \u{e9}<question!\
    <ask_followup_question> a <q<questio <</ <\u{e9}<quest\u{e9}<question!<ask_followup_questio\u{e9}> \
    <read_file> </read_fi\u{e9} <path a='>' \u{e9}> <pat\u{e9} </path a> <path a=\"\u{e9}\"></pat\u{e9} </path \u{e9}></path></read_file \u{e9}";

/// Envelopes of every family that is read by default, each with an end of its own.
const ENVELOPES: &str = "Hm.\n<tool_call>\n<function=ask_followup_question><parameter=question>\u{e9} &amp; </parameter>\
    <parameter=follow_up>[\"a\", 1]</parameter></function>\n<function=f><parameter=x>y</parameter></function></tool_call>\n\
    <tool_call>```json\n{\"id\": \"i\", \"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\\u00e9\"}}\n```</tool_call>\n\
    {\"name\": \"ask_followup_question\", \"arguments\": {\"x\": 1, \"question\": \"Q\"}}\n\
    <\u{ff5c}DSML\u{ff5c}invoke name=\"ask_followup_question\"><\u{ff5c}DSML\u{ff5c}parameter name=\"question\" string=\"false\">\"Q\" \
    </\u{ff5c}DSML\u{ff5c}parameter></\u{ff5c}DSML\u{ff5c}invoke> <tool_call>ask_followup_question\n<arg_key>question</arg_key>\
    <arg_value>Q</arg_value></tool_call> <|start|>assistant<|channel|>commentary to=functions.ask_followup_question \
    <|constrain|>json<|message|>{\"question\": \"Q\"}<|call|> <|tool_calls_section_begin|><|tool_call_begin|>f:0\
    <|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|> <invoke name=f><function=ask_followup_question>{";

/// Envelopes of the families that are read by choice.
const BY_CHOICE: &str = "Hm. [TOOL_CALLS]ask_followup_question[CALL_ID]a1[ARGS]{\"question\": \"\u{e9}?\", \"options\": [\"a\"]} \
    [TOOL_CALLS] [{\"id\": 1, \"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\\u00e9\"}}, \
    {\"name\": \"f\", \"arguments\": {}}]\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n\
    ```json\n{\"question\": \"Q\"}\n```<｜tool▁call▁end｜>\n<｜tool_call begin｜>f<｜tool\\_sep｜>{\"x\": [1]}<｜tool▁call▁end｜>\
    <｜tool▁calls▁end｜> <|python_tag|>{\"name\": \"ask_followup_question\", \"parameters\": \"{\\\"question\\\": \\\"Q\\\"}\"}; \
    {\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}<|eom_id|> [TOOL_CALLS]ask_followup_question{\"question\": nul";

/// Open code and thinking blocks.
const CODE: &str = "a `b` ``c\n d`\n \n e\n```\n f\n ``` \n~~~~ rust `\ng\n~~~\n\n~~~~~\n<think> `h` </think> \
    <thinking>\n`i\n`j\n\n``````k";

/// Arguments that reach every kind of state.
///
/// Some need repairs, have objects and strings in place of lists, long keys, or objects without a
/// meaning.
const ARGUMENTS: [&str; 6] = [
    "{\"question\": \" W\\u0068ich é\\ud83d\\ude00 \\q?\n \", \"other\": {\"a\": [1, {\"b\": \"c\"}]}, \"question\": \"again\",
        \"follow_up\": [\" A b \", -12.5e+3, true, [\"x\"], {\"mode\": \"m\", \"text\": \" B\", \"answer\": \"no\"}, {\"mode\": \" \"}, {}],
        \"suggestions\": [\"again\"], \"suggest\": \" <suggest mode='m'>F</suggest>\\n\"} behind",
    r#" {"question":"Why?","follow_up":[{"text":"é","mode":"\ud83d"},null,{"text":"C","mode":"co de"},false],"x":[[]]} "#,
    r#"{"follow_up": "[1, {\"text\":\"x\"}]", "options": {"k": 1, "0": {"text": "D"}, "list": ["E", {"mode": "n"}]},
        "suggestion": {"y": null, "mode": "m", "x": [{}], "text": 1.5, "text": ""}, "question": nul"#,
    "{\"follow_up\": {\"123456789012345\": \"A\", \"1234567890123456\": \"B\", \"12345678901234567890\": \"C\", \
        \"123456789012345x\": \"D\", \"12345678901234567890x\": \"E\", \"x12345678901234567890\": \"F\"}, \"question\": \"Q\"}",
    "{\"x\": {\"question\": {\"k\": {}}}, \"follow_up\": [{\"x\": {\"text\": {}}, \"text\": \"A\", \"y\": {\"mode\": {\"k\": 1}}}, \
        {\"y\": [{}]}, {\"text\": {\"k\": {}}}], \"question\": \"Q\"}",
    r#"{"question":"Q","follow_up":[{"mode":{"mode_slug":"é","x":{}},"text":"B"},{"mode":{"x":[]}}]}"#,
];

/// Four policies with different limits, repairs, code, entities and families of envelopes.
fn policies() -> [Arc<Policy>; 4] {
    let small = Limits { question: 4, answer: 2, suggestions: 2, ..Limits::default() };
    [
        Arc::new(Policy::new()),
        Arc::new(Policy::new().with_malformed(Malformed::Reject).with_call_start(CallStart::OutsideCode)),
        Arc::new(Policy::new().with_entities(Entities::Decoded).with_envelopes(Envelopes::all())),
        Arc::new(Policy::new().with_limits(small).with_envelopes(Envelopes::all())),
    ]
}

fn streams() -> impl Iterator<Item = (Syntax, &'static str)> {
    let markup = [MESSAGE, ENTITIES, NO_TAGS, ENVELOPES, BY_CHOICE, CODE].map(|stream| (Syntax::Markup, stream));
    markup.into_iter().chain(ARGUMENTS.map(|stream| (Syntax::Arguments, stream)))
}

/// The events of the rest of a stream, as text.
fn events_of(parser: &mut Parser, rest: &[u8]) -> String {
    let mut out = String::new();
    let mut append = |mut events: Events<'_>| {
        while let Some(event) = events.next() {
            match event {
                Event::Text(text) => out.push_str(text),
                other => out.push_str(&format!("{other:?}")),
            }
        }
    };
    append(parser.feed_bytes(rest));
    append(parser.finish());
    out
}

#[test]
fn a_stored_checkpoint_comes_back_as_it_was_after_every_byte() {
    // In the short form, after one byte in three, with each policy after other ones.
    let step = if Sweep::is_short() { 3 } else { 1 };
    for (i, policy) in policies().into_iter().enumerate() {
        for (syntax, stream) in streams() {
            for at in (i % step..=stream.len()).step_by(step) {
                let (before, after) = stream.as_bytes().split_at(at);
                let mut parser = syntax.parser(policy.clone());
                drop(parser.feed_bytes(before));
                let stored = serde_json::to_string(&parser.checkpoint()).unwrap();
                let restored: Checkpoint = serde_json::from_str(&stored).unwrap();
                assert_eq!(restored, parser.checkpoint());
                let mut resumed = Parser::resume(policy.clone(), restored)
                    .unwrap_or_else(|error| panic!("{error} at {at}: {stored}"));
                assert_eq!(events_of(&mut resumed, after), events_of(&mut parser, after), "{stream} at {at}");
            }
        }
    }
}

#[test]
fn a_policy_comes_back_as_it_was() {
    let shapes = ["a", "b"].map(|name| Shape::parse(format!("shape {name}\ntool ask_{name}\ntext q\n")).unwrap());
    let with_shapes = [Shapes::new(shapes), Shapes::none()].map(|shapes| Arc::new(Policy::new().with_shapes(shapes)));
    for policy in policies().into_iter().chain(with_shapes) {
        let stored = serde_json::to_string(&*policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&stored).unwrap(), *policy, "{stored}");
    }
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
    assert!(serde_json::from_str::<Policy>(r#"{"tools": {"tools": ["a b"], "parameters": []}}"#).is_err());
    let error = serde_json::from_str::<Policy>(r#"{"shapes": ["shape a\ntool t\nform q frob\n"]}"#).unwrap_err();
    assert!(error.to_string().starts_with("line 3, column 8"), "{error}");
}

#[test]
fn a_checkpoint_of_another_policy_is_an_error() {
    let [one, others @ ..] = policies();
    let without_tools = Arc::new(Policy::new().with_tools(Tools::none()));
    for syntax in Syntax::ALL {
        let checkpoint = syntax.parser(one.clone()).checkpoint();
        for other in others.iter().chain([&without_tools]) {
            assert_eq!(Parser::resume(other.clone(), checkpoint.clone()).unwrap_err(), ResumeError::OtherPolicy);
        }
        assert!(Parser::resume((*one).clone(), checkpoint).is_ok());
    }
}

#[test]
fn a_checkpoint_knows_the_syntax_of_its_stream() {
    let [policy, ..] = policies();
    let resumed = |syntax: Syntax| Parser::resume(policy.clone(), syntax.parser(policy.clone()).checkpoint()).unwrap();
    assert!(events_of(&mut resumed(Syntax::Arguments), b"{}").starts_with("Rejected"));
    assert_eq!(events_of(&mut resumed(Syntax::Markup), b"{}"), "{}");
}

/// Another version may have stored another state, which this one could not read.
#[test]
fn a_stored_checkpoint_of_another_version_is_an_error_that_says_so() {
    let policy = Arc::new(Policy::new());
    let version = serde_json::to_value(Parser::new(policy.clone()).checkpoint()).unwrap()["version"].as_u64().unwrap();
    for state in [r#"{"layout":["another"]}"#, r#"{"policy":"text"}"#, "[1,2]", "7", "null"] {
        let stored = |version| format!(r#"{{"version":{version},"checksum":7,"state":{state}}}"#);
        let checkpoints =
            [version - 1, version + 1, 0].map(|version| serde_json::from_str::<Checkpoint>(&stored(version)));
        for checkpoint in checkpoints.map(Result::unwrap) {
            for checkpoint in [checkpoint.clone(), checkpoint.clone().with_valid_checksum()] {
                let error = Parser::resume(policy.clone(), checkpoint).unwrap_err();
                assert_eq!(error, ResumeError::OtherVersion, "{state}");
            }
            assert!(serde_json::to_string(&checkpoint).is_err(), "its state is not stored again");
        }
        assert!(serde_json::from_str::<Checkpoint>(&stored(version)).is_err(), "{state}");
        let other = version + 1;
        // A version may have no checksum. A store may keep a list, sort the keys, or add some.
        let lists = [format!("[{other},7]"), format!("[{other},7,{state}]")];
        let sorted = format!(r#"{{"checksum":7,"state":{state},"version":{other}}}"#);
        let sorted = serde_json::from_str::<serde_json::Value>(&sorted).unwrap();
        let more = format!(r#"{{"_id":1,"version":{other},"checksum":7,"state":{state},"more":{{}}}}"#);
        let unchecked = format!(r#"{{"version":{other},"state":{state}}}"#);
        let checkpoints =
            lists.iter().chain([&more, &unchecked]).map(|stored| serde_json::from_str::<Checkpoint>(stored));
        for checkpoint in checkpoints.chain([serde_json::from_value(sorted)]) {
            assert_eq!(Parser::resume(policy.clone(), checkpoint.unwrap()).unwrap_err(), ResumeError::OtherVersion);
        }
    }
    for missing in [
        r#"{"checksum":7,"state":7}"#,
        &format!(r#"{{"version":{version},"checksum":7}}"#),
        &format!(r#"{{"checksum":7,"version":{version}}}"#),
    ] {
        assert!(serde_json::from_str::<Checkpoint>(missing).is_err(), "{missing}");
    }
}

// ------------------------------------------------------------------------------------------ forged

/// Reads the rest of a stream from a forged checkpoint. No view may exceed the limits.
fn stays_within_the_limits(parser: &mut Parser, rest: &[u8]) {
    let limits = *parser.limits();
    check_views(&limits, parser.feed_bytes(rest));
    check_views(&limits, parser.finish());
}

/// JSON in place of any value of a stored checkpoint; so are the values of the same checkpoint.
pub(crate) fn forgeries() -> Vec<Value> {
    let numbers = [0, 1, 2, 60, 255, u64::from(u32::MAX), u64::MAX].map(|number| json!(number));
    let other = [json!(true), json!(false), json!(null), json!(""), json!("é"), json!("<"), json!("[\\ud83d")];
    let lists = [json!([]), json!([0, 0]), json!([1, 0]), json!([0, u64::MAX]), json!([255, 60]), json!({})];
    numbers.into_iter().chain(other).chain(lists).collect()
}

/// The checksum detects a change of any value.
///
/// With a forged checksum, a changed value leads to nothing worse than a wrong view.
#[test]
fn a_forged_checkpoint_is_an_error_or_a_parser_that_stays_within_the_limits() {
    // Of two pieces: a place in the checkpoint, and a value.
    let mut sweep = Sweep::sampled(2, 4).thinned(10);
    for policy in policies() {
        for (syntax, stream) in streams() {
            let rests: [&[u8]; 4] = match syntax {
                Syntax::Markup => [
                    b"",
                    b"\xE3",
                    b"<suggest mode='x'>&am",
                    b"`>\xE2\x82 x\"></mode></content></suggest></question><suggest>Z</suggest></ask_followup_question>",
                ],
                Syntax::Arguments => [
                    b"",
                    b"\xE3",
                    b".5e+1]\\ud83d\\ude00\\u12x\"",
                    b"\"}], \"question\": \"zzzzz\", \"options\": [\"o\", {\"mode\": \"n\", \"answer\": \"p\"}], \
                        \"suggest\": \"l\\nm\"} ",
                ],
            };
            for at in (0..=stream.len()).step_by(7) {
                let mut parser = syntax.parser(policy.clone());
                drop(parser.feed_bytes(&stream.as_bytes()[..at]));
                let stored = serde_json::to_value(parser.checkpoint()).unwrap();
                let elsewhere =
                    paths(&stored).into_iter().step_by(5).map(|path| stored.pointer(&path).unwrap().clone());
                let values: Vec<Value> = forgeries().into_iter().chain(elsewhere).collect();
                for (path, value) in
                    paths(&stored).iter().flat_map(|path| values.iter().map(move |value| (path, value)))
                {
                    if sweep.tries(2) {
                        let mut forged = stored.clone();
                        *forged.pointer_mut(path).unwrap() = value.clone();
                        let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                        let is_same = checkpoint == parser.checkpoint();
                        assert_eq!(Parser::resume(policy.clone(), checkpoint.clone()).is_ok(), is_same, "{path}");
                        let resealed = checkpoint.with_valid_checksum();
                        let Ok(parser) = Parser::resume(policy.clone(), resealed) else { continue };
                        rests.iter().for_each(|rest| stays_within_the_limits(&mut parser.clone(), rest));
                    }
                }
            }
        }
    }
}

/// The text of an incomplete tag, that of a whole one with text after it, and a flag of either.
///
/// The text is stored in some list of bytes, which is found by what it says.
#[test]
fn a_forged_checkpoint_whose_incomplete_tag_is_whole_does_not_panic() {
    let policy = Arc::new(Policy::new());
    let mut parser = Parser::new(policy.clone());
    let (before, incomplete) = ("<ask_followup_question><question>Q</question><suggest>A", "</sugge");
    drop(parser.feed(&[before, incomplete].concat()));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let is_its_text = |path: &String| *stored.pointer(path).unwrap() == json!(incomplete.as_bytes());
    let texts: Vec<String> = paths(&stored).into_iter().filter(is_its_text).collect();
    assert!(!texts.is_empty(), "the incomplete tag is stored: {stored}");
    let flags: Vec<String> =
        paths(&stored).into_iter().filter(|path| stored.pointer(path).unwrap().is_boolean()).collect();
    let mut resumed = 0;
    for bytes in ["</suggest>zz", "<suggest>zz", "<suggest mode='x'>z", "<read_file>zz", "<question>z", incomplete] {
        for (text, flag) in texts.iter().flat_map(|text| flags.iter().map(move |flag| (text, flag))) {
            for set in [false, true] {
                let mut forged = stored.clone();
                *forged.pointer_mut(text).unwrap() = json!(bytes.as_bytes());
                *forged.pointer_mut(flag).unwrap() = json!(set);
                let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap();
                let Ok(parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { continue };
                resumed += usize::from(bytes != incomplete);
                for rest in ["x", "", ">", "</suggest></ask_followup_question>"] {
                    stays_within_the_limits(&mut parser.clone(), rest.as_bytes());
                }
            }
        }
    }
    assert!(resumed > 0, "each whole tag is refused");
}

/// Calls of question tools in envelopes, as JSON, as a string and as parameters.
const QUESTION_TOOLS: &str = "<tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": {\"questions\": [{\"header\": \"H\", \
    \"question\": \"Q\", \"options\": [{\"label\": \"L\", \"description\": \"d\"}, \"M\"]}]}}</tool_call>\n\
    <tool_call>{\"name\": \"AskUserQuestion\", \"arguments\": \"{\\\"questions\\\": \\\"[{}]\\\"}\"}</tool_call>\n\
    <invoke name=\"AskUserQuestion\"><parameter name=\"questions\">[{\"question\": \"Q\"}]</parameter></invoke>\n\
    <invoke name=\"ask_user\"><parameter name=\"question\"> Q  </parameter><parameter name=\"options\">A\nB </parameter></invoke>";

/// A stored text or list is no longer than the limits allow, whatever the checksum says.
#[test]
fn a_forged_checkpoint_with_more_than_the_limits_allow_is_an_error() {
    let limits = Limits {
        question: 100,
        answer: 20,
        suggestions: 4,
        tag: 200,
        unconfirmed: 300,
        questions: 3,
        header: 20,
        description: 40,
        texts: 300,
    };
    let policy =
        Policy::new().with_limits(limits).with_envelopes(Envelopes::all()).with_call_start(CallStart::OutsideCode);
    let policy = Arc::new(policy);
    let tools = [
        (
            "AskUserQuestion",
            r#" {"questions":"[{\"question\":\"Q?\",\"options\":[\"A\", {\"label\":\"L\"}]}]", "x": 1}"#,
        ),
        (
            "elicitation/create",
            r#"{"requestedSchema":{"required":["a"],"properties":{"a":{"enum":["x","y"],"title":"T"}}}}"#,
        ),
        ("ask_user", r#"{"question":"a\\n","options":{"A":"b"},"placeholder":"p","options":"A\nB"}"#),
    ];
    let markup = [MESSAGE, ENTITIES, NO_TAGS, ENVELOPES, BY_CHOICE, CODE, QUESTION_TOOLS];
    let parsers = markup.map(|stream| (Parser::new(policy.clone()), stream)).into_iter();
    let parsers = parsers.chain(ARGUMENTS.map(|stream| (Parser::arguments(policy.clone()), stream)));
    let parsers =
        parsers.chain(tools.map(|(tool, stream)| (Parser::arguments_of(tool, policy.clone()).unwrap(), stream)));
    let long = ["x", " "].map(|one| json!(one.repeat(20_000)));
    for (mut parser, stream) in parsers {
        for piece in stream.as_bytes().chunks(if Sweep::is_short() { 61 } else { 3 }) {
            drop(parser.feed_bytes(piece));
            let stored = serde_json::to_value(parser.checkpoint()).unwrap();
            for path in paths(&stored) {
                let value = stored.pointer(&path).unwrap();
                let forgeries = match value {
                    Value::String(_) => long.to_vec(),
                    Value::Array(items) => {
                        vec![json!(items.iter().cycle().take(1_000 * items.len()).collect::<Vec<_>>())]
                    }
                    _ => continue,
                };
                for forgery in forgeries.into_iter().filter(|forgery| forgery != value) {
                    let mut forged = stored.clone();
                    *forged.pointer_mut(&path).unwrap() = forgery;
                    let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                    let resumed = Parser::resume(policy.clone(), checkpoint.with_valid_checksum());
                    assert!(resumed.is_err(), "{path}, which was {value}, in {stream}");
                }
            }
        }
    }
}
