// Reads JSON schemas of tools: resolves references, and lists the alternatives of a value.

/** A JSON schema, as far as it is read. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
}

/** Reads the schemas in a schema: through references, and alternatives such as `null`. */
export class SchemaReader {
  readonly #root: Schema;

  constructor(root: unknown) {
    this.#root = isObject(root) ? root : {};
  }

  get root(): Schema {
    return this.#root;
  }

  /**
   * Returns what a value can be besides `null`. If there are several, the value may have to be one
   * of them or all. Returns none if a reference leads nowhere.
   */
  alternatives(schema: unknown, visited = new Set<unknown>()): Schema[] {
    // A schema may refer to itself.
    if (!isObject(schema) || visited.has(schema)) return [];
    visited.add(schema);
    const { $ref, anyOf, oneOf, allOf, ...own } = schema;
    const inner = [anyOf, oneOf, allOf].flatMap(listed);
    if (typeof $ref === "string") inner.push(this.#pointed($ref));
    const others = inner.flatMap((one) => this.alternatives(one, visited));
    if (isObject(own.properties))
      return [own, ...others.filter(({ properties }) => isObject(properties))];
    if (inner.length > 0) return others;
    return own.type === "null" ? [] : [own];
  }

  isNullable(schema: unknown, visited = new Set<unknown>()): boolean {
    if (!isObject(schema) || visited.has(schema)) return false;
    visited.add(schema);
    const { type, $ref, anyOf, oneOf } = schema;
    const inner = [anyOf, oneOf].flatMap(listed);
    if (typeof $ref === "string") inner.push(this.#pointed($ref));
    return [type].flat().includes("null") || inner.some((one) => this.isNullable(one, visited));
  }

  /** Returns what a reference inside the schema refers to. */
  #pointed(ref: string): unknown {
    if (!ref.startsWith("#")) return undefined;
    const names = ref.slice(1).split("/").slice(1).map(decoded);
    return names.reduce<unknown>(
      (value, name) =>
        isObject(value) && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      this.#root,
    );
  }
}

function listed(some: unknown): unknown[] {
  return Array.isArray(some) ? some : [];
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

/** Returns a name of a JSON pointer in a URL fragment. */
function decoded(name: string): string {
  const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
