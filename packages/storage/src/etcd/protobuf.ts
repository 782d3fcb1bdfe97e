import {
  type Cursor,
  malformed,
  readBigVarint,
  readLength,
  readVarint,
  sizeOfBigVarint,
  sizeOfVarint,
  skipValue,
  writeBigVarint,
  writeVarint,
} from './varint.ts';

/** How values of one kind look on the wire. */
interface Kind<T> {
  readonly wireType: 0 | 2;
  size(value: T): number;
  write(to: Cursor, value: T): void;
  read(from: Cursor): T;
}

/** One line of a message's table. */
interface Field<T> {
  readonly number: number;
  /** Bytes of the value with its tag. */
  size(value: T): number;
  write(to: Cursor, value: T): void;
  /** Reads one value; `before` is what the message has so far in that field. */
  read(from: Cursor, wireType: number, before: T | undefined): T;
}

/** A table of fields that can write and read what it describes. */
export interface Message<T> {
  encode(value: T): Buffer;
  /** Values of bytes are views of the buffer. Fields that are not in the table are skipped. Throws at malformed input. */
  decode(buffer: Buffer): T;
  readonly kind: Kind<T>;
}

/** The type of a message, from its table. */
export type MessageOf<M> = M extends Message<infer T> ? T : never;

function single<T>(number: number, kind: Kind<T>): Field<T> {
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
  };
}

function withLength<T>(sizeOf: (value: T) => number, write: Kind<T>['write'], read: Kind<T>['read']): Kind<T> {
  return {
    wireType: 2,
    size: (value) => {
      const size = sizeOf(value);
      return sizeOfVarint(size) + size;
    },
    write: (to, value) => {
      writeVarint(to, sizeOf(value));
      write(to, value);
    },
    read: (from) => {
      const length = readLength(from);
      const { end } = from;
      from.end = from.at + length;
      const value = read(from);
      from.at = from.end;
      from.end = end;
      return value;
    },
  };
}

const int64Kind: Kind<number> = {
  wireType: 0,
  size: sizeOfVarint,
  write: (to, value) => {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no revision, limit or time`);
    writeVarint(to, value);
  },
  read: readVarint,
};
const idKind: Kind<bigint> = { wireType: 0, size: sizeOfBigVarint, write: writeBigVarint, read: readBigVarint };
const boolKind: Kind<boolean> = {
  wireType: 0,
  size: () => 1,
  write: (to, value) => writeVarint(to, value ? 1 : 0),
  read: (from) => readVarint(from) !== 0,
};
const bytesKind = withLength<Uint8Array>(
  (value) => value.length,
  (to, value) => {
    to.buffer.set(value, to.at);
    to.at += value.length;
  },
  (from) => from.buffer.subarray(from.at, from.end),
);
const textKind = withLength<string>(
  (value) => Buffer.byteLength(value),
  (to, value) => {
    to.at += to.buffer.write(value, to.at);
  },
  (from) => from.buffer.toString('utf8', from.at, from.end),
);

/** A number that is not negative when written: a revision, a count, an enumeration. */
export const int64 = (number: number): Field<number> => single(number, int64Kind);

/** All of 64 bits. */
export const id = (number: number): Field<bigint> => single(number, idKind);

export const bool = (number: number): Field<boolean> => single(number, boolKind);

export const bytes = (number: number): Field<Uint8Array> => single(number, bytesKind);

export const text = (number: number): Field<string> => single(number, textKind);

export const one = <T>(number: number, message: Message<T>): Field<T> => single(number, message.kind);

/** Messages in a row. */
export function many<T>(number: number, message: Message<T>): Field<T[]> {
  const each = single(number, message.kind);
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
  };
}

/** Makes a message of its fields. They are all optional: protobuf leaves out what is zero or empty. */
export function message<T extends object>(fields: { readonly [K in keyof T]: Field<T[K]> }): Message<Partial<T>> {
  type Values = Partial<T>;
  const table: { readonly name: keyof T; readonly field: Field<T[keyof T]> }[] = [];
  const byNumber: typeof table = [];
  for (const name in fields) {
    const entry = { name, field: fields[name] };
    table.push(entry);
    byNumber[entry.field.number] = entry;
  }

  const sizeOf = (value: Values): number => {
    let size = 0;
    for (const { name, field } of table) {
      const part = value[name];
      if (part !== undefined) size += field.size(part);
    }
    return size;
  };
  const write = (to: Cursor, value: Values): void => {
    for (const { name, field } of table) {
      const part = value[name];
      if (part !== undefined) field.write(to, part);
    }
  };
  const read = (from: Cursor): Values => {
    const value: Values = {};
    while (from.at < from.end) {
      const tag = readVarint(from);
      const entry = byNumber[Math.floor(tag / 8)];
      if (entry === undefined) skipValue(from, tag % 8);
      else value[entry.name] = entry.field.read(from, tag % 8, value[entry.name]);
    }
    return value;
  };
  return {
    encode: (value) => {
      const buffer = Buffer.allocUnsafe(sizeOf(value));
      write({ buffer, at: 0, end: buffer.length }, value);
      return buffer;
    },
    decode: (buffer) => read({ buffer, at: 0, end: buffer.length }),
    kind: withLength(sizeOf, write, read),
  };
}
