// Reads a provider's response and returns what an interface is told.

import { events } from "followup";

const BODY =
  'data: {"choices":[{"delta":{"content":"Hi. <ask_followup_question><question>Tea"}}]}\n\n' +
  'data: {"choices":[{"delta":{"content":"?</question></ask_followup_question>"}}]}\n\n' +
  "data: [DONE]\n\n";

export const EXPECTED = "text Hi. , partial Tea, partial ?, complete Tea?";

export async function asks() {
  const told = [];
  for await (const event of events(new Response(BODY))) {
    told.push(`${event.type} ${event.text ?? event.delta ?? event.question}`);
  }
  return told.join(", ");
}
