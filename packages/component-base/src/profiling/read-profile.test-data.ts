import { gunzipSync } from 'node:zlib';

/** A decoded profile. Each sample has its stack of function names, the innermost first, and its values. */
export interface ReadProfile {
  readonly types: readonly string[];
  readonly periodType: string;
  readonly durationNanos: number;
  readonly samples: readonly { readonly stack: readonly string[]; readonly values: readonly number[] }[];
}

/** Decodes a profile by the field numbers of `profile.proto`, independently of the code that encodes it. */
export function readProfile(compressed: Uint8Array): ReadProfile {
  const profile = readMessage(gunzipSync(compressed));
  const strings = profile.bytes(6).map((it) => it.toString());
  const text = (index = 0): string => strings[index] ?? '?';
  const typeOf = (message: Buffer): string => {
    const type = readMessage(message);
    return `${text(type.integers(1)[0])}/${text(type.integers(2)[0])}`;
  };
  const functions = byId(profile.bytes(5), (it) => text(it.integers(2)[0]));
  const locations = byId(profile.bytes(4), (it) =>
    functions.get(readMessage(it.bytes(4)[0] ?? Buffer.of()).integers(1)[0] ?? 0),
  );
  return {
    types: profile.bytes(1).map(typeOf),
    periodType: typeOf(profile.bytes(11)[0] ?? Buffer.of()),
    durationNanos: profile.integers(10)[0] ?? 0,
    samples: profile.bytes(2).map((message) => {
      const sample = readMessage(message);
      return { stack: sample.integers(1).map((id) => locations.get(id) ?? '?'), values: sample.integers(2) };
    }),
  };
}

interface Message {
  integers(field: number): number[];
  bytes(field: number): Buffer[];
}

function byId<T>(messages: readonly Buffer[], read: (message: Message) => T): Map<number, T> {
  return new Map(messages.map(readMessage).map((message) => [message.integers(1)[0] ?? 0, read(message)]));
}

function readMessage(bytes: Buffer): Message {
  const integers = new Map<number, number[]>();
  const parts = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const field = tag >> 3;
    if ((tag & 7) === 0) integers.set(field, [...(integers.get(field) ?? []), Number(varint())]);
    else {
      const length = Number(varint());
      parts.set(field, [...(parts.get(field) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return { integers: (field) => integers.get(field) ?? [], bytes: (field) => parts.get(field) ?? [] };
}
