//! The options that make up the parser's policy.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use followup::wire;
use followup::{CallStart, Entities, Envelope, Envelopes, Limits, Malformed, Policy, Tools};
use serde::Deserialize;

use crate::config_file;
use crate::error::Error;
use crate::input::needs_provider;
use crate::input_format::InputFormat;
use crate::shapes;

/// The options that say how a message is parsed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct PolicyArgs {
    /// Reject calls that need a repair
    #[arg(long)]
    strict: bool,

    /// Start no call inside code (spans and fences) or a thinking block
    #[arg(long)]
    outside_code: bool,

    /// Decode &lt; &gt; &amp; &quot; &apos; and &#N; in questions, answers and modes
    #[arg(long)]
    decode_entities: bool,

    /// The models' own forms of a call to read where they arrive as text [default: default]
    ///
    /// A server without a parser for a model's calls passes them on as text, in the model's own
    /// envelope. Names joined by commas are read together, such as default,mistral. --strict reads
    /// none. docs/format.md has the exact form of each.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = envelope_names())]
    envelopes: Vec<Envelopes>,

    /// The question tools to read besides ask_followup_question [default: all]
    ///
    /// Names of built-in shapes and files with your own, joined by commas, such as
    /// mine.shapes,claude: of several shapes for one tool the first counts. `followup shapes` lists
    /// the names; all and none are names, too. A file has a point or a slash in its name, and one
    /// or several shapes in it, in the language of docs/question-tools.md.
    #[arg(long, value_name = "NAMES|FILE", value_delimiter = ',')]
    shapes: Vec<String>,

    /// The tools that ask nothing, and their parameters: {"tools":["…"],"parameters":["…"]}
    ///
    /// Markup of these tools in a message is passed on unparsed. The names replace the built-in
    /// ones.
    #[arg(long, alias = "tools", value_name = "FILE")]
    other_tools: Option<PathBuf>,

    /// Reject a question longer than this [default: 102400]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_question: Option<usize>,

    /// Reject a call with an answer longer than this [default: 16384]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_answer: Option<usize>,

    /// Drop suggestions of a call beyond this many [default: 32]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    limit_suggestions: Option<usize>,

    /// Treat a tag longer than this as text [default: 256]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_tag: Option<usize>,

    /// Treat the opening tag or header of a call as text if the call is not certain within this
    /// [default: 2048]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_unconfirmed: Option<usize>,

    /// Drop questions of a call beyond this many [default: 16]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    limit_questions: Option<usize>,

    /// Reject a call whose question has a header or an id longer than this [default: 1024]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_header: Option<usize>,

    /// Reject a call with a description or a preview longer than this [default: 16384]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_description: Option<usize>,

    /// Reject a call of another question tool whose texts together are longer than this
    /// [default: 1048576]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_texts: Option<usize>,

    /// Skip an event of a provider's stream longer than this [default: 8388608]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_event: Option<usize>,

    /// Skip native calls beyond this many open at once [default: 64]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    limit_open_calls: Option<usize>,

    /// Reject the native call that makes the arguments of all open ones longer than this
    /// [default: 4194304]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    limit_arguments: Option<usize>,
}

impl PolicyArgs {
    /// Returns the policy.
    ///
    /// # Errors
    ///
    /// Fails if the file of `--other-tools` or one of `--shapes` can't be read or used, or if
    /// `--shapes` or `--envelopes` contradicts itself, or `--strict`.
    pub(crate) fn policy(&self) -> Result<Policy, Error> {
        let mut policy = Policy::new().with_limits(self.limits());
        if let Some(envelopes) = self.envelopes()? {
            policy = policy.with_envelopes(envelopes);
        }
        if self.strict {
            policy = policy.with_malformed(Malformed::Reject);
        }
        if self.outside_code {
            policy = policy.with_call_start(CallStart::OutsideCode);
        }
        if self.decode_entities {
            policy = policy.with_entities(Entities::Decoded);
        }
        if !self.shapes.is_empty() {
            policy = policy.with_shapes(shapes::named(&self.shapes)?);
        }
        if let Some(path) = &self.other_tools {
            policy = policy.with_tools(tools(path)?);
        }
        Ok(policy)
    }

    /// Returns the set that `--envelopes` names; `None` without the option.
    fn envelopes(&self) -> Result<Option<Envelopes>, Error> {
        let named = self.envelopes.iter().copied();
        let all: Envelopes = named.clone().flat_map(Envelopes::iter).collect();
        if named.clone().any(Envelopes::is_empty) && !all.is_empty() {
            return Err(Error::Usage("--envelopes has none among other names: give it alone, or leave it out".into()));
        }
        if self.strict && !all.is_empty() {
            return Err(Error::Usage("--strict reads no envelopes: leave out --strict, or --envelopes".into()));
        }
        Ok((!self.envelopes.is_empty()).then_some(all))
    }

    fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            question: self.limit_question.unwrap_or(default.question),
            answer: self.limit_answer.unwrap_or(default.answer),
            suggestions: self.limit_suggestions.unwrap_or(default.suggestions),
            tag: self.limit_tag.unwrap_or(default.tag),
            unconfirmed: self.limit_unconfirmed.unwrap_or(default.unconfirmed),
            questions: self.limit_questions.unwrap_or(default.questions),
            header: self.limit_header.unwrap_or(default.header),
            description: self.limit_description.unwrap_or(default.description),
            texts: self.limit_texts.unwrap_or(default.texts),
        }
    }

    /// Fails if a limit of a provider's stream is given for input of another format.
    pub(crate) fn check(&self, format: InputFormat) -> Result<(), Error> {
        let given = [
            ("--limit-event", self.limit_event),
            ("--limit-open-calls", self.limit_open_calls),
            ("--limit-arguments", self.limit_arguments),
        ];
        match given.into_iter().find(|(_, limit)| limit.is_some() && !format.is_of_provider()) {
            Some((option, _)) => Err(Error::Usage(needs_provider(option))),
            None => Ok(()),
        }
    }

    /// Returns the limits of a provider's stream.
    pub(crate) fn wire_limits(&self) -> wire::Limits {
        let default = wire::Limits::default();
        default
            .with_event(self.limit_event.unwrap_or(default.event))
            .with_open_calls(self.limit_open_calls.unwrap_or(default.open_calls))
            .with_arguments(self.limit_arguments.unwrap_or(default.arguments))
    }
}

/// Returns the parser of one name of `--envelopes`: a family, or a set of them.
fn envelope_names() -> impl TypedValueParser<Value = Envelopes> {
    let sets = [
        ("default", "All but those marked (not default)", Envelopes::default()),
        ("all", "All of them", Envelopes::all()),
        ("none", "None: such calls are text", Envelopes::none()),
    ];
    let families = Envelope::ALL.map(|family| {
        let mark = if Envelopes::default().contains(family) { "" } else { " (not default)" };
        PossibleValue::new(family.name()).help(format!("{}{mark}", written_by(family)))
    });
    let names = sets.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help)).chain(families);
    PossibleValuesParser::new(names).map(move |name| match sets.iter().find(|(set, ..)| *set == name) {
        Some((.., set)) => *set,
        // The parser lets only names of families through.
        None => name.parse::<Envelope>().into_iter().collect(),
    })
}

/// Returns what an envelope of the family begins with, and which models write it.
fn written_by(family: Envelope) -> &'static str {
    match family {
        Envelope::FunctionXml => "<function=NAME>: Qwen3-Coder, MiMo, Seed-OSS",
        Envelope::Hermes => "<tool_call>{\"name\": …}: Hermes, Qwen, ERNIE",
        Envelope::BareJson => "{\"name\": …} alone: Qwen2.5-Coder, Llama",
        Envelope::Invoke => "<invoke name=\"NAME\">: MiniMax, Claude, Grok",
        Envelope::Dsml => "The same with DSML between bars: DeepSeek V3.2, V4",
        Envelope::Glm => "<tool_call>NAME: GLM",
        Envelope::Harmony => "<|channel|>commentary to=functions.NAME: gpt-oss",
        Envelope::Kimi => "<|tool_call_begin|>functions.NAME:0: Kimi K2",
        Envelope::Mistral => "[TOOL_CALLS]: Mistral",
        Envelope::Deepseek => "<｜tool▁calls▁begin｜>: DeepSeek to V3.1",
        Envelope::Llama => "<|python_tag|>: Llama 3 and 4",
        _ => "",
    }
}

/// The file of `--other-tools`.
///
/// Unknown keys are errors, because a misspelt list would silently be empty.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsFile {
    tools: Vec<String>,
    #[serde(default)]
    parameters: Vec<String>,
}

fn tools(path: &Path) -> Result<Tools, Error> {
    const OPTION: &str = "--other-tools";
    let unusable = |reason: &dyn std::fmt::Display| config_file::unusable(path, OPTION, reason);
    let text = config_file::read(path, OPTION)?;
    let ToolsFile { tools, parameters } = serde_json::from_str(&text).map_err(|error| {
        let reason = config_file::describe_json_error(&error);
        unusable(&format_args!("{reason}; it should be {{\"tools\":[…],\"parameters\":[…]}}"))
    })?;
    Tools::new(tools, parameters).map_err(|error| unusable(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use followup::{Shape, Shapes};

    #[derive(Debug, Parser)]
    struct TestArgs {
        #[command(flatten)]
        policy: PolicyArgs,
    }

    #[test]
    fn the_help_states_the_defaults_of_the_library() {
        let help = TestArgs::command().term_width(200).render_help().to_string();
        let Limits { question, answer, suggestions, tag, unconfirmed, questions, header, description, texts } =
            Limits::default();
        let wire::Limits { event, open_calls, arguments, .. } = wire::Limits::default();
        for (flag, default) in [
            ("--limit-question", question),
            ("--limit-answer", answer),
            ("--limit-suggestions", suggestions),
            ("--limit-tag", tag),
            ("--limit-unconfirmed", unconfirmed),
            ("--limit-questions", questions),
            ("--limit-header", header),
            ("--limit-description", description),
            ("--limit-texts", texts),
            ("--limit-event", event),
            ("--limit-open-calls", open_calls),
            ("--limit-arguments", arguments),
        ] {
            let line = help.lines().find(|line| line.contains(&format!("{flag} "))).unwrap();
            assert!(line.contains(&format!("[default: {default}]")), "{line}");
        }
    }

    #[test]
    fn every_family_of_envelopes_has_a_name_and_an_explanation() {
        for family in Envelope::ALL {
            let policy = TestArgs::parse_from(["test", "--envelopes", family.name()]).policy.policy().unwrap();
            assert_eq!(policy, Policy::new().with_envelopes(Envelopes::none().with(family)));
            assert!(!written_by(family).is_empty(), "{family}");
        }
    }

    #[test]
    fn every_option_sets_its_field() {
        let args = |flags: &str| {
            let args = std::iter::once("test").chain(flags.split_whitespace());
            TestArgs::parse_from(args).policy
        };
        let policy = |flags: &str| args(flags).policy().unwrap();
        let limits = |limits| Policy::new().with_limits(limits);
        let default = Limits::default();
        assert_eq!(policy(""), Policy::new());
        assert_eq!(policy("--strict"), Policy::new().with_malformed(Malformed::Reject));
        assert_eq!(policy("--outside-code"), Policy::new().with_call_start(CallStart::OutsideCode));
        assert_eq!(policy("--decode-entities"), Policy::new().with_entities(Entities::Decoded));
        let envelopes = |envelopes| Policy::new().with_envelopes(envelopes);
        assert_eq!(policy("--envelopes default"), Policy::new());
        assert_eq!(policy("--envelopes all"), envelopes(Envelopes::all()));
        assert_eq!(policy("--envelopes none"), envelopes(Envelopes::none()));
        let two = Envelopes::none().with(Envelope::Kimi).with(Envelope::Glm);
        assert_eq!(policy("--envelopes kimi,glm"), envelopes(two));
        assert_eq!(policy("--envelopes kimi --envelopes glm"), envelopes(two));
        assert_eq!(policy("--envelopes default,llama"), envelopes(Envelopes::default().with(Envelope::Llama)));
        let shape = |name| Shape::built_in(name).unwrap();
        let read = |shapes| Policy::new().with_shapes(shapes);
        assert_eq!(policy("--shapes all"), Policy::new());
        assert_eq!(policy("--shapes none"), read(Shapes::none()));
        assert_eq!(policy("--shapes gemini,claude"), read(Shapes::new([shape("gemini"), shape("claude")])));
        assert_eq!(policy("--shapes gemini --shapes claude"), policy("--shapes gemini,claude"));
        let built_in: Vec<_> = Shapes::default().iter().collect();
        let first = |name| read(Shapes::new([shape(name)].into_iter().chain(built_in.clone())));
        assert_eq!(policy("--shapes gemini,all"), first("gemini"));
        assert_eq!(policy("--limit-question 1"), limits(Limits { question: 1, ..default }));
        assert_eq!(policy("--limit-answer 1"), limits(Limits { answer: 1, ..default }));
        assert_eq!(policy("--limit-suggestions 1"), limits(Limits { suggestions: 1, ..default }));
        assert_eq!(policy("--limit-tag 1"), limits(Limits { tag: 1, ..default }));
        assert_eq!(policy("--limit-unconfirmed 1"), limits(Limits { unconfirmed: 1, ..default }));
        assert_eq!(policy("--limit-questions 1"), limits(Limits { questions: 1, ..default }));
        assert_eq!(policy("--limit-header 1"), limits(Limits { header: 1, ..default }));
        assert_eq!(policy("--limit-description 1"), limits(Limits { description: 1, ..default }));
        assert_eq!(policy("--limit-texts 1"), limits(Limits { texts: 1, ..default }));
        let default = wire::Limits::default();
        assert_eq!(args("").wire_limits(), default);
        assert_eq!(args("--limit-event 1").wire_limits(), default.with_event(1));
        assert_eq!(args("--limit-open-calls 1").wire_limits(), default.with_open_calls(1));
        assert_eq!(args("--limit-arguments 1").wire_limits(), default.with_arguments(1));
    }
}
