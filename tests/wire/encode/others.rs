//! The formats of all other providers.

use super::calls::PlannedCall;
use super::events::EventWriter;
use super::json::{plain, string};
use super::steps::SendStep;

pub(super) fn anthropic(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":90,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":90,"delta":{"type":"thinking_delta","thinking":"no"}}"#,
        r#"{"type":"content_block_delta","index":90,"delta":{"type":"signature_delta","signature":"no"}}"#,
        r#"{"type":"content_block_stop","index":90}"#,
        r#"{"type":"content_block_delta","index":91,"delta":{"type":"text_delta","text":""}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":3}}"#,
    ];
    out.reasoning_event =
        Some(r#"{"type":"content_block_delta","index":93,"delta":{"type":"thinking_delta","thinking":$0}}"#);
    let stop = out.dice.below(4);
    if !out.dice.once_in(4) {
        let template =
            r#"{"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":1}}}"#;
        out.event("message_start", template, &[]);
    }
    let (mut blocks, mut of) = (0, vec![0; calls.len()]);
    let mut in_text = false;
    for step in steps {
        if let (true, SendStep::Start(..)) = (in_text, step) {
            let index = (blocks - 1).to_string();
            out.event("content_block_stop", r#"{"type":"content_block_stop","index":$0}"#, &[&index]);
            in_text = false;
        }
        match step {
            SendStep::Text(text) => {
                let mut text = &text[..];
                if !std::mem::replace(&mut in_text, true) {
                    blocks += 1;
                    let first = if out.dice.once_in(4) { std::mem::take(&mut text) } else { &[] };
                    let (index, first) = ((blocks - 1).to_string(), string(first, out.dice));
                    let template =
                        r#"{"type":"content_block_start","index":$0,"content_block":{"type":"text","text":$1}}"#;
                    out.event("content_block_start", template, &[&index, &first]);
                }
                let (index, text) = ((blocks - 1).to_string(), string(text, out.dice));
                let template = r#"{"type":"content_block_delta","index":$0,"delta":{"type":"text_delta","text":$1}}"#;
                out.event("content_block_delta", template, &[&index, &text]);
            }
            SendStep::Start(i, _) => {
                blocks += 1;
                of[*i] = blocks - 1;
                let input =
                    if calls[*i].whole { &*calls[*i].arguments } else { out.dice.pick(&["{}", "{ }", "\"\"", "null"]) };
                let type_ = if calls[*i].asks.is_some() {
                    "\"tool_use\""
                } else {
                    out.dice.pick(&["\"tool_use\"", "\"server_tool_use\"", "\"mcp_tool_use\""])
                };
                let (index, id, name) = (of[*i].to_string(), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = r#"{"type":"content_block_start","index":$0,"content_block":{"type":$4,"id":$1,"name":$2,"input":$3}}"#;
                out.event("content_block_start", template, &[&index, &id, &name, input, type_]);
            }
            SendStep::More(i, more) => {
                let (index, more) = (of[*i].to_string(), string(more, out.dice));
                let template = out.dice.pick(&[
                    r#"{"type":"content_block_delta","index":$0,"delta":{"type":"input_json_delta","partial_json":$1}}"#,
                    r#"{"delta":{"partial_json":$1,"type":"input_json_delta"},"index":$0,"type":"content_block_delta"}"#,
                ]);
                out.event("content_block_delta", template, &[&index, &more]);
            }
            SendStep::End(i) if stop < 3 => {
                let index = of[*i].to_string();
                if out.dice.once_in(4) {
                    let template = r#"{"type":"content_block_delta","index":$0,"delta":{"type":"input_json_delta","partial_json":""}}"#;
                    out.event("content_block_delta", template, &[&index]);
                }
                out.event("content_block_stop", r#"{"type":"content_block_stop","index":$0}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if stop != 2 {
        out.event("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#, &[]);
        out.event("message_stop", r#"{"type":"message_stop"}"#, &[]);
    }
    out.end(false);
}

pub(super) fn bedrock(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"no"}},"contentBlockIndex":90,"p":"ab"}}"#,
        r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"signature":"no"}},"contentBlockIndex":90}}"#,
        r#"{"contentBlockStop":{"contentBlockIndex":90}}"#,
        r#"{"contentBlockDelta":{"delta":{"text":""},"contentBlockIndex":91}}"#,
        r#"{"metadata":{"usage":{"totalTokens":1}}}"#,
    ];
    out.reasoning_event =
        Some(r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":$0}},"contentBlockIndex":93}}"#);
    let stop = out.dice.below(4);
    out.event("", r#"{"messageStart":{"role":"assistant","p":"abc"}}"#, &[]);
    let (mut blocks, mut of) = (0, vec![0; calls.len()]);
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                out.event("", r#"{"contentBlockDelta":{"delta":{"text":$0},"contentBlockIndex":80}}"#, &[&text]);
            }
            SendStep::Start(i, _) => {
                (of[*i], blocks) = (blocks, blocks + 1);
                let (index, id, name) = (of[*i].to_string(), plain(calls[*i].id()), plain(calls[*i].tool));
                let template =
                    r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":$1,"name":$2}},"contentBlockIndex":$0}}"#;
                out.event("", template, &[&index, &id, &name]);
            }
            SendStep::More(i, more) => {
                let (index, more) = (of[*i].to_string(), string(more, out.dice));
                let template =
                    r#"{"contentBlockDelta":{"contentBlockIndex":$0,"delta":{"toolUse":{"input":$1}},"p":"a"}}"#;
                out.event("", template, &[&index, &more]);
            }
            SendStep::End(i) if stop < 3 => {
                out.event("", r#"{"contentBlockStop":{"contentBlockIndex":$0}}"#, &[&of[*i].to_string()]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if stop != 2 {
        out.event("", r#"{"messageStop":{"stopReason":"tool_use"}}"#, &[]);
    }
    out.noise(NOISE);
    out.end(false);
}

pub(super) fn ollama(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"no"},"done":false}"#,
        r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":null},"done":false}"#,
        r#"{"model":"m","message":{"content":null,"tool_calls":[]},"done":false,"error":null}"#,
    ];
    out.reasoning_event =
        Some(r#"{"model":"m","message":{"role":"assistant","content":"","thinking":$0},"done":false}"#);
    let mut pending: Vec<String> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"model":"m","message":{"role":"assistant","content":$0},"done":false}"#,
                    r#"{"model":"m","created_at":"2025","response":$0,"done":false}"#,
                ]);
                out.event("", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let call = &calls[*i];
                let (id, name) = (plain(call.id()), plain(call.tool));
                let all = match call.whole {
                    true => call.arguments.clone(),
                    false => string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice),
                };
                let template = match call.id {
                    Some(_) => r#"{"id":$0,"function":{"index":0,"name":$1,"arguments":$2}}"#,
                    None => r#"{"function":{"name":$1,"arguments":$2}}"#,
                };
                pending.push(out.fill(template, &[&id, &name, &all]));
                // A whole call has no other steps, so those in the plan are skipped.
                let next =
                    steps[position + 1..].iter().find(|step| !matches!(step, SendStep::End(_) | SendStep::More(..)));
                if !(matches!(next, Some(SendStep::Start(..))) && out.dice.once_in(3)) {
                    let all = std::mem::take(&mut pending).join(",");
                    let template =
                        r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[$0]},"done":false}"#;
                    out.event("", template, &[&all]);
                }
            }
            SendStep::More(..) | SendStep::End(_) => continue,
        }
        out.noise(NOISE);
    }
    if !out.dice.once_in(4) {
        out.event("", r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"eval_count":3}"#, &[]);
    } else {
        out.event("", NOISE[1], &[]);
    }
    out.end(false);
}

pub(super) fn cohere(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"content-start","index":90,"delta":{"message":{"content":{"type":"thinking","thinking":""}}}}"#,
        r#"{"type":"content-delta","index":90,"delta":{"message":{"content":{"thinking":"no"}}}}"#,
        r#"{"type":"content-start","index":91,"delta":{"message":{"content":{"type":"text","text":""}}}}"#,
        r#"{"type":"content-end","index":91}"#,
        r#"{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"end":1,"text":"no"}}}}"#,
        r#"{"type":"citation-end","index":0}"#,
    ];
    out.reasoning_event =
        Some(r#"{"type":"content-delta","index":93,"delta":{"message":{"content":{"thinking":$0}}}}"#);
    let (ends, finishes) = (out.dice.below(4) < 3, !out.dice.once_in(4));
    let start = r#"{"id":"m","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[]}}}"#;
    out.event("message-start", start, &[]);
    let mut started = Vec::new();
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"type":"content-delta","index":91,"delta":{"message":{"content":{"text":$0}}}}"#,
                    r#"{"type":"tool-plan-delta","delta":{"message":{"tool_plan":$0}}}"#,
                ]);
                out.event("content-delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let (index, id, name) = (index(i), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = out.dice.pick(&[
                    r#"{"type":"tool-call-start","index":$0,"delta":{"message":{"tool_calls":{"id":$1,"type":"function","function":{"name":$2,"arguments":""}}}}}"#,
                    r#"{"delta":{"message":{"tool_calls":[{"id":$1,"function":{"name":$2}}]}},"type":"tool-call-start","index":$0}"#,
                ]);
                out.event("tool-call-start", template, &[&index, &id, &name]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = r#"{"type":"tool-call-delta","index":$0,"delta":{"message":{"tool_calls":{"function":{"arguments":$1}}}}}"#;
                out.event("tool-call-delta", template, &[&index, &more]);
            }
            SendStep::End(i) if ends => {
                let index = index(i);
                out.event("tool-call-end", r#"{"type":"tool-call-end","index":$0}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if finishes {
        let template = r#"{"type":"message-end","id":"m","delta":{"finish_reason":"TOOL_CALL","usage":{}}}"#;
        out.event("message-end", template, &[]);
    }
    out.end(false);
}

pub(super) fn workers_ai(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[r#"{"response":"","p":"ab"}"#, r#"{"response":null,"tool_calls":[],"p":"a"}"#];
    let padding = if out.dice.once_in(2) { r#","p":"abcdefgh""# } else { "" };
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                out.event("", r#"{"response":$0$1}"#, &[&text, padding]);
            }
            SendStep::Start(i, _) => {
                let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                let id = if calls[*i].id.is_some() { format!("\"id\":{id},") } else { String::new() };
                let template = r#"{"response":"","tool_calls":[{$0"name":$1,"arguments":$2}]$3}"#;
                out.event("", template, &[&id, &name, &calls[*i].arguments, padding]);
            }
            SendStep::More(..) | SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    out.event("", r#"{"response":"","usage":{"total_tokens":9}$0}"#, &[padding]);
    out.end(true);
}

pub(super) fn watsonx(steps: &[SendStep], out: &mut EventWriter<'_>) {
    const PIECE: &str = r#"{"model_id":"m","created_at":"2025","results":[{"generated_text":$0,"generated_token_count":2,"input_token_count":0,"stop_reason":$1}]}"#;
    for step in steps {
        let SendStep::Text(text) = step else { continue };
        let text = string(text, out.dice);
        out.event("message", PIECE, &[&text, "\"not_finished\""]);
    }
    out.event("message", PIECE, &["\"\"", "\"eos_token\""]);
    out.end(false);
}

pub(super) fn dashscope(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const MESSAGE: &str = r#"{"output":{"choices":[{"message":{"content":$0,"role":"assistant"$1},"finish_reason":$2}]},"usage":{"total_tokens":9},"request_id":"r"}"#;
    // Pieces that look like all so far can't be told from it.
    let texts: Vec<&[u16]> =
        steps.iter().filter_map(|step| if let SendStep::Text(text) = step { Some(&text[..]) } else { None }).collect();
    let pieces = |call: usize| -> Vec<&[u16]> {
        let mut pieces = Vec::new();
        for step in steps {
            match step {
                SendStep::More(i, more) if *i == call => pieces.push(&more[..]),
                _ => {}
            }
        }
        pieces
    };
    let look_cumulative = |pieces: &[&[u16]]| matches!(pieces, [one, two, ..] if two.starts_with(one));
    let must_be_cumulative = look_cumulative(&texts) || (0..calls.len()).any(|call| look_cumulative(&pieces(call)));
    let cumulative = out.dice.once_in(2) || must_be_cumulative;
    // A payload has all calls so far, too.
    let repeats_calls = cumulative && !out.dice.once_in(3);
    let (mut text, mut arguments) = (Vec::new(), vec![Vec::new(); calls.len()]);
    let mut started = Vec::new();
    let finish = out.dice.pick(&["\"tool_calls\"", "\"stop\"", "\"length\"", ""]);
    for step in steps {
        let mut call = None;
        if !cumulative {
            text.clear();
        }
        match step {
            SendStep::Text(more) => text.extend(more),
            SendStep::Start(i, _) => {
                started.push(*i);
                call = Some(*i);
            }
            SendStep::More(i, more) => {
                if !cumulative {
                    arguments[*i].clear();
                }
                arguments[*i].extend(more);
                call = Some(*i);
            }
            SendStep::End(_) => continue,
        }
        let entry = |i: usize, out: &mut EventWriter<'_>| {
            let index = started.iter().position(|one| *one == i).expect("the call has started").to_string();
            let all = string(&arguments[i], out.dice);
            let (id, name) = match arguments[i].is_empty() || cumulative {
                true => (plain(calls[i].id()), plain(calls[i].tool)),
                false => ("\"\"".to_owned(), "\"\"".to_owned()),
            };
            let template = r#"{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":$3}}"#;
            out.fill(template, &[&index, &id, &name, &all])
        };
        let entries: Vec<String> = match call {
            Some(_) if repeats_calls => started.iter().map(|i| entry(*i, out)).collect(),
            call => call.iter().map(|i| entry(*i, out)).collect(),
        };
        let calls =
            if entries.is_empty() { String::new() } else { format!(r#","tool_calls":[{}]"#, entries.join(",")) };
        let content = string(&text, out.dice);
        out.event("result", MESSAGE, &[&content, &calls, "\"null\""]);
    }
    if !cumulative {
        text.clear();
    }
    if !finish.is_empty() || steps.is_empty() {
        let (content, finish) = (string(&text, out.dice), if finish.is_empty() { "\"stop\"" } else { finish });
        out.event("result", MESSAGE, &[&content, "", finish]);
    }
    out.end(false);
}

pub(super) fn replicate(steps: &[SendStep], out: &mut EventWriter<'_>) {
    let mut data = vec![String::new()];
    for step in steps {
        let SendStep::Text(text) = step else { continue };
        data.push(String::from_utf16(text).expect("whole characters"));
    }
    for (i, text) in data.iter().enumerate() {
        let end = out.dice.pick(&["\n", "\r\n"]);
        let mut lines = vec!["event: output".to_owned(), format!("id: {i}")];
        lines.extend(text.split('\n').map(|line| format!("data: {line}")));
        if out.dice.once_in(6) {
            lines.swap(0, 1);
        }
        lines.push(String::new());
        if out.dice.once_in(6) {
            lines.extend(["event: logs", "data: no", ""].map(String::from));
        }
        out.events.push(lines.iter().flat_map(|line| [line, end]).collect::<String>().into_bytes());
    }
    if !out.dice.once_in(4) || data.len() == 1 {
        out.events.push(b"event: done\ndata: {}\n\n".to_vec());
        out.end(false);
    }
}
