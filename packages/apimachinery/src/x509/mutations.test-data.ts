import fc from 'fast-check';

/** A manipulation of bytes, as by an attacker. */
type Mutation = (bytes: Uint8Array) => Uint8Array;

const spliced = (bytes: Uint8Array, at: number, removed: number, ...added: number[]): Uint8Array =>
  Uint8Array.from([...bytes.subarray(0, at), ...added, ...bytes.subarray(at + removed)]);

/** Returns the index of the next byte from `place` on that may be the tag of an element, or 0. */
function elementNear(bytes: Uint8Array, place: number): number {
  for (let at = place; at < bytes.length - 1; at++)
    if ([0x02, 0x03, 0x04, 0x06, 0x0c, 0x30, 0x31, 0xa0, 0xa3].includes(bytes[at]!)) return at;
  return 0;
}

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (bytes: Uint8Array, fraction: number): number => Math.floor(fraction * bytes.length);

/** Flips bits; cuts off, inserts, removes or repeats bytes; replaces lengths by wrong, overlong and indefinite ones; replaces tags. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(7)).map(
    ([where, bit]): Mutation =>
      (bytes) =>
        bytes.with(at(bytes, where), bytes[at(bytes, where)]! ^ (1 << bit)),
  ),
  fc.tuple(place, fc.nat(255)).map(
    ([where, value]): Mutation =>
      (bytes) =>
        bytes.with(at(bytes, where), value),
  ),
  place.map(
    (where): Mutation =>
      (bytes) =>
        bytes.subarray(0, at(bytes, where)),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 6 })).map(
    ([where, more]): Mutation =>
      (bytes) =>
        spliced(bytes, at(bytes, where), 0, ...more),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 20 })).map(
    ([where, count]): Mutation =>
      (bytes) =>
        spliced(bytes, at(bytes, where), count),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 60 })).map(
    ([where, count]): Mutation =>
      (bytes) =>
        spliced(bytes, at(bytes, where), 0, ...bytes.subarray(at(bytes, where), at(bytes, where) + count)),
  ),
  fc
    .tuple(
      place,
      fc.constantFrom(
        [0x80],
        [0x81, 0x05],
        [0x82, 0x00, 0x05],
        [0x84, 0xff, 0xff, 0xff, 0xff],
        [0x85, 1, 0, 0, 0, 0],
        [0],
      ),
    )
    .map(
      ([where, length]): Mutation =>
        (bytes) =>
          spliced(bytes, elementNear(bytes, at(bytes, where)) + 1, 1, ...length),
    ),
  fc.tuple(place, fc.constantFrom(0x02, 0x03, 0x04, 0x05, 0x0c, 0x13, 0x1e, 0x30, 0x31, 0x1f, 0xa0)).map(
    ([where, tag]): Mutation =>
      (bytes) =>
        bytes.with(elementNear(bytes, at(bytes, where)), tag),
  ),
);

/** One of the samples, as it is or with one to three mutations. */
export const mutated = (samples: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.constantFrom(...samples), fc.array(mutation, { maxLength: 3 }))
    .map(([sample, mutations]) =>
      mutations.reduce((bytes, mutate) => (bytes.length > 0 ? mutate(bytes) : bytes), sample),
    );
