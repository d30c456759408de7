// The reference of all entries: `npm run docs` writes it to docs/.

import { existsSync, readFileSync } from "node:fs";

const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const types = Object.values(exports).flatMap(({ types }) => types ?? []);
const sources = types.map((path) => path.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"));

export default {
  name: "followup",
  entryPoints: [...new Set(sources)]
    .map((path) => (existsSync(path) ? path : `${path}x`))
    .filter((path) => existsSync(path)),
  out: "docs",
  readme: "README.md",
  disableGit: true,
  sourceLinkTemplate: "",
  disableSources: true,
  excludePrivate: true,
  excludeProtected: true,
  // Properties are documented where their names do not say it all.
  requiredToBeDocumented: [
    "Variable",
    "Function",
    "Class",
    "Interface",
    "Method",
    "Accessor",
    "TypeAlias",
  ],
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: false,
    rewrittenLink: true,
    notDocumented: true,
  },
};
