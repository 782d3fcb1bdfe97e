import { createHash } from 'node:crypto';

/** So much of a hash is used; all of it would make the last card of a hand uneven. */
const maxHashBits = 60;
const maxDeckSize = 2 ** 26;

/** Whether hands of this size can be dealt from a deck of that size with the bits of one hash. */
export const canDeal = (deckSize: number, handSize: number): boolean =>
  handSize > 0 &&
  handSize <= deckSize &&
  deckSize <= maxDeckSize &&
  Math.ceil(Math.log2(deckSize) * handSize) <= maxHashBits;

/** What one flow is told from others by: the schema that its requests match, and the user or namespace. */
export function flowHash(schemaName: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schemaName}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

/**
 * Deals a hand of different cards (queues), the same one for the same hash. Two flows rarely share more than a card or
 * two: whoever fills the queues of its own hand leaves others a queue that is free.
 */
export function dealHand(deckSize: number, handSize: number, hash: bigint): number[] {
  const hand: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(deckSize - dealt);
    hand.push(Number(rest % left));
    rest /= left;
  }
  // Each is the place among the cards that were left when its turn came: count in those that were gone, the latest first.
  return hand.map((place, index) => {
    let card = place;
    for (let before = index - 1; before >= 0; before--) if (card >= hand[before]!) card++;
    return card;
  });
}
