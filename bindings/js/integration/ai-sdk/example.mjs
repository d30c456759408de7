// The example with useChat, with the AI SDK of a major.

import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;
const EXAMPLE = fileURLToPath(new URL("../../examples/ai-sdk", import.meta.url));
const FILES = ["index.html", "page.jsx", "recorded.mjs", "server.mjs"];

/** What the example imports, and where it is for the AI SDK 6. */
const PACKAGES = {
  ai: "ai-6",
  "@ai-sdk/react": "@ai-sdk/react-6",
  "@ai-sdk/openai-compatible": "@ai-sdk/openai-compatible-6",
  ...Object.fromEntries(
    ["esbuild", "followup", "react", "react-dom", "zod"].map((name) => [name, name]),
  ),
};

/**
 * Returns the folder of the example. That for the AI SDK 6 is a copy, with the same files and other
 * packages.
 */
export function example(major) {
  if (major === "7") return EXAMPLE;
  // As deep as the example is, because that reads a recorded message of the project.
  const folder = join(here, "../.ai-sdk-6");
  rmSync(folder, { recursive: true, force: true });
  for (const name of FILES) cpSync(join(EXAMPLE, name), join(folder, name));
  for (const [name, there] of Object.entries(PACKAGES)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(here, "node_modules", there), link);
  }
  return folder;
}
