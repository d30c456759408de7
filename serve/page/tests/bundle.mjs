// Bundles the page into serve/page/dist, which the service serves:
//
//   index.html   the page with its scripts and its style: a slow network needs one round trip
//   growing.js   the markdown parser, loaded after the page
//   policy.txt   the Content-Security-Policy that allows these scripts and this style only
//   *.br         the first two, compressed
//
// `node bundle.mjs` writes the files; `node bundle.mjs --check` fails if they are out of date.

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const page = fileURLToPath(new URL('..', import.meta.url));

/** Bundles one file with all that it imports. @returns {Promise<string>} */
async function bundled(file, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: page,
    entryPoints: [file],
    bundle: true,
    minify: true,
    target: 'es2023',
    charset: 'utf8',
    write: false,
    ...options,
  });
  // Inside HTML, a script ends at the first end tag.
  return outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
}

const sha = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const growing = await bundled('growing.js', { format: 'esm' });
const version = createHash('sha256').update(growing).digest('hex').slice(0, 16);
const address = `export const GROWING = '/assets/growing.js?v=${version}';`;
const main = await bundled('main.js', {
  format: 'esm',
  plugins: [
    {
      name: 'address',
      setup: ({ onLoad }) =>
        onLoad({ filter: /growing-address\.js$/ }, () => ({ contents: address })),
    },
  ],
});
const early = await bundled('early.js', { format: 'iife' });
const style = await bundled('style.css');

let html = await readFile(join(page, 'index.html'), 'utf8');
const put = (tag, inline) => {
  if (!html.includes(tag)) throw new Error(`index.html does not contain ${tag}`);
  html = html.replace(tag, () => inline);
};
put('<script src="/assets/early.js"></script>', `<script>${early}</script>`);
put('<link rel="stylesheet" href="/assets/style.css">', `<style>${style}</style>`);
put(
  '<script type="module" src="/assets/main.js"></script>',
  `<script type="module">${main}</script>`,
);

const policy = [
  "default-src 'none'",
  `script-src 'self' ${sha(early)} ${sha(main)}`,
  `style-src 'self' ${sha(style)}`,
  'img-src data: blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const checks = process.argv.includes('--check');
const mode = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };
await mkdir(join(page, 'dist'), { recursive: true });

/** Writes a file, or compares it with the bytes that are there. */
async function out(name, text, { encode = Buffer.from, decode = (bytes) => bytes } = {}) {
  const path = join(page, 'dist', name);
  if (!checks) return writeFile(path, encode(text));
  const isCurrent = await readFile(path)
    .then((bytes) => decode(bytes).equals(Buffer.from(text)))
    .catch(() => false);
  if (isCurrent) return;
  console.error(`dist/${name} is out of date: run node bundle.mjs in serve/page/tests`);
  process.exitCode = 1;
}

await out('policy.txt', `${policy}\n`);
for (const [name, text] of Object.entries({ 'index.html': html, 'growing.js': `${growing}\n` })) {
  await out(name, text);
  await out(`${name}.br`, text, {
    encode: (text) => brotliCompressSync(text, { params: mode }),
    decode: brotliDecompressSync,
  });
}
