/**
 * Some of upstream's messages print a value of one of its internal types: Go's field names, every field present. A
 * shape says what such a type looks like, a word for each field: `GoName` or `GoName=jsonName` (by default the name
 * with its first letter in lower case), then what an absent field is printed as: `:''`, `:0`, `:false`, null if nothing.
 */
export type GoShape = readonly GoField[];

interface GoField {
  readonly goName: string;
  readonly name: string;
  readonly absent: unknown;
}

const zeros: Readonly<Record<string, unknown>> = { "''": '', '0': 0, false: false };

/** Compiles a shape from its words. */
export function goShape(words: string): GoShape {
  return words.split(' ').map((word) => {
    const [names, zero] = word.split(':') as [string, string?];
    const [goName, name = goName.charAt(0).toLowerCase() + goName.slice(1)] = names.split('=') as [string, string?];
    return { goName, name, absent: zero === undefined ? null : zeros[zero] };
  });
}

/** A value, or a list of them, as Go would marshal its internal type, ready to be printed as JSON. */
export function goForm(shape: GoShape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => goForm(shape, item));
  const source = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(shape.map(({ goName, name, absent }) => [goName, source[name] ?? absent]));
}
