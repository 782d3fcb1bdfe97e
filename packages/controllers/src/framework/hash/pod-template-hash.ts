import { Catalogue } from '@coxswain/api';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { compileGoDump } from '@coxswain/apimachinery';

/** Letters and digits that form no words, and no text that YAML would read as a number. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Compiled on first use: many programs that import this module never compute a hash. */
let dump: ((template: object) => string) | undefined;

/**
 * Returns upstream's hash of a template and a collision count, which is incremented when two templates have the same hash. It has
 * at most ten characters and is valid in names and labels. ReplicaSets and revisions are found by comparing templates, never by
 * this hash, so those that an earlier version named otherwise stay in use.
 *
 * Differs from upstream: there, a Deployment whose template was changed while it was paused gets another hash if an `emptyDir` of
 * it has a `sizeLimit` like `8Gi`, because the update that records the end of the pause leaves the quantity's cached string in
 * memory.
 */
export function templateHash(template: PodTemplateSpec, collisionCount?: number): string {
  dump ??= compileGoDump(Catalogue.builtIn().type('core.v1.PodTemplateSpec'));
  const bytes = new TextEncoder().encode(dump(template));
  return safeEncode(String(fnv1a(collisionCount === undefined ? bytes : withCount(bytes, collisionCount))));
}

/** Encodes a number's digits in characters that form no words. */
export function safeEncode(digits: string): string {
  return Array.from(digits, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** Appends eight bytes as upstream does: the count as a little-endian int32, then four zero bytes. */
function withCount(bytes: Uint8Array, collisionCount: number): Uint8Array {
  const counted = new Uint8Array(bytes.length + 8);
  counted.set(bytes);
  new DataView(counted.buffer).setInt32(bytes.length, collisionCount, true);
  return counted;
}

function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
