// Prints what the package costs, beside its goals. Times are the best of several rounds of this
// run.
//
//   npm run bench

import { aiSdk } from "./ai-sdk.mjs";
import { middleware } from "./middleware.mjs";
import { own } from "./own.mjs";
import { rivals } from "./rivals.mjs";

const rows = [...(await own()), ...(await rivals()), ...(await aiSdk()), ...(await middleware())];
console.log("| what | followup | other | ratio | goal | met |\n|---|---:|---:|---:|---:|---|");
for (const { what, ours = "", theirs = "", ratio, goal = "", met } of rows) {
  const cells = [
    what,
    ours,
    theirs,
    ratio === undefined ? "" : ratio.toFixed(ratio < 10 ? 2 : 0),
    goal,
    met === undefined ? "" : met ? "yes" : "no",
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
process.exitCode = rows.every(({ met }) => met !== false) ? 0 : 1;
