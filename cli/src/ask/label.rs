//! Labels of options as people see them.

/// What models write before or after the label of an option that they recommend.
const MARK: &str = "(recommended)";

/// Returns the label without its mark `(Recommended)`, which is shown in another way.
///
/// Of a label that is still growing, the end is left out if it may be the beginning of the mark:
/// what this returns only grows while the label does.
pub(super) fn without_mark(label: &str, is_growing: bool) -> &str {
    let rest = without_leading_mark(label, is_growing);
    let shown = match strip_end(rest, MARK) {
        Some(before) => before.trim_end(),
        None if is_growing => without_beginning(rest),
        None => rest,
    };
    if shown.is_empty() && !is_growing { label } else { shown }
}

fn without_leading_mark(label: &str, is_growing: bool) -> &str {
    match label.get(..MARK.len()) {
        Some(start) if start.eq_ignore_ascii_case(MARK) => label[MARK.len()..].trim_start(),
        None if is_growing && is_beginning(label) => "",
        _ => label,
    }
}

/// Removes the longest end that the mark may begin with, and the blanks before it.
fn without_beginning(label: &str) -> &str {
    let start = label.rfind('(').filter(|&offset| is_beginning(&label[offset..]));
    label[..start.unwrap_or(label.len())].trim_end()
}

fn is_beginning(text: &str) -> bool {
    MARK.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

fn strip_end<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let offset = text.trim_end().len().checked_sub(end.len())?;
    let (before, last) = (text.get(..offset)?, text.get(offset..)?.trim_end());
    last.eq_ignore_ascii_case(end).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_hidden_at_either_end_of_a_label() {
        for (label, shown) in [
            ("Redis (Recommended)", "Redis"),
            ("Redis (recommended) ", "Redis"),
            ("(RECOMMENDED) Redis", "Redis"),
            ("Redis (fast)", "Redis (fast)"),
            ("Redis (Rec", "Redis (Rec"),
            ("(Recommended)", "(Recommended)"),
            ("Größe (recommended)", "Größe"),
            ("", ""),
        ] {
            assert_eq!(without_mark(label, false), shown);
        }
    }

    #[test]
    fn what_is_shown_of_a_growing_label_only_grows() {
        for label in
            ["Redis (Recommended)", "(Recommended) Redis (x)", "a (rec) (recommended)", "日本 (Reco mmended)", "()"]
        {
            let mut before = "";
            for (offset, char) in label.char_indices() {
                let shown = without_mark(&label[..offset + char.len_utf8()], true);
                assert!(shown.starts_with(before), "{label}: {before:?}, then {shown:?}");
                before = shown;
            }
            assert!(without_mark(label, false).starts_with(before), "{label}");
        }
    }
}
