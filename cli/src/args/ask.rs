//! The options of `followup ask`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::input::InputArgs;
use crate::policy::PolicyArgs;

pub(super) const ASK_HELP: &str = "\
Examples:
  my-agent | followup ask > reply
      Shows the message, asks on the terminal, and prints the reply.
  followup ask --wire auto --format anthropic response.sse
      Asks what a provider has streamed; the reply is the next message for it.
  followup ask --chunk 4 --delay 20 message.txt > reply
      A recorded message as if a model were writing it.
  followup ask --answer 1 message.txt
      Takes the first suggestion, without a person.
  followup ask --text \"Neither\" --image sketch.png --format json message.txt
      Answers in other words, with an image.
  followup ask --wire auto --answer 1 --answer 3 response.sse
      A call with two questions: an answer for each. Or as JSON, with several
      options: --answer-json '{\"form\":[{\"picked\":[0]},{\"picked\":[0,2]}]}'

On the screen, ? shows all keys: a number, the arrows and Enter, or a click take
a suggestion, e edits it first, w writes another answer, / filters a long list,
i adds an image (not to a reply as text), Esc, then y leaves the question
unanswered, Ctrl-C quits, Ctrl-Z suspends. Several questions of a call are
steps, and so is one that takes several options: Space ticks, Enter takes an
option or continues, Tab and Shift-Tab go to the next question and back. The
last step shows all answers, and Enter sends them. Esc, then d declines to
answer, and Esc, then c asks to talk about it first. a adds a note to an option.
Both are there where the tool has a reply for them.

Line by line (--lines), an answer is the number of a suggestion, or one line of
text; where several options can be chosen, numbers like 1,3. 1 note: TEXT adds a
note to an option. A number that is not one of the choices is asked for again;
typed a second time, it is the answer. Of several lines pasted at once, none is
taken (not on Windows). After several questions of a call, or an empty line at
its only one, you send, are asked again, leave it or decline.
--answer, --text and --answer-json can't be combined. A question left unanswered
is told to the model (\"The user denied this operation.\"). --auto-answer waits at
a question without suggestions; of several questions, it sends what is chosen at
first, or else the first options.

What is printed on standard output, a reply for each call, in order:
  text      the result of the call: the answer, wrapped as the dialect says; it
            has no room for images and modes
  openai-chat, openai-responses, anthropic, gemini, bedrock-converse, ollama
            the messages that carry all replies, one per line, as JSON, at the
            end
  json      {\"kind\":\"answer\"|\"cancelled\"|\"declined\"|\"correction\",\"number\":N,
            \"id\":S,\"tool\":S,\"text\":S,\"images\":[URL],\"mode\":S}, without what is
            absent; N counts the questions from 0, \"id\" is the provider's id of
            a native call, \"tool\" the name of its tool
A call that can't be asked has a reply too: the correction for the model.

Exit status:
  0  All questions were answered, or there were none.
  1  A call could not be asked, a question was not answered, or something could
     not be read.
  2  The command line is wrong, or there is no terminal to ask on.
  130, 143 and the like: ended by Ctrl-C or by a signal; the replies so far are
     printed.";

/// Asks the questions in a message, and prints the replies.
///
/// On a terminal: shows the message as it arrives, and asks each question once it is complete. With
/// the keys or the mouse you take a suggestion, edit one, or write your own answer. Keys are read
/// from the terminal itself, so that standard input may be the message and standard output the
/// reply. --answer and --text answer without a person. The mode in brackets before a suggestion is
/// the mode to which the agent should switch with that answer: --format json has it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`followup ask --help` has examples, the formats and the exit status.",
    after_long_help = ASK_HELP
)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Answer with the suggestion of this number, from 1; repeat it for further questions
    #[arg(long, value_name = "N", conflicts_with = "text", help_heading = "Answering")]
    pub(crate) answer: Vec<NonZeroUsize>,

    /// Answer with this text; repeat it for further questions
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = "Answering")]
    pub(crate) text: Vec<String>,

    /// Answer with this JSON: {"form":[…]} has an answer for each question of a call
    ///
    /// {"form":[{"picked":[0,2]},{"text":"8080"},{}]} picks the first and the third option of the
    /// first question, writes the answer to the second, and leaves the third unanswered. Options
    /// count from 0 here. {"suggestion":1} and {"text":"…"} answer a call with one question.
    /// Repeat it for further calls.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["answer", "text"], help_heading = "Answering")]
    pub(crate) answer_json: Vec<String>,

    /// Send an image with the first answer: a PNG, JPEG, GIF or WebP; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Answering")]
    pub(crate) image: Vec<PathBuf>,

    /// Take the first suggestion, or the default, after this many seconds, unless a key is pressed
    ///
    /// The countdown is shown on the screen, and starts when a question can be answered. Any key, a
    /// click or the wheel stops it for good. Line by line, Ctrl-Z does, and the beginning of a
    /// line: that is discarded, and the line can be typed again.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["answer", "text", "answer_json"], help_heading = "Answering")]
    pub(crate) auto_answer: Option<u32>,

    /// Ask line by line, without a screen: for screen readers, and terminals that can't draw one
    ///
    /// Nothing that was written is changed, so a question is written once it is complete. On
    /// Windows, what is typed has to be ASCII while the message is piped in: name its file instead.
    #[arg(long, conflicts_with_all = ["answer", "text", "answer_json"], help_heading = "Answering")]
    pub(crate) lines: bool,

    /// The format of the replies
    #[arg(long, value_enum, default_value_t = ReplyFormat::Text, help_heading = "Output")]
    pub(crate) format: ReplyFormat,

    /// Escape the closing tag of the answer's wrapping, such as </answer>, inside the answer
    ///
    /// Such a tag may end the answer early for the model. Without this option the answer is passed
    /// on unchanged, with a warning on standard error. docs/dialects.md says how it is escaped.
    #[arg(long, help_heading = "Output")]
    pub(crate) escape: bool,

    /// The wording and wrapping of the replies: a name, or a file (TOML or JSON)
    ///
    /// roo-code: Roo Code and its relatives, such as Cline. roo-code-zh, kilo-code-zh: the Chinese
    /// versions. roo-code-latest: recent Roo Code, with <user_message> around an answer, and
    /// suggestions required. vjsp: VJSP. A file of your own holds the differences from roo-code;
    /// see docs/dialects.md.
    #[arg(long, value_name = "NAME|FILE", default_value = "roo-code", help_heading = "Output")]
    pub(crate) dialect: String,

    /// The wording of the replies to another agent's question tool: a name, or a file (TOML or
    /// JSON)
    ///
    /// Such as ask_user=gemini, once for each tool. Without it, a tool that belongs to one agent
    /// has that agent's wording. docs/question-tools.md has the names, and what a file holds.
    #[arg(long, value_name = "TOOL=NAME|FILE", help_heading = "Output")]
    pub(crate) template: Vec<String>,

    /// Print without colours (so does the environment variable NO_COLOR)
    #[arg(long, help_heading = "Output")]
    pub(crate) no_color: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// The format of the replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReplyFormat {
    /// The result of the call
    Text,
    /// Messages for OpenAI chat completions
    OpenaiChat,
    /// Input items for OpenAI Responses
    OpenaiResponses,
    /// Messages for Anthropic
    Anthropic,
    /// Contents for Gemini
    Gemini,
    /// Messages for Bedrock Converse
    BedrockConverse,
    /// Messages for Ollama
    Ollama,
    /// The reply with everything known about it
    Json,
}
