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

/** Label with the hash of a ControllerRevision's data. */
const hashLabel = 'controller.kubernetes.io/hash';

export interface CurrentAndUpdate {
  /** The revision that existing pods were created from before the update. */
  readonly current: ControllerRevision;
  /** The revision of the set's template. Equals `current` when no update is in progress. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/**
 * Returns the current and the update revision. `revisions` are all revisions of the set, oldest first. Creates a revision for the
 * set's template if there is none, and makes an older one with that template the newest again. Returns undefined for a set that
 * is being deleted and has no revision of its template: no new one is created (differs from upstream, which creates one).
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
 * Whether the revision equals the set's template apart from defaults that were added to the API after the revision was created.
 * Without this, an upgrade of the server would restart all pods.
 */
async function holdsWithDefaults(revision: ControllerRevision, set: StatefulSet, data: RevisionData): Promise<boolean> {
  const template = templateIn(revision);
  if (!template || !set.spec) return false;
  // Loaded on demand: it is needed only when a template has changed.
  const { defaulterFor } = await import('@coxswain/api');
  const restored = structuredClone({ ...set, spec: { ...set.spec, template } });
  defaulterFor(GroupVersionKind.of('apps', 'v1', 'StatefulSet'))?.(restored);
  return holds({ ...revision, data: revisionData(restored.spec.template) }, data);
}
