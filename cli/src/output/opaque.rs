//! Other tools' calls as people see them: a native call is on its own line, after the tool's name.

use followup::Opaque;

/// The call of the last opaque piece, which decides what separates the next piece from it.
#[derive(Debug, Default)]
pub(crate) struct OpaqueCalls {
    tool: String,
    id: Option<String>,
    /// Whether it is a native call. Markup names its tool itself, and its pieces are contiguous.
    is_native: bool,
    /// Whether it is a native call whose line has not been ended.
    is_line_open: bool,
}

impl OpaqueCalls {
    /// Returns the text to write before a piece. `line_start`: the piece would begin a line.
    pub(crate) fn prefix(&mut self, piece: &Opaque<'_>, line_start: bool) -> String {
        let is_same = !piece.start && self.tool == piece.tool && self.id.as_deref() == piece.id;
        if is_same && (self.is_line_open || !self.is_native) {
            return String::new();
        }
        let line_end = self.finish_line(line_start);
        // The first piece of a native call is empty.
        let is_native = is_same || !piece.start || piece.raw.is_empty();
        let (tool, id) = (piece.tool.to_owned(), piece.id.map(str::to_owned));
        *self = OpaqueCalls { tool, id, is_native, is_line_open: is_native };
        if !is_native {
            return line_end.to_owned();
        }
        format!("{}{} ", if line_start { "" } else { "\n" }, piece.tool)
    }

    /// Returns the text to write before anything that is not an opaque piece.
    pub(crate) fn finish_line(&mut self, line_start: bool) -> &'static str {
        if std::mem::take(&mut self.is_line_open) && !line_start { "\n" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_native_call_is_on_its_own_line() {
        let (mut calls, mut out) = (OpaqueCalls::default(), String::from("Hm."));
        let pieces = [
            ("read", Some("1"), "", true),
            ("read", Some("1"), "{\"path\"", false),
            ("list", Some("2"), "", true),
            ("list", Some("2"), "{}", false),
            ("read", Some("1"), ":1}", false),
            ("run", None, "", true),
            ("run", None, "{}", false),
            ("write", None, "<write>", true),
            ("write", None, "x</write>", false),
        ];
        for (tool, id, raw, start) in pieces {
            out += &calls.prefix(&Opaque { tool, raw, start, id }, out.ends_with('\n'));
            out += raw;
        }
        assert_eq!(out, "Hm.\nread {\"path\"\nlist {}\nread :1}\nrun {}\n<write>x</write>");
    }
}
