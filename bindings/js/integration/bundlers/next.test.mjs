// Tests that a Next.js app can use the package on the page and in routes of both runtimes.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { EXPECTED } from "./app/asks.mjs";
import { HERE, open } from "./help.mjs";

const app = join(HERE, "next");
const next = join(HERE, "node_modules/next/dist/bin/next");

/** Starts the server of what was built. Returns its address. */
async function start(t) {
  const server = spawn(
    process.execPath,
    [next, "start", "--hostname", "127.0.0.1", "--port", "0"],
    { cwd: app, stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(() => (server.kill(), once(server, "exit")));
  let address;
  for await (const line of createInterface({ input: server.stdout })) {
    address ??= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (line.includes("Ready")) break;
  }
  assert.ok(address, "the server ended before it was ready");
  return address;
}

test("Next.js builds a client component, a route of Node and one of the edge", async (t) => {
  rmSync(join(app, ".next"), { recursive: true, force: true });
  const built = spawnSync(process.execPath, [next, "build"], { cwd: app, encoding: "utf8" });
  assert.equal(built.status, 0, built.stdout + built.stderr);
  const url = await start(t);
  for (const route of ["node", "edge"])
    assert.equal(await (await fetch(`${url}/${route}`)).text(), EXPECTED, route);
  assert.match(await (await fetch(url)).text(), /<p id="rendered">rendered on the server too</);
  assert.deepEqual(await open(t, url), { told: EXPECTED, errors: [] });
});
