// An agent whose user answers on the page of `followup serve`.
//
//     followup serve --upstream https://api.example.com/v1
//     MODEL=… API_KEY=… node examples/agents/agent.ts "Plan my week" http://localhost:4127
//
// It needs no package. All types are inferred: where Node is older than 23.6, and reads no
// TypeScript, `node --input-type=module - "Plan my week" < examples/agents/agent.ts` runs it, too.

const [task = "", service = "http://localhost:4127"] = process.argv.slice(2);
const { MODEL, API_KEY, FOLLOWUP_TOKEN } = process.env;
const headers = new Headers({ "content-type": "application/json" });
if (API_KEY) headers.set("authorization", `Bearer ${API_KEY}`);
if (FOLLOWUP_TOKEN) headers.set("x-followup-token", FOLLOWUP_TOKEN);

const suggestion = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const ask = {
  type: "function",
  function: {
    name: "ask_followup_question",
    description: "Asks the user a question, with 2 to 4 suggested answers.",
    parameters: {
      type: "object",
      properties: { question: { type: "string" }, follow_up: { type: "array", items: suggestion } },
      required: ["question", "follow_up"],
    },
  },
};

/** Sends the messages. Returns the model's message, and the id of the conversation. */
async function askModel(messages = [{}], conversation = "") {
  if (conversation) headers.set("x-followup-conversation", conversation);
  const body = JSON.stringify({ model: MODEL ?? "default", stream: true, tools: [ask], messages });
  const response = await fetch(`${service}/v1/chat/completions`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  const calls = [{ id: "", type: "function", function: { name: "", arguments: "" } }].slice(1);
  let content = "";
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice("data: ".length)).choices?.[0]?.delta;
    content += delta?.content ?? "";
    for (const piece of delta?.tool_calls ?? []) {
      calls[piece.index] ??= {
        id: piece.id,
        type: "function",
        function: { name: "", arguments: "" },
      };
      const call = calls[piece.index].function;
      call.name += piece.function?.name ?? "";
      call.arguments += piece.function?.arguments ?? "";
    }
  }
  const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
  return { message, conversation: response.headers.get("x-followup-conversation") ?? "" };
}

/** Waits until the user has answered everything. Returns the messages for the model. */
async function collect(conversation = "", last = 0) {
  let wait = 0; // Without a question there is nothing to wait for.
  while (true) {
    const path = `/conversations/${conversation}/replies?after=${last}&wait=${wait}&format=openai-chat`;
    const response = await fetch(service + path, { headers });
    if (!response.ok) throw new Error(await response.text());
    const collected = await response.json();
    last = collected.last;
    if (collected.missing === 0) return { replies: collected.messages, last };
    wait = 60;
  }
}

const messages = [{}, { role: "user", content: task }].slice(1);
let conversation = "";
let last = 0;
while (true) {
  const asked = await askModel(messages, conversation);
  conversation = asked.conversation;
  const collected = await collect(conversation, last);
  last = collected.last;
  messages.push(asked.message, ...collected.replies);
  if (collected.replies.length === 0) {
    console.log(asked.message.content);
    break;
  }
}
export {};
