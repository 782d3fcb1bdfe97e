import type { EtcdEndpoint } from './etcd-endpoint.ts';
import { methods } from './messages.ts';

/** By minor version, the first patch release with the fix. Older minor versions have none, newer ones all have it. */
const repairedIn: Readonly<Record<number, number>> = { 4: 31, 5: 13 };

/**
 * Returns whether the progress notifications of an etcd version are reliable. Before these releases they may overtake events that are not
 * sent yet (etcd issue 15220), or not be sent at all (issue 17507).
 */
export function progressIsReliable(version: string): boolean {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  const repaired = repairedIn[minor];
  return repaired === undefined ? minor > 5 : patch >= repaired;
}

/** Returns whether the member's progress notifications are reliable. Rejects when the call fails. */
export async function supportsProgress(endpoint: EtcdEndpoint, timeoutMs: number): Promise<boolean> {
  const { version = '' } = await endpoint.call(methods.status, {}, timeoutMs);
  return progressIsReliable(version);
}
