import { randomUUID } from 'node:crypto';
import type { StoreSnapshot } from '@coxswain/storage';
import { snapshotOf } from '#cluster';
import { freshObjects, timeMark, uidMark } from '#fresh-objects';

/**
 * What every new cluster makes first, and always the same: roles, namespaces and the like, as if
 * just made. Its server and controllers find it as after a restart, and add or mend what they miss. Undefined where nobody has built it.
 */
export function freshState(nowMs: number): StoreSnapshot | undefined {
  if (freshObjects.length === 0) return undefined;
  const time = new Date(nowMs).toISOString().replace(/\.\d+/, '');
  const encoder = new TextEncoder();
  return snapshotOf(
    freshObjects.map(([key, text]) => [
      key,
      encoder.encode(text.replace(uidMark, () => randomUUID()).replaceAll(timeMark, time)),
    ]),
  );
}
