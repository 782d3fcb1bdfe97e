import { isJsonObject } from '@coxswain/apimachinery';
import type { MessageWriter } from './message-writer.ts';
import { toYaml } from './to-yaml.ts';

/** Writes what a message holds, without its length. */
export type Message = (writer: MessageWriter, value: unknown) => void;

/** Writes a field that is there, with its tag; with several tags where it holds several values. */
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

/** A list, each of its items as a field of its own. */
export const repeated =
  (item: FieldWriter): FieldWriter =>
  (writer, number, value) => {
    for (const each of arrayOf(value).toReversed()) item(writer, number, each);
  };

/** A list, or a single value in place of a list of one. */
export const oneOrMany =
  (item: FieldWriter): FieldWriter =>
  (writer, number, value) =>
    repeated(item)(writer, number, Array.isArray(value) ? value : [value]);

/** Where it says something that a field is there, it is written although it is empty, zero or false. */
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

/** A nested message. Types refer to each other in circles, so it is looked up when it is needed. */
export const nested =
  (message: () => Message): FieldWriter =>
  (writer, number, value) => {
    const end = writer.length;
    message()(writer, value);
    writer.varint(writer.length - end);
    writer.tag(number, bytesType);
  };

/** Any value: its YAML. */
export const any: FieldWriter = nested(() => (writer, value) => string(writer, 2, toYaml(value)));

/** A JSON object as pairs of name and value, in its order. */
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

/** A message that is nothing but such pairs. */
export const dictionary = (value: FieldWriter): FieldWriter =>
  nested(() => (writer, object) => named(value)(writer, 1, object));

/** A message of which one field is set; the number says which, by the value. */
export const choice =
  (choose: (value: unknown) => readonly [number: number, field: FieldWriter]): Message =>
  (writer, value) => {
    const [number, field] = choose(value);
    field(writer, number, value);
  };

/**
 * A message from a JSON object: fields by their names in JSON. What begins with `x-` goes to the field of extensions.
 * Throws for a name that it does not know, because nothing may be left out unnoticed.
 */
export function message(
  fields: Readonly<Record<string, readonly [number, FieldWriter]>>,
  extensions?: number,
): Message {
  const byName = new Map(Object.entries(fields));
  // Written from the end: the highest number first.
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
