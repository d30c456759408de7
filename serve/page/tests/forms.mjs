// Forms for tests, and the events by which a service sends them.

/** A call of Claude Code's tool: a choice, several choices, and a question without options. */
export const FORM = {
  tool: 'AskUserQuestion',
  shape: 'claude',
  questions: [
    {
      text: 'Where should the **recipes** live?',
      header: 'Store',
      custom: true,
      multiple: false,
      options: [
        {
          label: 'SQLite (Recommended)',
          description: 'One file, no server.',
          preview: '```\nrecipes.db\n```',
          recommended: true,
        },
        { label: 'PostgreSQL', description: 'A server, for several people.', mode: 'architect' },
      ],
    },
    {
      text: 'Which pages come first?',
      header: 'Pages',
      custom: true,
      multiple: true,
      options: [
        { label: 'List', description: 'By name.' },
        { label: 'Search', description: 'By ingredient.' },
        { label: 'Import' },
      ],
    },
    {
      text: 'What is the app called?',
      header: 'Name',
      custom: true,
      multiple: false,
      placeholder: 'my-app',
      options: [],
    },
  ],
};

/** The `complete` event of a form. */
export function completed(form, more = {}) {
  const { text, options } = form.questions[0];
  return {
    call: 0,
    question: text,
    suggest: options.map(({ label, mode }) => ({ answer: label, ...(mode ? { mode } : {}) })),
    notes: [],
    number: 0,
    open: true,
    form,
    ...more,
  };
}

const FACTS = ['id', 'placeholder', 'kind', 'multiple', 'custom', 'required', 'defaults'];

/**
 * Returns the data of the `form_partial` events of a form: texts in pieces, facts when they are
 * known.
 * @param {number} size length of a piece
 * @param {string[]} order of a question's parts; `custom` is fixed by the shape, and comes first
 */
export function partials(
  form,
  {
    size = 4,
    call = 0,
    order = ['text', 'header', 'detail', 'options', ...FACTS],
    optionOrder = ['label', 'description', 'preview'],
  } = {},
) {
  const events = [];
  const texts = (place, object, fields) => {
    for (const field of fields)
      for (const delta of cut(object[field], size))
        events.push({ call, tool: form.tool, ...place, field, delta });
  };
  form.questions.forEach((question, index) => {
    const place = { question: index };
    for (const part of order) {
      if (part === 'options')
        question.options.forEach((option, index) => options(place, option, index));
      else if (!FACTS.includes(part)) texts(place, question, [part]);
      else if (question[part] !== undefined)
        events.push({
          call,
          tool: form.tool,
          ...place,
          field: 'text',
          delta: '',
          known: { [part]: question[part] },
        });
    }
  });
  function options(place, option, index) {
    const [first, ...rest] = cut(option.label, size);
    // A description that comes first is shown once the label is not empty.
    const isHeld = optionOrder.indexOf('description') < optionOrder.indexOf('label');
    events.push({ call, tool: form.tool, ...place, option: index, field: 'label', delta: first });
    if (isHeld && option.description)
      events.push({
        call,
        tool: form.tool,
        ...place,
        option: index,
        field: 'description',
        delta: option.description,
      });
    texts(
      { ...place, option: index },
      { ...option, label: rest.join('') },
      optionOrder.filter((field) => !isHeld || field !== 'description'),
    );
    const { value, mode, recommended } = option;
    const known = Object.fromEntries(
      Object.entries({ value, mode, recommended }).filter(([, fact]) => fact !== undefined),
    );
    if (Object.keys(known).length)
      events.push({
        call,
        tool: form.tool,
        ...place,
        option: index,
        field: 'label',
        delta: '',
        known_option: known,
      });
  }
  return events;
}

function cut(text = '', size) {
  return text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
}
