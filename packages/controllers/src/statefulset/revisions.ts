import type { ControllerRevision, StatefulSet } from '@coxswain/api/apps/v1';
import { GroupVersionKind } from '@coxswain/apimachinery/meta';
import {
  holds,
  type RevisionData,
  revisionData,
  revisionHash,
  revisionName,
  templateIn,
} from '../framework/history/controller-revision.ts';
import type { ControllerRevisionHistory } from '../framework/history/controller-revision-history.ts';

/** Tells which content a ControllerRevision has. */
const hashLabel = 'controller.kubernetes.io/hash';

export interface CurrentAndUpdate {
  /** What the set's pods were made from so far. */
  readonly current: ControllerRevision;
  /** What they are to be made from. The same as `current` when no update is under way. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/**
 * The revisions that the set is between, `revisions` being all of them, the oldest first. One that holds the set's template
 * is made if there is none; an older one that does becomes the newest again. Undefined for a set that is about to go and has
 * none of its template: its revisions go with it, and it gets no new ones (differs from upstream, where it does).
 */
export async function currentAndUpdate(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  history: ControllerRevisionHistory<StatefulSet>,
): Promise<CurrentAndUpdate | undefined> {
  const { metadata, spec, status } = set;
  const key = `${metadata.namespace}/${metadata.name}`;
  const data = revisionData(spec?.template ?? {});
  const newest = revisions.at(-1);
  const next = Number(newest?.revision ?? 0) + 1;
  const equal = revisions.findLast((revision) => holds(revision, data));
  let collisionCount = status?.collisionCount ?? 0;
  let update: ControllerRevision | undefined;
  if (equal && newest && (equal === newest || holds(newest, data))) update = newest;
  else if (metadata.deletionTimestamp) return undefined;
  else if (equal) update = await history.update(key, { ...equal, revision: next });
  else if (newest && (await holdsWithDefaults(newest, set, data))) update = newest;
  else {
    const labels = { ...spec?.template.metadata?.labels, [hashLabel]: revisionHash(data, collisionCount) };
    for (;;) {
      const name = revisionName(metadata.name ?? '', revisionHash(data, collisionCount));
      update = await history.createOrFind({ owner: set, key }, { name, labels, data, revision: next });
      if (update) break;
      collisionCount++;
    }
  }
  const current = revisions.find((revision) => revision.metadata.name === status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

/**
 * Whether the revision holds the set's template but for defaults that the server did not know of when it was made: a newer
 * server must not make all pods start again.
 */
async function holdsWithDefaults(revision: ControllerRevision, set: StatefulSet, data: RevisionData): Promise<boolean> {
  const template = templateIn(revision);
  if (!template || !set.spec) return false;
  // Needed only when a template has changed.
  const { defaulterFor } = await import('@coxswain/api');
  const restored = structuredClone({ ...set, spec: { ...set.spec, template } });
  defaulterFor(GroupVersionKind.of('apps', 'v1', 'StatefulSet'))?.(restored);
  return holds({ ...revision, data: revisionData(restored.spec.template) }, data);
}
