//! What is read to see what reading costs: messages that agents really get, made here.

/// A message, and how many questions there are in it to be asked.
pub(super) struct Workload {
    pub(super) name: String,
    pub(super) message: String,
    pub(super) questions: usize,
}

const MIB: usize = 1 << 20;

/// What a model writes between two questions.
const PROSE: &str = "The build is **green** again. Next I would look at `src/main.rs`, where the\n\
    configuration is read twice:\n\n- once for the defaults,\n- once for the user's own file.\n\n";

const QUESTION: &str = "<ask_followup_question>\n<question>Which database should the service use?</question>\n\
    <follow_up>\n<suggest>PostgreSQL, as the other services do</suggest>\n<suggest mode=\"architect\">Compare them first</suggest>\n\
    </follow_up>\n</ask_followup_question>\n";

/// Full of brackets that are no tags of ours.
const TSX: &str =
    "<ul className=\"list\">{items.map((item) => <li key={item.id}><b>{item.name}</b> {a < b}</li>)}</ul>\n";

/// A message of about a megabyte: that, again and again.
fn filled(text: &str) -> String {
    text.repeat(MIB / text.len())
}

/// Those that are built in.
pub(super) fn built_in() -> Vec<Workload> {
    let between = PROSE.repeat((2048 - QUESTION.len()) / PROSE.len());
    let questions = filled(&format!("{between}{QUESTION}"));
    let many = questions.matches("</ask_followup_question>").count();
    vec![
        Workload { name: "prose".into(), message: filled(PROSE), questions: 0 },
        Workload { name: "questions".into(), message: questions, questions: many },
        Workload { name: "tsx".into(), message: filled(TSX), questions: 0 },
    ]
}
