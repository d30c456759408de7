//! Tests of how Markdown is laid out, and that the rows are independent of how the text arrived.

use ratatui::style::Modifier;

use super::*;
use crate::test_size::{is_short, sized};

fn theme() -> Theme {
    Theme::new(true)
}

fn screen(rows: &[Line<'_>]) -> Vec<String> {
    rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect()
}

fn markdown(pieces: &[&str]) -> Markdown {
    let mut markdown = Markdown::default();
    pieces.iter().for_each(|piece| markdown.push(piece));
    markdown
}

/// Returns the rows of the finished text.
fn shown(source: &str, width: usize) -> Vec<String> {
    let mut markdown = markdown(&[source]);
    markdown.finish();
    screen(markdown.rows(width, theme()))
}

fn growing(source: &str) -> Vec<String> {
    screen(markdown(&[source]).rows(40, theme()))
}

/// Returns the text with each style as a letter and brackets.
fn styled(source: &str) -> String {
    let mut markdown = markdown(&[source]);
    markdown.finish();
    let rows = markdown.rows(80, theme());
    let spans = rows.iter().flat_map(|row| &row.spans).map(|span| {
        let mut text = span.content.to_string();
        let modifiers = [
            (Modifier::BOLD, "b"),
            (Modifier::ITALIC, "i"),
            (Modifier::CROSSED_OUT, "s"),
            (Modifier::UNDERLINED, "u"),
            (Modifier::DIM, "d"),
        ];
        for (modifier, name) in modifiers {
            if span.style.add_modifier.contains(modifier) {
                text = format!("{name}<{text}>");
            }
        }
        if span.style.fg == theme().code().fg { format!("c<{text}>") } else { text }
    });
    spans.collect()
}

#[test]
fn paragraphs_and_headings_are_separated_and_soft_line_breaks_joined() {
    let source =
        "# Which *one*?\nA first line\nand a second,\\\na third  \nand a fourth.\n\n\n\nAnother #1 #\n===\n## B ##";
    let rows =
        ["Which one?", "", "A first line and a second,", "a third", "and a fourth.", "", "Another #1 #", "", "B"];
    assert_eq!(shown(source, 40), rows);
    assert_eq!(shown("one two three", 9), ["one two", "three"]);
}

#[test]
fn lists_are_indented_and_keep_their_numbers() {
    let source = "Choose:\n- one two\n  three\n* other\n3. third\n7. seventh\n   - a\n     1) deep\n";
    let rows =
        ["Choose:", "", "• one two three", "", "• other", "", "3. third", "7. seventh", "   • a", "     1) deep"];
    assert_eq!(shown(source, 40), rows);
}

#[test]
fn loose_lists_have_empty_rows_and_tight_ones_have_none() {
    assert_eq!(shown("- a\n- b\n\nc", 40), ["• a", "• b", "", "c"]);
    assert_eq!(shown("- a\n\n- b\n\n  c", 40), ["• a", "", "• b", "", "  c"]);
    assert_eq!(shown("-\n\n- b", 40), ["•", "", "• b"]);
    assert_eq!(shown("- a\n  - b\n\n    c\n- d", 40), ["• a", "  • b", "", "    c", "• d"]);
    assert_eq!(shown("1. - a\n   - b\n2. > c", 40), ["1. • a", "   • b", "2. │ c"]);
}

#[test]
fn tasks_have_boxes() {
    assert_eq!(shown("- [ ] a\n- [x] b\n- [z] c\n1. [X] d", 40), ["☐ a", "☑ b", "• [z] c", "", "1. ☑ d"]);
}

#[test]
fn quotes_have_a_bar_on_every_row() {
    let source = "> one two threes\n> - four five\n>\n> > six\n\nout";
    let rows = ["│ one two", "│ threes", "│", "│ • four", "│   five", "│", "│ │ six", "", "out"];
    assert_eq!(shown(source, 12), rows);
    assert_eq!(styled("> a"), "d<│ >a");
}

#[test]
fn code_is_shown_verbatim() {
    let source = "Run\n```sh main\n\n  a  b\n\tc\n```\nor\n\n    x\n\n      y\n";
    let rows = ["Run", "", "── sh main", "", "    a  b", "      c", "", "or", "", "  x", "", "    y"];
    assert_eq!(shown(source, 40), rows);
    assert_eq!(shown("- a\n  ~~~\n  b\n  ~~~\n- c", 40), ["• a", "    b", "• c"]);
    assert_eq!(shown("```\nlet one = two;", 12), ["  let one =", "  two;"]);
    assert_eq!(styled("`**a**  b` c"), "c<**a**  b> c");
    assert_eq!(styled("```sql\n*a*\n```"), "d<── sql>  c<*a*>");
}

#[test]
fn nested_styles_are_combined() {
    assert_eq!(styled("a **b *c* `d`** ~~e~~ _f_"), "a b<b >i<b<c>>b< >c<b<d>> s<e> i<f>");
    assert_eq!(styled("# a **b** *c*"), "b<a b >i<b<c>>");
    assert_eq!(styled("2 * 3 * 4 snake_case_name \\*a\\* ~5"), "2 * 3 * 4 snake_case_name *a* ~5");
}

#[test]
fn the_destination_of_a_link_is_shown() {
    let cases = [
        ("[a *b*](https://x.y)", "u<a >u<i<b>>d< (https://x.y)>"),
        ("<https://x.y> <a@b.c>", "u<https://x.y> u<a@b.c>"),
        ("[https://x.y](https://x.y)", "u<https://x.y>"),
        ("[https://good.com](https://evil.com)", "u<https://good.com>d< (https://evil.com)>"),
        ("[a](<b c> \"t\")", "u<a>d< (b c \"t\")>"),
        ("[](b)", "d<(b)>"),
        ("[a]() []()", "u<a> []()"),
        ("![an *image*](b)", "[image: an i<image>]d< (b)>"),
        ("[![c](d)](e)", "u<[image: c]>d<u< (d)>>d< (e)>"),
    ];
    for (source, expected) in cases {
        assert_eq!(styled(source), expected, "{source}");
    }
}

#[test]
fn html_is_shown_as_written() {
    let source = "Use `<b>` or <i>it</i><!-- see\nthis -->?\n\n<div>\n  *a*\n</div>";
    let rows = ["Use <b> or <i>it</i><!-- see", "this -->?", "", "<div>", "  *a*", "</div>"];
    assert_eq!(shown(source, 40), rows);
}

const TABLE: &str = "Which?\n\n| Database | Size | **Note** |\n|---|--:|:-:|\n| `SQLite` | 1 | small |\n\
                     | [Postgre](x) | 1000 | the *usual* one |\n\nend";

#[test]
fn a_table_whose_rows_have_more_cells_than_its_head_is_shown_as_written() {
    for (source, rows) in [
        ("| ok |\n|---|\n| yes | rm -rf / |", ["| ok |", "|---|", "| yes | rm -rf / |"]),
        ("a | b\n-|-\n1 | 2 | 3", ["a | b", "-|-", "1 | 2 | 3"]),
        // An escaped bar is text of its cell.
        ("| a |\n|---|\n| b \\| c |", ["a", "─────", "b | c"]),
        ("| a |\n|---|\n| b", ["a", "─", "b"]),
    ] {
        assert_eq!(shown(source, 40), rows, "{source}");
    }
    assert!(shown("> | a |\n> |-|\n> | b | HIDDEN |", 40).concat().contains("HIDDEN"));
}

#[test]
fn tables_have_columns_and_markdown_in_their_cells() {
    let rows = [
        "Which?",
        "",
        "Database    │ Size │     Note",
        "────────────┼──────┼──────────────",
        "SQLite      │    1 │     small",
        "Postgre (x) │ 1000 │ the usual one",
        "",
        "end",
    ];
    assert_eq!(shown(TABLE, 40), rows);
    let narrow = [
        "Which?",
        "",
        "Databa │ Size │  Note",
        "se     │      │",
        "───────┼──────┼───────",
        "SQLite │    1 │ small",
        "Postgr │ 1000 │  the",
        "e (x)  │      │ usual",
        "       │      │  one",
        "",
        "end",
    ];
    assert_eq!(shown(TABLE, 22), narrow);
    assert_eq!(styled("| a | b |\n|-|-|\n| `c` | *d* |"), "b<a>d< │ >b<b>d<──┼──>c<c>d< │ >i<d>");
    assert_eq!(shown("> | a |\n> |---|\n> | b |\n\n- | c |\n  |---|", 40), ["│ a", "│ ─", "│ b", "", "• c", "  ─"]);
    // Where there is no room, it is shown as written.
    assert_eq!(shown("| a | b |\n|---|---|\n| 1 | 2 |", 4)[..2], ["| a", "| b"]);
    let wide = format!("|{}\n|{}\n", "a|".repeat(5_000), "-|".repeat(5_000));
    assert!(shown(&wide, 80).concat().starts_with("|a|a|"));
}

#[test]
fn a_growing_table_is_a_table_from_its_first_cell_on() {
    assert_eq!(growing("a\n\n|"), ["a"]);
    assert_eq!(growing("| **Data"), ["Data", "────"]);
    assert_eq!(growing("| **Data** | Si"), ["Data │ Si", "─────┼───"]);
    assert_eq!(growing("| Data | Size |\n|--"), ["Data │ Size", "─────┼─────"]);
    assert_eq!(growing("| a | b |\n|---|---|\n| `c"), ["a │ b", "──┼──", "c │"]);
    assert_eq!(shown("| **Data | Si", 40), ["| **Data | Si"], "nothing more came");
}

#[test]
fn the_first_row_begins_with_the_lead() {
    for (source, rows) in [
        ("", &["[m]"][..]),
        ("one *two* three", &["[m] one two", "three"]),
        ("- a\n- b", &["[m] • a", "• b"]),
        ("a\n\nb", &["[m] a", "", "b"]),
        ("```\nc\n```", &["[m]   c"]),
    ] {
        let mut grown = Markdown::default();
        grown.set_lead("[m] ".into());
        for at in 0..source.len() {
            grown.push(&source[at..=at]);
            grown.rows(11, theme());
        }
        grown.finish();
        assert_eq!(screen(grown.rows(11, theme())), rows, "{source}");
    }
}

#[test]
fn rules_fill_the_width() {
    assert_eq!(shown("***", 5), ["─────"]);
    assert_eq!(shown("- ***\n> ***", 9), ["• ───────", "", "│ ───────"]);
    assert_eq!(shown("___", 400), ["─".repeat(40)]);
    assert_eq!(shown("a\n***\nb", 3), ["a", "", "───", "", "b"]);
}

#[test]
fn link_definitions_are_shown() {
    let definitions = "[Option A]: PostgreSQL\n[Option A]: \"SQLite\"\n[b]: <x>\n'title'";
    assert_eq!(shown(definitions, 40), ["[Option A]: PostgreSQL", "[Option A]: \"SQLite\"", "[b]: <x>", "'title'"]);
    assert_eq!(shown("[a]: x\ntext\n\n[a] [b][a] [c][]", 40), ["[a]: x", "text", "", "[a] [b][a] [c][]"]);
    assert_eq!(shown("- [a]: x\n- > [b]: y\n  > z", 40), ["• [a]: x", "• │ [b]: y", "  │ z"]);
    assert_eq!(shown("[a\nb]:\nx", 40), ["[a b]: x"]);
    assert_eq!(
        shown("[^1]: note `[a]:` [b](x]:y) <http://[::1]:80>", 60),
        ["[^1]: note [a]: b (x]:y) http://[::1]:80"]
    );
    assert_eq!(shown("```[x]: y\n[a]: b\n```\n<p a=[b]:c>", 40), ["── [x]: y", "  [a]: b", "", "<p a=[b]:c>"]);
}

#[test]
fn marks_without_content_are_shown() {
    assert_eq!(shown("#\n\n-\n\n>\n\n```\n```\n\n1.", 40), ["#", "", "•", "", "│", "", "", "", "1."]);
    assert_eq!(shown("****\n\n**\n\n`", 40), ["─".repeat(40).as_str(), "", "**", "", "`"]);
}

#[test]
fn control_characters_are_replaced() {
    let source = "a\x1B[31m &#27;[2J &#x202E;b&#10;c\n```\x07\n&#27;\x1B\n```\n[x](<\x1B]0;t> \"\u{9B}\")\r\nend\r";
    let mut markdown = markdown(&[source]);
    for width in [3, 80] {
        let shown = screen(markdown.rows(width, theme())).concat();
        assert!(!shown.contains(crate::sanitize::is_control), "{shown:?}");
    }
    markdown.finish();
    let rows = ["a␛[31m ␛[2J \u{FFFD}b", "c", "", "── ␇", "  &#27;␛", "", "x (␛]0;t \"\u{FFFD}\") end␍"];
    assert_eq!(screen(markdown.rows(80, theme())), rows);
}

#[test]
fn balanced_isolates_are_kept_while_they_grow() {
    assert_eq!(growing("a \u{2067}b"), ["a \u{2067}b\u{2069}"]);
    assert_eq!(growing("a **\u{2067}b"), ["a \u{2067}b\u{2069}"]);
    assert_eq!(growing("a \u{2067}b\u{2069} \u{2069}\u{202E}"), ["a \u{2067}b\u{2069} \u{FFFD}\u{FFFD}"]);
    assert_eq!(shown("a \u{2067}b\n\nc\u{2069}", 40), ["a \u{FFFD}b", "", "c\u{FFFD}"]);
}

#[test]
fn crlf_line_ends_are_independent_of_the_cut() {
    let source = "# a\r\n\r\nb\r\nc\r\n- d\r\n\r\n```\r\ne\r\n\r\nf\r\n```\r\n<b>\r\n";
    let expected = shown(&source.replace('\r', ""), 20);
    for at in 0..=source.len() {
        let mut markdown = markdown(&[&source[..at], &source[at..]]);
        markdown.finish();
        assert_eq!(screen(markdown.rows(20, theme())), expected, "{at}");
    }
}

#[test]
fn wide_characters_are_never_cut() {
    let source = "- 日本語を**選ぶ**、👩‍👩‍👧👩‍👩‍👧 e\u{301}e\u{301}";
    assert_eq!(shown(source, 9), ["• 日本語", "  を選", "  ぶ、👩‍👩‍👧", "  👩‍👩‍👧 e\u{301}e\u{301}"]);
}

#[test]
fn open_marks_are_shown_as_if_closed() {
    assert_eq!(growing("**Import"), ["Import"]);
    assert_eq!(growing("See [the docs](https://exa"), ["See the docs"]);
    assert_eq!(growing("a\n\n- b\n- `c"), ["a", "", "• b", "• c"]);
    assert_eq!(growing("a\n-"), ["a"]);
    assert_eq!(growing("```\na\n``"), ["  a"]);
    let mut markdown = markdown(&["**Import"]);
    markdown.finish();
    assert_eq!(screen(markdown.rows(40, theme())), ["**Import"], "nothing more came");
}

#[test]
fn shown_text_never_changes_while_the_text_grows() {
    let source = "## **Which** database?\n\nYour `docker-compose.yml` has *two* of them, ***both*** in __use__:\n\n\
                  1. **PostgreSQL** – see [the docs](https://postgresql.org \"docs\") and ``a ` b``\n   - ~~old~~ new_name, \
                  *em **strong** em*\n   - 2 * 3 = 6, a*b\n2. **`SQLite`**\n\n- [ ] a\n- [x] b\n\n> quoted **bold\n> lines** \
                  here\n\n```rust\nlet a = \"**b**\"; // `c`\n```\n\n***\n\n* 日本語を**選ぶ**。\n\\*x\\* ![img](a.png)\n\n\
                  Title\n---\n- 42\n- -1\n\n---\nend";
    let mut grown = Markdown::default();
    let mut before = String::new();
    for char in source.chars() {
        grown.push(char.encode_utf8(&mut [0; 4]));
        // The closing bracket of the image is added by the layout.
        let now = screen(grown.rows(400, theme())).concat().replace([' ', ']'], "");
        assert!(now.starts_with(&before), "{before:?}\n{now:?}");
        before = now;
    }
}

/// Texts whose layout may depend on where they are cut.
const NASTY: [&str; 30] = [
    "",
    "plain\n\nparagraphs\nwith lines\n\n",
    "text\n***bold***\n***\ntext\n---\ntext\n- - -\n===\n",
    "- a\n- b\n\n\n- c\n* d\n+ e\n\n1. f\n2) g\n3) h\n",
    "- a\n\n  b\n\n      code\n- c\n\n\n      d\n\n  e\nlazy\n\n- f",
    "a\n1. b\na\n2. c\n\n2. d\n10. e\n    f\n",
    "> a\nlazy\n> - b\nlazy\n>\n> c\n\n> d\n>> e\n> f\n",
    "```rust\nlet a = `b`;\n\n```\nafter\n~~~\n```\n~~~~\n````\n```\n````\n    indented\n\n\n    more\nout",
    "para\n    not code\n\n    code\n\n- a\n\n    para\n\n        code\n",
    "[a]: x\n\n[a]: y\n[b]: z 'title'\n[c]:\nd\n'ti\ntle' more\n\n[a] [b][] [x][a]\n",
    "text\n[a]: x\n\n- [a]: y\n  [b]: z\n> [c]: d\n> e\n\n[d]: <f> (un\nclosed\n\n# h\n[e]: f",
    "<div>\n*a*\n\n*b*\n</div>\n<!-- c\n\nd --> e\n<b>f</b>\n<pre>\n\n*g*\n</pre> h\n<x-y>\nz",
    "a <b c='d\ne'> f <!-- g\nh --> i\n<i\n>\n</div",
    "# a\n## b ##\n#\n#c\nd\n=\ne\n--\n####### f\n\tg\n",
    "**a *b** c* _d __e_ f__ ***g** h* `i `` j` ``k ` l`` ~~m ~n~~ o~ **p\nq** *r\n\ns*",
    "[a](b) [c](d \"e\") [f](<g h>) [i](j(k)l) ![m](n) [![o](p)](q) [r] (s) [t](u v) [w](\nx\n)",
    "\\*a\\* \\`b\\` \\[c](d) \\\\*e* f\\\ng  \nh\\",
    "&lt; &amp;amp; &#65; &#x42; &nosuch; &#0; &copy",
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n| c |\n| - |\n",
    "- [ ] a\n- [x] b\n  - [ ] c\n\n- [y] d\n1. [ ] e\n[ ] f",
    "日本語を**選ぶ**、*どの*データベース？\n👩‍👩‍👧👍🏽 e\u{301} `ｶﾞ`\n- 項目\n  続き",
    "tabs\there\n\t\n-\ta\n\n\tb\n>\tc\n1.\td\n\n\t\te\n\n\tf",
    "-\n\n  a\n-\n  b\n- \n\n\n-   c\n -  d\n  - e\n   - f\n    - g\n",
    "hostile \x1B[31m\u{202E}\x07 &#27; \r\n\r\n\rcr\r\r\n[x](\x1B]0;y)",
    "* * *\n - a\n * * *\n- b\n\n***\n_ _ _\n__init__ and __x\n",
    "1) a\n\n   ```\n   b\n\n\n   c\n   ```\n\n   d\n2) e\n```\nf",
    "> ```\n> a\nb\n\n> > > c\n> d\n>\n\n>\n> e\n> ***\n> f\n> ===",
    "snake_case 2 * 3 *4 5* a*b*c a_b_c _a_b 5~6 ~7 ~~8 https://a_b_c.d/*e*\n",
    "Which?\n\nA. one\nB. two\n\n  1\n\n- 2\n- 3.\n- 4. five\n-6\n",
    "```\nunclosed\n\n# a\n- b\n",
];

#[test]
fn rows_are_independent_of_how_the_text_arrived() {
    for source in NASTY {
        for width in [0, 1, 2, 3, 5, 8, 13, 40, 100].into_iter().step_by(if is_short() { 2 } else { 1 }) {
            let mut whole = markdown(&[source]);
            whole.finish();
            let whole = whole.rows(width, theme());

            let mut grown = Markdown::default();
            for char in source.chars() {
                grown.push(char.encode_utf8(&mut [0; 4]));
                grown.rows(width, theme());
            }
            grown.finish();
            assert_eq!(grown.rows(width, theme()), whole, "{width}: {source:?}");
            grown.rows(width + 7, theme());
            grown.rows(width, Theme::new(false));
            assert_eq!(grown.rows(width, theme()), whole, "{width}: {source:?}");
        }
    }
}

#[test]
fn rows_are_independent_of_where_the_text_is_cut() {
    for source in NASTY {
        let mut whole = markdown(&[source]);
        whole.finish();
        let whole = whole.rows(30, theme());
        for (at, _) in source.char_indices() {
            let mut cut = markdown(&[&source[..at]]);
            cut.rows(30, theme());
            cut.push(&source[at..]);
            cut.rows(30, theme());
            cut.finish();
            assert_eq!(cut.rows(30, theme()), whole, "{at}: {source:?}");
        }
    }
}

#[test]
fn rows_are_independent_of_neighbouring_blocks() {
    // At the seam of two texts, a block may be taken for a part of the block before it.
    for (i, first) in NASTY.iter().enumerate() {
        // In the short form, after each block one in three.
        let (skipped, step) = if is_short() { (i % 3, 3) } else { (0, 1) };
        for second in NASTY.iter().skip(skipped).step_by(step) {
            let source = format!("{first}\n{second}");
            let mut whole = markdown(&[&source]);
            whole.finish();
            let mut grown = Markdown::default();
            for line in source.split_inclusive('\n') {
                grown.push(line);
                grown.rows(30, theme());
            }
            grown.finish();
            assert_eq!(grown.rows(30, theme()), whole.rows(30, theme()), "{source:?}");
        }
    }
}

#[test]
fn incremental_and_full_layout_agree() {
    for first in NASTY {
        for second in NASTY {
            let source = format!("{first}\n{second}");
            let mut incremental = markdown(&[&source]);
            incremental.finish();
            let mut at_once = Vec::new();
            lay_out(&incremental.source, 30, theme(), None, &mut at_once);
            assert_eq!(incremental.rows(30, theme()), at_once, "{source:?}");
        }
    }
}

#[test]
fn every_word_is_shown_at_every_width() {
    let words = |text: &str| text.chars().filter(|char| char.is_alphabetic()).collect::<String>();
    let plain = "one **two** *three* `four`\n[five](six)\n- seven\n  8. eight\n> nine\n> - ten\n\n```eleven\ntwelve\n```\n\
                 <p thirteen>\n\n[fourteen]: fifteen\n# sixteen\n***\n![seventeen](eighteen \"nineteen\")\n日本 👩‍👩‍👧";
    let expected = words(plain).replacen("seventeen", "imageseventeen", 1);
    for width in 0..60 {
        let shown = shown(plain, width).concat();
        assert_eq!(words(&shown), expected, "{width}");
        assert!(shown.contains('8'), "{width}");
    }
}

#[test]
fn no_row_is_wider_than_the_screen() {
    for source in NASTY {
        for width in 3..40 {
            let mut markdown = markdown(&[source]);
            for row in markdown.rows(width, theme()) {
                assert!(row.width() <= width, "{width}: {row}");
            }
        }
    }
}

#[test]
fn unchanged_rows_are_cached() {
    let mut markdown = markdown(&["a\n\n**b"]);
    let first = markdown.rows(20, theme()).as_ptr();
    assert_eq!(markdown.rows(20, theme()).as_ptr(), first);
}

#[test]
fn long_texts_are_laid_out_in_linear_time() {
    let sources = [
        "word ".repeat(sized(200_000)),
        "x".repeat(sized(1_000_000)),
        "**word** `code` ".repeat(sized(50_000)),
        "a line of text\n".repeat(sized(100_000)),
        "- item\n".repeat(sized(100_000)),
        "paragraph\n\n".repeat(sized(100_000)),
        "```\n".to_owned() + &"code\n".repeat(sized(100_000)),
    ];
    for source in sources {
        lay_out_at_several_widths(&source);
    }
}

#[test]
fn hostile_texts_are_laid_out_in_linear_time() {
    let (many, deep) = (sized(50_000), if is_short() { 300 } else { 1_000 });
    let sources = [
        "> ".repeat(1_000) + "x",
        "> ".repeat(many) + "x",
        "> ".repeat(1_000) + &"x\n".repeat(sized(10_000)),
        "- ".repeat(1_000) + "x",
        "- ".repeat(many) + "x",
        "- ".repeat(1_000) + &"x\n".repeat(sized(10_000)),
        "1. > ".repeat(1_000) + "x",
        (0..deep).map(|depth| " ".repeat(2 * depth) + "- x\n").collect(),
        (1..deep).map(|depth| "> ".repeat(depth) + "x\n\n").collect(),
        "*".repeat(many) + "a",
        "*a ".repeat(many),
        "**a _b ".repeat(many),
        "a**b".repeat(many),
        "[".repeat(many),
        "[a ".repeat(many) + &"]".repeat(many),
        "[ *a ".to_owned() + &"*a ".repeat(many) + &"](".repeat(many),
        "![a](b".repeat(many),
        "![".repeat(many) + "x" + &"](y)".repeat(many),
        "[a]: b\n\n".repeat(many),
        "[a]:\n".repeat(many),
        "`".repeat(many) + "a",
        (1..300).map(|length| "`".repeat(length) + " ").collect(),
        "\\".repeat(many) + "*a",
        "\\*".repeat(many),
        "<".repeat(many),
        "<!-- ".repeat(many),
        "<a ".repeat(many),
        "&".repeat(many),
        "~~a ".repeat(many),
        "#".repeat(many),
        "# \n".repeat(many),
        "\u{200D}".repeat(many),
        "e".to_owned() + &"\u{301}".repeat(many),
    ];
    for source in sources {
        lay_out_at_several_widths(&source);
    }
}

/// Lays out a text at several widths. A quadratic layout would take minutes.
fn lay_out_at_several_widths(source: &str) {
    let mut markdown = markdown(&[source]);
    for width in [2, 80] {
        markdown.rows(width, theme());
    }
    markdown.finish();
    assert!(!markdown.rows(80, theme()).is_empty());
}
