import { type OptionRole, type QuestionRole, type Shape, SHAPES } from "./shapes.js";

/** A key of the input, and what is written where the call has nothing for it; `undefined` if the key is left out then. */
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
  /** Whether the keys are all that the tool's input can have, so that writing it anew loses nothing. */
  readonly isExact: boolean;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** What a key can be for. */
export type AnyRole = QuestionRole | OptionRole | "title" | "options";

/** What a call has to have: without it there is nothing to ask, or to answer. */
const NEEDED: readonly AnyRole[] = ["text", "answer"];

/** What a required key has where the call has nothing for it; others are texts, and empty then, as models write them. */
const BLANKS: Partial<Record<AnyRole, unknown>> = { options: [], multiple: false, custom: false, recommended: false };

type Names<Role extends string> = Partial<Record<Role, readonly string[]>>;

/** Returns the question tool with this name and schema; `undefined` if it is none. */
export function questionTool(name: string, inputSchema: unknown): QuestionTool | undefined {
  const shape = SHAPES.find(({ tools }) => tools.includes(name));
  if (shape === undefined) return undefined;
  const root = unwrap(inputSchema as Schema | undefined);
  if (root.properties === undefined) return { name, shape: shape.name, keys: usual(shape), isExact: false };
  const listed = shape.list === undefined ? undefined : root.properties[shape.list];
  const list = listed && shape.list;
  const level = listed ? unwrap(unwrap(listed).items) : root;
  const names = level.properties ?? {};
  if (!shape.question.text?.some((key) => key in names)) return undefined;
  const [options] = select({ options: shape.options }, level);
  const items = unwrap(options === undefined ? undefined : unwrap(names[options.name]).items);
  const keys: Keys = {
    list,
    title: shape.title === undefined ? undefined : select({ title: [shape.title] }, root)[0],
    question: select(shape.question, level),
    options,
    option: items.type === "string" ? undefined : select(shape.option, items),
  };
  return { name, shape: shape.name, keys, isExact: isExact(keys, root, level, items) };
}

/** Returns the usual keys of a tool whose schema says nothing. */
function usual(shape: Shape): Keys {
  const keys = <Role extends AnyRole>(names: Names<Role>) => select(names, undefined);
  return {
    title: shape.title === undefined ? undefined : keys({ title: [shape.title] })[0],
    list: shape.single ? undefined : shape.list,
    question: keys(shape.question),
    options: keys({ options: shape.options })[0],
    option: shape.strings ? undefined : keys(shape.option),
  };
}

/** Returns for each role its first name in the schema, or its usual one if the schema says nothing. */
function select<Role extends AnyRole>(names: Names<Role>, schema: Schema | undefined): Key<Role>[] {
  const properties = schema?.properties;
  return (Object.entries(names) as [Role, readonly string[]][]).flatMap(([role, aliases]) => {
    const name = properties === undefined ? aliases[0] : aliases.find((alias) => alias in properties);
    return name === undefined ? [] : [{ role, name, blank: blank(role, name, schema) }];
  });
}

/** Returns what is written for a key where the call has nothing for it, so that the input is valid. */
function blank(role: AnyRole, name: string, schema: Schema | undefined): unknown {
  if (NEEDED.includes(role)) return "";
  // Where the schema says nothing, a tool expects a list of options.
  if (schema?.properties === undefined) return role === "options" ? [] : undefined;
  if (schema.required?.includes(name) !== true) return undefined;
  return isNullable(schema.properties[name]) ? null : (BLANKS[role] ?? "");
}

function isExact(keys: Keys, root: Schema, level: Schema, items: Schema): boolean {
  const has = (schema: Schema, known: readonly (string | undefined)[]) =>
    Object.keys(schema.properties ?? {}).every((key) => known.includes(key));
  const question = [...keys.question.map(({ name }) => name), keys.options?.name];
  const call = level === root ? question : [keys.list];
  return (
    has(root, [...call, keys.title?.name]) &&
    has(level, [...question, keys.title?.name]) &&
    (keys.option === undefined ||
      (items.properties !== undefined &&
        has(
          items,
          keys.option.map(({ name }) => name),
        )))
  );
}

/** Returns the schema without the alternative `null`. */
function unwrap(schema: Schema | undefined): Schema {
  const alternatives = schema?.anyOf ?? schema?.oneOf;
  if (alternatives === undefined) return schema ?? {};
  return alternatives.find(({ type }) => type !== "null") ?? {};
}

function isNullable(schema: Schema | undefined): boolean {
  const types = [schema, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])].flatMap((one) => one?.type ?? []);
  return types.includes("null");
}
