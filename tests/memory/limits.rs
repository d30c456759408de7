//! Endless calls: the limits end them, in bounded memory, and parsing continues after them.

use std::sync::Arc;

use allocation_counter::measure;
use followup::wire::{self, Format, ResponseParser};
use followup::{CallStart, Entities, Envelopes, Limits, Policy};
use followup_testing::Syntax;

use crate::endless::*;
use crate::{enough, sized};

/// The most that is parsed of each stream.
const SOME: u64 = 2 * MIB;

const ASK: &str = "<ask_followup_question>";
const END: &str = "</ask_followup_question>";

/// The call after each stream: parsing continues.
const NEXT: &str = "<ask_followup_question><question>And now?</question></ask_followup_question>";

#[test]
fn markup_that_exceeds_a_limit_for_ever_is_bounded_and_the_next_call_is_parsed() {
    let policy = Arc::new(Policy::new());
    let q = "<ask_followup_question><question>Q</question>";
    let at = |inside: &str| format!("{q}{inside}");
    for (what, start, repeated, end, ending, most) in [
        ("question", format!("{ASK}<question>"), "word ", "</question>", TOO_LONG, CALL),
        ("question without a blank", format!("{ASK}<question>"), "日", "</question>", TOO_LONG, CALL),
        ("question of brackets", format!("{ASK}<question>"), "</questio ", "</question>", TOO_LONG, CALL),
        ("question that is blank", format!("{ASK}<question>"), " \u{3000}\n", "Q</question>", COMPLETE, CALL),
        ("blanks after a question", format!("{ASK}<question>Q"), " \u{3000}\n", "</question>", COMPLETE, CALL),
        ("questions", q.to_owned(), "<question>Q</question>", "", COMPLETE, CALL),
        ("answer", at("<suggest>"), "word ", "</suggest>", TOO_LONG, CALL),
        ("answer's <content>", at("<suggest><content>"), "word ", "</content></suggest>", TOO_LONG, CALL),
        ("answer after a <mode>", at("<suggest><mode>m</mode>"), "word ", "</suggest>", TOO_LONG, CALL),
        ("<mode>", at("<suggest><mode>"), "word ", "</mode>A</suggest>", TOO_LONG, CALL),
        ("<mode>s", at("<suggest>"), "<mode>m</mode>", "</suggest>", COMPLETE, CALL),
        ("list", at("<options>["), "\"a\", ", "1]</options>", UNREADABLE, LIST),
        ("list of one", at("<options>[\""), "word ", "\"]</options>", UNREADABLE, LIST),
        ("list in <follow_up>", at("<follow_up>["), "\"a\", ", "1]</follow_up>", UNREADABLE, LIST),
        ("suggestions", at("<follow_up>"), "<suggest>A</suggest>", "</follow_up>", DROPPED, CALL),
        ("suggestions without close tags", at("<follow_up>"), "<suggest>A", "</follow_up>", DROPPED, CALL),
        ("suggestions with modes", at("<follow_up>"), "<suggest mode='m'>A</suggest>", "", DROPPED, CALL),
        ("lists", at(""), "<options>[\"a\", 1]</options>", "", DROPPED, CALL),
        ("tag", at("<suggest mode='"), "m ", "'>A</suggest>", COMPLETE, CALL),
        ("opening tag", "<ask_followup_question a='".to_owned(), "m ", "'>", Ending::Text, SHORT_CALL),
        ("tags", q.to_owned(), "<follow_up>", "", COMPLETE, CALL),
        ("stray close tags", q.to_owned(), "</suggest></follow_up></options>", "", COMPLETE, CALL),
        ("text between parameters", q.to_owned(), "word & < ", "", COMPLETE, CALL),
        ("bare", ASK.to_owned(), "word ", "", Ending::Text, CALL),
        ("bare blanks", ASK.to_owned(), " \n", "", Ending::Text, CALL),
        ("opening tags", "".to_owned(), ASK, "<read_file></read_file>", Ending::Text, CALL),
        ("back-ticks", format!("{ASK}<question>"), "`<follow_up>", "</question>", TOO_LONG, CALL),
    ] {
        let end = format!("{end}{END}{NEXT}");
        let stream = Endless::new(&start, repeated, &end);
        let bytes = enough(SOME, most);
        let (all, peak) = parse(Syntax::Markup, &policy, stream, bytes, 4 << 10);
        assert_within(what, peak, most);
        assert_eq!(all.bytes(), stream.len(bytes), "{what}: nothing is lost");
        let without = Endless { end: &end[..end.len() - NEXT.len()], ..stream };
        // A quarter exceeds the limits, too.
        let (tally, _) = parse(Syntax::Markup, &policy, without, enough(SOME, most / 4), 64 << 10);
        assert_eq!(Ending::of(&tally), ending, "{what}");
        assert_eq!(all.complete, tally.complete + 1, "{what}: the next call is parsed");
    }
}

/// Envelopes of each style, with every place in which one may go on for ever.
#[test]
fn envelopes_that_exceed_a_limit_for_ever_are_bounded_and_the_next_call_is_parsed() {
    let policy = Arc::new(Policy::new().with_envelopes(Envelopes::all()));
    let of_tags = |inside: &str| format!("<tool_call><function=ask_followup_question>{inside}");
    let of_keys = |inside: &str| format!("<tool_call>ask_followup_question{inside}");
    let object = |inside: &str| format!("<tool_call>{{\"name\":\"ask_followup_question\"{inside}");
    let arguments = |inside: &str| object(&format!(",\"arguments\":{{{inside}"));
    let in_text = |inside: &str| object(&format!(",\"arguments\":\"{{{inside}"));
    let (q, q_tags, q_keys) = (
        "\"question\":\"Q\"",
        "<parameter=question>Q</parameter>",
        "<arg_key>question</arg_key><arg_value>Q</arg_value>",
    );
    let list = |opener: &str| format!("{q},\"follow_up\":{opener}");
    let tags_list = of_tags(&format!("{q_tags}<parameter=follow_up>"));
    let keys_list = of_keys(&format!("{q_keys}<arg_key>follow_up</arg_key><arg_value>"));
    let (end_tags, end_keys, end_list) = ("</parameter></function>", "</arg_value></tool_call>", "]}}</tool_call>");
    let kimi = "<|tool_calls_section_begin|><|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>";
    let deepseek = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>";
    let harmony = "<|channel|>commentary to=ask_followup_question<|message|>";
    let llama = "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":";
    let mistral = "[TOOL_CALLS]ask_followup_question[ARGS]";
    const ONE: Ending = Ending::Complete { suggestions: 1, dropped: false, unreadable: false };
    let question = |header: &str| format!("{header}{{\"question\":\"");
    for (what, start, repeated, end, ending, most) in [
        // Headers.
        ("wrapper", "<tool_call>".into(), " ", "", Ending::Text, HEADER),
        ("wrappers", String::new(), "<tool_call>", "", Ending::Text, HEADER),
        ("call tag", "<function=".into(), "f", ">", Ending::Text, HEADER),
        ("call tags", String::new(), "<function=f> ", "", Ending::Text, HEADER),
        ("name", "<tool_call>".into(), "f", "", Ending::Text, HEADER),
        ("fence", "<tool_call>```js\n".into(), " ", "", Ending::Text, HEADER),
        ("object", "<tool_call>{\"id\":\"".into(), "word ", "\"}", Ending::Text, HEADER),
        ("keys of an object", "<tool_call>{\"a\":1".into(), ",\"key\":0", "}", Ending::Text, HEADER),
        ("lists in an object", "<tool_call>{\"a\":".into(), "[", "", Ending::Text, HEADER),
        ("bare object", "{\"id\":\"".into(), "word ", "\"}", Ending::Text, HEADER),
        ("bare objects", String::new(), "{\"name\":\"f\"}\n", "", Ending::Text, HEADER),
        ("bare arguments", arguments("")["<tool_call>".len()..].into(), "\"x\":1,", "", Ending::Text, HEADER),
        ("channel", "<|channel|>commentary".into(), " ", "", Ending::Text, HEADER),
        ("recipient", "<|channel|>commentary to=".into(), "f", "", Ending::Text, HEADER),
        ("section", "<|tool_calls_section_begin|>".into(), "\n", "", Ending::Text, HEADER),
        ("sections", String::new(), "<|tool_calls_section_begin|>", "", Ending::Text, HEADER),
        ("name of kimi", "<|tool_call_begin|>".into(), "f", "", Ending::Text, HEADER),
        ("name of deepseek", "<｜tool▁call▁begin｜>".into(), "f", "", Ending::Text, HEADER),
        ("markers", String::new(), "[TOOL_CALLS]", "", Ending::Text, HEADER),
        ("name of mistral", "[TOOL_CALLS]".into(), "f", "", Ending::Text, HEADER),
        ("object of llama", "<|python_tag|>{\"a\":\"".into(), "word ", "\"}", Ending::Text, HEADER),
        // Tags with raw values.
        ("question in tags", of_tags("<parameter=question>"), "word ", end_tags, TOO_LONG, CALL),
        ("brackets in tags", of_tags("<parameter=question>"), "</paramete ", end_tags, TOO_LONG, CALL),
        ("blanks in tags", of_tags("<parameter=question>"), " \u{3000}\n", "Q</parameter></function>", COMPLETE, CALL),
        (
            "JSON string in tags",
            "<invoke name=ask_followup_question><parameter name=question string=\"false\">\"".into(),
            "word\\n",
            "\"</parameter></invoke>",
            TOO_LONG,
            CALL,
        ),
        ("list in tags", tags_list.clone() + "[1", ",1", "]</parameter></function>", UNREADABLE, LIST),
        ("lines in tags", tags_list.clone(), "line\n", end_tags, UNREADABLE, LIST),
        ("markup in tags", tags_list, "<suggest>A</suggest>", end_tags, UNREADABLE, LIST),
        // Only the first of a name counts.
        ("lists in tags", of_tags(q_tags), "<parameter=follow_up>[1]</parameter>", "</function>", ONE, CALL),
        ("other value in tags", of_tags(q_tags) + "<parameter=x>", "word ", end_tags, COMPLETE, CALL),
        ("other values in tags", of_tags(q_tags), "<parameter=x>word</parameter>", "</function>", COMPLETE, CALL),
        ("open values in tags", of_tags(q_tags), "<parameter=x>word", "</function>", COMPLETE, CALL),
        ("text in tags", of_tags(q_tags), "word < ", "</function>", COMPLETE, CALL),
        (
            "arguments in tags",
            of_tags("<parameter=input>{\"question\":\""),
            "word ",
            "\"}</parameter></function>",
            TOO_LONG,
            CALL,
        ),
        ("space after tags", of_tags(q_tags) + "</function>", " ", "", COMPLETE, CALL),
        // Keys and values.
        ("key", of_keys(q_keys) + "<arg_key>", "word ", "</arg_key></tool_call>", COMPLETE, CALL),
        ("keys", of_keys(q_keys), "<arg_key>x</arg_key>", "</tool_call>", COMPLETE, CALL),
        ("question of a key", of_keys("<arg_key>question</arg_key><arg_value>"), "word ", end_keys, TOO_LONG, CALL),
        ("list of a key", keys_list.clone() + "[1", ",1", "]</arg_value></tool_call>", UNREADABLE, LIST),
        ("lines of a key", keys_list, "line\n", end_keys, UNREADABLE, LIST),
        ("other value of a key", of_keys(q_keys) + "<arg_value>", "word ", end_keys, COMPLETE, CALL),
        // JSON after a name.
        ("question", arguments("\"question\":\""), "word ", "\"}}</tool_call>", TOO_LONG, CALL),
        ("answer", arguments(&list("[\"")), "word ", "\"]}}</tool_call>", TOO_LONG, CALL),
        ("suggestions", arguments(&list("[\"A\"")), ",\"A\"", end_list, DROPPED, CALL),
        ("list as text", arguments(&list("\"[1")), ",1", "]\"}}</tool_call>", UNREADABLE, LIST),
        ("arguments as text", in_text("\\\"question\\\":\\\""), "word ", "\\\"}\"}</tool_call>", TOO_LONG, CALL),
        ("key of the object", object(",\""), "key ", "\":1}</tool_call>", Ending::Rejected("missing_parameter"), CALL),
        ("value of the object", arguments(q) + "},\"x\":\"", "word ", "\"}</tool_call>", COMPLETE, CALL),
        ("ill-formed", object(",x"), "word ", "</tool_call>", MALFORMED, CALL),
        ("space after an object", arguments(q) + "}}", " ", "", COMPLETE, CALL),
        (
            "question of bare JSON",
            arguments("\"question\":\"")["<tool_call>".len()..].into(),
            "word ",
            "\"}}",
            TOO_LONG,
            CALL,
        ),
        ("question of harmony", question(harmony), "word ", "\"}<|call|>", TOO_LONG, CALL),
        ("question of kimi", question(kimi), "word ", "\"}<|tool_call_end|>", TOO_LONG, CALL),
        ("ill-formed of kimi", kimi.to_owned() + "x", "word ", "<|tool_call_end|>", MALFORMED, CALL),
        ("space in a section", format!("{kimi}{{{q}}}<|tool_call_end|>"), " ", "", COMPLETE, CALL),
        ("question of deepseek", question(deepseek), "word ", "\"}<｜tool▁call▁end｜>", TOO_LONG, CALL),
        ("question of mistral", question(mistral), "word ", "\"}", TOO_LONG, CALL),
        ("question of llama", question(llama), "word ", "\"}}", TOO_LONG, CALL),
    ] {
        let end = format!("{end}{NEXT}");
        let stream = Endless::new(&start, repeated, &end);
        let bytes = enough(MIB, most);
        let (all, peak) = parse(Syntax::Markup, &policy, stream, bytes, 4 << 10);
        assert_within(what, peak, most);
        assert_eq!(all.bytes(), stream.len(bytes), "{what}: nothing is lost");
        let without = Endless { end: &end[..end.len() - NEXT.len()], ..stream };
        // A quarter exceeds the limits, too.
        let (tally, _) = parse(Syntax::Markup, &policy, without, enough(MIB, most / 4), 64 << 10);
        assert_eq!(Ending::of(&tally), ending, "{what}");
        assert_eq!(all.complete, tally.complete + 1, "{what}: the next call is parsed");
    }
}

#[test]
fn arguments_that_exceed_a_limit_for_ever_are_bounded() {
    let policy = Arc::new(Policy::new());
    let both = Ending::Complete { suggestions: 32, dropped: true, unreadable: true };
    for (what, start, repeated, end, ending, most) in [
        ("question", "{\"question\":\"", "word ", "\"}", TOO_LONG, CALL),
        ("question of escapes", "{\"question\":\"", "\\u65e5\\n\\/.", "\"}", TOO_LONG, CALL),
        ("blank question", "{\"question\":\"", " \\n\\u3000", "Q\"}", COMPLETE, CALL),
        ("blanks after a question", "{\"question\":\"Q", " \\n\\u3000", "\"}", COMPLETE, CALL),
        ("question that is a number", "{\"question\":1", "0", "}", TOO_LONG, CALL),
        ("questions", "{\"question\":\"Q\"", ",\"question\":\"again\"", "}", COMPLETE, CALL),
        ("answer", "{\"question\":\"Q\",\"follow_up\":[\"", "word ", "\"]}", TOO_LONG, CALL),
        ("answer in an object", "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"", "word ", "\"}]}", TOO_LONG, CALL),
        ("answer that is a number", "{\"question\":\"Q\",\"follow_up\":[1", "0", "]}", TOO_LONG, CALL),
        ("mode", "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"", "word ", "\",\"text\":\"A\"}]}", TOO_LONG, CALL),
        (
            "modes",
            "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"m\"",
            ",\"mode\":\"n\"",
            ",\"text\":\"A\"}]}",
            Ending::Complete { suggestions: 1, dropped: false, unreadable: false },
            CALL,
        ),
        ("suggestions", "{\"question\":\"Q\",\"follow_up\":[\"A\"", ",\"A\"", "]}", DROPPED, CALL),
        (
            "suggestion objects",
            "{\"question\":\"Q\",\"follow_up\":[\"A\"",
            ",{\"text\":\"A\",\"mode\":\"m\"}",
            "]}",
            DROPPED,
            CALL,
        ),
        ("map", "{\"question\":\"Q\",\"follow_up\":{\"1\":\"A\"", ",\"1\":\"A\"", "}}", DROPPED, CALL),
        ("unreadable suggestions", "{\"question\":\"Q\",\"follow_up\":[[]", ",[],{}", "]}", UNREADABLE, CALL),
        ("dropped and unreadable", "{\"question\":\"Q\",\"follow_up\":[[]", ",[],\"A\"", "]}", both, CALL),
        ("string of lines", "{\"question\":\"Q\",\"follow_up\":\"", "line\\n", "\"}", UNREADABLE, LIST),
        ("string of markup", "{\"question\":\"Q\",\"follow_up\":\"", "<suggest>a</suggest>", "\"}", UNREADABLE, LIST),
        ("string of JSON", "{\"question\":\"Q\",\"options\":\"[1", ",1", "]\"}", UNREADABLE, LIST),
        (
            "strings",
            "{\"question\":\"Q\"",
            ",\"follow_up\":\"a\\nb\",\"options\":\"[1]\"",
            "}",
            Ending::Complete { suggestions: 3, dropped: false, unreadable: false },
            CALL,
        ),
        ("lists", "{\"question\":\"Q\"", ",\"suggest\":[],\"options\":null", "}", COMPLETE, CALL),
        ("keys", "{\"question\":\"Q\"", ",\"key\":0", "}", COMPLETE, CALL),
        ("text after the object", "{\"question\":\"Q\"}", " and ", "", COMPLETE, CALL),
        ("something else", "", "oops, ", "", MALFORMED, CALL),
        ("array", "[", "1,", "", Ending::Rejected("wrong_type"), CALL),
    ] {
        let stream = Endless::new(start, repeated, end);
        let bytes = enough(SOME, most);
        let (tally, peak) = parse(Syntax::Arguments, &policy, stream, bytes, 4 << 10);
        assert_within(what, peak, most);
        assert_eq!(Ending::of(&tally), ending, "{what}");
        assert_eq!((tally.complete + tally.rejected, tally.bytes()), (1, stream.len(bytes)), "{what}");
    }
}

#[test]
fn a_token_that_never_ends_is_bounded() {
    let policy = Arc::new(Policy::new().with_call_start(CallStart::OutsideCode).with_entities(Entities::Decoded));
    let (markup, json) = (Syntax::Markup, Syntax::Arguments);
    for (what, syntax, start, repeated, ending, most) in [
        ("a tag", markup, "<ask_followup_question", " ", Ending::Text, IDLE),
        ("an attribute's name", markup, "<ask_followup_question a", "a", Ending::Text, IDLE),
        ("an attribute's value", markup, "<ask_followup_question a=\"", ">a", Ending::Text, IDLE),
        ("attributes", markup, "<ask_followup_question", " a='b'", Ending::Text, IDLE),
        ("a tool's tag", markup, "<read_file", " ", Ending::Text, IDLE),
        ("a tool's close tag", markup, "<read_file></read_file", " ", Ending::Text, IDLE),
        ("a tag in a call", markup, "<ask_followup_question><question", " ", Ending::Text, CALL),
        (
            "a value in a call",
            markup,
            "<ask_followup_question><question>Q</question><suggest mode='",
            "m",
            COMPLETE,
            CALL,
        ),
        ("a close tag", markup, "<ask_followup_question><question>Q</question", " ", TRUNCATED, CALL),
        (
            "the call's close tag",
            markup,
            "<ask_followup_question><question>Q</question></ask_followup_question",
            "\t",
            COMPLETE,
            CALL,
        ),
        ("an entity", markup, "<ask_followup_question><question>&#", "0", TOO_LONG, CALL),
        ("entities", markup, "<ask_followup_question><question>", "&#x1F600;&am", TOO_LONG, CALL),
        ("a code span", markup, "`", "word \n", Ending::Text, IDLE),
        ("back-ticks", markup, "", "`", Ending::Text, IDLE),
        ("a fence", markup, "```\n", "``\n~~~ <ask_followup_question>\n", Ending::Text, IDLE),
        ("a thinking block", markup, "<thinking>", "</think><ask_followup_question>", Ending::Text, IDLE),
        ("a key", json, "{\"", "key ", TRUNCATED, CALL),
        ("a key of escapes", json, "{\"", "\\u0071\\ud83d", TRUNCATED, CALL),
        ("a number", json, "{\"other\":-1.", "0", TRUNCATED, CALL),
        ("an exponent", json, "{\"other\":1e", "9", TRUNCATED, CALL),
        ("a literal", json, "{\"other\":t", "r", MALFORMED, CALL),
        ("an escape", json, "{\"other\":\"\\u", "0", TRUNCATED, CALL),
        ("back-slashes", json, "{\"other\":\"", "\\", TRUNCATED, CALL),
        ("halves of pairs", json, "{\"question\":\"", "\\ud83d", TOO_LONG, CALL),
        ("escapes that are none", json, "{\"question\":\"", "\\x\\u12", TOO_LONG, CALL),
        ("control characters", json, "{\"question\":\"", "\0\u{1}", TOO_LONG, CALL),
        ("a colon", json, "{\"a\"", " ", TRUNCATED, CALL),
    ] {
        let stream = Endless::new(start, repeated, "");
        let bytes = enough(SOME, most);
        let (tally, peak) = parse(syntax, &policy, stream, bytes, 4 << 10);
        assert_within(what, peak, most);
        assert_eq!(Ending::of(&tally), ending, "{what}");
        assert_eq!(tally.bytes(), stream.len(bytes), "{what}: nothing is lost");
    }
}

const MANY: usize = 100_000;

/// Forms of suggestions: the start of the stream, a suggestion, the text between two, and the end.
const SUGGESTIONS: [(&str, Syntax, &str, &str, &str, &str); 8] = [
    (
        "markup",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><follow_up>",
        "<suggest mode=\"m\">A</suggest>",
        "\n",
        "</follow_up></ask_followup_question>",
    ),
    (
        "options",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><options>[",
        "\"A\"",
        ",",
        "]</options></ask_followup_question>",
    ),
    ("JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":[", "{\"text\":\"A\",\"mode\":\"m\"}", ",", "]}"),
    ("a map", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":{", "\"1\":\"A\"", ",", "}}"),
    ("lines", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"", "A", "\\n", "\"}"),
    ("markup in JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"", "<suggest>A</suggest>", "", "\"}"),
    ("JSON in JSON", Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"[", "\\\"A\\\"", ",", "]\"}"),
    (
        "nested",
        Syntax::Markup,
        "<ask_followup_question><question>Q</question>",
        "<suggest><mode>m</mode><content>A</content></suggest>",
        "",
        END,
    ),
];

#[test]
fn of_a_hundred_thousand_suggestions_the_first_are_kept() {
    for (what, syntax, start, each, between, end) in SUGGESTIONS {
        let stream = format!("{start}{}{end}", vec![each; MANY].join(between));
        let (mut parser, mut tally) = (syntax.parser(Policy::new()), Tally::default());
        let info = measure(|| {
            stream.as_bytes().chunks(1000).for_each(|chunk| tally.add_all(parser.feed_bytes(chunk)));
            tally.add_all(parser.finish());
        });
        assert_within(&format!("{what}, a hundred thousand"), info.bytes_max, LIST);
        // A string that is longer than the limits of all suggestions together is not parsed.
        let expected = if what == "markup in JSON" { UNREADABLE } else { DROPPED };
        assert_eq!(Ending::of(&tally), expected, "{what}");
    }
}

#[test]
fn a_hundred_thousand_suggestions_all_arrive_under_a_high_limit() {
    let limits = Limits { suggestions: MANY, ..Limits::default() };
    for (what, syntax, start, each, between, end) in SUGGESTIONS {
        let stream = format!("{start}{}{end}", vec![each; MANY].join(between));
        let (mut parser, mut tally) = (syntax.parser(Policy::new().with_limits(limits)), Tally::default());
        let info = measure(|| {
            stream.as_bytes().chunks(1000).for_each(|chunk| tally.add_all(parser.feed_bytes(chunk)));
            tally.add_all(parser.finish());
        });
        let ending = Ending::Complete { suggestions: MANY, dropped: false, unreadable: false };
        assert_eq!(Ending::of(&tally), ending, "{what}");
        // One for the question; one for each suggestion, and another if its mode comes before its
        // answer, or a chunk ends in between.
        assert!(
            (MANY as u64 + 1..=2 * MANY as u64 + 1).contains(&tally.partials),
            "{what}: {} partials",
            tally.partials
        );
        // All bytes ever allocated: nothing is copied again and again.
        let all = info.bytes_total / MANY as u64;
        assert_within(&format!("{what}, each of a hundred thousand"), all, 800);
        assert!(info.count_total < 200, "{what}: {} allocations", info.count_total);
    }
}

/// How deep the values are: in the short form a quarter of a million.
fn deep() -> usize {
    sized(1_000_000)
}

/// Runs on a small stack, where recursion over the input would overflow.
fn with_a_small_stack(act: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(act).unwrap();
    thread.join().expect("a stack that is large enough");
}

#[test]
fn a_million_deep_is_no_deeper_than_the_limit() {
    with_a_small_stack(|| {
        let (open, close) = ("[".repeat(deep()), "]".repeat(deep()));
        let objects = "{\"a\":".repeat(deep());
        let (markup, json) = (Syntax::Markup, Syntax::Arguments);
        let q = "<ask_followup_question><question>Q</question>";
        for (what, syntax, stream, ending) in [
            ("the arguments", json, open.clone(), Ending::Rejected("wrong_type")),
            ("objects", json, objects.clone(), MALFORMED),
            ("follow_up", json, format!("{{\"question\":\"Q\",\"follow_up\":{open}{close}}}"), MALFORMED),
            ("an ignored key", json, format!("{{\"question\":\"Q\",\"other\":{open}{close}}}"), MALFORMED),
            ("objects in an ignored key", json, format!("{{\"question\":\"Q\",\"other\":{objects}"), MALFORMED),
            // Not JSON, so it is one line, and too long for a suggestion.
            ("a string", json, format!("{{\"question\":\"Q\",\"follow_up\":\"{}\"}}", &open[..100_000]), TOO_LONG),
            ("text after the arguments", json, format!("{{\"question\":\"Q\"}}{open}"), COMPLETE),
            ("options", markup, format!("{q}<options>{open}{close}</options>{END}"), UNREADABLE),
            ("options, short enough", markup, format!("{q}<options>{}{END}", &open[..100_000]), UNREADABLE),
            ("a list in follow_up", markup, format!("{q}<follow_up>{open}{close}</follow_up>{END}"), UNREADABLE),
            ("tags", markup, format!("{q}{}{END}", "<follow_up><suggest><content>".repeat(30_000)), DROPPED),
        ] {
            for chunk in [1000, stream.len()] {
                let (mut parser, mut tally) = (syntax.parser(Policy::new()), Tally::default());
                let info = measure(|| {
                    stream.as_bytes().chunks(chunk).for_each(|chunk| tally.add_all(parser.feed_bytes(chunk)));
                    tally.add_all(parser.finish());
                });
                assert_within(&format!("{what}, a million deep"), info.bytes_max, LIST);
                assert_eq!(Ending::of(&tally), ending, "{what}");
            }
        }
    });
}

#[test]
fn a_payload_a_million_deep_is_unreadable_or_ignored() {
    with_a_small_stack(|| {
        let (open, close) = ("[".repeat(deep()), "]".repeat(deep()));
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
        let ollama = "{\"model\":\"m\",\"response\":\"Hi\"}\n";
        let limits = wire::Limits::default().with_arguments(sized(4 << 20));
        let args = |deep: &str| {
            format!(
                "{{\"model\":\"m\",\"message\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"ask_followup_question\",\"arguments\":{deep}}}}}]}}}}\n"
            )
        };
        // The body, and its errors and rejected calls.
        for (what, wire, body, errors, rejected) in [
            ("brackets", Format::OpenAiChat, format!("data: {open}\n\n{text}"), 1, 0),
            ("an ignored key", Format::OpenAiChat, format!("data: {{\"other\":{open}{close}}}\n\n{text}"), 0, 0),
            ("a known list", Format::OpenAiChat, format!("data: {{\"choices\":{open}{close}}}\n\n{text}"), 1, 0),
            (
                "content",
                Format::OpenAiChat,
                format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{open}{close}}}}}]}}\n\n{text}"),
                0,
                0,
            ),
            ("an error", Format::OpenAiChat, format!("data: {{\"error\":{open}{close}}}\n\n{text}"), 1, 0),
            ("never closed", Format::OpenAiChat, format!("data: {{\"choices\":{open}\n\n{text}"), 1, 0),
            ("arguments", Format::Ollama, args(&format!("{open}{close}")) + ollama, 0, 1),
            (
                "arguments of objects",
                Format::Ollama,
                args(&format!("{}1{}", "{\"a\":".repeat(deep()), "}".repeat(deep()))) + ollama,
                // They are longer than all arguments may be.
                1,
                1,
            ),
            ("lines", Format::Ollama, format!("{{\"other\":{open}{close}}}\n{ollama}"), 0, 0),
            (
                "an array",
                Format::Gemini,
                format!(
                    "[{{\"other\":{open}{close}}},{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"Hi\"}}]}}}}]}}]"
                ),
                1,
                0,
            ),
        ] {
            for auto in [false, true] {
                let response =
                    if auto { ResponseParser::auto(Policy::new()) } else { ResponseParser::new(wire, Policy::new()) };
                let mut response = response.with_limits(limits);
                let mut tally = Tally::default();
                let info = measure(|| {
                    body.as_bytes().chunks(64 << 10).for_each(|chunk| tally.add_response(response.feed(chunk)));
                    tally.add_response(response.finish());
                });
                assert_within(&format!("{what}, a million deep"), info.bytes_max, LONG_EVENTS * EVENT + SHORT_EVENTS);
                // Brackets alone have no format: the body is text.
                if auto && what == "brackets" {
                    continue;
                }
                assert_eq!((tally.errors, tally.rejected, tally.complete), (errors, rejected, 0), "{what}");
                assert!(tally.text >= 2, "{what}: the next call is parsed");
            }
        }
    });
}
