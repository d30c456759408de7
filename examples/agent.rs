//! An agent's loop, with the question tools of three agents.
//!
//! ```sh
//! cargo run --example agent --all-features -- claude   # or codex, or gemini
//! ```
//!
//! It asks a model, shows the question while it streams, reads the user's answers, sends the reply
//! in the wording that the tool's own agent uses, and ends when the model asks nothing more. The
//! model is a recording in `examples/agent`: what it streamed, two turns of each tool.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::{env, error, fs};

use followup::dialogue::{Answer, Dialogue, Directive, Form, FormAnswer, FormQuestion, MessageFormat, Reply};
use followup::wire::{Events, Format, ResponseParser};
use followup::{Event, Field, Partial, Policy, Shape, Shapes};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    let agent = env::args().nth(1).ok_or("usage: agent claude|codex|gemini")?;
    let mut model = Recording::of(&agent);
    run(&agent, &mut model, &mut io::stdin().lock(), &mut io::stdout().lock())
}

/// A model that streams what it once streamed.
#[derive(Debug)]
pub struct Recording {
    name: PathBuf,
    /// The messages of each request.
    requests: Vec<Vec<Value>>,
}

impl Recording {
    pub fn of(agent: &str) -> Recording {
        let name = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/agent").join(agent);
        Recording { name, requests: Vec::new() }
    }

    /// Sends the messages. Returns the body of the response.
    fn send(&mut self, messages: &[Value]) -> Result<Vec<u8>> {
        self.requests.push(messages.to_vec());
        let turn = self.requests.len();
        let path = format!("{}-{turn}.sse", self.name.display());
        Ok(fs::read(&path).map_err(|error| format!("{path}: {error}"))?)
    }
}

/// Asks the model until it has no more questions.
pub fn run(agent: &str, model: &mut Recording, user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<()> {
    // Only this agent's tool is read. Without a shape of its own, all that are built in are.
    let shape = Shape::built_in(agent).ok_or("there is no such agent")?;
    let policy = Policy::new().with_shapes(Shapes::new([shape]));
    let mut parser = ResponseParser::new(Format::OpenAiChat, policy);
    let mut dialogue = Dialogue::default();
    let mut messages = vec![json!({"role": "user", "content": "Go on."})];
    loop {
        let body = model.send(&messages)?;
        let mut message = json!({"role": "assistant", "content": ""});
        body.split(|&byte| byte == b'\n').for_each(|line| append(&mut message, line));
        messages.push(message);

        let mut replies = Vec::new();
        for chunk in body.chunks(40) {
            show(&mut dialogue, parser.feed(chunk), &mut replies, screen)?;
        }
        show(&mut dialogue, parser.finish(), &mut replies, screen)?;
        while let Some(question) = dialogue.question() {
            let number = question.number;
            let answer =
                question.form.as_ref().map_or(Ok(Answer::Text(String::new())), |form| ask(form, user, screen))?;
            match dialogue.answer(number, answer, Vec::new()) {
                Ok(reply) => replies.push(reply),
                Err(error) => writeln!(screen, "{error}")?,
            }
        }
        if replies.is_empty() {
            return Ok(());
        }
        messages.extend(Reply::messages_of(&replies, MessageFormat::OpenAiChat));
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

/// Asks the questions of a form, one after the other.
fn ask(form: &Form, user: &mut dyn BufRead, screen: &mut dyn Write) -> Result<Answer> {
    let mut answers = Vec::new();
    for question in &form.questions {
        writeln!(screen, "\n{}", question.text)?;
        for (index, option) in question.options.iter().enumerate() {
            writeln!(screen, "  {} {}", index + 1, option.label)?;
        }
        write!(screen, "> ")?;
        screen.flush()?;
        let mut line = String::new();
        if user.read_line(&mut line)? == 0 {
            return Err("the answers end".into());
        }
        answers.push(answer(question, line.trim()));
    }
    Ok(Answer::Form(answers))
}

/// Returns the answer that a line gives: numbers of options, or words.
fn answer(question: &FormQuestion, line: &str) -> FormAnswer {
    let index =
        |number: &str| number.trim().parse().ok().filter(|number| (1..=question.options.len()).contains(number));
    let picked: Option<Vec<usize>> = line.split(',').map(|number| Some(index(number)? - 1)).collect();
    picked.map_or_else(|| FormAnswer::text(line), FormAnswer::picked)
}

/// Appends a line of the body to the model's message, which is sent back with the reply.
fn append(message: &mut Value, line: &[u8]) {
    let chunk: Value =
        line.strip_prefix(b"data: ").and_then(|line| serde_json::from_slice(line).ok()).unwrap_or_default();
    let delta = &chunk["choices"][0]["delta"];
    add(&mut message["content"], &delta["content"]);
    for piece in delta["tool_calls"].as_array().into_iter().flatten() {
        let index = piece["index"].as_u64().unwrap_or_default() as usize;
        if message["tool_calls"][index].is_null() {
            let calls = &mut message["tool_calls"];
            if calls.is_null() {
                *calls = json!([]);
            }
            calls.as_array_mut().expect("a list").push(piece.clone());
        } else {
            let (call, more) = (&mut message["tool_calls"][index], &piece["function"]["arguments"]);
            add(&mut call["function"]["arguments"], more);
        }
    }
}

fn add(text: &mut Value, more: &Value) {
    if let (Value::String(text), Value::String(more)) = (text, more) {
        text.push_str(more);
    }
}

#[cfg(test)]
mod tests {
    use super::{Recording, run};

    /// Runs an agent with these answers. Returns what the screen shows and what the model is told.
    fn told(agent: &str, answers: &str) -> (String, String) {
        let (mut model, mut screen) = (Recording::of(agent), Vec::new());
        run(agent, &mut model, &mut answers.as_bytes(), &mut screen).unwrap();
        let last = model.requests.last().unwrap();
        let (call, result) = (&last[1], &last[2]);
        assert_eq!(result["tool_call_id"], call["tool_calls"][0]["id"]);
        assert_eq!(model.requests.len(), 2);
        (String::from_utf8(screen).unwrap(), result["content"].as_str().unwrap().to_owned())
    }

    #[test]
    fn the_agent_of_claude_code_is_told_as_claude_code_tells_it() {
        let (screen, told) = told("claude", "1\n1,3\n");
        assert_eq!(
            told,
            "Your questions have been answered: \"Which store should hold the sessions?\"=\"Redis (Recommended)\", \
             \"What should expire early?\"=\"Anonymous carts, Previews\". You can now continue with these answers in \
             mind."
        );
        assert!(screen.contains("# Store\nWhich") || screen.contains("sessions?\n\n# Store"), "{screen}");
        assert!(screen.contains("\n  - Postgres: there already"), "{screen}");
        assert!(screen.ends_with("I will use that store.\n"), "{screen}");
    }

    #[test]
    fn the_agent_of_codex_is_told_as_codex_tells_it() {
        let (_, small) = told("codex", "1\n");
        assert_eq!(small, r#"{"answers":{"scope":{"answers":["Small"]}}}"#);
        let (_, own) = told("codex", "As little as \"possible\"\n");
        assert_eq!(
            own,
            r#"{"answers":{"scope":{"answers":["None of the above","user_note: As little as \"possible\""]}}}"#
        );
    }

    #[test]
    fn the_agent_of_gemini_cli_is_told_as_gemini_cli_tells_it() {
        let (_, told) = told("gemini", "1\n2.0\n");
        assert_eq!(told, r#"{"answers":{"0":"Yes","1":"2.0"}}"#);
    }
}
