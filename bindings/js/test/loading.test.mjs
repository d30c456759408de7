// How the package finds its modules.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { imports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

test("what Bun builds has the module inlined, since its scripts are run elsewhere", () => {
  for (const [name, conditions] of Object.entries(imports)) {
    const first = Object.keys(conditions).find((key) => ["bun", "node", "default"].includes(key));
    assert.equal(first, "bun", name);
    assert.match(conditions.bun, /inlined\.js$/);
    assert.equal(conditions.bun, conditions.default);
  }
});

test("a script without its file tells how to give the module", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "followup-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // The copies are modules, as those of the package.
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  cpSync(new URL("../dist/module", import.meta.url), join(folder, "module"), { recursive: true });
  for (const [name, entry] of [
    ["file", "followup/host"],
    ["core-file", "followup/core/host"],
    ["dialogue-file", "followup/dialogue/host"],
  ]) {
    await assert.rejects(import(pathToFileURL(join(folder, `module/${name}.js`)).href), (error) => {
      assert.match(error.message, new RegExp(`\\.wasm is not there: .* install of ${entry}$`));
      assert.equal(error.cause.code, "ENOENT");
      return true;
    });
  }
});
