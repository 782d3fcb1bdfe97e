import type { ControllerRevision } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { canonicalJson, sortedKeys } from '../hash/canonical-json.ts';
import { safeEncode } from '../hash/pod-template-hash.ts';

/** A strategic merge patch that restores an object's earlier pod template. `kubectl rollout undo` sends it. */
export interface RevisionData {
  readonly [key: string]: unknown;
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

/** Returns the data of a revision. Its keys are in the order in which Go writes them, because upstream compares revisions byte by byte. */
export const revisionData = (template: PodTemplateSpec): RevisionData =>
  sortedKeys({ spec: { template: { ...template, $patch: 'replace' } } });

/** Returns the revision's pod template, or undefined when its data does not have the form of `RevisionData`. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = data?.spec;
  if (!isObject(spec) || !isObject(spec.template)) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}

/** Whether the revision's data equals `data`. */
export const holds = (revision: ControllerRevision, data: RevisionData): boolean => semanticEqual(revision.data, data);

/** Compares revisions: oldest first, by number, then creation time, then name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  const timeOf = ({ metadata }: ControllerRevision): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return (
    Number(a.revision) - Number(b.revision) ||
    timeOf(a) - timeOf(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

/** Returns upstream's hash of a revision's data and a collision count, which is incremented when two revisions have the same hash. */
export function revisionHash(data: RevisionData, collisionCount: number): string {
  return safeEncode(String(fnv1(`${canonicalJson(data)}${collisionCount}`)));
}

/** Names have at most 253 characters, so long owner names are truncated. */
export const revisionName = (ownerName: string, hash: string): string => `${ownerName.slice(0, 223)}-${hash}`;

/** Returns the oldest revisions that are not in use, as many as `excess` says. `revisions` must be sorted oldest first. */
export function revisionsToDelete(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  excess: (unused: number) => number,
): ControllerRevision[] {
  const unused = revisions.filter((revision) => !isLive(revision));
  return unused.slice(0, Math.max(0, excess(unused.length)));
}

function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}

const isObject = (value: unknown): value is Readonly<Record<string, object>> =>
  typeof value === 'object' && value !== null;
