import { Catalogue } from '@coxswain/api';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { compileGoDump } from '@coxswain/apimachinery';

/** Letters and digits that make no words, and no numbers that YAML would read as such. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Compiled when it is first needed: many programs that import this never make a hash. */
let dump: ((template: object) => string) | undefined;

/**
 * A short name for a template's content (and a count, for when two contents have the same): the very one that upstream gives
 * it. Ten characters at most, fit for names and labels. Sets and revisions are found by their templates, never by this: those
 * that an earlier version named otherwise stay in use.
 *
 * Differs from upstream: there, a Deployment whose template was changed while it was paused gets another hash if an `emptyDir`
 * of it has a `sizeLimit` like `8Gi`, because the write that notes the end of the pause leaves the text of it in memory.
 */
export function templateHash(template: PodTemplateSpec, collisionCount?: number): string {
  dump ??= compileGoDump(Catalogue.builtIn().type('core.v1.PodTemplateSpec'));
  const bytes = new TextEncoder().encode(dump(template));
  return safeEncode(String(fnv1a(collisionCount === undefined ? bytes : withCount(bytes, collisionCount))));
}

/** A number's digits in characters that make no words. */
export function safeEncode(digits: string): string {
  return Array.from(digits, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** Eight bytes follow, of which the count takes four. */
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
