//! Templates of hosts that write a text.

use super::parts::{entry, error, general, outcome, said, text};
use crate::dialogue::template::model::{Template, TemplateEntry, TemplateOutcome, TemplateRejection, Text};

const ANSWERED: Text =
    text("User has answered your questions: {entries}. You can now continue with the user's answers in mind.");
const CLAUDE_DECLINED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you \
    how to proceed.";

const CLAUDE_DISCUSSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n\
    The user wants to clarify these questions.\n    \
    This means they may have additional information, context or questions for you.\n    \
    Take their response into account and then reformulate the questions if appropriate.\n    \
    Start by asking them what they would like to clarify.\n\n    \
    Questions asked:\n{entries}";

/// The host writes the time of its setting, of which 60 seconds is the shortest.
const CLAUDE_TIMED_OUT: &str = "No response after 60s \u{2014} the user may be away from keyboard. Proceed using your best \
    judgment based on the context so far; you can re-ask this question later if it's still relevant.{entries}";

pub(super) fn claude() -> Template {
    Template {
        name: text("claude"),
        answered: text(
            "Your questions have been answered: {entries}. You can now continue with these answers in mind.",
        ),
        answered_own: Some(text(
            "The user answered: {entries}. Read the answers carefully \u{2014} they may request clarification, \
             changes, or that you not proceed \u{2014} and follow what they actually say.",
        )),
        between_entries: text(", "),
        entry: entry("\"{question}\"=\"{answer}\"{preview}{note}"),
        note: text(" notes: {note}"),
        preview: text(" selected preview:\n{preview}"),
        nothing: said("The user did not answer the questions."),
        cancelled: error(CLAUDE_DECLINED),
        discussed: Some(TemplateOutcome {
            entry: Some(text("- \"{question}\"\n  (No answer provided)")),
            answered: Some(text("- \"{question}\"\n  Answer: {answer}")),
            between_entries: Some(text("\n")),
            is_error: true,
            ..outcome(CLAUDE_DISCUSSED)
        }),
        timed_out: Some(TemplateOutcome {
            entries: Some(text("\n\nBefore going idle the user had selected: {entries}.")),
            ..outcome(CLAUDE_TIMED_OUT)
        }),
        rejected: Some(TemplateRejection {
            missing_parameter: text(
                "<tool_use_error>InputValidationError: {tool} failed due to the following issue:\n\
             The required parameter `{parameter}` is missing</tool_use_error>",
            ),
            other: text("<tool_use_error>InputValidationError: {details}</tool_use_error>"),
            is_error: true,
        }),
        ..general()
    }
}

/// Its host sends the user's own text twice: as the answer, and as a note.
pub(super) fn claude_older() -> Template {
    Template {
        name: text("claude-older"),
        answered: ANSWERED,
        answered_own: None,
        entry: TemplateEntry {
            written: Some(text("\"{question}\"=\"{text}\" user notes: {text}")),
            both: Some(text("\"{question}\"=\"{answer}\" user notes: {text}")),
            ..entry("\"{question}\"=\"{answer}\"{preview}{note}")
        },
        note: text(" user notes: {note}"),
        nothing: None,
        timed_out: None,
        ..claude()
    }
}

pub(super) fn letta() -> Template {
    Template {
        name: text("letta"),
        answered: ANSWERED,
        between_entries: text(", "),
        entry: TemplateEntry { unanswered: Some(text("\"{question}\"=\"\"")), ..entry("\"{question}\"=\"{answer}\"") },
        nothing: error("User cancelled the approval"),
        cancelled: error("User cancelled the approval"),
        ..general()
    }
}

pub(super) fn copilot() -> Template {
    Template {
        name: text("copilot"),
        one: Some(TemplateEntry {
            written: Some(text("User responded: {text}")),
            both: Some(text("User responded: {picks}, {text}")),
            unanswered: Some(text("User skipped question")),
            ..entry("User selected: {picks}")
        }),
        cancelled: said("User skipped question"),
        parameter: text("question"),
        form: Some(text("copilot-form")),
        ..general()
    }
}

pub(super) fn copilot_form() -> Template {
    Template {
        name: text("copilot-form"),
        answered: text("User responded: {entries}"),
        between_entries: text(", "),
        entry: entry("{id}={answer}"),
        one: Some(entry("User responded: {answer}")),
        nothing: said("User accepted but provided no values."),
        cancelled: said("User cancelled the request."),
        declined: said(
            "The user is not available to respond and will review your work later. \
         Work autonomously and make good decisions.",
        ),
        parameter: text("requestedSchema"),
        ..general()
    }
}

/// What Cursor writes for a cancelled call is not known.
pub(super) fn cursor_tool() -> Template {
    Template {
        name: text("cursor-tool"),
        answered: text("User questions responses:\n{entries}"),
        between_entries: text("\n"),
        entry: TemplateEntry {
            written: Some(text("Question {id}: {text}")),
            both: Some(text("Question {id}: Selected option(s) {picks}, {text}")),
            ..entry("Question {id}: Selected option(s) {picks}")
        },
        pick: text("{value}"),
        nothing: said("User questions responses:"),
        ..general()
    }
}

pub(super) fn opencode() -> Template {
    Template {
        name: text("opencode"),
        answered: ANSWERED,
        between_entries: text(", "),
        entry: TemplateEntry {
            unanswered: Some(text("\"{question}\"=\"Unanswered\"")),
            ..entry("\"{question}\"=\"{answer}\"")
        },
        cancelled: error("The user dismissed this question"),
        ..general()
    }
}

pub(super) fn kilo() -> Template {
    Template { name: text("kilo"), cancelled: said("User dismissed the question."), ..opencode() }
}

pub(super) fn crush() -> Template {
    Template {
        name: text("crush"),
        entry: TemplateEntry {
            yes: Some(text("Q{number}: {question}\nUser answered: yes{note}")),
            no: Some(text("Q{number}: {question}\nUser answered: no{note}")),
            written: Some(text("Q{number}: {question}\nUser provided: {text}{note}")),
            both: Some(text("Q{number}: {question}\nUser selected: {values}\nUser provided: {text}{note}")),
            unanswered: Some(text("Q{number}: {question}\nUser skipped this question")),
            ..entry("Q{number}: {question}\nUser selected: {values}{note}")
        },
        between_picks: text(","),
        note: text("\n\nNotes:\n- {note}"),
        cancelled: error("User cancelled this question"),
        rejected: Some(TemplateRejection {
            missing_parameter: text("at least one question is required"),
            other: text("{details}"),
            is_error: true,
        }),
        ..general()
    }
}

pub(super) fn cline() -> Template {
    Template {
        name: text("cline"),
        one: Some(entry("{answer}")),
        nothing: said("[User dismissed the question]"),
        cancelled: said("[User dismissed the question]"),
        parameter: text("question"),
        ..general()
    }
}

pub(super) fn qwen() -> Template {
    Template {
        name: text("qwen"),
        answered: text("User has provided the following answers:\n\n{entries}"),
        between_entries: text("\n"),
        entry: entry("**{header}**: {answer}"),
        nothing: said("User has provided the following answers:\n\nNo valid answers were provided."),
        cancelled: error("[Operation Cancelled] Reason: User did not allow tool call"),
        rejected: Some(TemplateRejection {
            missing_parameter: text("Parameter \"{parameter}\" must be an array."),
            other: text("{details}"),
            is_error: true,
        }),
        ..general()
    }
}

const GROK_DECLINED: &str = "User declined to answer the questions. Continue with the task using your best judgment, or \
    ask different questions.";

/// A talk is Claude Code's without its first lines.
const GROK_DISCUSSED: &str = "The user wants to clarify these questions.\n    \
    This means they may have additional information, context or questions for you.\n    \
    Take their response into account and then reformulate the questions if appropriate.\n    \
    Start by asking them what they would like to clarify.\n\n    \
    Questions asked:\n{entries}";

pub(super) fn grok() -> Template {
    Template {
        name: text("grok"),
        answered: ANSWERED,
        between_entries: text(", "),
        entry: TemplateEntry {
            written: Some(text("\"{question}\"=\"Other\" user notes: {text}")),
            both: Some(text("\"{question}\"=\"{picks}\"{preview} user notes: {text}")),
            ..entry("\"{question}\"=\"{picks}\"{preview}{note}")
        },
        note: text(" user notes: {note}"),
        preview: text(" selected preview:\n{preview}"),
        cancelled: said(GROK_DECLINED),
        discussed: Some(TemplateOutcome {
            entry: Some(text("- \"{question}\"\n  (No answer provided)")),
            answered: Some(text("- \"{question}\"\n  Answer: {answer}")),
            between_entries: Some(text("\n")),
            ..outcome(GROK_DISCUSSED)
        }),
        ..general()
    }
}

pub(super) fn openhands() -> Template {
    Template {
        name: text("openhands"),
        answered: text("The user answered:\n{entries}"),
        between_entries: text("\n"),
        entry: TemplateEntry {
            written: Some(text("- {header}: {text}")),
            both: Some(text("- {header}: {picks}, {text}")),
            ..entry("- {header}: {picks}")
        },
        nothing: said("The user accepted the request but provided no answers."),
        cancelled: said("The user dismissed the question without answering."),
        declined: said("The user declined to answer and asked you to stop asking."),
        ..general()
    }
}

pub(super) fn deepagents() -> Template {
    Template {
        name: text("deepagents"),
        entry: TemplateEntry { unanswered: Some(text("Q: {question}\nA: ")), ..entry("Q: {question}\nA: {answer}") },
        cancelled: Some(TemplateOutcome { entry: Some(text("Q: {question}\nA: (cancelled)")), ..outcome("{entries}") }),
        ..general()
    }
}

pub(super) fn zed() -> Template {
    Template {
        name: text("zed"),
        one: Some(entry("The user selected: {answer}")),
        nothing: error("The user submitted the form without providing an answer."),
        cancelled: error("The user cancelled the question without answering."),
        declined: error("The user declined to answer the question."),
        parameter: text("question"),
        ..general()
    }
}

pub(super) fn omp() -> Template {
    Template {
        name: text("omp"),
        answered: text("User answers:\n{entries}"),
        between_entries: text("\n"),
        entry: TemplateEntry {
            several: Some(text("{id}: [{picks}]{note}")),
            written: Some(text("{id}: \"{text}\"{note}")),
            both: Some(text("{id}: [{picks}, {text}]{note}")),
            unanswered: Some(text("{id}: (cancelled)")),
            ..entry("{id}: {picks}{note}")
        },
        note: text(" (note: {note})"),
        cancelled: error("Ask tool was cancelled by the user"),
        discussed: Some(TemplateOutcome {
            entry: Some(text("{question}")),
            answered: Some(text("{question}")),
            ..outcome("User chose to chat about this instead of answering.\n\nQuestions asked:\n{entries}")
        }),
        timed_out: Some(TemplateOutcome {
            recommended: Some(TemplateEntry {
                several: Some(text("{id}: [{picks}] (auto-selected after timeout)")),
                ..entry("{id}: {picks} (auto-selected after timeout)")
            }),
            ..outcome("User answers:\n{entries}")
        }),
        ..general()
    }
}

pub(super) fn pi() -> Template {
    Template {
        name: text("pi"),
        between_entries: text("\n"),
        entry: TemplateEntry {
            written: Some(text("{header}: user wrote: {text}")),
            both: Some(text("{header}: user selected: {picks}, user wrote: {text}")),
            ..entry("{header}: user selected: {picks}")
        },
        pick: text("{number}. {label}"),
        missing_header: text("Q{number}"),
        nothing: said("User cancelled the questionnaire"),
        cancelled: said("User cancelled the questionnaire"),
        ..general()
    }
}

pub(super) fn confirm() -> Template {
    Template {
        name: text("confirm"),
        one: Some(TemplateEntry {
            yes: Some(text("Yes, confirmed.")),
            no: Some(text("No, denied")),
            ..entry("{answer}")
        }),
        nothing: said("No, denied"),
        cancelled: said("No, denied"),
        parameter: text("message"),
        ..general()
    }
}
