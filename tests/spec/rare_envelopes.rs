//! Calls in envelopes: their headers, also at their limit, and what follows them, for all families.
//!
//! The sweeps of `tests/laws` reach few of these places: a call and what follows it are more pieces
//! than a sweep has.

use std::sync::Arc;

use followup::wire::{Format, ResponseParser};
use followup::{Entities, Envelope, Envelopes, Event, Limits, Parser, Policy, Tools};
use followup_testing::{Stream, Syntax, Transcript};

use crate::common::reference::{Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{atoms, oracle, policy};

mod thinking;

/// A call as each family writes it, without its end.
const CALLS: [&str; 18] = [
    "<tool_call>{\"é\":\"é€\",\"name\":\"NAME\",\"arguments\":ARGS}",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS}",
    "<tool_call>```json\n{\"name\":\"NAME\",\"arguments\":ARGS}",
    "<tool_call>\n{\"arguments\":\"{}\",\"name\":\"NAME\"",
    "{\"name\":\"NAME\",\"arguments\":ARGS}",
    "<function=NAME>ARGS",
    "<tool_call> <function=NAME> ```\nARGS",
    "<invoke name=\"NAME\"><parameter name=\"question\">Q</parameter>",
    "<xai:function_call name=\"NAME\"><parameter name=\"question\">Q</parameter>",
    "<tool_call>NAME <arg_key>question</arg_key><arg_value>Q</arg_value>",
    "<tool_call>\nNAME ```json \nARGS",
    "<|start|>assistant to=NAME<|channel|>commentary json<|message|>ARGS",
    "<|channel|>analysis to=functions.NAME <|constrain|>json<|message|>ARGS",
    "<|tool_calls_section_begin|><|tool_call_begin|> functions.NAME:0<|tool_call_argument_begin|>ARGS",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\nARGS",
    "[TOOL_CALLS] [{\"name\":\"NAME\",\"arguments\":ARGS}",
    "[TOOL_CALLS]NAME[CALL_ID]a1[ARGS]ARGS",
    "<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}",
];

/// What may follow a call, or only seems to.
const NEXT: [&str; 40] = [
    "", " ", "}", " }", "}}", "} }", "} x", "};", "},", "}]", "]", " ]x", ",", ", ,", ";", " ; ;", ";,", ",;", ";}",
    ",}", ",]", "; x", ", x", "`", "`{", "``{", "``", "```", "``x", "```\n", "```}", "```x", "`` `", "{", ";{", ",{",
    ";é", "é", "<", "<x>",
];

/// What may follow that.
const ENDS: [&str; 14] = [
    "{\"name\":\"f\",\"arguments\":{}}</tool_call>x",
    "</tool_call>x",
    " </function> x",
    "</invoke>\n</function_calls>x",
    "<|call|>x",
    "<|tool_call_end|> x",
    "<|tool_call_end|><|tool_calls_section_end|>x",
    "<｜tool▁call▁end｜> <｜tool▁calls▁end｜>x",
    "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}",
    "<|tool_call_begin|>f<|tool_call_argument_begin|>{}",
    "<|eom_id|>x",
    " {\"name\":\"f\",\"arguments\":{}}</tool_call>]x",
    "<invoke name='f'></invoke>",
    "",
];

fn written(form: &str, name: &str) -> String {
    // `[ARGS]` is a part of the header.
    let parts = form.split("[ARGS]").map(|part| part.replace("ARGS", "{\"question\":\"Q\"}"));
    parts.collect::<Vec<_>>().join("[ARGS]").replace("NAME", name)
}

/// Asserts that a stream means what the reference reader says, whole and byte by byte.
fn check(text: &str, rules: &Rules) {
    let bytes = text.as_bytes();
    check_chunks(text, rules, [bytes.chunks(bytes.len().max(1)).collect(), bytes.chunks(1).collect()]);
}

/// Does the same, and also cuts the text in two at each byte.
fn check_each_cut(text: &str, rules: &Rules) {
    check(text, rules);
    let bytes = text.as_bytes();
    check_chunks(text, rules, (1..bytes.len()).map(|cut| vec![&bytes[..cut], &bytes[cut..]]));
}

fn check_chunks<'t>(text: &str, rules: &Rules, all: impl IntoIterator<Item = Vec<&'t [u8]>>) {
    let stream = Stream::new(Syntax::Markup, text);
    let policy = Arc::new(policy(rules));
    let expected = oracle(Syntax::Markup, &stream, rules);
    for chunks in all {
        let first = chunks.first().map_or(0, |chunk| chunk.len());
        let shown = atoms(&Transcript::of(&mut stream.parser(policy.clone()), chunks));
        assert!(
            shown == expected,
            "{text:?}, the first chunk has {first} bytes, at most {}\nexpected {}\nshown {}",
            rules.unconfirmed,
            describe(&expected),
            describe(&shown)
        );
    }
}

#[test]
fn what_follows_a_call_means_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let mut sweep = Sweep::new(1);
    for call in CALLS {
        for (name, next) in ["f", "ask_followup_question"].iter().flat_map(|name| NEXT.map(|next| (name, next))) {
            for end in ENDS.into_iter().filter(|_| sweep.tries(1)) {
                check(&(written(call, name) + next + end), &rules);
            }
        }
    }
}

/// Headers that are right, or nearly so.
const HEADERS: [&str; 27] = [
    "[TOOL_CALLS]NAME[C]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CxLL_ID]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_IDx]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_Ix]a1[ARGS]ARGS",
    "<tool_call><tool_call>{\"name\":\"NAME\",\"arguments\":ARGS}</tool_call>x",
    "<tool_call> <function_calls>\n{\"name\":\"NAME\",\"arguments\":ARGS}</tool_call>x",
    "<tool_call>NAME<tool_call>NAME ARGS</tool_call>x",
    "<tool_call><parameter=question>Q</parameter></tool_call>",
    "<tool_call></tool_call><tool_call>NAME</tool_call>",
    "<function=NAME><function=NAME>ARGS</function>x",
    "<|start|>assistant x<|channel|>commentary to=NAME<|message|>ARGS<|call|>x",
    "<|start|>assist<|channel|>commentary to=NAME<|message|>ARGS<|call|>x",
    "<|channel|>comment<|constrain|>json to=NAME<|message|>ARGS<|call|>x",
    "<|start|>assistant to=NAME<|channel|>comment<|message|>ARGS<|call|>x",
    "<|start|>assistant<|channel|>commentary<|message|>ARGS<|call|>x",
    "<|start|>assistant<|start|>assistant to=NAME<|channel|>commentary<|message|>ARGS<|call|>x",
    "<|channel|>analysis<|channel|>analysis to=NAME<|message|>ARGS<|call|>x",
    "<|channel|>final to=NAME x y<|message|>ARGS<|call|>x",
    "<|channel|>final to=NAME x<|channel|>final to=NAME<|constrain|>json<|message|>ARGS<|call|>x",
    "<|tool_call_begin|> <|tool_call_argument_begin|>ARGS<|tool_call_end|>x",
    "<|tool_call_begin|>NAME<|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS<|tool_call_end|>x",
    "<|tool_calls_section_begin|><|tool_calls_section_begin|><|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS",
    "<｜tool▁call▁begin｜><｜tool▁sep｜>ARGS<｜tool▁call▁end｜>x",
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜> \nNAME\n```json\nARGS\n```<｜tool▁call▁end｜>x",
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>function<｜tool▁sep｜>NAME ARGS<｜tool▁call▁end｜>x",
    "<｜tool▁call▁begin｜>NAME<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS<｜tool▁call▁end｜>x",
];

/// The opening line of a fence, or what only seems to be one.
const FENCES: [&str; 22] = [
    "```json\n",
    "```\n",
    "``\n",
    "`\n",
    "````\n",
    "```abcdefghijklmnop\n",
    "```abcdefghijklmnopq\n",
    "``json\n",
    "`json\n",
    "json\n",
    "```json x\n",
    "``` json\n",
    "```json \t\r\n",
    "```json\n \n\t",
    "```json\nx",
    "```json\n`",
    "```json",
    "```js1\n",
    "`` `\n",
    "``` `\n",
    "```json`\n",
    "`` \n",
];

#[test]
fn what_seems_to_be_a_header_or_a_fence_means_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let openers = [
        "<tool_call>FENCE{\"name\":\"NAME\",\"arguments\":ARGS}\n```\n</tool_call>x",
        "<function=NAME> FENCEARGS```</function>x",
        "<tool_call>NAME FENCEARGS\n``` </tool_call>x",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME FENCEARGS\n```<｜tool▁call▁end｜>x",
    ];
    let fenced = openers.iter().flat_map(|opener| FENCES.map(|fence| opener.replace("FENCE", fence)));
    for form in HEADERS.map(String::from).into_iter().chain(fenced) {
        for name in ["f", "ask_followup_question"] {
            check(&written(&form, name), &rules);
        }
    }
}

/// What is no header is shown with the byte that decides this, not later.
#[test]
fn what_is_no_header_is_shown_at_once() {
    let spaces = " ".repeat(64);
    let limited = |header: &str| (header.to_owned() + &spaces[header.len()..], " ");
    let exact = |header: &str, next| (header.to_owned(), next);
    for (header, next) in [
        limited("<tool_call>"),
        limited("<function=f>"),
        limited("<tool_call>f"),
        limited("<invoke name=f>```"),
        limited("<invoke name=f>```\n"),
        limited("<|channel|>analysis"),
        limited("[TOOL_CALLS]"),
        limited("<|python_tag|>"),
        limited("<|python_tag|>{"),
        exact("{\"name\":\"ask_followup_question\",\"arguments\":", "\""),
        exact("{\"name\":\"ask_followup_question\",\"arguments\":", "1"),
        exact("<tool_call>f<arg_key ", "x"),
        exact("<tool_call>``", "\n"),
        exact("<tool_call>```a", "1"),
        exact("[TOOL_CALLS]f[CALL_", "]"),
    ] {
        let policy = policy(&Rules { envelopes: Envelopes::all(), unconfirmed: 64, ..Rules::default() });
        let mut parser = Parser::new(Arc::new(policy));
        let mut shown = |text: &str| {
            let mut shown = String::new();
            parser.feed(text).for_each(|event| match event {
                Event::Text(text) => shown.push_str(text),
                event => panic!("{event:?}"),
            });
            shown
        };
        assert_eq!((shown(&header), shown(next)), (String::new(), header.clone() + next));
    }
}

#[test]
fn headers_and_what_follows_a_call_at_every_limit_mean_what_the_reference_says() {
    for (call, name) in CALLS.iter().flat_map(|call| [(call, "f"), (call, "ask_followup_question")]) {
        let call = written(call, name);
        for unconfirmed in 0..call.len() {
            check(&call, &Rules { envelopes: Envelopes::all(), unconfirmed, ..Rules::default() });
        }
        // As much space after the call as the limit allows, with what separates it from the next.
        for (separator, end) in [("", "x"), ("", "</tool_call>x"), ("", "{"), (",", "{"), (";", "{"), (";", "x")] {
            let unconfirmed = call.len();
            for spaces in unconfirmed - 3..=unconfirmed - separator.len() {
                let rules = Rules { envelopes: Envelopes::all(), unconfirmed, ..Rules::default() };
                check(&format!("{call}{}{separator}{end}", " ".repeat(spaces)), &rules);
            }
        }
    }
}

/// No byte after the last one can make the call longer, or change what it means.
#[test]
fn a_call_is_final_at_the_byte_that_decides_its_end() {
    for (text, end, is_final) in [
        ("<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}", "", false),
        ("<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}", " \n", false),
        ("<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}", ";", true),
        ("<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS} ", ";", true),
        ("<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}}", ";", true),
        ("[TOOL_CALLS][{\"name\":\"NAME\",\"arguments\":ARGS}", ",", false),
        ("[TOOL_CALLS][{\"name\":\"NAME\",\"arguments\":ARGS},", "{", true),
        ("[TOOL_CALLS][{\"name\":\"NAME\",\"arguments\":ARGS}", "]", true),
        ("[TOOL_CALLS]NAME{\"question\":\"Q\"", "}", true),
        ("{\"name\":\"NAME\",\"arguments\":ARGS", "}", true),
        ("<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS}", "}", false),
        ("<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS}}", "x", true),
    ] {
        let mut parser = Parser::new(Arc::new(Policy::new().with_envelopes(Envelopes::all())));
        let mut ends = |text: &str| {
            let mut ends = 0;
            parser.feed(text).for_each(|event| ends += usize::from(matches!(event, Event::Complete(_))));
            ends
        };
        let prefix = written(text, "ask_followup_question");
        assert_eq!((ends(&prefix), ends(end)), (0, usize::from(is_final)), "{prefix} then {end}");
    }
}

#[test]
fn a_semicolon_after_a_call_that_has_no_room_in_a_header_is_text_at_once() {
    let policy = policy(&Rules { envelopes: Envelopes::all(), unconfirmed: 64, ..Rules::default() });
    let mut parser = Parser::new(Arc::new(policy));
    parser
        .feed("<|python_tag|>{\"name\":\"ask_followup_question\"}")
        .for_each(|event| assert!(matches!(event, Event::Partial(_)), "{event:?}"));
    parser.feed(&" ".repeat(64)).for_each(|event| assert!(!matches!(event, Event::Text(_)), "{event:?}"));
    let mut text = String::new();
    parser.feed(";").for_each(|event| text += if let Event::Text(text) = event { text } else { "" });
    assert_eq!(text, " ".repeat(64) + ";");
}

/// "In as much text as the `unconfirmed` limit": the text that was kept back counts, and what
/// follows it.
#[test]
fn no_envelope_starts_soon_after_a_tag_that_was_only_named() {
    let rules = Rules { envelopes: Envelopes::all(), unconfirmed: 48, ..Rules::default() };
    for call in
        ["<function=f></function>x", "\n{\"name\":\"ask_followup_question\",\"arguments\":ARGS}", "[TOOL_CALLS]f{}"]
    {
        for before in ["", "<", "</", "<quest", "<tool_call", "`", "é"] {
            for len in 0..56 {
                let text = "<ask_followup_question>".to_owned() + &"x".repeat(len) + before + call;
                check(&written(&text, "f"), &rules);
            }
        }
    }
}

/// Objects around the arguments: the first key that fits counts, and only at its level.
const OBJECTS: [&str; 30] = [
    "{\"name\":1,\"tool\":\"NAME\",\"arguments\":ARGS}",
    "{\"name\":null,\"tool_name\":\"NAME\",\"arguments\":ARGS}",
    "{\"name\":[\"g\"],\"name\":\"NAME\",\"arguments\":ARGS}",
    "{\"name\":{\"name\":\"g\"},\"name\":\"NAME\",\"arguments\":ARGS}",
    "{\"name\":\"NAME\",\"name\":\"g\",\"arguments\":ARGS}",
    "{\"name\":\"NAME\",\"function\":\"g\",\"arguments\":ARGS}",
    "{\"name\":\"NAME\",\"function\":{\"name\":\"g\",\"arguments\":ARGS}}",
    "{\"function\":\"NAME\",\"tool\":\"g\",\"input\":ARGS}",
    "{\"function\":{\"name\":\"NAME\",\"arguments\":ARGS}}",
    "{\"function\":{\"name\":\"NAME\"},\"arguments\":ARGS}",
    "{\"function\":{\"arguments\":ARGS},\"name\":\"NAME\"}",
    "{\"function\":{\"function\":{\"name\":\"g\"},\"name\":\"NAME\",\"args\":ARGS}}",
    "{\"function\":1,\"name\":\"NAME\",\"args\":ARGS}",
    "{\"id\":\"i\",\"type\":\"function\",\"name\":\"NAME\",\"parameters\":ARGS}",
    "{\"id\":1,\"name\":\"NAME\",\"parameters\":ARGS}",
    "{\"x\":{\"name\":\"g\",\"arguments\":{}},\"name\":\"NAME\",\"arguments\":ARGS}",
    "{\"x\":[{\"name\":\"g\"}],\"name\":\"NAME\",\"arguments\":ARGS,\"y\":{\"arguments\":{}}}",
    "{\"name\":\"NAME\",\"x\":\"arguments\",\"arguments\":ARGS}",
    "{\"name\":\"NAME\",\"arguments\":ARGS,\"arguments\":{\"question\":\"R\"}}",
    "{\"name\":\"NAME\",\"arguments\":ARGS,\"input\":{\"question\":\"R\"},\"name\":\"g\"}",
    "{\"arguments\":ARGS,\"name\":\"NAME\"}",
    "{\"name\":\"NAME\",\"arguments\":[1]}",
    "{\"name\":\"NAME\",\"arguments\":null}",
    "{\"name\":\"NAME\",\"arguments\":\"{\\\"question\\\":\\\"Q\\\\u00e9\\\"}\\n\"}",
    "{\"name\":\"NAME\",\"arguments\":\"{\\\"question\\\":\\\"Q\\\"} x\"}",
    "{\"name\":\"NAME\"}",
    "{\"name\":\"NAME x\",\"arguments\":ARGS}",
    "{\"name\":\"\",\"tool\":\"NAME\",\"arguments\":ARGS}",
    "{\"n\\u0061me\":\"N\\u0061ME\",\"\\u0061rguments\":ARGS}",
    "{\"nam\":\"g\",\"names\":\"g\",\"name\" : \"NAME\" , \"arguments\" : ARGS }",
];

#[test]
fn objects_around_the_arguments_mean_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for object in OBJECTS {
        for form in ["<tool_call>OBJECT</tool_call>x", "OBJECT x", "[TOOL_CALLS][OBJECT]x", "<|python_tag|>OBJECT;x"] {
            for name in ["f", "ask_followup_question"] {
                check(&written(&form.replace("OBJECT", object), name), &rules);
            }
        }
    }
}

/// Returns the questions that are asked.
fn asked(text: &str) -> Vec<String> {
    let mut parser = Parser::new(Arc::new(Policy::new()));
    let transcript = Transcript::of(&mut parser, text.as_bytes().chunks(1));
    transcript.complete().map(|call| call.question.clone().unwrap_or_default()).collect()
}

/// A call of ours, complete.
const REAL: &str = "<function=ask_followup_question><parameter=question>Real?</parameter></function>";

#[test]
fn an_opener_in_code_after_a_call_without_its_end_begins_no_call() {
    let rules = Rules { envelopes: Envelopes::default(), ..Rules::default() };
    let markup = Rules { outside_code: true, ..rules.clone() };
    let ours = "<function=ask_followup_question><parameter=question>First?</parameter>";
    // By default one in four is cut at each byte.
    let mut sweep = Sweep::new(2).thinned(4);
    for call in [
        "<function=f><parameter=x>1</parameter>",
        "<tool_call><function=f><parameter=x>1</parameter>",
        ours,
        "<xai:function_call name=\"f\"><parameter name=\"x\">1</parameter></function>",
        "<tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value>",
        "<tool_call>{\"name\":\"f\",x",
        "<|channel|>final to=f<|message|>{x",
        "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{x",
    ] {
        for (before, after) in
            [("\n```\n", "\n```\n"), ("\n~~~ x\n", "\n~~~\n"), (" `", "`"), ("\n`` a` ", "``"), (" `a`", "")]
        {
            for quoted in [
                "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Quoted?\"}}</tool_call>",
                "<function=ask_followup_question><parameter=question>Quoted?</parameter></function>",
                "<|tool_call_begin|>ask_followup_question<|tool_call_argument_begin|>{\"question\":\"Quoted?\"}",
            ] {
                let text = format!("{call}{before}{quoted}{after}\n{REAL}x");
                let expected = if call == ours { vec!["First?", "Real?"] } else { vec!["Real?"] };
                assert_eq!(asked(&text), expected, "{text:?}");
                // The JSON of the second is ill-formed at a back-tick.
                for text in [text, format!("<function=f>{{`{before}{quoted}{after}\n{REAL}x")] {
                    if sweep.tries(1) { check_each_cut(&text, &rules) } else { check(&text, &rules) }
                }
            }
            // Without the quotes, it is asked: so the test can fail.
            assert!(asked(&format!("{call}\n{REAL}")).contains(&"Real?".to_owned()), "{call:?}");
            check_each_cut(&format!("{call}{before}<read_file>a</read_file>{after}<ask_followup_question>"), &markup);
        }
    }
}

#[test]
fn an_opening_tag_right_after_a_back_tick_is_text_in_a_value() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for (before, tag, after) in [
        ("<function=ask_followup_question><parameter=question>", "<parameter=path>", "</parameter></function>"),
        ("<tool_call name=ask_followup_question><parameter=question>", "<parameter=path>", "</parameter></tool_call>"),
        ("<invoke name='ask_followup_question'><parameter name='question'>", "<parameter name='x'>", "</invoke>"),
        (
            "<｜DSML｜invoke name='ask_followup_question'><｜DSML｜parameter name='question'>",
            "<｜DSML｜parameter name='x'>",
            "</｜DSML｜parameter></｜DSML｜invoke>",
        ),
        ("<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>", "<arg_key>", "</tool_call>"),
    ] {
        let question = format!("Shall I rename `{tag}` in the prompt?");
        assert_eq!(asked(&format!("{before}{question}{after}")), [question.as_str()]);
        for end in [&format!("`{tag}` {after}x"), &format!("``{tag}"), &format!("` {tag}"), "`</parameter>x", "`"] {
            check_each_cut(&format!("{before}a {end}"), &rules);
        }
    }
    let list = "<function=ask_followup_question><parameter=question>Q</parameter><parameter=follow_up>[\"`";
    check_each_cut(&format!("{list}<parameter=path>`\"]</parameter></function>"), &rules);
    check_each_cut(&format!("{list}\"]<parameter=path>`</parameter></function>"), &rules);
    check_each_cut("<function=ask_followup_question><parameter=arguments>{\"question\":\"Q\"}`<parameter=x>1", &rules);
}

/// The back-ticks that close the fence of a call without its end open no code.
#[test]
fn a_call_after_ill_formed_json_in_a_fence_is_asked() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for opener in
        ["<tool_call>```json\n{\"name\":\"NAME\",\"arguments\":", "<function=NAME>```\n", "<tool_call>NAME ```\n"]
    {
        for (wrong, is_asked) in [
            ("{\"question\":\"Q\"\n```\n", true),
            ("{\"question\":\"Q\" ```\n", true),
            ("{\"question\":\"Q\",,}}\n \t```\n", true),
            ("{\"question\":\"Q\",,}}\n```` \n", false),
            ("{'question': 'use ```'}}\n```\n", true),
            ("{'question': 'Q'}}\n```", true),
            ("{```", true),
            ("{'question': 'Q'}}\n``\n```\n", true),
            ("{'question': 'Q'}}\n<b>\n```\n", true),
            ("{'question': 'Q'}}\n<b>```\n", false),
            ("{'question': 'Q'}}\n</function\n```\n", true),
            // Code after the fence is code.
            ("{'question': 'Q'}}\n```\nAs in\n```\n", false),
            ("{'question': 'Q'}}\n```\nAs in\n```\n{}\n```\n", true),
            // The fence is not closed.
            ("{'question': 'Q'}}\n", true),
        ] {
            for name in ["f", "ask_followup_question"] {
                let text = opener.replace("NAME", name) + wrong + REAL + "x";
                check_each_cut(&text, &rules);
                assert_eq!(!asked(&text).is_empty(), is_asked, "{text:?}");
            }
        }
    }
    let deepseek = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{,}\n```";
    for end in ["<｜tool▁call▁end｜>", "<｜tool▁call▁end｜>\n```", ""] {
        check_each_cut(&format!("{deepseek}{end}\n{REAL}x"), &rules);
    }
}

/// The bytes of a tag that is shown before it is complete count for what code is open.
#[test]
fn an_incomplete_tag_of_another_tools_call_may_begin_code() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let call = "<function=f><parameter=x>1</parameter>";
    for between in [" <parameter=`", "\n</fun```\n\n", "\n</fun\n```\n", "<param`", " </`` ` "] {
        let text = format!("{call}{between}{REAL}x");
        check_each_cut(&text, &rules);
    }
}

#[test]
fn back_ticks_after_other_text_on_their_line_begin_a_code_span() {
    let rules = Rules { envelopes: Envelopes::default(), ..Rules::default() };
    let quoted = "<function=ask_followup_question><parameter=question>Quoted?</parameter></function>";
    for before in ["1. ", "- ", "> ", "So: "] {
        let fenced = |blank: &str| format!("{before}```xml\n   <a/>\n{blank}   {quoted}\n   ```\nNow:\n{REAL}x");
        // A span ends at a blank line, and the last back-ticks open a fence.
        for (blank, expected) in [("", "Real?"), ("\n", "Quoted?"), (" \t\n", "Quoted?")] {
            let text = fenced(blank);
            assert_eq!(asked(&text), [expected], "{text:?}");
            check_each_cut(&text, &rules);
        }
    }
}

#[test]
fn attributes_and_ends_of_tags_mean_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    // The stream ends after what is no tag of a key or of a value.
    for tag in ["<arg_key x", "<arg_value x", "<arg_key =", "<arg_key /", "</arg_key x", "</arg_value x"] {
        check(&format!("<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>a {tag}"), &rules);
        check(&format!("<tool_call>f{tag}"), &rules);
    }
    let call = |tag: &str| format!("{tag}<parameter name=\"question\">Q</parameter></invoke>x");
    let calls = [
        "<invoke name=\"\" name=\"NAME\">",
        "<invoke name=\" \" name=' NAME '>",
        "<invoke name=\"NAME\" name=\"g\">",
        "<invoke x=\"name\" name=NAME>",
        "<invoke name=\"NAME\"/>",
        "<invoke name=\"NAME\" / >",
        "<invoke name=\"NAME x\">",
        "<invoke>",
        "<function=NAME/>",
        "<function= NAME >",
        "<function name=\"NAME\">",
        "<function=\"NAME\">",
        "<tool_call name=\"NAME\">",
        "<tool_call name=\"NAME\"/>",
        "<tool_call/><invoke name=\"NAME\">",
        "<tool_calls><tool_call name=\"NAME\">",
        "<tool_use name=\"NAME\">",
        "<｜DSML｜tool_use name=\"NAME\">",
        "<||DSML||invoke name=\"NAME\">",
        "< ｜ DSML ‖ invoke name=\"NAME\">",
        "<|||DSML|invoke name=\"NAME\">",
        "<|DSML|||invoke name=\"NAME\">",
        "<|DSMLinvoke name=\"NAME\">",
        "<DSML|invoke name=\"NAME\">",
        "<   |DSML|invoke name=\"NAME\">",
        "<|DSML|   invoke name=\"NAME\">",
        "<xai:invoke name=\"NAME\">",
        "<xai:tool_call name=\"NAME\">",
        "<seed:function=NAME>",
        "<xml:invoke name=\"NAME\">",
    ];
    let parameters = [
        "<parameter name=\"question\" name=\"x\">Q",
        "<parameter name=\" \" name=\"question\">Q",
        "<parameter name=\"question\"/>Q",
        "<parameter name=\"question\"mode/>Q",
        "<parameter name=\"question\" mode/>Q",
        "<parameter name=\"question\"mode>Q",
        "<parameter=question/>Q",
        "<parameter= question >Q",
        "<parameter=>Q",
        "<parameter>Q",
        "<parameter name=\"question\" string=\"false\">\"Q\" x",
        "<parameter string='false' name=\"question\"> Q",
        "<parameter name=\"question\" string=\"true\">\"Q\"",
        "<parameter name=\"question\" x=\"false\">\"Q\"",
        "<xai:parameter name=\"question\">Q",
    ];
    // After the name of a close tag, and after that of an opening tag.
    let ends = ["", " ", " x", "\"", "=", "/", "/ x", "x", "-", "\"x=/ y", " <b"];
    for name in ["f", "ask_followup_question"] {
        for tag in calls {
            check(&written(&call(tag), name), &rules);
        }
        for parameter in parameters {
            check(&written(&format!("<invoke name=\"NAME\">{parameter}</parameter></invoke>x"), name), &rules);
        }
        for end in ends {
            for text in [
                format!("<invoke name=\"NAME\"><parameter name=\"question\">Q</parameter{end}></parameter></invoke>x"),
                format!("<invoke name=\"NAME\"><parameter name=\"question\">Q</parameter></invoke{end}></invoke>x"),
                format!("<tool_call>{{\"name\":\"NAME\",\"arguments\":ARGS}}</tool_call{end}></tool_call>x"),
                format!("<tool_call{end}>{{\"name\":\"NAME\",\"arguments\":ARGS}}</tool_call>x"),
                format!("<function{end}NAME>ARGS</function>x"),
                format!("<tool_call>NAME<arg_key{end}>question</arg_key><arg_value>Q</arg_value></tool_call>x"),
                format!(
                    "<tool_call>NAME<arg_key>question</arg_key{end}></arg_key><arg_value{end}>Q</arg_value></tool_call>x"
                ),
            ] {
                check(&written(&text, name), &rules);
            }
        }
    }
}

#[test]
fn tags_of_envelopes_at_every_limit_mean_what_the_reference_says() {
    for call in CALLS.map(|call| written(call, "ask_followup_question")) {
        for end in ["</tool_call>x", "</invoke>\n</function_calls>x", "<|tool_call_end|><|tool_calls_section_end|>x"] {
            for tag in 1..72 {
                check(&(call.clone() + end), &Rules { envelopes: Envelopes::all(), tag, ..Rules::default() });
            }
        }
    }
    // Every way to write the separators of tokens, and space around bars.
    for text in [
        "<｜tool_calls begin｜><｜tool\\_call▁begin｜>f<｜tool sep｜>{}<｜tool_call\\_end｜><｜tool calls end｜>x",
        "<｜tool▁calls｜><｜tool_call_begin｜>f<｜tool_sep｜>{}<｜tool_call_end｜>x",
        "< ｜ DSML ｜ invoke name=\"f\"></ ‖ DSML ‖ invoke>x",
    ] {
        for tag in 1..72 {
            check(text, &Rules { envelopes: Envelopes::all(), tag, ..Rules::default() });
        }
    }
}

#[test]
fn parameters_that_hold_all_arguments_mean_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let parameter = |key: &str, value: &str| {
        [
            format!("<parameter={key}>{value}</parameter>"),
            format!("<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"),
        ]
    };
    let (first, second) = ("{\"question\":\"Q\"}", " {\"question\":\"R\"} y");
    for key in ["arguments", "input", "parameters", "args", " args ", "argument", "x", "question"] {
        for (before, after) in [("", ""), ("x", ""), ("question", ""), ("", "args"), ("", "question")] {
            let of = |key: &str, value| if key.is_empty() { <[String; 2]>::default() } else { parameter(key, value) };
            let [xml, keys] =
                [0, 1].map(|i| [of(before, "1"), of(key, first), of(after, second)].map(|one| one[i].clone()).concat());
            for name in ["f", "ask_followup_question"] {
                check(&written(&format!("<function=NAME>{xml}</function>x"), name), &rules);
                check(&written(&format!("<tool_call>NAME{keys}</tool_call>x"), name), &rules);
            }
        }
    }
    // A value that has no key of its own means nothing.
    for keys in [
        "<arg_value>Q</arg_value>",
        "<arg_key>question</arg_key><arg_value>Q</arg_value><arg_value>R</arg_value>",
        "<arg_key>question</arg_key><arg_key>x</arg_key><arg_value>Q</arg_value>",
        "<arg_key>x</arg_key><arg_value>{</arg_value><arg_key>args</arg_key><arg_value>{\"question\":\"R\"}</arg_value>",
    ] {
        for name in ["f", "ask_followup_question"] {
            check(&written(&format!("<tool_call>NAME{keys}</tool_call>x"), name), &rules);
        }
    }
}

#[test]
fn a_value_begins_with_its_first_character_that_is_not_blank() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    // A byte order mark is not blank.
    for blank in ["", "\n", "\u{3000}", " \u{85}\u{a0} ", "\u{feff}"] {
        for parameter in [
            format!("<parameter name=\"question\" string=\"false\">{blank}\"</parameter>\"</parameter>"),
            format!("<parameter name=\"args\" string=\"false\">{blank}{{\"question\":\"</parameter>\"}}</parameter>"),
            format!("<parameter=args>{blank}{{\"question\":<tool_call>"),
        ] {
            check(&written(&format!("<function=NAME>{parameter}</function>x"), "ask_followup_question"), &rules);
        }
    }
}

#[test]
fn the_text_between_tokens_of_harmony_is_at_most_160_bytes_long() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for spaces in 120..150 {
        for name in ["f", "ask_followup_question"] {
            for text in [
                format!("<|channel|>final{}to=NAME<|message|>ARGS<|call|>x", " ".repeat(spaces)),
                format!("<|channel|>final to=NAME<|constrain|>json{}<|message|>ARGS<|call|>x", " ".repeat(spaces + 12)),
            ] {
                check(&written(&text, name), &rules);
            }
        }
    }
}

/// Calls that end before the header of the next one, and close tags that come once more.
#[test]
fn calls_of_one_section_mean_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    const KIMI: &str = "<|tool_call_begin|>NAME<|tool_call_argument_begin|>";
    const DEEPSEEK: &str = "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>";
    let section = |begin: &str, calls: &[&str], end: &str| format!("{begin}{}{end} x", calls.concat());
    for name in ["f", "ask_followup_question"] {
        for broken in ["ARGS", "{x", "{\"question\":\"Q\""] {
            for space in ["", " ", " \n y"] {
                for begin in ["<|tool_calls_section_begin|>", ""] {
                    let calls =
                        [KIMI, broken, space, KIMI, "ARGS", "<|tool_call_end|>", space, KIMI, "ARGS<|tool_call_end|>"];
                    check(&written(&section(begin, &calls, "<|tool_calls_section_end|>"), name), &rules);
                }
                for begin in ["<｜tool▁calls▁begin｜>", ""] {
                    let calls = [
                        DEEPSEEK,
                        broken,
                        space,
                        DEEPSEEK,
                        "ARGS<｜tool▁call▁end｜>",
                        space,
                        DEEPSEEK,
                        "ARGS<｜tool▁call▁end｜>",
                    ];
                    check(&written(&section(begin, &calls, "<｜tool▁calls▁end｜>"), name), &rules);
                }
                for begin in ["<function_calls>", ""] {
                    let call = "<invoke name=\"NAME\">";
                    let calls = [call, broken, space, call, "ARGS</invoke>", space, call, "</invoke>"];
                    check(&written(&section(begin, &calls, "</function_calls>"), name), &rules);
                    let calls = [call, space, call, "</invoke>", space, call, "</invoke>", space, "<tool_call>NAME{"];
                    check(&written(&section(begin, &calls, "</function_calls>"), name), &rules);
                }
                let list = "<|python_tag|>{\"name\":\"NAME\",\"parameters\":ARGS}";
                let calls = [list, space, ";", space, &list[14..], space, list];
                check(&written(&section("", &calls, "<|eom_id|>"), name), &rules);
            }
        }
        for (call, end) in [
            ("<tool_call><function=NAME>", "</function>"),
            ("<tool_call><function=NAME>", "</tool_call>"),
            ("<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS}", "</tool_call>"),
            ("<|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS", "<|tool_call_end|>"),
            ("<|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS", "<|tool_calls_section_end|>"),
            ("<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS", "<｜tool▁call▁end｜>"),
            ("<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS", "<｜tool▁calls▁end｜>"),
            ("<|channel|>final to=NAME<|message|>ARGS", "<|call|>"),
            ("<|python_tag|>{\"name\":\"NAME\"}", "<|python_end|>"),
        ] {
            check(&written(&format!("{call}{end}{end}{end}x"), name), &rules);
            check(&written(&format!("{call}{end} {end} {end}x"), name), &rules);
        }
    }
}

#[test]
fn a_close_tag_in_place_of_harmonys_arguments_means_what_the_reference_says() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for name in ["f", "ask_followup_question"] {
        for close in ["</｜DSML｜tool_calls>", "</tool_call>", "</invoke>", "</function_calls>"] {
            for words in ["<|constrain|>json", " json<|constrain|>json", " json", ""] {
                check(
                    &written(&format!("<|channel|>commentary to=functions.NAME{words}<|message|>{close} x"), name),
                    &rules,
                );
            }
        }
    }
}

/// "Bare JSON starts only where nothing but space is before it on its line", and "a line that
/// begins (after tag space)": however much space it is.
#[test]
fn any_space_is_before_the_first_byte_of_a_line_and_none_makes_a_line_begin() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let call = "{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\"}}";
    for space in ["", " ", "   ", "    ", "\t\t\t\t", "            "] {
        for (before, asked) in [("", true), ("\n", true), ("x\n", true), ("INFO", false), ("x", false), ("1.", false)] {
            let text = format!("{before}{space}{call}");
            check(&text, &rules);
            let mut parser = Parser::new(Policy::new());
            let mut complete = false;
            parser.feed(&text).for_each(|event| complete |= matches!(event, Event::Complete(_)));
            assert_eq!(complete, asked, "{text:?}");
            check(&format!("{before}{space}~~~~~~^~~~~\n\n{call}"), &rules);
            check(&format!("{before}{space}```\n\n<invoke name=\"ask_followup_question\">x"), &rules);
        }
    }
}

/// "`NAME` and `KEY` are trimmed of space": of any amount, and of nothing in the middle.
#[test]
fn the_space_around_a_key_may_be_of_any_length() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let spaces = ["", " ", "\n              ", "\n                \r\n\t  "];
    for (before, after) in spaces.iter().flat_map(|before| spaces.map(|after| (before, after))) {
        for key in
            ["question", "follow_up", "question        _id", "question       x", "question follow", "\u{c}question"]
        {
            check(
                &format!(
                    "<tool_call>ask_followup_question\n<arg_key>{before}{key}{after}</arg_key><arg_value>Q</arg_value></tool_call>"
                ),
                &rules,
            );
        }
    }
}

/// "`NAME` and `KEY` are trimmed of space": of tag space, and of no other white space.
#[test]
fn a_name_with_other_white_space_than_that_of_tags_is_another_name() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    for space in [" ", "\n\t", "\u{a0}", "\u{3000}", "\u{c}", "\u{85}"] {
        for (before, after) in [(space, ""), ("", space), (space, space)] {
            let name = format!("{before}ask_followup_question{after}");
            let key = format!("{before}question{after}");
            for text in [
                format!("<function={name}><parameter=question>Q</parameter></function>x"),
                format!("<function=ask_followup_question><parameter={key}>Q</parameter></function>x"),
                format!("<invoke name=\"{name}\"><parameter name=\"question\">Q</parameter></invoke>x"),
                format!("<invoke name=\"ask_followup_question\"><parameter name=\"{key}\">Q</parameter></invoke>x"),
                format!("<invoke name=\"ask_followup_question\"><parameter name=\"{space}\">Q</parameter></invoke>x"),
                format!(
                    "<invoke name=\"ask_followup_question\"><parameter name=\"question\" string=\"{before}false{after}\">\"Q\"</parameter></invoke>x"
                ),
                format!("<tool_call>{name}<arg_key>{key}</arg_key><arg_value>Q</arg_value></tool_call>x"),
            ] {
                check(&text, &rules);
            }
        }
    }
}

/// What an incomplete character may become: characters, or U+FFFD.
const INCOMPLETE: [(&[u8], &[&str]); 5] = [
    (b"\xC3", &["\u{c0}", "\u{e9}", "\u{fffd}"]),
    (b"\xE2", &["\u{2003}", "\u{20ac}", "\u{2581}", "\u{2016}", "\u{fffd}"]),
    (b"\xE3", &["\u{3000}", "\u{3042}", "\u{fffd}"]),
    (b"\xEF\xBD", &["\u{ff5c}", "\u{ff76}", "\u{fffd}"]),
    (b"\xF0\x9F", &["\u{1f600}", "\u{1f4a9}", "\u{fffd}"]),
];

/// After an incomplete character exactly that has been shown on which all agree that it may become.
#[test]
fn what_is_certain_at_an_incomplete_character_is_shown_at_once() {
    let rules = Rules { envelopes: Envelopes::all(), ..Rules::default() };
    let policy = Arc::new(policy(&rules));
    for (form, name) in [
        ("<tool_call>{\"id\":\"a\\u00e9\",\"name\":\"NAME\",\"arguments\":ARGS}</tool_call>x", "ask_followup_question"),
        ("<tool_call>{\"x\":\"\\n\",\"name\":\"NAME\",\"arguments\":{\"x\":\"\\n\"},\"y\":[1]}</tool_call>x", "f"),
        ("{\"name\":\"NAME\",\"arguments\":{\"question\":\"Q \\n\",\"options\":[\"A\"]}}", "ask_followup_question"),
        (
            "<tool_call>{\"name\":\"NAME\",\"arguments\":\"{\\\"question\\\":\\\"Q \\\\n\\u0041 \\\",\\\"x\\\":1} \"}",
            "ask_followup_question",
        ),
        (
            "<tool_call>{\"name\":\"NAME\",\"arguments\":\"{\\\"questions\\\":[{\\\"question\\\":\\\"Q \\\\n ",
            "AskUserQuestion",
        ),
        ("<invoke name=NAME><parameter name=question> Q </parameter></invoke>", "ask_followup_question"),
        (
            "<invoke name=NAME><parameter name=question string=false> \"Q \\n\" x</parameter></invoke>",
            "ask_followup_question",
        ),
        ("<function=NAME><parameter=args> {\"question\":\"Q \"} x</parameter></function>", "ask_followup_question"),
        ("<function=NAME><parameter=questions> [{\"question\":\"Q \"}] x", "AskUserQuestion"),
        ("<function=NAME><parameter=questions> [{\"question\":\"Q \\ud83d x", "AskUserQuestion"),
        ("<function=NAME>\n{\"question\":\"Q\"}</function> </tool_call>", "ask_followup_question"),
        ("<|channel|>final to=NAME<|message|>{\"x\":nul,\"question\":\"Q", "ask_followup_question"),
        ("<tool_call>NAME\n<arg_key>question</arg_key><arg_value> Q </arg_value></tool_call>", "ask_followup_question"),
        ("[TOOL_CALLS][{\"name\":\"NAME\",\"arguments\":ARGS}, x", "ask_followup_question"),
    ] {
        let text = written(form, name);
        let (mut parser, mut shown) = (Parser::new(policy.clone()), Transcript::default());
        for (at, char) in text.char_indices() {
            shown.append(parser.feed(char.encode_utf8(&mut [0; 4])));
            let read = &text[..at + char.len_utf8()];
            let after = |bytes: &[u8]| {
                let (mut parser, mut shown) = (parser.clone(), shown.clone());
                shown.append(parser.feed_bytes(bytes));
                atoms(&shown)
            };
            for (incomplete, characters) in INCOMPLETE {
                let mut ends = characters.iter().map(|char| after(char.as_bytes()));
                let first = ends.next().unwrap();
                let certain = ends.fold(first.len(), |len, end| {
                    first.iter().zip(&end).take(len).take_while(|(one, other)| one == other).count()
                });
                let (expected, shown) = (describe(&first[..certain]), describe(&after(incomplete)));
                assert_eq!(shown, expected, "{read:?} and {incomplete:x?}");
            }
        }
    }
}

/// A part that is lost in the header of a call spoils it as one that is lost in the call does.
#[test]
fn a_call_of_which_a_part_is_lost_is_rejected() {
    let text = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{text}}}}}]}}\n\n")
    };
    for (before, after) in [
        ("<tool_call>", "{\"name\":\"NAME\",\"arguments\":ARGS}</tool_call>"),
        ("<function=NAME>", "ARGS</function>"),
        ("<function=NAME>{", "\"question\":\"Q\"}</function>"),
        ("<function=NAME><parameter=question>Q", "</parameter></function>"),
    ] {
        let (before, after) = (written(before, "ask_followup_question"), written(after, "ask_followup_question"));
        for (lost, end) in [("", "complete"), ("data: {]\n\n", "rejected malformed")] {
            let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
            let body = [&text(&before), lost, &text(&after)].concat();
            let shown = Transcript::of_response(&mut parser, [body]).to_string();
            assert!(shown.contains(end), "{before:?}, {lost:?}, {after:?}: {shown}");
        }
    }
}

/// One stream for each line of the parser that only long sweeps reached. `OBJECT` is an object with
/// `NAME`.
const ONCE: [&str; 89] = [
    "<tool_call>```json\nOBJECT`{\"name\":\"f\"}</tool_call>x",
    "<tool_call>```json\nOBJECT`}</tool_call>x",
    "<tool_call>```json\nOBJECT``x</tool_call>x",
    "<tool_call>```json\nOBJECT`</tool_call>x",
    "<tool_call>```json\nOBJECT\n```</tool_call>x",
    "<tool_call>OBJECT OBJECT</tool_call>x",
    "<tool_call>OBJECT}}</tool_call>x",
    "<tool_call>OBJECT}}}</tool_call>x",
    "<tool_call>OBJECT</tool_c",
    "<tool_call>OBJECT </x",
    "<tool_call>OBJECT ",
    "<tool_call>OBJECT<tool_c",
    "<tool_call><function=NAME>ARGS</function>OBJECT</tool_call>x",
    "<function=NAME>ARGS</function>OBJECT",
    "<function=NAME>ARGS</function></function>x",
    "<function=NAME>ARGS</function></tool_c",
    "<function=NAME>ARGS</function> <x",
    "<|python_tag|>OBJECT ; OBJECT<|eom_id|>x",
    "[TOOL_CALLS][OBJECT,,OBJECT]x",
    "[TOOL_CALLS][OBJECT,]x",
    "[TOOL_CALLS][OBJECT,<tool_call>OBJECT</tool_call>]x",
    "[TOOL_CALLS][OBJECT",
    "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS<｜tool▁call▁end｜><｜tool▁call▁end｜><｜tool▁calls▁end｜>x",
    "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS<｜tool▁call▁end｜> <｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{x <｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGS",
    "<|tool_calls_section_begin|><|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS<|tool_call_end|> <|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS<|tool_call_end|>",
    "<|tool_calls_section_begin|><|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS<|tool_call_end|> OBJECT",
    "<|tool_calls_section_begin|><|tool_call_begin|>NAME<|tool_call_argument_begin|>{x <|tool_call_begin|>NAME<|tool_call_argument_begin|>ARGS",
    "<|tool_call_begin|>NAME<|tool_call_argument_begin|>{x<|tool_calls_section_end|>x",
    "<function_calls><invoke name=\"NAME\"> <invoke name=\"NAME\">ARGS</invoke></function_calls>x",
    "<function_calls><invoke name=\"NAME\"><parameter name=\"x\">1</parameter> <invoke name=\"NAME\">ARGS</invoke> x",
    "<invoke name=\"NAME\"><parameter name=\"x\">1</parameter> <invoke name=\"NAME\">ARGS</invoke></function_calls>x",
    "<|channel|>final to=NAME<|message|>{x <invoke name=\"NAME\">ARGS</invoke>x",
    "<tool_call>{\"id\":\"<tool_call>\",\"name\":\"NAME\",\"arguments\":{\"question\":\"<tool_call>\"}}</tool_call>x",
    "<tool_call>{\"x\":1,\"name\":\"NAME\",\"arguments\":ARGS,\"y\":[1]}</tool_call>x",
    "<tool_call>{\"name\":\"NAME\"",
    "<tool_call>{\"name\":\"NAME\",\"x\":[1],",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS</tool_call>x",
    "<tool_call>{\"function\":{\"name\":\"NAME\",\"arguments\":ARGS</tool_call>x",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS<x> y</tool_call>z",
    "<tool_call>{\"function\":{\"name\":\"NAME\",\"arguments\":ARGS<x> y</tool_call>z",
    "<tool_call>{\"function\":{\"name\":\"NAME\",\"arguments\":ARGS}<x> y</tool_call>z",
    "<tool_call>{\"function\":{\"name\":\"NAME\",\"arguments\":{\"question\":\"Q\"<x> y</tool_call>z",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":{\"question\":\"Q\"<x> y</tool_call>z",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS,\"x\":{\"y\":1<x> y</tool_call>z",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":ARGS,\"x\":[1<x> y</tool_call>z",
    "<tool_call>{\"name\":\"f<function=NAME>ARGS</function>x",
    "<tool_call>{\"name\":\"NAME\",\"arguments\":\"{\\\"question\\\":\\\"Q \\\\n\\u0041\\u0022,\\\"x\\\":1} \"}</tool_call>x",
    "<tool_call>{\"name\":\"NAME\",\"name\":\"g\",\"arguments\":ARGS}</tool_call>x",
    "{\"n<function=NAME>ARGS</function>x",
    "{\"name\":\"NAME\",\"arguments\":{\"x\":\"1\"}} y",
    "{\"name\":\"NAME\",\"arguments\":{\"x\":1,\"y\":[2],\"question\":\"Q\"}} y",
    "{\"nam\":\"x\",\"name\":\"NAME\",\"arguments\":ARGS} y",
    "{\"name\":\"NAME\",\"name\":\"g\",\"arguments\":ARGS} y",
    "{\"name\":\"NAME\",\"function\":\"g\",\"type\":\"t\",\"arguments\":ARGS} y",
    "<function=NAME>{\"name\":\"g\",\"function\":{\"name\":\"h\",\"arguments\":{}},\"question\":\"Q\"}</function>x",
    "<function=NAME><parameter=x>{\"question\":\"R\"}</parameter><parameter=args>ARGS</parameter></function>x",
    "<function=NAME><parameter=args>ARGS</parameter></function>x",
    "<function=NAME><parameter=args>\"Q\"</parameter></function>x",
    "<function=NAME><parameter=args>Q</parameter></function>x",
    "<function=NAME><parameter=args>[1]</parameter><parameter=question>Q</parameter></function>x",
    "<tool_call>NAME<arg_key>x</arg_key><arg_key>question</arg_key><arg_value>Q</arg_value></tool_call>x",
    "[TOOL_CALLS]NAME [ARGS] ARGS",
    "[TOOL_CALLS]NAME [CALL_ID] a1 [ARGS]\nARGS",
    "[TOOL_CALLS]NAME[CALL_ID]a1 b2[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]a1 [ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]a-1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]a1ARGS",
    "[TOOL_CALLS]NAME[CALL_ID]ARGS",
    "[TOOL_CALLS]NAME[CALL_IDx]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL_]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[CALL]a1[ARGS]ARGS",
    "[TOOL_CALLS]NAME[ARGARGS",
    "[TOOL_CALLS]NAME[AARGS",
    "[TOOL_CALLS]NAME[AR GS]ARGS",
    "[TOOL_CALLS]NAME[ARGS] xARGS",
    "[TOOL_CALLS]NAME xARGS",
    "[TOOL_CALLS]NAME[ARGx]ARGS",
    "<tool_call name=\"NAME\">ARGS</tool_call>x",
    "<xai:function_call name=\"NAME\">ARGS</xai:function_call>x",
    "<｜DSML｜function=NAME>ARGS</function>x",
    "<tool_call><tool_call name=\"NAME\">ARGS</tool_call>x",
    "<tool_call><xai:tool_call name=\"NAME\">ARGS</tool_call>x",
    "<tool_call>\n<tool_calls>OBJECT</tool_call>x",
    "<ask_followup_question>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</<function=NAME>ARGS</function>",
];

#[test]
fn each_line_of_the_envelope_parser_means_what_the_reference_says() {
    for form in ONCE {
        let form = form.replace("OBJECT", "{\"name\":\"NAME\",\"arguments\":ARGS}");
        for name in ["f", "ask_followup_question"] {
            let text = written(&form, name);
            check(&text, &Rules { envelopes: Envelopes::all(), ..Rules::default() });
            check(&text, &Rules { envelopes: Envelopes::all(), unconfirmed: 48, ..Rules::default() });
            for family in Envelope::ALL {
                check(&text, &Rules { envelopes: Envelopes::all().without(family), ..Rules::default() });
            }
        }
    }
}

#[test]
fn a_short_header_at_every_limit_means_what_the_reference_says() {
    for text in [
        "<function=f>{}</function>x",
        "<tool_call>f<arg_key>é</arg_key></tool_call>x",
        "<tool_call>{\"éé\":1,\"name\":\"f\"}</tool_call>x",
        "<|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|>x",
        "<｜tool\\_call▁begin｜>f<｜tool sep｜>{}<｜tool_call\\_end｜>x",
        "< | DSML ‖ invoke name=f></invoke>x",
        "<seed:function=f>{}</function>x",
        "<minimax:invoke name=f></minimax:invoke>x",
    ] {
        for limit in 1..text.len() + 1 {
            check(text, &Rules { envelopes: Envelopes::all(), unconfirmed: limit, ..Rules::default() });
            check(text, &Rules { envelopes: Envelopes::all(), tag: limit, ..Rules::default() });
        }
    }
    for spaces in 120..152 {
        let text = format!("<|channel|>final{}to=f<|message|>{{}}<|call|>x", " ".repeat(spaces));
        check(&text, &Rules { envelopes: Envelopes::all(), ..Rules::default() });
    }
}

/// What only looked like an opener of a family that is read is shown with the byte that decides
/// this.
#[test]
fn what_is_no_opener_of_a_family_that_is_read_is_shown_at_once() {
    use Envelope::{BareJson, Dsml, FunctionXml, Glm, Harmony, Hermes, Invoke};
    for (families, header, next, kept) in [
        (&[FunctionXml, Glm][..], "<tool_call>", "`", ""),
        (&[BareJson], "{\"", "x", ""),
        (&[BareJson], "{\"", "a", ""),
        (&[BareJson], "{\"name\":\"ask_followup_question\",\"", "x", ""),
        (&[Dsml], "<function", "=", ""),
        (&[Dsml], "<", "i", ""),
        (&[Hermes], "<tool_call><", "i", ""),
        (&[Harmony], "<", "t", ""),
        // Another wrapper begins, which is no part of the first one.
        (&[FunctionXml, Invoke], "<tool_call><", "t", "<t"),
    ] {
        let policy = Policy::new().with_tools(Tools::none()).with_envelopes(families.iter().copied().collect());
        let mut parser = Parser::new(policy);
        let mut shown = |text: &str| {
            let mut shown = String::new();
            parser.feed(text).for_each(|event| shown += if let Event::Text(text) = event { text } else { "" });
            shown
        };
        let all = shown(header) + &shown(next) + kept;
        assert_eq!(all, header.to_owned() + next, "{families:?}");
    }
}

/// Text that may become a tag waits only while the shortest such tag is within the limit.
#[test]
fn text_is_shown_once_every_tag_that_it_may_become_exceeds_the_limit() {
    use Envelope::{Deepseek, Dsml, FunctionXml, Harmony, Invoke, Kimi, Llama};
    for (family, shortest) in [
        (FunctionXml, "<function="),
        (FunctionXml, "<seed:tool_call>"),
        (Invoke, "<invoke>"),
        (Invoke, "<xai:invoke>"),
        (Invoke, "<minimax:invoke>"),
        (Dsml, "<|DSML|invoke>"),
        (Harmony, "<|start|>"),
        (Harmony, "<|channel|>"),
        (Kimi, "<|tool_call_begin|>"),
        (Llama, "<|python_tag|>"),
        (Deepseek, "<｜tool_calls｜>"),
    ] {
        // After the `<` alone, more tags are possible.
        for end in 2..shortest.len() {
            let Some(start) = shortest.get(..end) else { continue };
            let shown = |tag| {
                let limits = Limits { tag, ..Limits::default() };
                let policy = Policy::new().with_tools(Tools::none()).with_limits(limits);
                let (mut parser, mut shown) = (Parser::new(policy.with_envelopes(Envelopes::none().with(family))), 0);
                parser
                    .feed(start)
                    .for_each(|event| shown += if let Event::Text(text) = event { text.len() } else { 0 });
                shown
            };
            // Some other tag may be shorter as long as the text is short.
            let least = (end..99).find(|&tag| shown(tag) == 0).unwrap();
            assert!(least <= shortest.len(), "{start:?} waits only with a limit of {least}");
            if end > shortest.len() - 4 {
                assert_eq!(least, shortest.len(), "{start:?}");
            }
        }
    }
}

/// An entity has no `<`, so an incomplete one before a `<` is text.
#[test]
fn an_incomplete_entity_in_a_question_is_shown_at_the_next_bracket() {
    let policy = Policy::new().with_entities(Entities::Decoded);
    for opening in [
        "<function=ask_followup_question><parameter=question>",
        "<invoke name=\"ask_followup_question\"><parameter name=\"question\">",
        "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>",
    ] {
        let mut parser = Parser::new(policy.clone());
        let mut shown = |text: &str| {
            let mut shown = String::new();
            parser.feed(text).for_each(|event| match event {
                Event::Partial(call) => shown.push_str(call.delta()),
                event => panic!("{event:?}"),
            });
            shown
        };
        assert_eq!([opening, "a&am", "<"].map(&mut shown), ["", "a", "&am"], "{opening}");
    }
}

/// A JSON list is no envelope, but an object in it that begins a line is bare JSON.
#[test]
fn only_the_objects_of_a_json_list_that_begin_a_line_are_calls() {
    let call = "{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\"}}";
    for (text, asked) in [
        (format!("[{call}]"), 0),
        (format!("[{call}, {call}]"), 0),
        (format!("[\n  {call},\n  {call}\n]"), 2),
        (format!("[{call},\n{call}]"), 1),
        (format!("```json\n[\n  {call}\n]\n```"), 0),
    ] {
        check(&text, &Rules { envelopes: Envelopes::all(), ..Rules::default() });
        let mut complete = 0;
        Parser::new(Policy::new()).feed(&text).for_each(|event| {
            complete += usize::from(matches!(event, Event::Complete(_)));
        });
        assert_eq!(complete, asked, "{text:?}");
    }
}
