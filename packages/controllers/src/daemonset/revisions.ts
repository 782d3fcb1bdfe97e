import type { ControllerRevision, DaemonSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { templateHash } from '../framework/hash/pod-template-hash.ts';
import { holds, revisionData } from '../framework/history/controller-revision.ts';
import type { ControllerRevisionHistory } from '../framework/history/controller-revision-history.ts';
import { hashLabel } from './daemon-pod.ts';

export interface DaemonRevisions {
  /** The hash of the revision of the set's current template. It is a label of the pods. */
  readonly hash: string;
  /** All other revisions, oldest first. */
  readonly old: readonly ControllerRevision[];
}

interface DaemonRevisionsOptions {
  readonly history: ControllerRevisionHistory<DaemonSet>;
  readonly pods: readonly Pod[];
  /** Sets the hash label of a pod. */
  relabel(pod: Pod, hash: string): Promise<void>;
  /** Increments `collisionCount` in the set's status. */
  countCollision(): Promise<void>;
}

/**
 * Finds the revision of the set's current template among `revisions`, or creates it. Makes it the newest one, deletes its
 * duplicates, and adds missing hash labels to revisions.
 */
export async function daemonRevisions(
  set: DaemonSet,
  revisions: readonly ControllerRevision[],
  options: DaemonRevisionsOptions,
): Promise<DaemonRevisions> {
  const { history } = options;
  const key = `${set.metadata.namespace}/${set.metadata.name}`;
  const data = revisionData(set.spec?.template ?? {});
  const labelled = await Promise.all(revisions.map((revision) => withHash(history, key, revision)));
  const current = labelled.filter((revision) => holds(revision, data));
  const old = labelled.filter((revision) => !current.includes(revision));
  const next = Math.max(0, ...old.map(({ revision }) => Number(revision))) + 1;

  const newest = current.at(-1);
  if (!newest) return { hash: await snapshot(set, next, options), old };
  const hash = hashOf(newest);
  if (current.length > 1) {
    for (const pod of options.pods) if (pod.metadata.labels?.[hashLabel] !== hash) await options.relabel(pod, hash);
    for (const double of current) if (double !== newest) await history.delete(double);
  }
  if (newest.revision < next) await history.update(key, { ...newest, revision: next });
  return { hash, old };
}

/** Very old revisions have no hash label. Their names are used as hashes. */
async function withHash(
  history: ControllerRevisionHistory<DaemonSet>,
  key: string,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { metadata } = revision;
  if (metadata.labels?.[hashLabel] !== undefined) return revision;
  const labels = { ...metadata.labels, [hashLabel]: metadata.name ?? '' };
  return await history.update(key, { ...revision, metadata: { ...metadata, labels } });
}

async function snapshot(
  set: DaemonSet,
  revision: number,
  { history, countCollision }: DaemonRevisionsOptions,
): Promise<string> {
  const { metadata, spec, status } = set;
  const template = spec?.template ?? {};
  const hash = templateHash(template, status?.collisionCount);
  const created = await history.createOrFind(
    { owner: set, key: `${metadata.namespace}/${metadata.name}` },
    {
      name: `${metadata.name}-${hash}`,
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      data: revisionData(template),
      revision,
    },
  );
  if (created) return hashOf(created);
  await countCollision();
  throw new Error(`controllerrevisions.apps "${metadata.name}-${hash}" already exists`);
}

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[hashLabel] ?? '';
