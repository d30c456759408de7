import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { emptyFolder, MANIFEST, ROOT } from "../pack.mjs";

const program = join(import.meta.dirname, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");

const config = (modules) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker)],
    sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
  );
  const worker :Workerd.Worker = (
    modules = [${modules.join(", ")}],
    compatibilityDate = "2025-01-01",
  );
`;

/** Runs a Worker of this script, beside the package's files in dist. Returns its response. */
async function response(t, script) {
  const folder = emptyFolder();
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "main.mjs"), script);
  const embed = (type, name, file = name) => `(name = "${name}", ${type} = embed "${file}")`;
  const scripts = readdirSync(join(folder, "dist")).filter((name) => name.endsWith(".js")).map((name) => embed("esModule", `dist/${name}`));
  const modules = readdirSync(join(folder, "dist")).filter((name) => name.endsWith(".wasm"));
  const wasm = modules.flatMap((name) => ["", "?module"].map((query) => embed("wasm", `dist/${name}${query}`, `dist/${name}`)));
  writeFileSync(join(folder, "config.capnp"), config([embed("esModule", "main.mjs"), ...scripts, ...wasm]));
  const server = spawn(program, ["serve", "config.capnp", "--control-fd=1"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
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

test("a Worker takes the module that the host gives", async (t) => {
  const script = `
    import module from "./dist/followup.wasm";
    import { install, Parser } from "${MANIFEST.exports["./host"].default}";
    install(module);
    ${ASK}
  `;
  assert.equal(await response(t, script), "Hi. ,Tea?,Tea?");
});

for (const [entry, { workerd }] of Object.entries(MANIFEST.exports)) {
  if (workerd === undefined) continue;
  test(`a Worker imports ${entry} without settings`, async (t) => {
    assert.equal(await response(t, `import { Parser } from "${workerd}"; ${ASK}`), "Hi. ,Tea?,Tea?");
  });
}
