// Recognises the caller's question tools, and derives from their schemas which keys to write.

import type { Level } from "./mirror.js";
import { type Schema, SchemaReader } from "./schema.js";
import { type OptionRole, type QuestionRole, type Shape, SHAPES } from "./shapes.js";

/**
 * A key of the input, and what is written where the call has nothing for it; `undefined` if the key
 * is left out then.
 */
export interface Key<Role> {
  readonly role: Role;
  readonly name: string;
  readonly blank: unknown;
}

/** The keys with which a tool's input is written. */
export interface Keys {
  readonly title: Key<"title"> | undefined;
  readonly list: string | undefined;
  readonly question: readonly Key<QuestionRole>[];
  readonly options: Key<"options"> | undefined;
  /** The keys of an option; `undefined` if options are strings. */
  readonly option: readonly Key<OptionRole>[] | undefined;
}

/** A question tool that the caller has. */
export interface QuestionTool {
  readonly name: string;
  /** The name of the parser's shape; none for `ask_followup_question`. */
  readonly shape: string | undefined;
  readonly keys: Keys;
  /**
   * Whether the keys are all that the tool's input can have, so that writing it anew loses nothing.
   */
  readonly isExact: boolean;
  /** What the objects of a native input may have besides the keys. */
  readonly levels: readonly Level[];
}

/** What a key can be for. */
export type AnyRole = QuestionRole | OptionRole | "title" | "options";

/** What a call has to have: without it there is nothing to ask, or to answer. */
const NEEDED: readonly AnyRole[] = ["text", "answer"];

/**
 * What a required key has where the call has nothing for it; others are texts, and empty then, as
 * models write them.
 */
const BLANKS: Partial<Record<AnyRole, unknown>> = {
  options: [],
  multiple: false,
  custom: false,
  recommended: false,
};

/**
 * What questions and options have if their call does not say; a description of the tool may say
 * something else.
 */
export const DEFAULTS: Partial<Record<AnyRole, boolean>> = {
  multiple: false,
  custom: true,
  recommended: false,
};

/** Other names that the text of an option is read from. */
const ANSWERS = ["suggest", "suggestion", "text", "answer", "label", "title", "value"];

type Names<Role extends string> = Partial<Record<Role, readonly string[]>>;

/**
 * Returns the question tool with this name and schema; `undefined` if it is none, or has no place
 * for what is asked.
 */
export function questionTool(name: string, inputSchema: unknown): QuestionTool | undefined {
  const shape = SHAPES.find(({ tools }) => tools.includes(name));
  if (shape === undefined) return undefined;
  const schema = new SchemaReader(inputSchema);
  const roots = schema.alternatives(schema.root);
  const asks = (one: Schema) => isText(shape.question.text, one);
  const root =
    roots.find((one) => shape.list !== undefined && has(one, shape.list)) ??
    roots.find(asks) ??
    withProperties(roots);
  const usually = usual(shape);
  const unknown: QuestionTool = {
    name,
    shape: shape.name,
    keys: usually,
    isExact: false,
    levels: [],
  };
  if (root === undefined) return unknown;
  const list = shape.list !== undefined && has(root, shape.list) ? shape.list : undefined;
  const lists = list === undefined ? [] : schema.alternatives(root.properties?.[list]);
  const forms = list === undefined ? [root] : schema.alternatives(withItems(lists)?.items);
  const level = forms.find(asks);
  if (level === undefined)
    return forms.every(isAnything) ? { ...unknown, keys: { ...usually, list } } : undefined;

  const [options] = select({ options: shape.options }, level, schema);
  const choices =
    options === undefined ? [] : schema.alternatives(level.properties?.[options.name]);
  const items = schema.alternatives(withItems(choices)?.items);
  const item =
    items.find((one) => isText(shape.option.answer, one)) ??
    items.find(({ type }) => type === "string");
  if (options !== undefined && item === undefined && withProperties(items)) return undefined;
  const keys: Keys = {
    list,
    title:
      shape.title === undefined ? undefined : select({ title: [shape.title] }, root, schema)[0],
    question: select(shape.question, level, schema),
    options,
    option: item?.type === "string" ? undefined : select(shape.option, item, schema),
  };
  // Of several alternatives one is written, and another may be meant.
  const isOne = [roots, lists, forms, choices, items].every(({ length }) => length <= 1);
  const isRead = shape.unread === undefined || !has(level, shape.unread);
  const levels = levelsOf(shape, keys, root, level, item);
  return {
    name,
    shape: shape.name,
    keys,
    isExact: isOne && isRead && isExact(keys, root, level, item),
    levels,
  };
}

function levelsOf(
  shape: Shape,
  { question, options, option }: Keys,
  root: Schema,
  level: Schema,
  item: Schema | undefined,
): Level[] {
  const asked = [
    shape.list ?? [],
    shape.title ?? [],
    shape.options,
    Object.values(shape.question),
  ].flat(2);
  const list =
    options !== undefined && options.blank === undefined ? [[options.name, "[]"] as const] : [];
  const known = new Set([...asked, ...ANSWERS]);
  const ofQuestion = new Map([...list, ...unwritten(question)]);
  const outermost = (unwritten: Level["unwritten"]): Level => ({
    known,
    unwritten,
    isOpen: !isClosed(root),
    text: undefined,
  });
  // Those that are not known may be of a question or option that is dropped.
  const inner = (unwritten: Level["unwritten"], text: string | undefined): Level => ({
    known,
    unwritten,
    isOpen: false,
    text: text ?? "",
  });
  const text = question.find(({ role }) => role === "text")?.name;
  const answer = option?.find(({ role }) => role === "answer")?.name;
  return [
    ...(level === root ? [outermost(ofQuestion)] : [outermost(new Map()), inner(ofQuestion, text)]),
    ...(item?.properties === undefined ? [] : [inner(new Map(unwritten(option ?? [])), answer)]),
  ];
}

/** Returns the keys that a native call has only if it need not, with what they are then. */
function unwritten(keys: readonly Key<AnyRole>[]): (readonly [string, string])[] {
  return keys.flatMap(({ role, name, blank }) =>
    blank === undefined && DEFAULTS[role] !== undefined
      ? [[name, String(DEFAULTS[role])] as const]
      : [],
  );
}

function isClosed({ additionalProperties, unevaluatedProperties }: Schema): boolean {
  return additionalProperties === false || unevaluatedProperties === false;
}

function has({ properties }: Schema, name: string): boolean {
  return properties !== undefined && Object.hasOwn(properties, name);
}

function isText(names: readonly string[] = [], schema: Schema): boolean {
  return names.some((name) => has(schema, name));
}

function withProperties(schemas: readonly Schema[]): Schema | undefined {
  return schemas.find(({ properties }) => properties !== undefined);
}

function withItems(schemas: readonly Schema[]): Schema | undefined {
  return schemas.find(({ items }) => items !== undefined);
}

/** Returns whether a schema says nothing of its properties. */
function isAnything({ type, properties }: Schema): boolean {
  return properties === undefined && (type === undefined || [type].flat().includes("object"));
}

/** Returns the usual keys of a tool whose schema says nothing. */
function usual(shape: Shape): Keys {
  const keys = <Role extends AnyRole>(names: Names<Role>) => select(names, undefined, undefined);
  return {
    title: shape.title === undefined ? undefined : keys({ title: [shape.title] })[0],
    list: shape.single ? undefined : shape.list,
    question: keys(shape.question),
    options: keys({ options: shape.options })[0],
    option: shape.strings ? undefined : keys(shape.option),
  };
}

/**
 * Returns for each role its first name in the schema, or its usual one if the schema says nothing.
 */
function select<Role extends AnyRole>(
  names: Names<Role>,
  schema: Schema | undefined,
  reader: SchemaReader | undefined,
): Key<Role>[] {
  const properties = schema?.properties;
  return (Object.entries(names) as [Role, readonly string[]][]).flatMap(([role, aliases]) => {
    const name =
      properties === undefined ? aliases[0] : aliases.find((alias) => alias in properties);
    return name === undefined ? [] : [{ role, name, blank: blank(role, name, schema, reader) }];
  });
}

/**
 * Returns what is written for a key where the call has nothing for it, so that the input is valid.
 */
function blank(
  role: AnyRole,
  name: string,
  schema: Schema | undefined,
  reader: SchemaReader | undefined,
): unknown {
  if (NEEDED.includes(role)) return "";
  // Where the schema says nothing, a tool expects a list of options.
  if (schema?.properties === undefined) return role === "options" ? [] : undefined;
  if (schema.required?.includes(name) !== true) return undefined;
  return reader?.isNullable(schema.properties[name]) ? null : (BLANKS[role] ?? "");
}

function isExact(keys: Keys, root: Schema, level: Schema, item: Schema | undefined): boolean {
  const question = [...keys.question.map(({ name }) => name), keys.options?.name];
  const call = level === root ? question : [keys.list];
  const hasOnly = (schema: Schema, known: readonly (string | undefined)[]) =>
    !takesMore(schema) && Object.keys(schema.properties ?? {}).every((key) => known.includes(key));
  if (
    !hasOnly(root, [...call, keys.title?.name]) ||
    !hasOnly(level, [...question, keys.title?.name])
  )
    return false;
  if (keys.option === undefined || keys.options === undefined) return true;
  const option = keys.option.map(({ name }) => name);
  return item?.properties !== undefined && hasOnly(item, option);
}

/**
 * Returns whether a schema says that there may be other keys than it lists. If it says nothing,
 * none are expected.
 */
function takesMore({ additionalProperties, patternProperties }: Schema): boolean {
  return (
    patternProperties !== undefined ||
    (additionalProperties !== undefined && additionalProperties !== false)
  );
}
