// The file next to this one is `dist/browser/markdown-it.esm.min.mjs` of the package, byte for byte; tests/run checks it.
import MarkdownIt from 'markdown-it';
export default MarkdownIt;
