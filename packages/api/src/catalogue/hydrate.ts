import type { Field, ScalarKind, Schema, StructSchema } from '@coxswain/apimachinery';

/**
 * Reads the tables of `generated/schema`. A type is one line with its name; its fields follow, one indented line each:
 *
 * ```
 * PodSpec
 *  volumes 1 ? [name].Volume +merge,retainKeys@name
 *  restartPolicy 3 ? string:RestartPolicy (Always|Never|OnFailure)
 * ```
 *
 * A field is: JSON name, protobuf number (0: not in protobuf), flags, type, and optional parts.
 *
 * - names: `ip/IP` where the Go name is not the JSON name with a capital first letter
 * - flags: `?` omitempty, `0` omitzero, `!` required, `^` inlined, `-` none of them
 * - types: `*T` a pointer, `[]T` an atomic list, `[=]T` a set, `[a,b]T` a list keyed by a and b, `~v1.Name[]T` a list
 *   whose Go type is a named type and a message in protobuf, `{}T` a map, `{!}T` an atomic map, `{v1.Name}T` a map of a
 *   named Go type, `.T` a struct of the same package, `p.v1.T` a struct of another package, `!T` that struct as an
 *   atomic value for server-side apply, `%T` that struct as a granular value, `scalar:GoName` a scalar of a named Go
 *   type
 * - optional parts: `+strategy@key` for strategic merge patch, `(A|B)` an enum, `=json` a default
 *
 * Tables are split and types parsed on first use: a program that uses ten kinds pays for ten.
 */
export class TypeTables {
  /** Tables of the packages that have not been split yet, by package. */
  readonly #unread: Map<string, string>;
  readonly #lines = new Map<string, readonly string[]>();
  readonly #structs = new Map<string, StructSchema>();

  /** Tables by package, such as `core.v1`. */
  constructor(tables: Iterable<readonly [pkg: string, table: string]>) {
    this.#unread = new Map(tables);
  }

  /**
   * Returns the type's schema. Throws when no table has the type: the tables contain every type that they refer to, so
   * that is a bug.
   */
  struct(fullName: string): StructSchema {
    let struct = this.#structs.get(fullName);
    if (!struct) {
      this.#read(fullName.slice(0, fullName.lastIndexOf('.')));
      const lines = this.#lines.get(fullName);
      if (!lines) throw new Error(`no table describes the type ${fullName}`);
      struct = new LazyStruct(fullName, lines, this);
      this.#structs.set(fullName, struct);
    }
    return struct;
  }

  #read(pkg: string): void {
    const table = this.#unread.get(pkg);
    if (table === undefined) return;
    this.#unread.delete(pkg);
    for (const block of table.trim().split(/\n(?=\S)/)) {
      const lines = block.split('\n');
      this.#lines.set(`${pkg}.${lines[0]!.split(' ', 1)[0]}`, lines);
    }
  }
}

/** A struct whose fields are parsed on first access, because types can refer to each other in cycles (JSONSchemaProps). */
class LazyStruct implements StructSchema {
  readonly kind = 'struct';
  readonly name: string;
  readonly atomic: boolean;
  readonly fullName: string;
  readonly #lines: readonly string[];
  readonly #tables: TypeTables;
  #declared: readonly Field[] | undefined;
  #fields: ReadonlyMap<string, Field> | undefined;

  constructor(fullName: string, lines: readonly string[], tables: TypeTables) {
    this.fullName = fullName;
    this.name = fullName.slice(fullName.lastIndexOf('.') + 1);
    this.atomic = lines[0]!.endsWith(' atomic');
    this.#lines = lines;
    this.#tables = tables;
  }

  get declared(): readonly Field[] {
    const pkg = this.fullName.slice(0, this.fullName.lastIndexOf('.'));
    this.#declared ??= this.#lines.slice(1).map((line) => parseField(line, pkg, this.#tables));
    return this.#declared;
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= new Map(flatten(this.declared).map((field) => [field.name, field]));
    return this.#fields;
  }
}

function flatten(declared: readonly Field[]): Field[] {
  return declared.flatMap((field) =>
    field.inline && field.schema.kind === 'struct' ? flatten(field.schema.declared) : [field],
  );
}

function parseField(line: string, pkg: string, tables: TypeTables): Field {
  const [names, number, flags, type, ...more] = line.trim().split(' ') as [string, string, string, string, ...string[]];
  const [name, goName] = names.split('/') as [string, string?];
  const patch = more.find((part) => part.startsWith('+'))?.slice(1);
  const [strategy, mergeKey] = patch?.split('@') ?? [];
  // Some enum values contain spaces (`cert sign`), so splitting the line at spaces would break them.
  const enumeration = / \((.*)\)/.exec(line)?.[1]?.split('|');
  const fallback = more.find((part) => part.startsWith('='))?.slice(1);
  const pointer = type.startsWith('*');
  return {
    name,
    ...(goName && { goName }),
    schema: parseType(pointer ? type.slice(1) : type, { pkg, tables, enumeration }),
    number: Number(number),
    pointer,
    omitEmpty: flags.includes('?'),
    omitZero: flags.includes('0'),
    inline: flags.includes('^'),
    required: flags.includes('!'),
    patchStrategy: strategy ? strategy.split(',') : [],
    ...(mergeKey && { mergeKey }),
    ...(fallback !== undefined && { default: JSON.parse(fallback) as unknown }),
  };
}

interface Context {
  readonly pkg: string;
  readonly tables: TypeTables;
  readonly enumeration: readonly string[] | undefined;
}

const alternatives = { schemaOrArray: 'array', schemaOrBool: 'bool', schemaOrStringArray: 'stringArray' } as const;

function parseType(type: string, context: Context): Schema {
  const list = /^(?:~([\w.]+))?\[([^\]]*)\](.*)$/.exec(type);
  if (list) {
    const keys = list[2]!;
    return {
      kind: 'list',
      items: parseType(list[3]!, context),
      listType: keys === '' ? 'atomic' : keys === '=' ? 'set' : 'map',
      mapKeys: keys === '' || keys === '=' ? [] : keys.split(','),
      ...(list[1] && { wrapped: true, goName: list[1] }),
    };
  }
  const map = /^\{(!?)([^}]*)\}(.*)$/.exec(type);
  if (map) {
    const [, atomic, goName, values] = map;
    return { kind: 'map', values: parseType(values!, context), atomic: atomic === '!', ...(goName && { goName }) };
  }
  if (type.startsWith('!') || type.startsWith('%')) return withAtomic(context, type.slice(1), type.startsWith('!'));
  if (!type.includes(':') && type.includes('.'))
    return context.tables.struct(type.startsWith('.') ? context.pkg + type : type);
  if (type in alternatives) {
    const schema = context.tables.struct('apiextensions.v1.JSONSchemaProps');
    return { kind: 'schemaOr', alternative: alternatives[type as keyof typeof alternatives], schema };
  }
  const [kind, goName] = type.split(':') as [ScalarKind, string?];
  return { kind, ...(goName && { goName }), ...(context.enumeration && { enum: context.enumeration }) };
}

/** Returns the struct with another `atomic`: the marker of a field overrides that of its type. */
function withAtomic({ pkg, tables }: Context, type: string, atomic: boolean): StructSchema {
  const struct = tables.struct(type.startsWith('.') ? pkg + type : type);
  return {
    kind: 'struct',
    name: struct.name,
    fullName: struct.fullName,
    atomic,
    get declared() {
      return struct.declared;
    },
    get fields() {
      return struct.fields;
    },
  };
}
