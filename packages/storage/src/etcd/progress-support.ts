import type { EtcdEndpoint } from './etcd-endpoint.ts';
import { methods } from './messages.ts';

/** The first good release of each minor version that was repaired later; the ones before are not good, the ones after are. */
const repairedIn: Readonly<Record<number, number>> = { 4: 31, 5: 13 };

/**
 * Whether a member's answers to requests for progress can be believed. Before these releases they may overtake events
 * that are still under way (etcd issue 15220), or not come at all (issue 17507).
 */
export function progressIsReliable(version: string): boolean {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  const repaired = repairedIn[minor];
  return repaired === undefined ? minor > 5 : patch >= repaired;
}

/** Asks the member for its version. Fails as calls do. */
export async function supportsProgress(endpoint: EtcdEndpoint, timeoutMs: number): Promise<boolean> {
  const { version = '' } = await endpoint.call(methods.status, {}, timeoutMs);
  return progressIsReliable(version);
}
