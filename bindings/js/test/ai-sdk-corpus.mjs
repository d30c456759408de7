// Sample messages and native calls, each with what the middleware should make of it.

const ASK = "ask_followup_question";

function markup(body) {
  return `<${ASK}>${body}</${ASK}>`;
}

const QUESTION = markup(
  '<question>Which "database"?\nTell me.</question><follow_up><suggest>PostgreSQL</suggest>' +
    '<suggest mode="code">SQLite 🙂</suggest></follow_up>',
);
const WRITTEN =
  '{"question":"Which \\"database\\"?\\nTell me.","follow_up":[{"text":"PostgreSQL"},' +
  '{"text":"SQLite 🙂","mode":"code"}]}';
const ARGUMENTS = '{"question": "Tea?", "follow_up": [{"text": "Yes", "mode": "code"}, "No"]}';
const TEA = '{"question":"Tea?","follow_up":[{"text":"Yes","mode":"code"},{"text":"No"}]}';
const FORM =
  '{"questions": [{"question": "Which?", "header": "Store", "options": [{"label": "Redis", ' +
  '"description": "fast"}, {"label": "Pg"}], "multiSelect": true}, {"question": "Why?"}]}';
const FORM_WRITTEN =
  '{"questions":[{"question":"Which?","header":"Store","options":[{"label":"Redis",' +
  '"description":"fast"},{"label":"Pg"}],"multiSelect":true},{"question":"Why?",' +
  '"multiSelect":false,"options":[]}]}';

/**
 * Messages, with the text and the calls that come out; `out` is the reason that they finish with.
 */
export const MESSAGES = {
  "prose alone": {
    message: "No question: a < b, <b>x</b> & 🙂.\n",
    text: ["No question: a < b, <b>x</b> & 🙂.\n"],
    calls: [],
  },
  markup: { message: `Let me ask.\n${QUESTION}`, text: ["Let me ask.\n"], calls: [[ASK, WRITTEN]] },
  "prose after the call": {
    message: `A\n${QUESTION}\n\nB`,
    text: ["A\n", "\n\nB"],
    calls: [[ASK, WRITTEN]],
  },
  "two calls": {
    message: `${QUESTION}\n${QUESTION}\n`,
    text: [],
    calls: [
      [ASK, WRITTEN],
      [ASK, WRITTEN],
    ],
  },
  "the question last": {
    message: markup(
      "<follow_up><suggest>A</suggest></follow_up><question>Q</question><follow_up><suggest>B</suggest></follow_up>",
    ),
    text: [],
    calls: [[ASK, '{"follow_up":[{"text":"A"},{"text":"B"}],"question":"Q"}']],
  },
  "a bare question": {
    message: markup("Tea?<follow_up><suggest>A</suggest></follow_up>"),
    text: [],
    calls: [[ASK, '{"follow_up":[{"text":"A"}],"question":"Tea?"}']],
  },
  "a bare question alone": {
    message: markup("Tea?<follow_up></follow_up>"),
    text: [],
    calls: [[ASK, '{"question":"Tea?","follow_up":[]}']],
  },
  "a list of options": {
    message: markup('<question>Q</question><options>["A", "B"]</options>'),
    text: [],
    calls: [[ASK, '{"question":"Q","follow_up":[{"text":"A"},{"text":"B"}]}']],
  },
  "a nested suggestion": {
    message: markup(
      "<question>Q</question><follow_up><suggest><content>A</content><mode>ask</mode></suggest></follow_up>",
    ),
    text: [],
    calls: [[ASK, '{"question":"Q","follow_up":[{"text":"A","mode":"ask"}]}']],
  },
  "an envelope": {
    message: `Hm.\n<tool_call>{"name": "${ASK}", "arguments": ${ARGUMENTS}}</tool_call>`,
    text: ["Hm.\n"],
    calls: [[ASK, TEA]],
  },
  "bare JSON": {
    message: `{"name": "${ASK}", "arguments": ${ARGUMENTS}}`,
    text: [],
    calls: [[ASK, TEA]],
  },
  "an envelope of XML": {
    message:
      `<tool_call><function=${ASK}><parameter=question>Tea?</parameter>` +
      '<parameter=follow_up>[{"text": "Yes", "mode": "code"}, "No"]</parameter></function></tool_call>',
    text: [],
    calls: [[ASK, TEA]],
  },
  "a form in an envelope": {
    message: `<tool_call>{"name": "AskUserQuestion", "arguments": ${FORM}}</tool_call>`,
    text: [],
    calls: [["AskUserQuestion", FORM_WRITTEN]],
  },
  "options before the question": {
    message:
      '<tool_call>{"name": "request_user_input", "arguments": {"questions": [{"header": ' +
      '"H", "id": "db", "options": [{"description": "d", "label": "L"}], "question": ' +
      '"Q"}]}}</tool_call>',
    text: [],
    calls: [
      [
        "request_user_input",
        '{"questions":[{"header":"H","options":[{"label":"L","description":"d"}],"id":"db","question":"Q"}]}',
      ],
    ],
  },
  "a title": {
    message:
      '<tool_call>{"name": "AskQuestion", "arguments": {"title": "Setup", "questions": ' +
      '[{"id": "db", "prompt": "Which?", "options": [{"id": "pg", "label": "Postgres"}], ' +
      '"allow_multiple": true}]}}</tool_call>',
    text: [],
    calls: [
      [
        "AskQuestion",
        '{"title":"Setup","questions":[{"prompt":"Which?","options":[{"label":"Postgres",' +
          '"id":"pg"}],"id":"db","allow_multiple":true}]}',
      ],
    ],
  },
  "a title after the questions": {
    message:
      '<tool_call>{"name": "AskQuestion", "arguments": {"questions": [{"prompt": ' +
      '"Which?"}], "title": "Setup"}}</tool_call>',
    text: [],
    calls: [
      [
        "AskQuestion",
        '{"questions":[{"prompt":"Which?","allow_multiple":false,"options":[]}],"title":"Setup"}',
      ],
    ],
  },
  "one question without its list": {
    message:
      '<tool_call>{"name": "ask_user", "arguments": {"question": "Which port?", "choices": ' +
      '["80", "8080"], "allow_freeform": true}}</tool_call>',
    text: [],
    calls: [
      [
        "ask_user",
        '{"question":"Which port?","choices":["80","8080"],"multiSelect":false,"allow_freeform":true}',
      ],
    ],
  },
  "options as strings": {
    message:
      '<tool_call>{"name": "ask_question", "arguments": {"question": "Q", "options": ["A", "B"]}}</tool_call>',
    text: [],
    calls: [["ask_question", '{"question":"Q","options":["A","B"]}']],
  },
  "two questions for a tool with one": {
    message:
      '<tool_call>{"name": "ask_question", "arguments": {"questions": [{"question": "Q"}, ' +
      '{"question": "R"}]}}</tool_call>',
    text: [],
    calls: [["ask_question", '{"question":"Q']],
    out: "stop",
  },
  "an empty call": {
    message: `Hm. ${markup("")}`,
    text: ["Hm. "],
    calls: [[ASK, "{"]],
    out: "stop",
  },
  "a call that breaks off": {
    message: `Hm. <${ASK}><question>Which da`,
    text: ["Hm. "],
    calls: [[ASK, '{"question":"Which da']],
    reason: "length",
  },
  "a suggestion that breaks off": {
    message: `<${ASK}><question>Q</question><follow_up><suggest>A</sug`,
    text: [],
    calls: [[ASK, '{"question":"Q","follow_up":[{"text":"A']],
    out: "stop",
  },
  "a call that only the end closes": {
    message: `<${ASK}><question>Q</question>`,
    text: [],
    calls: [[ASK, '{"question":"Q","follow_up":[]}']],
  },
  "a call that the limit cut off": {
    message: `<${ASK}><question>Q</question>`,
    text: [],
    calls: [[ASK, '{"question":"Q']],
    reason: "length",
  },
  "an envelope that only the end closes": {
    message: `<tool_call>{"name": "${ASK}", "arguments": ${TEA}`,
    text: [],
    calls: [[ASK, TEA]],
  },
  "an envelope that the limit cut off": {
    message: `<tool_call>{"name": "${ASK}", "arguments": ${TEA}`,
    text: [],
    calls: [[ASK, TEA.slice(0, -4)]],
    reason: "length",
  },
  "a token of an envelope that the limit cut off": {
    message: `<|tool_calls_section_begin|><|tool_call_begin|>functions.${ASK}:0<|tool_call_argument_begin|>${TEA}`,
    text: [],
    calls: [[ASK, TEA.slice(0, -4)]],
    reason: "length",
  },
  "an envelope that the next one closes, which the limit cut off": {
    message: `<tool_call>{"name": "${ASK}", "arguments": ${TEA}}<tool_call>{"name": "${ASK}", "arguments": {"question": "Mil`,
    text: [],
    calls: [
      [ASK, TEA],
      [ASK, '{"question":"Mil'],
    ],
    reason: "length",
  },
  "a whole call and too much after it": {
    message: `${QUESTION} and`,
    text: [" and"],
    calls: [[ASK, WRITTEN]],
    reason: "length",
  },
  "a filtered call": {
    message: QUESTION,
    text: [],
    calls: [[ASK, WRITTEN]],
    reason: "content-filter",
  },
  "a call of a response that failed": {
    message: QUESTION,
    text: [],
    calls: [[ASK, WRITTEN]],
    reason: "error",
  },
  "a call of a response that was interrupted": {
    message: QUESTION,
    text: [],
    calls: [[ASK, WRITTEN]],
    reason: "interrupted",
  },
  "an unknown reason": {
    message: QUESTION,
    text: [],
    calls: [[ASK, WRITTEN]],
    reason: "other",
    out: "tool-calls",
  },
};

/** Arguments of native calls, with the input that is written. */
export const NATIVE = {
  "its own shape": { tool: ASK, arguments: TEA, written: TEA },
  "strings as suggestions": {
    tool: ASK,
    arguments: ARGUMENTS,
    written: '{"question": "Tea?", "follow_up": [{"text": "Yes", "mode": "code"}, {"text":"No"}]}',
  },
  "suggestions as a string": {
    tool: ASK,
    arguments: '{"question": "Tea?", "follow_up": "[\\"Yes\\", \\"No\\"]"}',
    written: '{"question": "Tea?", "follow_up": [{"text":"Yes"},{"text":"No"}]}',
  },
  "suggestions as markup": {
    tool: ASK,
    arguments:
      '{"question": "Tea?", "follow_up": "<suggest mode=\\"code\\">Yes</suggest><suggest>No</suggest>"}',
    written: '{"question": "Tea?", "follow_up": [{"mode":"code","text":"Yes"},{"text":"No"}]}',
  },
  "suggestions as an object": {
    tool: ASK,
    arguments: '{"question": "Tea?", "follow_up": {"text": "Yes"}}',
    written: '{"question": "Tea?", "follow_up": [{"text":"Yes"}]}',
  },
  "the question last": {
    tool: ASK,
    arguments: '{"follow_up": ["A"], "question": "Q"}',
    written: '{"follow_up": [{"text":"A"}],"question":"Q"}',
  },
  escapes: {
    tool: ASK,
    arguments: '{"question": "\\u00e9 \\ud83d\\ude42 \\n \\"", "follow_up": []}',
    written: '{"question": "\\u00e9 \\ud83d\\ude42 \\n \\"", "follow_up": []}',
  },
  "arguments that break off": {
    tool: ASK,
    arguments: '{"question": "Which da',
    written: '{"question": "Which da',
  },
  "no question": { tool: ASK, arguments: '{"follow_up": null}', written: '{"follow_up": null}' },
  "no arguments": { tool: ASK, arguments: "{}", written: "{}" },
  "broken JSON": { tool: ASK, arguments: '{"question": "A", oops', written: '{"question": "A' },
  "a form as a string, its options first": {
    tool: "AskUserQuestion",
    arguments: JSON.stringify({
      questions: JSON.stringify([{ options: ["A"], header: "H", question: "Q" }]),
    }),
    written: '{"questions":[{"options":[{"label":"A"}],"header":"H","question":"Q"}]}',
  },
  "all of it as a string": {
    tool: "AskUserQuestion",
    arguments: JSON.stringify(FORM),
    written: FORM_WRITTEN.replace('"multiSelect":false,', ""),
  },
  "a form": {
    tool: "AskUserQuestion",
    arguments: FORM,
    written: FORM.replace('"Why?"}', '"Why?","options":[]}'),
  },
  "a form as a string": {
    tool: "AskUserQuestion",
    arguments: JSON.stringify({
      questions: JSON.stringify([{ question: "Q", header: "H", options: ["A"] }]),
    }),
    written: '{"questions":[{"question":"Q","header":"H","options":[{"label":"A"}]}]}',
  },
  "a list as a form": {
    tool: "AskUserQuestion",
    arguments: '[{"question": "Q"}]',
    written: '{"questions":[{"question":"Q","options":[]}]}',
  },
  "a question without its list": {
    tool: "AskUserQuestion",
    arguments: '{"question": "Q", "options": ["A"]}',
    written: '{"questions":[{"question":"Q","options":[{"label":"A"}]}]}',
  },
  "the arguments of another tool": {
    tool: "read_file",
    arguments: '{"path": "/a" }',
    written: '{"path": "/a" }',
  },
};
