import { isJsonObject } from '@coxswain/apimachinery';
import type { MessageWriter } from './message-writer.ts';
import { toYaml } from './to-yaml.ts';

/** Writes the content of a message, without its length. */
export type Message = (writer: MessageWriter, value: unknown) => void;

/** Writes a field with its tag; a repeated field with a tag for each value. */
export type FieldWriter = (writer: MessageWriter, number: number, value: unknown) => void;

const varintType = 0;
const doubleType = 1;
const bytesType = 2;

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const string: FieldWriter = (writer, number, value) => {
  if (value !== '') always.string(writer, number, value);
};

export const bool: FieldWriter = (writer, number, value) => {
  if (value === true) always.bool(writer, number, value);
};

export const integer: FieldWriter = (writer, number, value) => {
  if (typeof value !== 'number' || value === 0) return;
  writer.varint(value);
  writer.tag(number, varintType);
};

export const double: FieldWriter = (writer, number, value) => {
  if (value !== 0) always.double(writer, number, value);
};

/** A repeated field. */
export const repeated =
  (item: FieldWriter): FieldWriter =>
  (writer, number, value) => {
    for (const each of arrayOf(value).toReversed()) item(writer, number, each);
  };

/** A repeated field whose JSON is a list or a single value. */
export const oneOrMany =
  (item: FieldWriter): FieldWriter =>
  (writer, number, value) =>
    repeated(item)(writer, number, Array.isArray(value) ? value : [value]);

/** Fields whose presence has a meaning: they are written even when empty, zero or false. */
export const always = {
  string: (writer: MessageWriter, number: number, value: unknown): void => {
    writer.string(String(value));
    writer.tag(number, bytesType);
  },
  bool: (writer: MessageWriter, number: number, value: unknown): void => {
    writer.varint(value === true ? 1 : 0);
    writer.tag(number, varintType);
  },
  double: (writer: MessageWriter, number: number, value: unknown): void => {
    writer.double(Number(value));
    writer.tag(number, doubleType);
  },
} as const;

export const strings: FieldWriter = repeated(always.string);

/** A nested message. It is given as a function, because message types are recursive. */
export const nested =
  (message: () => Message): FieldWriter =>
  (writer, number, value) => {
    const end = writer.length;
    message()(writer, value);
    writer.varint(writer.length - end);
    writer.tag(number, bytesType);
  };

/** gnostic's `Any`: the value as YAML. */
export const any: FieldWriter = nested(() => (writer, value) => string(writer, 2, toYaml(value)));

/** A JSON object as repeated pairs of name and value, in its order. */
export const named =
  (value: FieldWriter): FieldWriter =>
  (writer, number, object) => {
    if (!isJsonObject(object)) return;
    for (const [name, each] of Object.entries(object).toReversed()) {
      const pair: Message = (inner) => {
        value(inner, 2, each);
        string(inner, 1, name);
      };
      nested(() => pair)(writer, number, each);
    }
  };

/** A message that consists of such pairs. */
export const dictionary = (value: FieldWriter): FieldWriter =>
  nested(() => (writer, object) => named(value)(writer, 1, object));

/** A message with exactly one field, which `choose` selects by the value. */
export const choice =
  (choose: (value: unknown) => readonly [number: number, field: FieldWriter]): Message =>
  (writer, value) => {
    const [number, field] = choose(value);
    field(writer, number, value);
  };

/**
 * A message for a JSON object, with its fields by JSON name. Keys with the prefix `x-` go to the field `extensions`. Throws an Error
 * for other unknown keys, so that nothing is omitted silently.
 */
export function message(
  fields: Readonly<Record<string, readonly [number, FieldWriter]>>,
  extensions?: number,
): Message {
  const byName = new Map(Object.entries(fields));
  // The writer works backwards, so the highest field number comes first.
  const order = [...byName].sort(([, [a]], [, [b]]) => b - a);
  return (writer, value) => {
    if (!isJsonObject(value)) throw new Error(`an object is needed to write a message, not ${JSON.stringify(value)}`);
    const extra = Object.keys(value).filter((name) => !byName.has(name));
    const strange = extra.find((name) => extensions === undefined || !name.startsWith('x-'));
    if (strange !== undefined) throw new Error(`OpenAPI in protobuf has no field for ${strange}`);
    if (extensions !== undefined && extra.length > 0) {
      named(any)(writer, extensions, Object.fromEntries(extra.map((name) => [name, value[name]])));
    }
    for (const [name, [number, field]] of order) {
      if (Object.hasOwn(value, name) && value[name] !== undefined) field(writer, number, value[name]);
    }
  };
}

export const hasRef = (value: unknown): boolean => isJsonObject(value) && Object.hasOwn(value, '$ref');
