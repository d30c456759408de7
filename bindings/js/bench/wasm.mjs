// Reads the functions and the data of a WebAssembly module.

/** Returns the functions of a module that has their names, and the bytes of its data. */
export function readModule(bytes) {
  const sections = [...sectionsOf(bytes)];
  const only = (id) => sections.find((one) => one.id === id)?.bytes ?? new Uint8Array();
  const imports = count(only(2));
  if (imports > 0) throw new Error("a module of the package imports nothing");
  const names = namesOf(sections);
  const functions = [...bodies(only(10))].map((code, i) => ({
    name: names.get(i) ?? "",
    bytes: code,
  }));
  return { functions, data: only(11) };
}

function* sectionsOf(bytes) {
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at];
    const [length, start] = number(bytes, at + 1);
    at = start + length;
    yield { id, bytes: bytes.subarray(start, at) };
  }
}

/** Returns the number in LEB128 at an offset, and where it ends. */
function number(bytes, at) {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function count(section) {
  return section.length === 0 ? 0 : number(section, 0)[0];
}

/** The functions of the code section. */
function* bodies(section) {
  let [left, at] = number(section, 0);
  for (; left > 0; left--) {
    const [length, start] = number(section, at);
    yield section.subarray(at, start + length);
    at = start + length;
  }
}

/** Returns the names of functions by their index, from the custom section `name`. */
function namesOf(sections) {
  const names = new Map();
  for (const { id, bytes } of sections) {
    if (id !== 0) continue;
    const [title, start] = text(bytes, 0);
    if (title !== "name") continue;
    for (let at = start; at < bytes.length;) {
      const kind = bytes[at];
      const [length, from] = number(bytes, at + 1);
      at = from + length;
      if (kind === 1) readNames(bytes, from, names);
    }
  }
  return names;
}

function readNames(bytes, from, names) {
  let [left, at] = number(bytes, from);
  for (; left > 0; left--) {
    const [index, next] = number(bytes, at);
    const [name, end] = text(bytes, next);
    names.set(index, name);
    at = end;
  }
}

function text(bytes, at) {
  const [length, start] = number(bytes, at);
  return [new TextDecoder().decode(bytes.subarray(start, start + length)), start + length];
}
