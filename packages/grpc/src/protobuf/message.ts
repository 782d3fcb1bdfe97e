import type { Field } from './field.ts';
import { type Kind, withLength } from './kinds.ts';
import { type Cursor, readVarint, skipValue } from './varint.ts';

/** A table of fields that can write and read what it describes. */
export interface Message<T> {
  /** Fields that are undefined are left out. */
  encode(value: T | Init<T>): Buffer;
  /** Values of bytes are views of the buffer. Fields that are not in the table are skipped. Throws at malformed input. */
  decode(buffer: Buffer): T;
  /** What `decode` would make of the encoded value, without encoding it: a copy with all zeros filled in. */
  complete(value: T | Init<T>): T;
  readonly kind: Kind<T>;
}

/** A message to be written: whatever is left out is zero, empty or absent. */
export type Init<T> = T extends Uint8Array | string | number | boolean | bigint
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Init<Item>[]
    : string extends keyof T
      ? T
      : { readonly [K in keyof T]?: Init<NonNullable<T[K]>> | undefined };

/** The type of a message, from its table. */
export type MessageOf<M> = M extends Message<infer T> ? T : never;

interface Entry<T> {
  readonly name: keyof T;
  readonly field: Field<T[keyof T]>;
}

type Fields<T> = { readonly [K in keyof T]-?: Field<NonNullable<T[K]>> };

/**
 * Makes a message of its fields, which are all optional: what is left out when writing is left out when reading, and a zero that is given is
 * written. For protocols in which a zero and nothing are different, as in etcd's `oneof`s.
 */
export function message<T extends object>(fields: { readonly [K in keyof T]: Field<T[K]> }): Message<Partial<T>> {
  return build<Partial<T>>(() => fields as Fields<Partial<T>>, false);
}

/**
 * Makes a message of proto3: when it is read, fields that are not there have their zeros; messages in it stay undefined. The fields come
 * from a function, which is called at first use, so that messages may name each other in any order.
 */
export function struct<T extends object>(fields: () => Fields<T>): Message<T> {
  return build(fields, true);
}

function build<T extends object>(fieldsOf: () => Fields<T>, zeros: boolean): Message<T> {
  let built: { readonly table: readonly Entry<T>[]; readonly byNumber: readonly Entry<T>[] } | undefined;
  const entries = () => {
    if (built) return built;
    const table: Entry<T>[] = [];
    const byNumber: Entry<T>[] = [];
    const fields = fieldsOf();
    for (const name in fields) {
      const entry = { name, field: fields[name] as unknown as Field<T[keyof T]> };
      table.push(entry);
      byNumber[entry.field.number] = entry;
    }
    built = { table, byNumber };
    return built;
  };

  const sizeOf = (value: T): number => {
    let size = 0;
    for (const { name, field } of entries().table) {
      const part = value[name];
      if (part !== undefined) size += field.size(part);
    }
    return size;
  };
  const write = (to: Cursor, value: T): void => {
    for (const { name, field } of entries().table) {
      const part = value[name];
      if (part !== undefined) field.write(to, part);
    }
  };
  const addZeros = (value: Partial<T>): T => {
    if (zeros)
      for (const { name, field } of entries().table)
        if (value[name] === undefined && field.zero) value[name] = field.zero();
    return value as T;
  };
  const read = (from: Cursor): T => {
    const value: Partial<T> = {};
    const { byNumber } = entries();
    while (from.at < from.end) {
      const tag = readVarint(from);
      const entry = byNumber[Math.floor(tag / 8)];
      if (entry === undefined) skipValue(from, tag % 8);
      else value[entry.name] = entry.field.read(from, tag % 8, value[entry.name]);
    }
    return addZeros(value);
  };
  return {
    // To the writers, a message that is to be written is one of which fields are undefined.
    encode: (init) => {
      const value = init as T;
      const buffer = Buffer.allocUnsafe(sizeOf(value));
      write({ buffer, at: 0, end: buffer.length }, value);
      return buffer;
    },
    decode: (buffer) => read({ buffer, at: 0, end: buffer.length }),
    complete: (init) => {
      const value: Partial<T> = {};
      for (const { name, field } of entries().table) {
        const part = (init as T)[name];
        if (part !== undefined) value[name] = field.complete ? field.complete(part) : part;
      }
      return addZeros(value);
    },
    kind: withLength(sizeOf, write, read),
  };
}
