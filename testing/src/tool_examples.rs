//! The examples of calls on a page about question tools.

use followup::Shape;

/// A call on a page, as [`tool_examples`] finds it.
#[derive(Clone, Debug)]
pub struct ToolExample<'p> {
    /// The built-in shape that reads it: the one that the page named last.
    pub shape: Shape,
    /// The tool that is called: the one that the page named last.
    pub tool: &'p str,
    /// The arguments, as JSON.
    pub arguments: &'p str,
}

/// Returns the examples under `## The built-in shapes` of a page such as `docs/question-tools.md`.
///
/// The heading of a section, `### NAME, NAME`, has the shapes. In its text, the names of shapes and
/// of tools are in back-ticks. A line that is JSON, alone or in back-ticks, is an example.
///
/// ```
/// use followup_testing::tool_examples;
///
/// let page = "\n## The built-in shapes\n\n### cursor, cursor-tool\n\n\
///     Cursor has the tool `AskQuestion`, shape `cursor-tool`.\n\n\
///     `{\"questions\": [{\"prompt\": \"Tea?\"}]}`\n";
/// let examples = tool_examples(page);
/// assert_eq!((examples[0].shape.name(), examples[0].tool), ("cursor-tool", "AskQuestion"));
/// assert_eq!(examples[0].arguments, r#"{"questions": [{"prompt": "Tea?"}]}"#);
/// ```
///
/// # Panics
///
/// If there is no such section, a heading names no built-in shape, or an example comes before the
/// name of its tool.
pub fn tool_examples(page: &str) -> Vec<ToolExample<'_>> {
    let (_, page) = page.split_once("\n## The built-in shapes\n").expect("a section of the built-in shapes");
    let page = page.split("\n## ").next().unwrap_or_default();
    page.split("\n### ").skip(1).flat_map(examples_of_section).collect()
}

fn examples_of_section(section: &str) -> Vec<ToolExample<'_>> {
    let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
    let shapes = heading.split(", ").map(|name| Shape::built_in(name).expect("a built-in shape in a heading"));
    let shapes: Vec<Shape> = shapes.collect();
    let (mut shape, mut tool) = (&shapes[0], None);
    let mut examples = Vec::new();
    for line in text.lines() {
        if let Some(arguments) = example(line) {
            let tool = tool.expect("a tool before its example");
            examples.push(ToolExample { shape: shape.clone(), tool, arguments });
            continue;
        }
        for word in line.split('`').skip(1).step_by(2) {
            let has_tool = |shape: &&Shape| shape.tools().any(|one| one == word);
            if let Some(named) = shapes.iter().find(|shape| shape.name() == word) {
                shape = named;
            }
            if let Some(named) = shapes.iter().find(has_tool) {
                tool = Some(word);
                shape = if has_tool(&shape) { shape } else { named };
            }
        }
    }
    examples
}

/// Returns the arguments in a line: JSON, alone or in back-ticks.
fn example(line: &str) -> Option<&str> {
    let json = line.strip_prefix('`').and_then(|line| line.strip_suffix('`')).unwrap_or(line);
    json.starts_with("{\"").then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n`AskUserQuestion`\n{\"a\": 0}\n\n## The built-in shapes\n\nA text.\n\n\
        ### claude\n\nIts tool is `AskUserQuestion`, its key `{\"a\"`.\n{\"a\": 1}\n`{\"a\": 2}`\n\n\
        ### gemini, copilot\n\n`ask_user` by `copilot`.\n```json\n{\"a\": 3}\n```\nOr by `gemini`:\n{\"a\": 4}\n\
        The tool `ask_user` again.\n{\"a\": 5}\n\n### hermes, omp\n\n`clarify`\n{\"a\": 6}\n`ask`\n{\"a\": 7}\n\n\
        ## The next\n\n{\"a\": 8}\n";

    #[test]
    fn an_example_has_the_shape_and_the_tool_that_were_named_last() {
        let found: Vec<_> =
            tool_examples(PAGE).iter().map(|one| (one.shape.name().to_owned(), one.tool, one.arguments)).collect();
        let expected = [
            ("claude", "AskUserQuestion", "{\"a\": 1}"),
            ("claude", "AskUserQuestion", "{\"a\": 2}"),
            ("copilot", "ask_user", "{\"a\": 3}"),
            ("gemini", "ask_user", "{\"a\": 4}"),
            ("gemini", "ask_user", "{\"a\": 5}"),
            ("hermes", "clarify", "{\"a\": 6}"),
            ("omp", "ask", "{\"a\": 7}"),
        ];
        assert_eq!(found, expected.map(|(shape, tool, arguments)| (shape.to_owned(), tool, arguments)));
    }

    #[test]
    #[should_panic(expected = "a tool before its example")]
    fn an_example_without_a_tool_is_refused() {
        tool_examples("\n## The built-in shapes\n\n### claude\n\n{\"a\": 1}\n");
    }
}
