import {
  type Cursor,
  malformed,
  readBigVarint,
  readLength,
  readSmallNumber,
  readVarint,
  sizeOfBigVarint,
  sizeOfVarint,
  writeBigVarint,
  writeVarint,
} from './varint.ts';

/** The wire encoding of one kind of value. */
export interface Kind<T> {
  readonly wireType: 0 | 1 | 2;
  size(value: T): number;
  write(to: Cursor, value: T): void;
  read(from: Cursor): T;
}

/** A length-delimited value. */
export function withLength<T>(
  sizeOf: (value: T) => number,
  write: Kind<T>['write'],
  read: Kind<T>['read'],
): Kind<T> & { readonly wireType: 2 } {
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

/**
 * A non-negative integer. Writing throws for other numbers, reading when a number cannot represent the value exactly.
 */
export const countKind: Kind<number> = {
  wireType: 0,
  size: sizeOfVarint,
  write: (to, value) => {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an integer from 0 up to 2^53`);
    writeVarint(to, value);
  },
  read: readVarint,
};

/** A signed 64-bit integer. */
export const bigintKind: Kind<bigint> = {
  wireType: 0,
  size: sizeOfBigVarint,
  write: writeBigVarint,
  read: readBigVarint,
};

const fitsVarint = (value: number): boolean => value >= 0 && Number.isSafeInteger(value);

/** A 64-bit integer, as the nearest number. */
function integerKind(toNumber: (value: bigint) => number): Kind<number> {
  return {
    wireType: 0,
    size: (value) => (fitsVarint(value) ? sizeOfVarint(value) : sizeOfBigVarint(toBigInt(value))),
    write: (to, value) => {
      if (fitsVarint(value)) writeVarint(to, value);
      else writeBigVarint(to, toBigInt(value));
    },
    read: (from) => readSmallNumber(from) ?? toNumber(readBigVarint(from)),
  };
}

function toBigInt(value: number): bigint {
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 64) throw new RangeError(`${value} is not a 64-bit integer`);
  return BigInt(value);
}

export const signedKind = integerKind(Number);
export const unsignedKind = integerKind((value) => Number(BigInt.asUintN(64, value)));

export const boolKind: Kind<boolean> = {
  wireType: 0,
  size: () => 1,
  write: (to, value) => writeVarint(to, value ? 1 : 0),
  read: (from) => Boolean(readSmallNumber(from) ?? readBigVarint(from)),
};

export const doubleKind: Kind<number> = {
  wireType: 1,
  size: () => 8,
  write: (to, value) => {
    to.at = to.buffer.writeDoubleLE(value, to.at);
  },
  read: (from) => {
    if (from.end - from.at < 8) throw malformed('it ends too early');
    const value = from.buffer.readDoubleLE(from.at);
    from.at += 8;
    return value;
  },
};

export const bytesKind = withLength<Uint8Array>(
  (value) => value.length,
  (to, value) => {
    to.buffer.set(value, to.at);
    to.at += value.length;
  },
  (from) => from.buffer.subarray(from.at, from.end),
);

export const textKind = withLength<string>(
  (value) => Buffer.byteLength(value),
  (to, value) => {
    to.at += to.buffer.write(value, to.at);
  },
  (from) => from.buffer.toString('utf8', from.at, from.end),
);

/** An enumeration. A number without a name is read as the name of 0. */
export function enumKind<Name extends string>(numbers: Readonly<Record<Name, number>>): Kind<Name> & { first: Name } {
  const names = new Map<number, Name>();
  for (const name in numbers) if (!names.has(numbers[name])) names.set(numbers[name], name);
  const first = names.get(0);
  if (first === undefined) throw new Error('an enumeration of proto3 must have a name for 0');
  return {
    wireType: 0,
    first,
    size: (name) => sizeOfVarint(numbers[name]),
    write: (to, name) => {
      if (!Object.hasOwn(numbers, name)) throw new RangeError(`${name} is not a name of the enumeration`);
      writeVarint(to, numbers[name]);
    },
    read: (from) => names.get(readSmallNumber(from) ?? Number(readBigVarint(from))) ?? first,
  };
}
