//! The names of other tools, which are data of the reference systems.

use followup::{Parser, Tools};
use followup_testing::{Entry, Transcript};

/// The tools of the reference systems.
const TOOLS: [&str; 24] = [
    "access_mcp_resource",
    "apply_diff",
    "apply_patch",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "custom_tool",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "new_task",
    "read_file",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "search_replace",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "write_to_file",
];

/// Their parameters.
const PARAMETERS: [&str; 40] = [
    "action",
    "args",
    "arguments",
    "command",
    "content",
    "coordinate",
    "cwd",
    "diff",
    "end_line",
    "expected_replacements",
    "file_path",
    "file_pattern",
    "files",
    "follow_up",
    "image",
    "line",
    "message",
    "mode",
    "mode_slug",
    "new_string",
    "old_string",
    "operations",
    "patch",
    "path",
    "prompt",
    "query",
    "question",
    "reason",
    "recursive",
    "regex",
    "result",
    "server_name",
    "size",
    "start_line",
    "task",
    "text",
    "todos",
    "tool_name",
    "uri",
    "url",
];

#[test]
fn the_default_tools_are_those_of_the_reference_systems() {
    let default = Tools::default();
    assert!(default.tools().eq(TOOLS));
    assert!(default.parameters().eq(PARAMETERS));
}

#[test]
fn tags_of_question_tools_without_markup_stay_text() {
    for message in [
        "Ask: <AskUserQuestion><question>Tea?</question><options>[\"A\"]</options></AskUserQuestion> Done.",
        "<AskUserQuestion>{\"questions\": [{\"question\": \"Tea?\"}]}</AskUserQuestion>",
        "<request_user_input>\n<question>Tea?</question>\n</request_user_input>",
        "<ask_user><question>Tea?</question><choices>A</choices></ask_user>",
        "<question>Tea?</question>",
        "<question>Tea?</question><follow_up><suggest>A</suggest></follow_up>",
        "<suggest mode=\"code\">A</suggest> and <options>[\"A\"]</options>",
    ] {
        for cut in 0..=message.len() {
            let (one, two) = message.as_bytes().split_at(cut);
            let transcript = Transcript::of(&mut Parser::default(), [one, two]);
            assert_eq!(transcript.entries(), [Entry::Text(message.to_owned())], "{message} cut at {cut}");
        }
    }
}
