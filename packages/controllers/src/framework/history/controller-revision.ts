import type { ControllerRevision } from '@coxswain/api/apps/v1';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { canonicalJson, sortedKeys } from '../hash/canonical-json.ts';
import { safeEncode } from '../hash/pod-template-hash.ts';

/** A strategic merge patch that gives an object the pod template it had; what `kubectl rollout undo` sends. */
export interface RevisionData {
  readonly [key: string]: unknown;
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } };
}

/** With its keys in the order in which Go writes them: there, revisions are compared byte by byte. */
export const revisionData = (template: PodTemplateSpec): RevisionData =>
  sortedKeys({ spec: { template: { ...template, $patch: 'replace' } } });

/** The pod template that a revision holds; undefined when it is not one of `revisionData`. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = data?.spec;
  if (!isObject(spec) || !isObject(spec.template)) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}

/** Whether the revision would change nothing about an object whose state is `data`. */
export const holds = (revision: ControllerRevision, data: RevisionData): boolean => semanticEqual(revision.data, data);

/** The oldest first: by number, then age, then name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  const timeOf = ({ metadata }: ControllerRevision): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return (
    Number(a.revision) - Number(b.revision) ||
    timeOf(a) - timeOf(b) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

/** A short name for what a revision holds, and a count for when two have the same: the very one that upstream gives it. */
export function revisionHash(data: RevisionData, collisionCount: number): string {
  return safeEncode(String(fnv1(`${canonicalJson(data)}${collisionCount}`)));
}

/** Names have 253 characters at most: long owners' are cut. */
export const revisionName = (ownerName: string, hash: string): string => `${ownerName.slice(0, 223)}-${hash}`;

/** The oldest so many of those that are not in use. `revisions` in their order. */
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
