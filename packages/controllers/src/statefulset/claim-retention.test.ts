import type { StatefulSet } from '@coxswain/api/apps/v1';
import type { OwnerReference } from '@coxswain/apimachinery/meta';
import { expect, it } from 'vitest';
import { isStaleFor, ownersToSet } from './claim-retention.ts';

const controls = { controller: true, blockOwnerDeletion: true };
const ofSet: OwnerReference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', ...controls };
const ofPod: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'pod', ...controls };
const ofOther: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
const controller = { ...ofOther, controller: true };
const formerSet = { ...ofSet, uid: 'former' };
const formerPod = { ...ofPod, uid: 'former' };

type Policy = 'Retain' | 'Delete';
const setOf = (whenScaled: Policy, whenDeleted: Policy, replicas: number): StatefulSet => ({
  metadata: { name: 'web', uid: 'set' },
  spec: { replicas, selector: {}, template: {}, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } },
});
const claimOf = (ownerReferences: OwnerReference[]) => ({ metadata: { name: 'data-web-1', ownerReferences } });
const pod = { metadata: { name: 'web-1', uid: 'pod' } };

it.each<[string, [Policy, Policy, number], OwnerReference[], OwnerReference[] | undefined]>([
  ['is kept: nobody', ['Retain', 'Retain', 2], [], undefined],
  ['is kept: nobody any more', ['Retain', 'Retain', 2], [ofSet, ofOther], [ofOther]],
  ['goes with the set: the set', ['Retain', 'Delete', 2], [ofOther], [ofOther, ofSet]],
  ['goes with the set, as it should', ['Retain', 'Delete', 2], [ofSet], undefined],
  ['goes with the set, also when the pod goes', ['Retain', 'Delete', 1], [ofSet], undefined],
  ['goes with a pod that stays: nobody yet', ['Delete', 'Retain', 2], [], undefined],
  ['goes with a pod that goes: the pod', ['Delete', 'Retain', 1], [], [ofPod]],
  ['goes with a pod that was to go and stays: nobody', ['Delete', 'Retain', 2], [ofPod], []],
  ['goes with both, the pod stays: the set', ['Delete', 'Delete', 2], [], [ofSet]],
  ['goes with both, the pod goes: the pod', ['Delete', 'Delete', 1], [ofSet], [ofPod]],
  ['has an owner that does not control it', ['Retain', 'Delete', 2], [{ ...ofSet, controller: false }], [ofSet]],
  ['is of a set that is gone', ['Retain', 'Delete', 2], [formerSet], undefined],
  ['is of a pod that is gone', ['Delete', 'Delete', 1], [formerPod], undefined],
  ['is controlled by another', ['Delete', 'Delete', 2], [controller], undefined],
  ['is controlled by another and by the set', ['Delete', 'Delete', 2], [controller, ofSet], [controller]],
  ['is controlled by another, and to be kept', ['Retain', 'Retain', 2], [controller, ofSet], [controller]],
])('who is to own a claim that %s', (_, [whenScaled, whenDeleted, replicas], owners, expected) => {
  expect(ownersToSet(claimOf(owners), setOf(whenScaled, whenDeleted, replicas), pod)).toEqual(expected);
});

it('a claim of a former pod is given to no other, where it is to be deleted', () => {
  expect(isStaleFor(claimOf([formerPod]), setOf('Delete', 'Retain', 2), 'web-1')).toBe(true);
  expect(isStaleFor(claimOf([formerPod]), setOf('Retain', 'Retain', 2), 'web-1')).toBe(false);
  expect(isStaleFor(claimOf([ofSet]), setOf('Delete', 'Delete', 2), 'web-1')).toBe(false);
});
