// Checked against the types of both majors: the middleware has to be one without a cast.

import { followup, type FollowupMiddleware } from "followup/ai-sdk";
import type { LanguageModelV3, LanguageModelV3Middleware } from "@ai-sdk/provider-6";
import type { LanguageModelV4, LanguageModelV4Middleware } from "@ai-sdk/provider-7";
import { wrapLanguageModel as wrap6, type LanguageModelMiddleware as Middleware6 } from "ai-6";
import {
  extractReasoningMiddleware,
  wrapLanguageModel as wrap7,
  type LanguageModelMiddleware as Middleware7,
} from "ai-7";

export function models(
  six: LanguageModelV3,
  seven: LanguageModelV4,
): [LanguageModelV3, LanguageModelV4] {
  const reasoning = extractReasoningMiddleware({ tagName: "think" });
  return [
    wrap6({ model: six, middleware: followup() }),
    wrap7({
      model: seven,
      middleware: [
        followup({ prompt: true, onRejected: ({ code }) => console.warn(code) }),
        reasoning,
      ],
    }),
  ];
}

export const middleware: FollowupMiddleware = followup({
  envelopes: ["hermes"],
  limits: { question: 1000 },
});
export const three: LanguageModelV3Middleware = middleware;
export const four: Omit<LanguageModelV4Middleware, "specificationVersion"> = middleware;
export const six: Middleware6 = middleware;
export const seven: Middleware7 = middleware;

// @ts-expect-error: there is no such option.
followup({ promt: true });
// @ts-expect-error: the AI SDK 6 demands its own version, so these types are real.
export const another: Middleware6 = { ...middleware, specificationVersion: "v4" };
// @ts-expect-error: and so does the AI SDK 7 a function.
export const broken: Middleware7 = { ...middleware, wrapStream: 1 };
