//! Other tools' native calls, as people see them: on a line of their own, behind the tool's name.

use followup::Opaque;

/// The call that the last piece was of.
#[derive(Debug, Default)]
pub(crate) struct Last {
    tool: String,
    id: Option<String>,
    /// It is a native call: markup says itself whose call it is, and its pieces follow each other.
    native: bool,
    /// It is one, and its line has not been ended.
    open: bool,
}

impl Last {
    /// What stands in front of a piece. `line_start`: whether it would stand at the beginning of a line.
    pub(crate) fn before(&mut self, piece: &Opaque<'_>, line_start: bool) -> String {
        let same = !piece.start && self.tool == piece.tool && self.id.as_deref() == piece.id;
        if same && (self.open || !self.native) {
            return String::new();
        }
        let end = self.end(line_start);
        // A native call begins with an empty piece.
        let native = same || !piece.start || piece.raw.is_empty();
        *self = Last { tool: piece.tool.to_owned(), id: piece.id.map(str::to_owned), native, open: native };
        if !native {
            return end.to_owned();
        }
        // It has a line of its own.
        format!("{}{} ", if line_start { "" } else { "\n" }, piece.tool)
    }

    /// What stands in front of anything else.
    pub(crate) fn end(&mut self, line_start: bool) -> &'static str {
        if std::mem::take(&mut self.open) && !line_start { "\n" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_native_call_has_a_line_of_its_own() {
        let (mut last, mut out) = (Last::default(), String::from("Hm."));
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
            out += &last.before(&Opaque { tool, raw, start, id }, out.ends_with('\n'));
            out += raw;
        }
        assert_eq!(out, "Hm.\nread {\"path\"\nlist {}\nread :1}\nrun {}\n<write>x</write>");
    }
}
