//! Tests of the question tools that shapes read: `--shapes`, `--arguments-of`, `followup shapes`.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{ends, run};
use crate::parse::{lines, succeeds};

/// A call of `AskUserQuestion`.
pub(crate) const CLAUDE: &str = r#"{"questions": [
    {"question": "Which store?", "header": "Store", "multiSelect": true, "options": [
        {"label": "Redis (Recommended)", "description": "fast"}, {"label": "Postgres", "description": "there already"}]},
    {"question": "When?", "header": "Time", "multiSelect": false, "options": [{"label": "Now"}, {"label": "Later"}]}]}"#;

/// Two shapes of one file. Both read `ask_quiz`.
const QUIZ: &str = "# My own tools.\nshape quiz\ntool ask_quiz\ntext prompt\noptions choices\n\n\
    # The second.\nshape poll\ntool ask_poll ask_quiz\ntext prompt\noptions items\n";

const CALL: &str = r#"{"prompt": "Tea?", "choices": ["Yes"], "items": ["No"]}"#;

/// A folder with files of shapes.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    /// Writes a file, and returns its path.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Returns the last event of the arguments of a call.
#[track_caller]
fn call(tool: &str, shapes: &str, arguments: &str) -> Value {
    let args = ["parse", "--json", "--arguments-of", tool, "--shapes", shapes];
    lines(&succeeds(&args, arguments)).pop().unwrap()
}

/// Returns the error of a command line, of which it says something else than how it is used.
#[track_caller]
fn fails(args: &[&str], status: i32) -> String {
    let (out, err) = ends(&run(args, CALL), status);
    assert_eq!(out, "");
    err
}

#[test]
fn every_question_of_a_call_is_an_entry_of_questions() {
    let event = call("AskUserQuestion", "all", CLAUDE);
    assert_eq!((&event["event"], &event["shape"]), (&json!("complete"), &json!("claude")));
    assert_eq!(
        event["questions"],
        json!([
            {"question": "Which store?", "header": "Store", "multiple": true, "custom": true, "suggest": [
                {"answer": "Redis (Recommended)", "description": "fast", "recommended": true},
                {"answer": "Postgres", "description": "there already"}]},
            {"question": "When?", "header": "Time", "multiple": false, "custom": true,
                "suggest": [{"answer": "Now"}, {"answer": "Later"}]},
        ])
    );
}

const SHOWN: &str = "\
? Which store?
  Store
  (choose several)
  1. Redis (Recommended)
     fast
  2. Postgres
     there already

? 2. When?
  Time

  1. Now
  2. Later
";

#[test]
fn every_question_is_shown_as_text() {
    for chunk in [&[][..], &["--chunk", "1"], &["--chunk", "random:7"]] {
        let args: Vec<_> = ["parse", "--arguments-of", "AskUserQuestion"].iter().chain(chunk).copied().collect();
        assert_eq!(succeeds(&args, CLAUDE), SHOWN);
    }
}

#[test]
fn the_example_is_read_without_a_note() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/calls/claude.json");
    let args = ["parse", "--arguments-of", "AskUserQuestion", "--strict", example];
    let shown = succeeds(&args, "");
    assert!(shown.contains("\n? 2. Which tests") && !shown.contains("note:"), "{shown}");
}

#[test]
fn a_call_with_one_question_looks_like_any_question() {
    let arguments = r#"{"question": "Tea?", "choices": ["Yes", "No"]}"#;
    assert_eq!(succeeds(&["parse", "--arguments-of", "ask_user"], arguments), "? Tea?\n\n  1. Yes\n  2. No\n");
    let arguments = r#"{"question": "Tea?", "follow_up": [{"text": "Yes", "mode": "code"}]}"#;
    let shown = succeeds(&["parse", "--arguments-of", "ask_followup_question"], arguments);
    assert_eq!(shown, "? Tea?\n\n  1. [code] Yes\n");
}

#[test]
fn what_is_known_of_a_question_is_shown_with_it() {
    let form = r#"{"message": "Set up", "requestedSchema": {"required": ["n"], "properties": {"n": {"type": "integer", "title": "How many?"},
        "s": {"type": "array", "title": "Which?", "items": {"enum": ["a", "b"]}}}}}"#;
    let shown = "  Set up\n? How many?\n  (a number) (required)\n\n? 2. Which?\n  (choose several)\n  1. a\n  2. b\n";
    assert_eq!(succeeds(&["parse", "--arguments-of", "elicitation/create"], form), shown);
    let indexed =
        r#"{"questions": [{"question": "Q?", "options": [{"label": "A"}, {"label": "B"}], "recommended": 1}]}"#;
    let shown = "? Q?\n\n  1. A\n  2. B (recommended)\n";
    assert_eq!(succeeds(&["parse", "--arguments-of", "ask"], indexed), shown);
}

#[test]
fn a_call_that_is_cut_off_is_shown_as_far_as_it_was_read() {
    let (cut, shown) = (CLAUDE.split("ter\"}").next().unwrap(), SHOWN.split("ter\n").next().unwrap());
    let (out, _) = ends(&run(&["parse", "--arguments-of", "AskUserQuestion"], cut), 1);
    assert_eq!(out, format!("{shown}\n✗ rejected: the message ended inside a suggested answer\n"));
}

#[test]
fn a_file_has_several_shapes_and_the_first_for_a_tool_counts() {
    let folder = Folder::new();
    let quiz = folder.file("my.shapes", QUIZ);
    let other = folder.file("other.shapes", "shape other\ntool ask_quiz\ntext prompt\noptions items\n");
    for (tool, shapes, shape) in [
        ("ask_quiz", &*quiz, "quiz"),
        ("ask_poll", &quiz, "poll"),
        ("ask_quiz", &format!("{other},{quiz}"), "other"),
        ("ask_quiz", &format!("claude,{quiz},{other}"), "quiz"),
        ("ask_poll", &format!("{other},all,{quiz}"), "poll"),
    ] {
        let event = call(tool, shapes, CALL);
        assert_eq!(event["shape"], shape, "{shapes}");
        assert_eq!(event["suggest"], json!([{"answer": if shape == "quiz" { "Yes" } else { "No" }}]), "{shapes}");
    }
}

#[test]
fn a_shape_that_the_default_passes_over_can_be_named() {
    let arguments = r#"{"questions": [{"question": "Q?", "type": "text"}]}"#;
    assert_eq!(call("ask_user", "all", arguments)["shape"], "ask_user");
    assert_eq!(call("ask_user", "gemini", arguments)["shape"], "gemini");
    assert_eq!(call("ask_user", "gemini,all", arguments)["shape"], "gemini");
}

#[test]
fn a_tool_that_no_shape_reads_is_a_usage_error_with_those_that_are_read() {
    let known = |args: &[&str]| {
        let args: Vec<_> = ["parse"].iter().chain(args).copied().collect();
        let err = fails(&args, 2);
        let (_, known) = err.split_once("there are ").unwrap();
        known.split_once(", and --shapes").unwrap().0.to_owned()
    };
    assert_eq!(known(&["--arguments-of", "read_file", "--shapes", "none"]), "ask_followup_question");
    let codex = known(&["--arguments-of", "AskUserQuestion", "--shapes", "codex"]);
    assert_eq!(codex, "ask_followup_question, request_user_input");
    let all = known(&["--arguments-of", "read_file"]);
    assert!(all.contains("AskUserQuestion") && all.matches(", ask_user,").count() == 1, "{all}");
    let records = known(&["--records", "--arguments-of", "read_file"]);
    assert_eq!(records, all);
}

/// A command that takes `--shapes`, with this value.
fn with_shapes<'a>(command: &'a str, shapes: &'a str) -> Vec<&'a str> {
    let mut args = vec![command, "--shapes", shapes];
    // It must not begin to listen.
    args.extend(if command == "serve" { &["--listen", "192.0.2.1:1"][..] } else { &[] });
    args
}

#[test]
fn every_command_says_what_is_wrong_with_its_shapes() {
    let folder = Folder::new();
    let broken = folder.file("broken.shapes", &QUIZ.replace("options items", "option items"));
    let missing = folder.file("missing.shapes", &QUIZ.replace("text prompt\noptions choices\n", ""));
    for command in ["parse", "ask", "serve", "bench"] {
        let err = fails(&with_shapes(command, "cluade"), 2);
        assert!(err.contains("there is no shape \"cluade\": it is one of claude, codex, "), "{err}");
        assert!(err.contains(", acp, all, none, or a file") && err.contains("(./cluade)"), "{err}");
        let err = fails(&with_shapes(command, "claude,none"), 2);
        assert!(err.contains("--shapes has none among other names: give it alone"), "{err}");
        let err = fails(&with_shapes(command, &broken), 1);
        assert!(err.contains("broken.shapes as --shapes: line 11, column 1: `option` is no role: see docs"), "{err}");
        let err = fails(&with_shapes(command, &format!("claude,{missing}")), 1);
        assert!(err.contains("line 3, column 14: the shape has no line `text KEY`"), "{err}");
        let err = fails(&with_shapes(command, "no/such.shapes"), 1);
        assert!(err.contains("no/such.shapes: there is no such file"), "{err}");
    }
}

#[test]
fn a_message_is_read_and_asked_with_any_shapes() {
    let message = "<ask_followup_question><question>Q?</question><follow_up><suggest>A</suggest></follow_up>\
        </ask_followup_question>";
    for shapes in ["none", "claude", "all"] {
        assert_eq!(succeeds(&["parse", "--shapes", shapes], message), "? Q?\n\n  1. A\n");
        assert_eq!(succeeds(&["ask", "--answer", "1", "--shapes", shapes], message), "<answer>\nA\n</answer>\n");
    }
}

/// Returns a body of OpenAI's chat format that calls a tool.
pub(crate) fn body(tool: &str, arguments: &str) -> String {
    let call = json!({"index": 0, "id": "c1", "function": {"name": tool, "arguments": arguments}});
    let delta = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    format!("data: {delta}\n\ndata: [DONE]\n\n")
}

#[test]
fn a_call_of_a_provider_is_asked_by_the_shapes_that_are_named() {
    let folder = Folder::new();
    let quiz = folder.file("my.shapes", QUIZ);
    let ask = |shapes: &str, body: &str| {
        let args = ["ask", "--wire", "openai-chat", "--answer", "1", "--format", "openai-chat", "--shapes", shapes];
        ends(&run(&args, body), 0)
    };
    let (out, err) = ask(&quiz, &body("ask_quiz", CALL));
    let message: Value = serde_json::from_str(&out).unwrap();
    let expected = json!({"role": "tool", "tool_call_id": "c1", "content": "Q: Tea?\nA: Yes"});
    assert_eq!((message, &*err), (expected, ""));
    let (out, _) = ask(&quiz, &body("ask_poll", CALL));
    assert!(out.contains("A: No"), "the second shape of the file reads it: {out}");
    let claude = r#"{"questions": [{"question": "Tea?", "options": [{"label": "Yes"}, {"label": "No"}]}]}"#;
    let claude = body("AskUserQuestion", claude);
    for shapes in ["claude", "codex,claude", &format!("{quiz},claude"), "all"] {
        let (out, err) = ask(shapes, &claude);
        assert!(out.contains(r#"\"Tea?\"=\"Yes\""#) && err.is_empty(), "{shapes}: {out}{err}");
    }
    for (shapes, body) in [("all", &body("ask_quiz", CALL)), ("none", &claude), (&quiz, &claude)] {
        let (out, err) = ask(shapes, body);
        assert!(out.is_empty() && err.contains("there was no question in it"), "{shapes}: {out}{err}");
    }
}

#[test]
fn each_record_may_have_the_arguments_of_a_call_as_text_or_as_json() {
    let claude: Value = serde_json::from_str(CLAUDE).unwrap();
    let records: String = [json!(CLAUDE), claude, json!("{\"questions\": 1"), json!([]), json!(1)]
        .iter()
        .enumerate()
        .map(|(id, content)| format!("{}\n", json!({"id": id, "content": content})))
        .collect();
    let read = |chunk: &[&str]| {
        let args: Vec<_> =
            ["parse", "--records", "--arguments-of", "AskUserQuestion"].iter().chain(chunk).copied().collect();
        let (out, err) = ends(&run(&args, &records), 1);
        assert!(err.contains("line 5") && err.contains("field \"content\" is a number"), "{err}");
        lines(&out)
    };
    let lines = read(&[]);
    let texts = |line: &Value| -> Vec<Value> {
        line["events"][0]["questions"].as_array().unwrap().iter().map(|one| one["question"].clone()).collect()
    };
    assert_eq!(texts(&lines[0]), [json!("Which store?"), json!("When?")]);
    assert_eq!(texts(&lines[1]), texts(&lines[0]), "the parser is as new");
    let ends = |line: &Value| (line["events"][0]["reason"].clone(), line["events"].as_array().unwrap().len());
    assert_eq!([ends(&lines[2]), ends(&lines[3])], [(json!("wrong_type"), 1), (json!("missing_parameter"), 1)]);
    assert_eq!(read(&["--chunk", "1"]), lines);
}

#[test]
fn the_built_in_shapes_are_listed_with_their_tools() {
    let list = succeeds(&["shapes"], "");
    // A shape and its first tool are words of their own.
    let tools_of = |name: &str| {
        let mut lines = list.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(shape, _)| *shape == name).unwrap_or_else(|| panic!("{name}: {list}")).1.trim_start()
    };
    assert_eq!(tools_of("claude"), "AskUserQuestion");
    assert_eq!(tools_of("cursor-tool"), "AskQuestion");
    assert_eq!(tools_of("droid-request"), "droid.ask_user");
    assert_eq!(tools_of("gemini"), "ask_user (only if named)");
    let columns = list.lines().map(|line| line.len() - line.split_once(' ').unwrap().1.trim_start().len());
    assert_eq!(columns.collect::<Vec<_>>(), [15; 19]);
}

#[test]
fn a_built_in_shape_is_printed_as_it_may_stand_in_a_file() {
    let folder = Folder::new();
    for name in succeeds(&["shapes"], "").lines().map(|line| line.split(' ').next().unwrap()) {
        let text = succeeds(&["shapes", name], "");
        assert!(text.contains(&format!("shape {name}\n")), "{text}");
        let file = folder.file("one.shapes", &text);
        assert!(fails(&["parse", "--shapes", &file, "--arguments-of", "no_tool"], 2).contains("no question tool"));
    }
    let (_, err) = ends(&run(&["shapes", "cluade"], ""), 2);
    assert!(err.contains("claude"), "{err}");
}

#[test]
fn the_old_name_of_other_tools_still_works() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", r#"{"tools": ["deploy"]}"#);
    let message = "<deploy>x</deploy>";
    let tool = |option: &str| lines(&succeeds(&["parse", "--json", option, &tools], message))[0]["tool"].clone();
    assert_eq!((tool("--other-tools"), tool("--tools")), (json!("deploy"), json!("deploy")));
    assert!(!succeeds(&["parse", "--help"], "").contains("--tools"));
}

#[test]
fn the_arguments_of_calls_are_measured() {
    let workloads = |args: &[&str]| -> Vec<String> {
        let args: Vec<_> = ["bench", "--json", "--time", "1"].iter().chain(args).copied().collect();
        let mut names: Vec<_> =
            lines(&succeeds(&args, "")).iter().map(|line| line["workload"].as_str().unwrap().to_owned()).collect();
        names.dedup();
        names
    };
    assert_eq!(workloads(&["--shapes", "codex,claude"]), ["codex", "claude"]);
    assert_eq!(workloads(&["--shapes", "all"]).len(), 19);
    let folder = Folder::new();
    let (shapes, arguments) = (folder.file("my.shapes", QUIZ), folder.file("call.json", CALL));
    assert_eq!(workloads(&["--shapes", &shapes, "--arguments-of", "ask_poll", &arguments]), ["call.json"]);
    assert_eq!(workloads(&["--arguments-of", "AskUserQuestion", &arguments]), ["call.json"]);
    for (args, message) in [
        (&["--shapes", &*shapes][..], "no arguments to measure for the shape quiz: name a file"),
        (&["--shapes", "none"], "nothing to measure"),
        (&["--shapes", "claude", &arguments], "add --arguments-of TOOL"),
        (&["--shapes", "claude", "--arguments-of", "ask_poll", &arguments], "ask_poll is no question tool"),
        (&["--arguments-of", "ask_poll"], "FILE"),
    ] {
        let args: Vec<_> = ["bench"].iter().chain(args).copied().collect();
        let err = fails(&args, 2);
        assert!(err.contains(message), "{err}");
    }
}
