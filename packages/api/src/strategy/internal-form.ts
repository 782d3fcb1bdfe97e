import { stringifyJson } from '@coxswain/apimachinery';

type Convert = (value: unknown) => unknown;
type Json = Readonly<Record<string, unknown>>;
interface Field {
  readonly goName: string;
  readonly jsonName: string;
  readonly convert: Convert;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const sorted = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const zeroes: Readonly<Record<string, unknown>> = { s: '', i: 0, b: false, q: '0', v: 0 };

/**
 * Returns the fields that are set, in the order of `names`, with sorted keys in maps: how Go prints types that have
 * JSON tags.
 */
function jsonForm(value: unknown, names: readonly string[]): Json {
  const source = isObject(value) ? value : {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const part = source[name];
      if (part === undefined) return [];
      return [[name, isObject(part) && !Array.isArray(part) ? Object.fromEntries(sorted(part)) : part]];
    }),
  );
}

/** Returns a label selector as upstream's messages print it. */
export function selectorForm(selector: unknown): Json {
  const { matchExpressions, ...form } = jsonForm(selector, ['matchLabels', 'matchExpressions']);
  if (!Array.isArray(matchExpressions)) return form;
  const requirements = matchExpressions.map((one) => jsonForm(one, ['key', 'operator', 'values']));
  return { ...form, matchExpressions: requirements };
}

/** Returns the metadata of a template: only labels and annotations are allowed there. */
const metadataForm = (metadata: unknown): Json => jsonForm(metadata, ['labels', 'annotations']);

/**
 * Some of upstream's messages print a value of an internal Go type that has no JSON tags: with Go's field names, in
 * Go's order, zero values and nulls included. This parses a table of such types and returns a function that brings a
 * value of one of them into that form. `quantityText` formats its quantities.
 *
 * A line of the table is a type; it continues on indented lines. It consists of fields `GoName=jsonName:type`.
 * `jsonName` is omitted where it is the Go name with a small first letter. `^Type` stands for the fields of that type,
 * `^metadata` for those of metadata.
 * Types: `s` string, `i` integer, `b` boolean, `q` quantity, `v` integer or string, `selector` a label selector, `*T` a
 * pointer, `[]T` a list, `{}T` a map.
 */
export function internalFormOf(
  table: string,
  quantityText?: (quantity: string) => string,
): (type: string, value: object) => Json {
  const definitions = new Map(
    table
      .trim()
      .replaceAll('\n ', ' ')
      .split(/\n+/)
      .map((line) => {
        const end = line.indexOf(' ');
        return [line.slice(0, end), line.slice(end + 1).split(' ')] as const;
      }),
  );
  const parsed = new Map<string, readonly Field[]>();

  const converter = (type: string): Convert => {
    const rest = type.replace(/^(\*|\[\]|\{\})/, '');
    if (rest !== type) {
      const convert = converter(rest);
      if (type.startsWith('*')) return (value) => (value === undefined || value === null ? null : convert(value));
      if (type.startsWith('[]')) return (value) => (Array.isArray(value) ? value.map(convert) : null);
      return (value) =>
        isObject(value) ? Object.fromEntries(sorted(value).map(([key, part]) => [key, convert(part)])) : null;
    }
    if (type === 'selector') return selectorForm;
    if (type === 'q' && quantityText) return (value) => quantityText(typeof value === 'string' ? value : '0');
    if (type in zeroes) return (value) => value ?? zeroes[type];
    return (value) => form(type, isObject(value) ? value : {});
  };

  const fieldsOf = (type: string): readonly Field[] => {
    const known = parsed.get(type);
    if (known) return known;
    const definition = definitions.get(type);
    if (!definition) throw new Error(`no internal type ${type}`);
    const fields = definition.flatMap((text): readonly Field[] => {
      if (text.startsWith('^')) {
        const name = text.slice(1);
        return definitions.has(name) ? fieldsOf(name) : [{ goName: '', jsonName: name, convert: metadataForm }];
      }
      const [names, fieldType] = text.split(':') as [string, string];
      const [goName, jsonName] = names.split('=') as [string, string?];
      const defaultName = goName.charAt(0).toLowerCase() + goName.slice(1);
      return [{ goName, jsonName: jsonName ?? defaultName, convert: converter(fieldType) }];
    });
    parsed.set(type, fields);
    return fields;
  };

  const form = (type: string, value: object): Json => {
    const result: Record<string, unknown> = {};
    for (const { goName, jsonName, convert } of fieldsOf(type)) {
      const part = convert((value as Json)[jsonName]);
      if (goName) result[goName] = part;
      else Object.assign(result, part);
    }
    return result;
  };
  return (type, value) => unlessLong<Json, Json>({ ...value }, () => form(type, value));
}

/** The longest value, in characters of its JSON, that is shown in internal form. The form is many times longer than the value. */
const longestShown = 64 * 1024;

/**
 * Returns `form(value)`, which a message prints, or the value itself when it is long. Differs from upstream: it builds
 * gigabytes of text from a request of a few megabytes.
 */
export function unlessLong<T, F>(value: T, form: (value: T) => F): T | F {
  return stringifyJson(value, { escapeHtml: false }).length > longestShown ? value : form(value);
}
