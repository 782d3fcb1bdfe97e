import {
  bigintKind,
  boolKind,
  bytesKind,
  countKind,
  doubleKind,
  enumKind,
  type Kind,
  signedKind,
  textKind,
  unsignedKind,
  withLength,
} from './kinds.ts';
import type { Message } from './message.ts';
import { type Cursor, malformed, readVarint, sizeOfVarint, skipValue, writeVarint } from './varint.ts';

/** One field of a message's table. */
export interface Field<T> {
  readonly number: number;
  /** Returns the encoded size of the value with its tag. */
  size(value: T): number;
  write(to: Cursor, value: T): void;
  /** Reads one value. `before` is the field's value so far: repeated fields append to it. */
  read(from: Cursor, wireType: number, before: T | undefined): T;
  /** Returns the value of a missing field in proto3. Absent for fields that stay undefined, as messages do. */
  readonly zero?: () => T;
  /** Returns the value with the zero values of its messages filled in. Absent when the value contains no messages. */
  complete?(value: T): T;
}

function single<T>(number: number, kind: Kind<T>, zero?: () => T): Field<T> {
  const tag = number * 8 + kind.wireType;
  const tagSize = sizeOfVarint(tag);
  return {
    number,
    size: (value) => tagSize + kind.size(value),
    write: (to, value) => {
      writeVarint(to, tag);
      kind.write(to, value);
    },
    read: (from, wireType) => {
      if (wireType !== kind.wireType) throw malformed(`wire type ${wireType} in field ${number}`);
      return kind.read(from);
    },
    ...(zero && { zero }),
  };
}

const zeroNumber = (): number => 0;

/** A non-negative integer. Reading throws when a number cannot represent it exactly. For revisions and counts. */
export const int64 = (number: number): Field<number> => single(number, countKind, zeroNumber);

/** A signed integer. Values beyond 2^53 are rounded to the nearest number. */
export const signed = (number: number): Field<number> => single(number, signedKind, zeroNumber);

/** An unsigned integer. Values beyond 2^53 are rounded to the nearest number. */
export const unsigned = (number: number): Field<number> => single(number, unsignedKind, zeroNumber);

/** A signed 64-bit integer as a bigint. */
export const id = (number: number): Field<bigint> => single(number, bigintKind, () => 0n);

export const double = (number: number): Field<number> => single(number, doubleKind, zeroNumber);

export const bool = (number: number): Field<boolean> => single(number, boolKind, () => false);

export const bytes = (number: number): Field<Uint8Array> => single(number, bytesKind, () => new Uint8Array());

export const text = (number: number): Field<string> => single(number, textKind, () => '');

/** A value of an enumeration, as its name. */
export function name<Name extends string>(number: number, numbers: Readonly<Record<Name, number>>): Field<Name> {
  const kind = enumKind(numbers);
  return single(number, kind, () => kind.first);
}

export const one = <T>(number: number, message: Message<T>): Field<T> => ({
  ...single(number, message.kind),
  complete: (value) => message.complete(value),
});

/** A repeated field, each value with its own tag. */
function row<T>(number: number, kind: Kind<T>): Field<T[]> {
  const each = single(number, kind);
  return {
    number,
    size: (values) => values.reduce((sum, value) => sum + each.size(value), 0),
    write: (to, values) => {
      for (const value of values) each.write(to, value);
    },
    read: (from, wireType, before = []) => {
      before.push(each.read(from, wireType, undefined));
      return before;
    },
    zero: () => [],
  };
}

/** A repeated field of messages. */
export const many = <T>(number: number, message: Message<T>): Field<T[]> => ({
  ...row(number, message.kind),
  complete: (values) => values.map((value) => message.complete(value)),
});

export const texts = (number: number): Field<string[]> => row(number, textKind);

/** A repeated field of numbers: written packed, as proto3 does, and read in both encodings. */
export function signeds(number: number): Field<number[]> {
  const single = row(number, signedKind);
  const packed = withLength<number[]>(
    (values) => values.reduce((sum, value) => sum + signedKind.size(value), 0),
    (to, values) => {
      for (const value of values) signedKind.write(to, value);
    },
    (from) => {
      const values: number[] = [];
      while (from.at < from.end) values.push(signedKind.read(from));
      return values;
    },
  );
  const tag = number * 8 + packed.wireType;
  return {
    ...single,
    size: (values) => (values.length === 0 ? 0 : sizeOfVarint(tag) + packed.size(values)),
    write: (to, values) => {
      if (values.length === 0) return;
      writeVarint(to, tag);
      packed.write(to, values);
    },
    read: (from, wireType, before = []) => {
      if (wireType !== packed.wireType) return single.read(from, wireType, before);
      // One by one: spreading a long array would exceed the limit of arguments.
      for (const value of packed.read(from)) before.push(value);
      return before;
    },
  };
}

/** A map of strings to strings. On the wire it is a repeated message with a key and a value. */
export function textMap(number: number): Field<Readonly<Record<string, string>>> {
  const key = single(1, textKind);
  const value = single(2, textKind);
  const entry = withLength<readonly [string, string]>(
    ([k, v]) => key.size(k) + value.size(v),
    (to, [k, v]) => {
      key.write(to, k);
      value.write(to, v);
    },
    (from) => {
      let [k, v] = ['', ''];
      while (from.at < from.end) {
        const tag = readVarint(from);
        const wireType = tag % 8;
        if (tag - wireType === 8) k = key.read(from, wireType, undefined);
        else if (tag - wireType === 16) v = value.read(from, wireType, undefined);
        else skipValue(from, wireType);
      }
      return [k, v];
    },
  );
  const entries = row(number, entry);
  const each = single(number, entry);
  return {
    number,
    size: (map) => entries.size(Object.entries(map)),
    write: (to, map) => entries.write(to, Object.entries(map)),
    read: (from, wireType, before = {}) => {
      const map: Record<string, string> = before;
      const [k, v] = each.read(from, wireType, undefined);
      // Defined instead of assigned, so that it is an ordinary key. The others are assigned, which allocates nothing.
      if (k === '__proto__') {
        Object.defineProperty(map, k, { value: v, writable: true, enumerable: true, configurable: true });
      } else map[k] = v;
      return map;
    },
    zero: () => ({}),
  };
}
