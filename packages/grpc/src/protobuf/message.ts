import type { Field } from './field.ts';
import { type Kind, withLength } from './kinds.ts';
import { type Cursor, readVarint, skipValue } from './varint.ts';

/** Encodes and decodes a message by its table of fields. */
export interface Message<T> {
  /** Encodes a message. Undefined fields are left out. */
  encode(value: T | Init<T>): Buffer;
  /** Decodes a message. Values of type bytes are views of the buffer. Unknown fields are skipped. Throws for malformed input. */
  decode(buffer: Buffer): T;
  /** Returns the same as decoding the encoded value, without encoding it: a copy with all zero values filled in. */
  complete(value: T | Init<T>): T;
  readonly kind: Kind<T>;
}

/** A message to encode. Fields that are left out are zero, empty or absent. */
export type Init<T> = T extends Uint8Array | string | number | boolean | bigint
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Init<Item>[]
    : string extends keyof T
      ? T
      : { readonly [K in keyof T]?: Init<NonNullable<T[K]>> | undefined };

/** The type of a message's value, derived from its table. */
export type MessageOf<M> = M extends Message<infer T> ? T : never;

interface Entry<T> {
  readonly name: keyof T;
  readonly field: Field<T[keyof T]>;
}

type Fields<T> = { readonly [K in keyof T]-?: Field<NonNullable<T[K]>> };

/**
 * Defines a message whose fields are all optional: fields left out are not written, missing fields are undefined when read, and zero values
 * are written. For protocols that distinguish zero from absent, as in etcd's `oneof`s.
 */
export function message<T extends object>(fields: { readonly [K in keyof T]: Field<T[K]> }): Message<Partial<T>> {
  return build<Partial<T>>(() => fields as Fields<Partial<T>>, false);
}

/**
 * Defines a proto3 message: missing fields are read as their zero values, missing messages as undefined. The fields come from a function
 * that is called on first use, so that messages may refer to each other in any order.
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
    // The writers skip undefined fields, so an `Init` can be written like a complete value.
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
