//! The formats of OpenAI: chat, responses and assistants.

use super::calls::PlannedCall;
use super::events::EventWriter;
use super::json::{plain, string};
use super::steps::SendStep;
use super::{all_text, left_out, started};

pub(super) fn openai_chat(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"choices":[],"usage":{"total_tokens":3}}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":null,"refusal":null}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"","tool_calls":[]},"finish_reason":""}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"<ask_followup_question>","reasoning":"x"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"another choice"},"finish_reason":"stop"}]}"#,
        r#"{"choices":null,"error":null}"#,
    ];
    out.reasoning_event =
        Some(r#"{"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":$0,"content":null}}]}"#);
    let (repeats_id, type_, finish) =
        (out.dice.once_in(3), out.dice.once_in(2), out.dice.pick(&["\"tool_calls\"", "\"stop\"", "\"length\"", ""]));
    let (repeats, with_ids, left_out) = (out.dice.once_in(3), out.dice.once_in(2), left_out(steps, out.dice));
    let whole = repeats.then(|| {
        let calls = self::started(steps, calls).map(|(_, call)| {
            let arguments = string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let template = match (call.custom, with_ids) {
                (true, _) => r#"{"id":$0,"type":"custom","custom":{"name":$1,"input":$2}}"#,
                (false, true) => r#"{"id":$0,"type":"function","function":{"name":$1,"arguments":$2}}"#,
                (false, false) => r#"{"type":"function","function":{"name":$1,"arguments":$2}}"#,
            };
            out.fill(template, &[&plain(call.id()), &plain(call.tool), &arguments])
        });
        let calls = calls.collect::<Vec<_>>().join(",");
        (all_text(steps, out.dice), calls)
    });
    let mut started = Vec::new();
    let mut pending: Vec<String> = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        let call = match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let templates = &[
                    r#"{"id":"c","choices":[{"index":0,"delta":{"content":$0},"finish_reason":null}]}"#,
                    r#"{"choices":[{"delta":{"role":"assistant","content":$0,"reasoning":null}}],"error":null}"#,
                    r#"{"choices":[{"delta":{"content":[{"type":"text","text":$0},null,{"type":"thinking","text":"no"}]}}]}"#,
                    r#"{"choices":[null,{"index":0,"delta":{"content":$0,"tool_calls":[null,{}]}}]}"#,
                    r#"{"choices":[{"index":0,"delta":{"refusal":$0}}]}"#,
                ];
                let template = out.text_template(&templates[..templates.len() - usize::from(repeats)]);
                if !(repeats && left_out == Some(position)) {
                    out.event("message", template, &[&text]);
                }
                out.noise(NOISE);
                continue;
            }
            SendStep::Start(i, first) => {
                started.push(*i);
                let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                let (index, first) = ((started.len() - 1).to_string(), string(first, out.dice));
                let template = match (calls[*i].custom, type_) {
                    (true, _) => r#"{"index":$0,"id":$1,"type":"custom","custom":{"name":$2,"input":$3}}"#,
                    (false, true) => r#"{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":$3}}"#,
                    (false, false) => r#"{"function":{"arguments":$3,"name":$2},"id":$1,"index":$0}"#,
                };
                out.fill(template, &[&index, &id, &name, &first])
            }
            SendStep::More(i, more) => {
                let index = started.iter().position(|one| one == i).expect("the call has started").to_string();
                let (id, more) = (plain(calls[*i].id()), string(more, out.dice));
                let template = match (calls[*i].custom, repeats_id) {
                    (true, _) => r#"{"index":$0,"custom":{"input":$2}}"#,
                    (false, true) => r#"{"index":$0,"id":$1,"function":{"name":"","arguments":$2}}"#,
                    (false, false) => r#"{"index":$0,"function":{"arguments":$2}}"#,
                };
                out.fill(template, &[&index, &id, &more])
            }
            SendStep::End(_) => continue,
        };
        pending.push(call);
        let continues = matches!(steps.get(position + 1), Some(SendStep::Start(..) | SendStep::More(..)));
        if !(continues && out.dice.once_in(4)) {
            let all = std::mem::take(&mut pending).join(",");
            out.event(
                "message",
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[$0]},"finish_reason":null}]}"#,
                &[&all],
            );
            out.noise(NOISE);
        }
    }
    if !finish.is_empty() {
        out.event("message", r#"{"choices":[{"index":0,"delta":{},"finish_reason":$0}]}"#, &[finish]);
    }
    if let Some((text, calls)) = whole {
        let template = out.dice.pick(&[
            r#"{"object":"chat.completion","choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":$0,"tool_calls":[$1]}}]}"#,
            r#"{"choices":[{"delta":{},"message":{"content":[{"type":"text","text":$0}],"tool_calls":[$1]}},{"index":1,"message":{"content":"no"}}]}"#,
        ]);
        for _ in 0..1 + out.dice.below(2) {
            out.event("message", template, &[&text, &calls]);
        }
    }
    out.noise(&NOISE[..1]);
    out.end(true);
}

pub(super) fn openai_responses(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"type":"response.in_progress","response":{"id":"r","error":null,"output":[]}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":90,"delta":"no"}"#,
        r#"{"type":"response.output_item.added","output_index":91,"item":{"id":"ws","type":"web_search_call"}}"#,
        r#"{"type":"response.output_item.done","output_index":91,"item":{"id":"ws","type":"web_search_call"}}"#,
        r#"{"type":"response.output_text.done","item_id":"msg_1","output_index":92,"text":""}"#,
        r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":92,"delta":""}"#,
    ];
    out.reasoning_event = Some(
        r#"{"type":"response.reasoning_text.delta","item_id":"rs_1","output_index":93,"content_index":0,"delta":$0}"#,
    );
    // Which events say that a call is done, and whether there are others.
    let (done, only_done) = (out.dice.below(4), out.dice.once_in(8));
    let kind = |i: usize| {
        if calls[i].custom {
            ("custom_tool_call", "custom_tool_call_input", "input")
        } else {
            ("function_call", "function_call_arguments", "arguments")
        }
    };
    let (repeats, left_out) = (out.dice.once_in(2), left_out(steps, out.dice));
    let mut started = Vec::new();
    if out.dice.once_in(2) {
        out.event(
            "response.created",
            r#"{"type":"response.created","response":{"status":"in_progress","output":[]}}"#,
            &[],
        );
    }
    for (position, step) in steps.iter().enumerate() {
        let (SendStep::Start(i, _) | SendStep::More(i, _) | SendStep::End(i)) = step else {
            let SendStep::Text(text) = step else { continue };
            if repeats && left_out == Some(position) {
                continue;
            }
            let text = string(text, out.dice);
            let template = out.dice.pick(&[
                r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":92,"delta":$0,"logprobs":[]}"#,
                r#"{"delta":$0,"type":"response.refusal.delta","output_index":92}"#,
            ]);
            out.event("response.output_text.delta", template, &[&text]);
            out.noise(NOISE);
            continue;
        };
        if matches!(step, SendStep::Start(..)) {
            started.push(*i);
        }
        let index = started.iter().position(|one| one == i).expect("the call has started").to_string();
        let ((type_, stem, field), item) = (kind(*i), plain(&format!("item_{i}")));
        let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
        let all = string(&calls[*i].arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
        let (quoted, delta) = (plain(type_), plain(&format!("response.{stem}.delta")));
        let (field, dones) = (plain(field), plain(&format!("response.{stem}.done")));
        match step {
            SendStep::Start(..) => out.event(
                "response.output_item.added",
                r#"{"type":"response.output_item.added","output_index":$0,"item":{"id":$1,"type":$2,"call_id":$3,"name":$4,$5:"","status":"in_progress"}}"#,
                &[&index, &item, &quoted, &id, &name, &field],
            ),
            SendStep::More(_, more) if !(only_done && done < 3) => {
                let more = string(more, out.dice);
                let template = r#"{"type":$0,"item_id":$1,"output_index":$2,"delta":$3,"obfuscation":"x"}"#;
                out.event("delta", template, &[&delta, &item, &index, &more]);
            }
            SendStep::End(_) => {
                if done < 2 {
                    let template = r#"{"type":$0,"item_id":$1,"output_index":$2,$3:$4}"#;
                    out.event("done", template, &[&dones, &item, &index, &field, &all]);
                }
                out.noise(NOISE);
                if done.is_multiple_of(2) {
                    let template = r#"{"type":"response.output_item.done","output_index":$0,"item":{"type":$1,"id":$2,"call_id":$3,"name":$4,$5:$6}}"#;
                    out.event("response.output_item.done", template, &[&index, &quoted, &item, &id, &name, &field, &all]);
                }
            }
            _ => {}
        }
        out.noise(NOISE);
    }
    let text = all_text(steps, out.dice);
    let wholes = [
        r#"{"type":"response.output_text.done","item_id":"msg_1","output_index":92,"content_index":0,"text":$0}"#,
        r#"{"type":"response.content_part.done","output_index":92,"part":{"type":"output_text","text":$0}}"#,
        r#"{"type":"response.output_item.done","output_index":92,"item":{"type":"message","content":[{"type":"output_text","text":$0}]}}"#,
    ];
    if repeats {
        out.event("done", wholes[0], &[&text]);
    }
    for whole in wholes {
        if repeats && out.dice.once_in(2) {
            out.event("done", whole, &[&text]);
        }
    }
    if repeats && out.dice.once_in(2) {
        let calls = self::started(steps, calls).map(|(i, call)| {
            let ((type_, _, field), item) = (kind(i), plain(&format!("item_{i}")));
            let arguments = string(&call.arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let template = r#"{"type":$0,"id":$1,"call_id":$2,"name":$3,$4:$5}"#;
            let (id, name) = (plain(call.id()), plain(call.tool));
            out.fill(template, &[&plain(type_), &item, &id, &name, &plain(field), &arguments])
        });
        let message = r#"{"type":"reasoning","content":[{"text":"no"}]},{"type":"message","content":[{"type":"output_text","text":$0}]}"#;
        let mut items: Vec<String> = calls.collect();
        items.insert(0, out.fill(message, &[&text]));
        let items = items.join(",");
        let template = r#"{"type":"response.completed","response":{"error":null,"output":[$0]}}"#;
        out.event("response.completed", template, &[&items]);
    }
    out.end(false);
}

pub(super) fn openai_assistants(steps: &[SendStep], calls: &[PlannedCall], prose: &str, out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"id":"run","object":"thread.run","status":"in_progress","required_action":null,"last_error":null}"#,
        r#"{"id":"step","object":"thread.run.step","status":"in_progress","type":"tool_calls"}"#,
        r#"{"id":"msg","object":"thread.message","status":"in_progress","role":"assistant","content":[]}"#,
        r#"{"object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":90,"id":"ci","type":"code_interpreter","code_interpreter":{"input":"no"}}]}}}"#,
    ];
    let finishes = !out.dice.once_in(4);
    out.event("thread.run.created", r#"{"id":"run","object":"thread.run","status":"queued","metadata":{}}"#, &[]);
    let mut started = Vec::new();
    let mut has_text = false;
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                has_text = true;
                let text = string(text, out.dice);
                let template = r#"{"id":"msg","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":$0,"annotations":[]}}]}}"#;
                out.event("thread.message.delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let (index, id, name) = (index(i), plain(calls[*i].id()), plain(calls[*i].tool));
                let template = r#"{"id":"step","object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":$0,"id":$1,"type":"function","function":{"name":$2,"arguments":"","output":null}}]}}}"#;
                out.event("thread.run.step.delta", template, &[&index, &id, &name]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = r#"{"id":"step","object":"thread.run.step.delta","delta":{"step_details":{"type":"tool_calls","tool_calls":[{"index":$0,"type":"function","function":{"arguments":$1}}]}}}"#;
                out.event("thread.run.step.delta", template, &[&index, &more]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if has_text && out.dice.once_in(2) {
        let all = string(&prose.encode_utf16().collect::<Vec<_>>(), out.dice);
        let template = r#"{"id":"msg","object":"thread.message","status":"completed","role":"assistant","content":[{"type":"text","text":{"value":$0,"annotations":[]}}]}"#;
        out.event("thread.message.completed", template, &[&all]);
    }
    if finishes {
        let mut whole = Vec::new();
        for &i in &started {
            let arguments = string(&calls[i].arguments.encode_utf16().collect::<Vec<_>>(), out.dice);
            let (id, name) = (plain(calls[i].id()), plain(calls[i].tool));
            let template = r#"{"id":$0,"type":"function","function":{"name":$1,"arguments":$2}}"#;
            whole.push(out.fill(template, &[&id, &name, &arguments]));
        }
        let template = r#"{"id":"run","object":"thread.run","status":"requires_action","required_action":{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[$0]}},"last_error":null}"#;
        out.event("thread.run.requires_action", template, &[&whole.join(",")]);
    }
    out.end(true);
}
