//! Messages for benchmarks: what agents receive every day, and what makes careless parsers slow.
//!
//! Each message is the same every time.
//!
//! ```
//! use followup::{Event, Parser};
//! use followup_testing::{pieces, workloads};
//!
//! for workload in workloads::everyday().chain(workloads::adversarial(1 << 16)) {
//!     let mut parser = Parser::new(workload.policy());
//!     let mut questions = 0;
//!     for piece in pieces(&workload.message, 4) {
//!         let mut events = parser.feed(piece);
//!         while let Some(event) = events.next() {
//!             questions += usize::from(matches!(event, Event::Complete(_)));
//!         }
//!     }
//!     drop(parser.finish());
//!     assert_eq!(questions, workload.questions, "{}", workload.name);
//! }
//! ```

use followup::{Limits, Policy};

/// A message, and how many complete calls it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name in tables.
    pub name: &'static str,
    /// The text.
    pub message: String,
    /// How many calls in it are complete.
    pub questions: usize,
}

impl Workload {
    /// Returns the default policy, with a limit for questions that is never less than the message.
    pub fn policy(&self) -> Policy {
        let default = Limits::default();
        Policy::new().with_limits(Limits { question: default.question.max(self.message.len()), ..default })
    }
}

const MIB: usize = 1 << 20;

/// The text between two questions.
const PROSE: &str = "The build is **green** again. Next I would look at `src/main.rs`, where the\n\
    configuration is read twice:\n\n- once for the defaults,\n- once for the user's own file.\n\n";

const QUESTION: &str = "<ask_followup_question>\n<question>Which database should the service use?</question>\n\
    <follow_up>\n<suggest>PostgreSQL, as the other services do</suggest>\n<suggest mode=\"architect\">Compare them first</suggest>\n\
    </follow_up>\n</ask_followup_question>\n";

/// The same call in each envelope that the default policy reads.
const ENVELOPES: [&str; 8] = [
    "<tool_call>\n<function=ask_followup_question>\n<parameter=question>\nQUESTION\n</parameter>\n\
     <parameter=follow_up>\nLIST\n</parameter>\n</function>\n</tool_call>\n",
    "<tool_call>\n{\"name\": \"ask_followup_question\", \"arguments\": ARGUMENTS}\n</tool_call>\n",
    "{\"name\": \"ask_followup_question\", \"arguments\": ARGUMENTS}\n",
    "<function_calls>\n<invoke name=\"ask_followup_question\">\n<parameter name=\"question\">QUESTION</parameter>\n\
     <parameter name=\"follow_up\">LIST</parameter>\n</invoke>\n</function_calls>\n",
    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"ask_followup_question\">\n\
     <｜DSML｜parameter name=\"question\" string=\"true\">QUESTION</｜DSML｜parameter>\n\
     <｜DSML｜parameter name=\"follow_up\" string=\"false\">LIST</｜DSML｜parameter>\n\
     </｜DSML｜invoke>\n</｜DSML｜tool_calls>\n",
    "<tool_call>ask_followup_question\n<arg_key>question</arg_key>\n<arg_value>QUESTION</arg_value>\n\
     <arg_key>follow_up</arg_key>\n<arg_value>LIST</arg_value>\n</tool_call>\n",
    "<|start|>assistant<|channel|>commentary to=functions.ask_followup_question <|constrain|>json<|message|>\
     ARGUMENTS<|call|>\n",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.ask_followup_question:0<|tool_call_argument_begin|>\
     ARGUMENTS<|tool_call_end|><|tool_calls_section_end|>\n",
];

/// Text with many tags, none of which is ours.
const TSX: &str =
    "<ul className=\"list\">{items.map((item) => <li key={item.id}><b>{item.name}</b> {a < b}</li>)}</ul>\n";

/// Text that is mostly code: spans that name tags, and fences with TSX, Rust and JSON in them.
const CODE: &str = "An agent asks with `<ask_followup_question>` (see ``docs/`format`.md``); `<tool_call>` begins\n\
    a call of Hermes, and `{\"name\": …}` at the start of a line may be one.\n\n\
    ```tsx\nexport function List({ items }: Props) {\n  const [open, setOpen] = useState<string | null>(null);\n\
    \x20 return (\n    <ul className=\"list\">\n      {items.map((item) => (\n        <li key={item.id} onClick={() => setOpen(item.id)}>\n\
    \x20         <b>{item.name}</b>\n        </li>\n      ))}\n    </ul>\n  );\n}\n```\n\n\
    The service reads them with this:\n\n\
    ```rust\nfn load(path: &Path) -> Result<Vec<Item>, Error> {\n    let file = BufReader::new(File::open(path)?);\n\
    \x20   let mut items = Vec::new();\n\n    for line in file.lines() {\n        let line = line?;\n\
    \x20       if !line.is_empty() {\n            items.push(serde_json::from_str::<Item>(&line)?);\n        }\n    }\n\
    \x20   Ok(items)\n}\n```\n\n\
    and each line is an object:\n\n~~~json\n{\n  \"id\": \"a-17\",\n  \"name\": \"First\"\n}\n~~~\n\n";

/// Repeats a text as often as fits into `len` bytes.
fn filled(len: usize, text: &str) -> String {
    text.repeat(len / text.len())
}

/// Returns [`prose`], [`questions`], [`tsx`], [`code`] and [`envelopes`].
pub fn everyday() -> impl Iterator<Item = Workload> {
    [prose(), questions(), tsx(), code(), envelopes()].into_iter()
}

/// Returns about a megabyte of markdown without a tag.
pub fn prose() -> Workload {
    Workload { name: "prose", message: filled(MIB, PROSE), questions: 0 }
}

/// Returns about a megabyte of markdown with a question about every 2 KiB.
pub fn questions() -> Workload {
    let period = filled(2048 - QUESTION.len(), PROSE) + QUESTION;
    Workload { name: "questions", message: filled(MIB, &period), questions: MIB / period.len() }
}

/// Returns about a megabyte of TSX, with many `<` that begin no tag of ours.
pub fn tsx() -> Workload {
    Workload { name: "tsx", message: filled(MIB, TSX), questions: 0 }
}

/// Returns about a megabyte of markdown that is mostly code, in spans and fences.
pub fn code() -> Workload {
    Workload { name: "code", message: filled(MIB, CODE), questions: 0 }
}

/// Returns about a megabyte of markdown with a call in an envelope about every 2 KiB.
///
/// The families of envelopes that the default policy reads come in turn.
pub fn envelopes() -> Workload {
    let periods = ENVELOPES.map(|envelope| {
        let call = call_in(envelope);
        filled(2048 - call.len(), PROSE) + &call
    });
    let (mut message, mut questions) = (String::with_capacity(MIB), 0);
    for period in periods.iter().cycle() {
        if message.len() + period.len() > MIB {
            break;
        }
        message += period;
        questions += 1;
    }
    Workload { name: "envelopes", message, questions }
}

/// Returns the call of [`QUESTION`] in an envelope.
fn call_in(envelope: &str) -> String {
    let question = "Which database should the service use?";
    let list = "[{\"text\": \"PostgreSQL, as the other services do\", \"mode\": null}, \
                {\"text\": \"Compare them first\", \"mode\": \"architect\"}]";
    let arguments = format!("{{\"question\": \"{question}\", \"follow_up\": {list}}}");
    envelope.replace("ARGUMENTS", &arguments).replace("QUESTION", question).replace("LIST", list)
}

/// Returns the text of a question of about `len` bytes, never an empty one.
fn asked(len: usize) -> String {
    filled(len.max(PROSE.len()), PROSE)
}

/// Returns one call with a question of about `len` bytes and two suggestions.
pub fn question(len: usize) -> Workload {
    let question = asked(len);
    let message = format!(
        "<ask_followup_question>\n<question>{question}</question>\n<follow_up><suggest>Yes</suggest><suggest mode=\"code\">No</suggest>\
         </follow_up>\n</ask_followup_question>"
    );
    Workload { name: "question", message, questions: 1 }
}

/// Returns the arguments of one native call with a question of about `len` bytes.
///
/// They are for [`Parser::arguments`](followup::Parser::arguments).
pub fn arguments(len: usize) -> Workload {
    let question = asked(len).replace('\n', "\\n");
    let message = format!(
        "{{\"question\": \"{question}\", \"follow_up\": [{{\"text\": \"Yes, \\u00fcberall\", \"mode\": null}}, \
         {{\"text\": \"No\", \"mode\": \"code\"}}]}}"
    );
    Workload { name: "arguments", message, questions: 1 }
}

/// Returns the arguments of a form with a question of about `len` bytes and two options.
///
/// It is one call of Claude Code's tool `AskUserQuestion`.
///
/// They are for [`Parser::arguments_of`](followup::Parser::arguments_of).
pub fn form(len: usize) -> Workload {
    let question = asked(len).replace('\n', "\\n");
    let message = format!(
        "{{\"questions\": [{{\"question\": \"{question}\", \"header\": \"Next step\", \"options\": \
         [{{\"label\": \"Yes, \\u00fcberall\", \"description\": \"In each file that reads it.\"}}, \
         {{\"label\": \"No\", \"description\": \"Leave the files as they are.\"}}], \"multiSelect\": false}}]}}"
    );
    Workload { name: "form", message, questions: 1 }
}

/// Returns messages of about `len` bytes in which a careless parser is slow or reads text twice.
pub fn adversarial(len: usize) -> impl Iterator<Item = Workload> {
    let again = move |name, text| Workload { name, message: filled(len, text), questions: 0 };
    let inside = move |name, text: &str| Workload {
        name,
        message: format!(
            "<ask_followup_question><question>Why{}?</question></ask_followup_question>",
            filled(len, text)
        ),
        questions: 1,
    };
    [
        again("almost tags", "<ask_followup_questio </sugges "),
        again("brackets", "<"),
        again("named tags", "`<ask_followup_question>` is a tool, "),
        again("open back-ticks", "`<question> "),
        again("another tool", "<write_to_file><content>a < b && <li></content></write_to_file>"),
        inside("brackets in a question", "a < b, <"),
        inside("entities in a question", "&amp;&#x41;&am"),
        inside("almost ends of a question", "</questio </question"),
        inside("space in a question", " \n "),
    ]
    .into_iter()
}
