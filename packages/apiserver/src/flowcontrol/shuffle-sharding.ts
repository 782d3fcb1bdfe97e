import { createHash } from 'node:crypto';

/** The number of hash bits that may be used. With all 64, the last card of a hand would be biased. */
const maxHashBits = 60;
const maxDeckSize = 2 ** 26;

/** Returns whether one hash has enough bits to deal hands of this size from a deck of this size. */
export const canDeal = (deckSize: number, handSize: number): boolean =>
  handSize > 0 &&
  handSize <= deckSize &&
  deckSize <= maxDeckSize &&
  Math.ceil(Math.log2(deckSize) * handSize) <= maxHashBits;

/** Returns the hash of a flow, which is identified by its FlowSchema and the flow distinguisher (user or namespace). */
export function flowHash(schemaName: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schemaName}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

/**
 * Deals a hand of distinct cards (queue indexes) by the hash. Two flows rarely share more than a card or two, so a flow that fills
 * the queues of its hand leaves free queues to others.
 */
export function dealHand(deckSize: number, handSize: number, hash: bigint): number[] {
  const hand: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(deckSize - dealt);
    hand.push(Number(rest % left));
    rest /= left;
  }
  // Each number is an index into the cards that were left. Convert it to an index into the deck by skipping the cards dealt before.
  return hand.map((place, index) => {
    let card = place;
    for (let before = index - 1; before >= 0; before--) if (card >= hand[before]!) card++;
    return card;
  });
}
