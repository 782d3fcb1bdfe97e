import { canonicalJson } from './canonical-json.ts';

/** Letters and digits that make no words, and no numbers that YAML would read as such. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short name for a template's content (and a count, for when two contents have the same): the same for the same content,
 * whatever the order of its keys. Ten characters at most, fit for names and labels.
 *
 * Differs from upstream: the hash is of the JSON form, not of Go's memory; hashes are only ever compared with our own,
 * templates by their content.
 */
export function templateHash(template: object, collisionCount?: number): string {
  let hash = fnv1a(canonicalJson(template));
  if (collisionCount !== undefined) hash = fnv1a(String(collisionCount), hash);
  return safeEncode(String(hash));
}

/** A number's digits in characters that make no words. */
export function safeEncode(digits: string): string {
  return Array.from(digits, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
