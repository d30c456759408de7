//! An agent's loop, with the question tools of three agents.
//!
//! ```sh
//! cargo run --example agent --all-features -- claude   # or codex, or gemini
//! ```
//!
//! It asks a model, shows the question while it streams, reads the user's answers, sends the reply
//! in the wording that the tool's own agent uses, and ends when the model asks nothing more.
//!
//! There is no model: `examples/agent` has the bodies of two responses for each agent. They are
//! written by hand after the documentation of the provider that the agent uses: Anthropic messages
//! for Claude Code, OpenAI Responses for Codex, Gemini's `streamGenerateContent` for Gemini CLI.
//! Gemini sends the arguments of a call as a whole, so its question does not grow.

use std::io::{self, BufRead, Write};
use std::{env, error, fs};

use followup::dialogue::{Answer, Dialogue, Directive, Form, FormAnswer, FormQuestion, MessageFormat, Reply};
use followup::wire::{Events, Format, ResponseParser};
use followup::{Event, Field, Partial, Policy, Shape, Shapes};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    let agent = env::args().nth(1).ok_or("usage: agent claude|codex|gemini")?;
    let mut model = Model { agent, requests: Vec::new() };
    run(&mut model, &mut io::stdin().lock(), &mut io::stdout().lock())
}

/// A model whose responses are files.
#[derive(Debug)]
pub struct Model {
    pub agent: String,
    /// The messages of each request.
    pub requests: Vec<Vec<Value>>,
}

impl Model {
    /// Sends the messages. Returns the body of the response.
    fn send(&mut self, messages: &[Value]) -> Result<Vec<u8>> {
        self.requests.push(messages.to_vec());
        let (agent, turn) = (&self.agent, self.requests.len());
        let path = format!("{}/examples/agent/{agent}-{turn}.sse", env!("CARGO_MANIFEST_DIR"));
        Ok(fs::read(&path).map_err(|error| format!("{path}: {error}"))?)
    }
}

/// Asks the model until it has no more questions.
pub fn run(model: &mut Model, user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<()> {
    let format = match &*model.agent {
        "claude" => Format::Anthropic,
        "codex" => Format::OpenAiResponses,
        "gemini" => Format::Gemini,
        _ => return Err("there is no such agent".into()),
    };
    // Of the question tools with a shape, only this agent's is read.
    let policy = Policy::new().with_shapes(Shapes::new(Shape::built_in(&model.agent)));
    let mut parser = ResponseParser::new(format, policy);
    let mut dialogue = Dialogue::default();
    let mut messages = vec![user_message(format, "Go on.")];
    loop {
        let body = model.send(&messages)?;
        messages.extend(model_messages(format, &body)?);

        let mut replies = Vec::new();
        for chunk in body.chunks(40) {
            show(&mut dialogue, parser.feed(chunk), &mut replies, screen)?;
        }
        show(&mut dialogue, parser.finish(), &mut replies, screen)?;
        if dialogue.has_stopped() {
            return Err("the model has made too many mistakes".into());
        }
        while let Some(reply) = reply(&mut dialogue, user, screen)? {
            replies.push(reply);
        }
        if replies.is_empty() {
            return Ok(());
        }
        messages.extend(reply_messages(format, &replies));
    }
}

/// Shows the events, and collects the replies to calls that can't be asked.
fn show(
    dialogue: &mut Dialogue,
    mut events: Events<'_>,
    replies: &mut Vec<Reply>,
    screen: &mut dyn Write,
) -> Result<()> {
    while let Some(event) = events.next() {
        let event = event.map_err(|error| error.to_string())?;
        if let Event::Text(text) = event {
            write!(screen, "{text}")?;
        }
        match dialogue.event(event) {
            Directive::Show(call) => show_partial(call, screen)?,
            Directive::Ask(_) | Directive::Later(_) => writeln!(screen)?,
            Directive::Tell(correction) | Directive::Stop(correction) => {
                replies.push(correction.reply());
                writeln!(screen, "\n{}", correction.user)?;
            }
            Directive::Nothing => {}
        }
    }
    Ok(())
}

/// Writes what is new: what was written stays as it is.
fn show_partial(call: Partial<'_>, screen: &mut dyn Write) -> io::Result<()> {
    let is_new = |text: Option<&str>| text.is_some_and(|text| text.len() == call.delta().len());
    let question = call.questions().get(call.question_index());
    let option = question.and_then(|question| question.suggestions.get(call.suggestion_index()?));
    let (text, before) = match call.field() {
        _ if call.delta().is_empty() => return Ok(()),
        Field::Header => (question.and_then(|one| one.header), "\n\n# "),
        Field::Question => (question.map(|one| one.text), "\n"),
        Field::Suggestion => (option.map(|one| one.answer), "\n  - "),
        Field::Description => (option.and_then(|one| one.description), ": "),
        _ => return Ok(()),
    };
    write!(screen, "{}{}", if is_new(text) { before } else { "" }, call.delta())?;
    screen.flush()
}

/// Returns the reply to the open question, or `None` if no question is open.
///
/// After three answers that the dialogue refuses, the question is cancelled.
fn reply(dialogue: &mut Dialogue, user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<Option<Reply>> {
    let Some(question) = dialogue.question().cloned() else { return Ok(None) };
    for _ in 0..3 {
        let answer = match &question.form {
            Some(form) => Answer::Form(ask_all(form, user, screen)?),
            // `ask_followup_question` in the text, which every parser reads.
            None => Answer::Text(ask(&question.question, &[], user, screen)?),
        };
        match dialogue.answer(question.number, answer, Vec::new()) {
            Ok(reply) => return Ok(Some(reply)),
            Err(error) => writeln!(screen, "{error}")?,
        }
    }
    Ok(Some(dialogue.cancel(question.number).map_err(|error| error.to_string())?))
}

/// Asks the questions of a form, one after the other.
fn ask_all(form: &Form, user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<Vec<FormAnswer>> {
    let mut answers = Vec::new();
    for question in &form.questions {
        let labels: Vec<_> = question.options.iter().map(|option| &*option.label).collect();
        answers.push(answer(question, &ask(&question.text, &labels, user, screen)?));
    }
    Ok(answers)
}

/// Asks a question. Returns the line that the user types.
fn ask(question: &str, labels: &[&str], user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<String> {
    writeln!(screen, "\n{question}")?;
    for (index, label) in labels.iter().enumerate() {
        writeln!(screen, "  {} {label}", index + 1)?;
    }
    write!(screen, "> ")?;
    screen.flush()?;
    let mut line = String::new();
    if user.read_line(&mut line)? == 0 {
        return Err("the input has ended before the last answer".into());
    }
    Ok(line.trim().to_owned())
}

/// Returns the answer that a line gives: numbers of options, or words.
fn answer(question: &FormQuestion, line: &str) -> FormAnswer {
    let index =
        |number: &str| number.trim().parse().ok().filter(|number| (1..=question.options.len()).contains(number));
    let picked: Option<Vec<usize>> = line.split(',').map(|number| Some(index(number)? - 1)).collect();
    picked.map_or_else(|| FormAnswer::text(line), FormAnswer::picked)
}

/// Returns a message of the user.
fn user_message(format: Format, text: &str) -> Value {
    match format {
        Format::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
        _ => json!({"role": "user", "content": text}),
    }
}

/// Returns the messages with the replies.
fn reply_messages(format: Format, replies: &[Reply]) -> Vec<Value> {
    let api = match format {
        Format::Anthropic => MessageFormat::Anthropic,
        Format::OpenAiResponses => MessageFormat::OpenAiResponses,
        _ => MessageFormat::Gemini,
    };
    Reply::messages_of(replies, api)
}

/// Returns the model's message, as it is sent back before the replies.
///
/// It has its reasoning, whose signatures the providers check.
fn model_messages(format: Format, body: &[u8]) -> Result<Vec<Value>> {
    let data = body.split(|&byte| byte == b'\n').filter_map(|line| line.strip_prefix(b"data: "));
    let events = data.map(serde_json::from_slice).collect::<serde_json::Result<Vec<Value>>>()?;
    Ok(match format {
        Format::Anthropic => vec![json!({"role": "assistant", "content": anthropic_blocks(&events)?})],
        Format::OpenAiResponses => {
            let is_done = |event: &&Value| event["type"] == "response.output_item.done";
            events.iter().filter(is_done).map(|event| event["item"].clone()).collect()
        }
        _ => {
            let parts = events.iter().flat_map(|event| event["candidates"][0]["content"]["parts"].as_array());
            let parts: Vec<_> = parts.flatten().filter(|part| part["thought"] != true).collect();
            vec![json!({"role": "model", "parts": parts})]
        }
    })
}

/// Returns the blocks of a message, each with its deltas joined.
fn anthropic_blocks(events: &[Value]) -> Result<Vec<Value>> {
    let mut blocks: Vec<Value> = Vec::new();
    for event in events {
        match (event["type"].as_str(), blocks.last_mut()) {
            (Some("content_block_start"), _) => blocks.push(event["content_block"].clone()),
            (Some("content_block_delta"), Some(block)) => {
                // Besides its type: `text`, `thinking`, `signature` or `partial_json`.
                for (name, more) in event["delta"].as_object().into_iter().flatten() {
                    if name != "type" {
                        let joined = block[name].as_str().unwrap_or_default().to_owned();
                        block[name] = (joined + more.as_str().unwrap_or_default()).into();
                    }
                }
            }
            (Some("content_block_stop"), Some(Value::Object(block))) => {
                if let Some(Value::String(input)) = block.remove("partial_json") {
                    block.insert("input".into(), serde_json::from_str(&input)?);
                }
            }
            _ => {}
        }
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Model, run};

    /// Runs an agent with these answers.
    ///
    /// Returns what the screen shows and the messages of the second request.
    fn messages(agent: &str, answers: &str) -> (String, Vec<Value>) {
        let (mut model, mut screen) = (Model { agent: agent.into(), requests: Vec::new() }, Vec::new());
        run(&mut model, &mut answers.as_bytes(), &mut screen).unwrap();
        assert_eq!(model.requests.len(), 2);
        (String::from_utf8(screen).unwrap(), model.requests.remove(1))
    }

    #[test]
    fn claude_code_is_told_in_messages_of_anthropic() {
        let (screen, messages) = messages("claude", "1\n1,3\n");
        assert!(screen.contains("# Store\nWhich") || screen.contains("sessions?\n\n# Store"), "{screen}");
        assert!(screen.contains("\n  - Postgres: there already"), "{screen}");
        assert!(screen.ends_with("I will use that store.\n"), "{screen}");

        let [_, said, told] = &messages[..] else { panic!("{messages:?}") };
        let thinking = "The cache needs a store, and a rule for what expires. Both are the user's to decide.";
        assert_eq!(said["content"][0]["thinking"], thinking);
        assert!(said["content"][0]["signature"].as_str().unwrap().ends_with("MOYds0pQ=="));
        assert_eq!(said["content"][1], json!({"type": "text", "text": "Before I add the cache: "}));
        assert_eq!(said["content"][2]["input"]["questions"][1]["options"][2]["label"], "Previews");
        let text = "Your questions have been answered: \"Which store should hold the sessions?\"=\"Redis \
                    (Recommended)\", \"What should expire early?\"=\"Anonymous carts, Previews\". You can now \
                    continue with these answers in mind.";
        let id = &said["content"][2]["id"];
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]});
        assert_eq!(*told, json!({"role": "user", "content": [result]}));
    }

    #[test]
    fn codex_is_told_in_items_of_openai_responses() {
        let told = |line: &str| {
            let (_, messages) = messages("codex", line);
            let [_, reasoning, call, output] = &messages[..] else { panic!("{messages:?}") };
            assert!(reasoning["encrypted_content"].is_string());
            assert_eq!(call["status"], "completed");
            assert_eq!((&output["type"], &output["call_id"]), (&json!("function_call_output"), &call["call_id"]));
            output["output"].as_str().unwrap().to_owned()
        };
        assert_eq!(told("1\n"), r#"{"answers":{"scope":{"answers":["Small"]}}}"#);
        assert_eq!(
            told("As little as \"possible\"\n"),
            r#"{"answers":{"scope":{"answers":["None of the above","user_note: As little as \"possible\""]}}}"#
        );
    }

    #[test]
    fn gemini_cli_is_told_in_parts_of_gemini() {
        let (screen, messages) = messages("gemini", "1\n2.0\n");
        assert!(!screen.contains("Planning"), "{screen}");
        let [_, said, told] = &messages[..] else { panic!("{messages:?}") };
        let parts = said["parts"].as_array().unwrap();
        assert!(parts.iter().all(|part| part["thought"].is_null()));
        let call = parts.iter().find(|part| part["functionCall"].is_object()).unwrap();
        assert!(call["thoughtSignature"].is_string());
        let response = json!({"output": r#"{"answers":{"0":"Yes","1":"2.0"}}"#});
        let part = json!({"id": call["functionCall"]["id"], "name": "ask_user", "response": response});
        assert_eq!(*told, json!({"role": "user", "parts": [{"functionResponse": part}]}));
    }

    #[test]
    fn a_question_is_cancelled_after_three_answers_that_are_refused() {
        // Two stores, where one is asked for.
        let (screen, messages) = messages("claude", &"1,2\n1\n".repeat(3));
        let result = &messages[2]["content"][0];
        assert_eq!(result["is_error"], true);
        assert!(result["content"][0]["text"].as_str().unwrap().starts_with("The user doesn't want to proceed"));
        assert_eq!(screen.matches("\nWhat should expire early?\n  1 ").count(), 3, "{screen}");
    }

    #[test]
    fn a_run_ends_with_the_input() {
        let mut model = Model { agent: "codex".into(), requests: Vec::new() };
        let error = run(&mut model, &mut &b""[..], &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the input has ended before the last answer");
    }
}
