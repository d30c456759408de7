// Tests that the package runs in Workers, on Cloudflare's runtime workerd.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import * as esbuild from "esbuild";
import { emptyFolder, MANIFEST, ROOT } from "../pack.mjs";

const program = join(import.meta.dirname, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
const wasm = Object.keys(MANIFEST.exports)
  .filter((name) => name.endsWith(".wasm"))
  .map((name) => basename(name));
const modules = wasm.flatMap((name) =>
  ["", "?module"].map((query) => `(name = "${name}${query}", wasm = embed "${name}")`),
);

const CONFIG = `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker)],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
  );
  const worker :Workerd.Worker = (
    modules = [(name = "main.mjs", esModule = embed "main.mjs"), ${modules.join(", ")}],
    compatibilityDate = "2025-01-01",
  );
`;

/** Modules of WebAssembly stay imports, as Wrangler leaves them. */
const wasmPlugin = {
  name: "wasm",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path }) => ({
      path: `./${basename(path)}`,
      external: true,
    })),
};

/** Bundles a script as a Worker, and runs it. Returns its response. */
async function response(t, contents) {
  const folder = emptyFolder();
  const options = {
    bundle: true,
    format: "esm",
    conditions: ["workerd", "module"],
    plugins: [wasmPlugin],
    logLevel: "warning",
  };
  await esbuild.build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: join(folder, "main.mjs"),
    ...options,
  });
  for (const name of wasm) cpSync(join(ROOT, "dist", name), join(folder, name));
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const server = spawn(program, ["serve", "config.capnp", "--control-fd=1"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => (server.kill("SIGKILL"), once(server, "exit")));
  for await (const line of createInterface({ input: server.stdout })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return (await fetch(`http://127.0.0.1:${port}`)).text();
  }
  return assert.fail("workerd has ended");
}

const ASK = `
  export default {
    fetch() {
      const events = new Parser().feed("Hi. <ask_followup_question><question>Tea?</question></ask_followup_question>");
      return new Response(events.map((event) => event.text ?? event.delta ?? event.question).join());
    },
  };
`;

for (const [host, module] of [
  ["followup/host", "followup/followup.wasm"],
  ["followup/core/host", "followup/followup-core.wasm"],
]) {
  test(`a Worker gives a module to ${host}`, async (t) => {
    const script = `import module from "${module}"; import { install, Parser } from "${host}"; install(module); ${ASK}`;
    assert.equal(await response(t, script), "Hi. ,Tea?,Tea?");
  });
}

for (const entry of ["followup", "followup/core"]) {
  test(`a Worker imports ${entry} without settings`, async (t) => {
    assert.equal(await response(t, `import { Parser } from "${entry}"; ${ASK}`), "Hi. ,Tea?,Tea?");
  });
}

test("a Worker gives a module to followup/ai-sdk/host", async (t) => {
  const script = `
    import module from "followup/followup-core.wasm";
    import { followup, install } from "followup/ai-sdk/host";
    install(module);
    const tools = [{ type: "function", name: "ask_followup_question", inputSchema: {} }];
    const text = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    const doGenerate = async () => ({ content: [{ type: "text", text }], finishReason: { unified: "stop" } });
    export default {
      async fetch() {
        const { content } = await followup().wrapGenerate({ doGenerate, params: { prompt: [], tools } });
        return new Response(content[0].input);
      },
    };
  `;
  assert.equal(await response(t, script), '{"question":"Tea?","follow_up":[]}');
});

test("a Worker gives a module to followup/dialogue/host", async (t) => {
  const script = `
    import module from "followup/followup-dialogue.wasm";
    import { Dialogue, installDialogue } from "followup/dialogue/host";
    installDialogue(module);
    export default {
      fetch() {
        const dialogue = new Dialogue();
        dialogue.event({ type: "complete", call: 0, tool: "ask_followup_question", question: "Tea?", suggestions: [] });
        const reply = dialogue.answer(0, { type: "text", text: "Yes" });
        dialogue.free();
        return new Response(reply.text);
      },
    };
  `;
  assert.match(await response(t, script), /Yes/);
});
