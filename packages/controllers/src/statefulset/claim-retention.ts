import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { GroupVersionKind, newControllerRef, type OwnerReference } from '@coxswain/apimachinery/meta';
import { isInRange, ordinalOf } from './identity.ts';

const setKind = GroupVersionKind.of('apps', 'v1', 'StatefulSet');
const podKind = GroupVersionKind.of('', 'v1', 'Pod');

type Owner = StatefulSet | Pod;

/**
 * Returns the owner references that a claim needs for the set's retention policy. Returns undefined when they are right, and for
 * a claim that an earlier set or pod of the same name owns, because it will be deleted with that owner.
 *
 * - Deleted with the set: the set is the owner.
 * - Deleted when the set is scaled down: the pod is the owner, but only once the pod is to be deleted.
 */
export function ownersToSet(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): OwnerReference[] | undefined {
  const references = claim.metadata.ownerReferences ?? [];
  if (isStale(references, set, setKind) || isStale(references, pod, podKind)) return undefined;

  const ours = references.filter(({ uid }) => uid === uidOf(set) || uid === uidOf(pod));
  const others = references.filter((one) => !refersTo(one, set, setKind) && !refersTo(one, pod, podKind));
  if (hasUnexpectedController(claim, set, pod)) return ours.length > 0 ? others : undefined;

  const { whenScaled, whenDeleted } = policyOf(set);
  const podOwns = whenScaled === 'Delete' && !isInRange(set, ordinalOf(pod));
  const setOwns = whenDeleted === 'Delete' && !podOwns;
  const owns = (owner: Owner): boolean => ours.some(({ uid }) => uid === uidOf(owner));
  const areControllers = ours.every(({ controller }) => controller === true);
  if (areControllers && owns(pod) === podOwns && owns(set) === setOwns) return undefined;
  if (podOwns) return [...others, newControllerRef(pod, podKind)];
  return setOwns ? [...others, newControllerRef(set, setKind)] : others;
}

/** Whether the claim has another controller, although the set or its pods must own it according to the policy. */
export function hasUnexpectedController({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (whenScaled === 'Retain' && whenDeleted === 'Retain') return false;
  return (metadata.ownerReferences ?? []).some((reference) => {
    if (refersTo(reference, set, setKind)) return reference.uid !== uidOf(set);
    if (refersTo(reference, pod, podKind)) return reference.uid !== uidOf(pod);
    return reference.controller === true;
  });
}

/** Whether an earlier pod of that name owns the claim, so that it will be deleted with that pod. No new pod may use it. */
export function isStaleFor(claim: PersistentVolumeClaim, set: StatefulSet, podName: string): boolean {
  if (policyOf(set).whenScaled === 'Retain') return false;
  return isStale(claim.metadata.ownerReferences ?? [], { metadata: { name: podName } }, podKind);
}

const policyOf = ({ spec }: StatefulSet): { readonly whenScaled: string; readonly whenDeleted: string } => ({
  whenScaled: 'Retain',
  whenDeleted: 'Retain',
  ...spec?.persistentVolumeClaimRetentionPolicy,
});

function isStale(references: readonly OwnerReference[], owner: Owner, kind: GroupVersionKind): boolean {
  const reference = references.find((one) => refersTo(one, owner, kind));
  return reference !== undefined && reference.uid !== uidOf(owner);
}

const refersTo = (reference: OwnerReference, { metadata }: Owner, kind: GroupVersionKind): boolean =>
  reference.apiVersion === kind.apiVersion && reference.kind === kind.kind && reference.name === metadata.name;

/** Empty for a pod that has not been created yet. */
const uidOf = ({ metadata }: Owner): string => metadata.uid ?? '';
