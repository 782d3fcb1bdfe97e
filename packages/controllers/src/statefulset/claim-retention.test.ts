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
  ['is retained: none', ['Retain', 'Retain', 2], [], undefined],
  ['is retained: removed', ['Retain', 'Retain', 2], [ofSet, ofOther], [ofOther]],
  ['is deleted with the set: the set', ['Retain', 'Delete', 2], [ofOther], [ofOther, ofSet]],
  ['is deleted with the set and has that owner: unchanged', ['Retain', 'Delete', 2], [ofSet], undefined],
  ['is deleted with the set while the pod is scaled down: unchanged', ['Retain', 'Delete', 1], [ofSet], undefined],
  ['is deleted with a pod that is kept: none', ['Delete', 'Retain', 2], [], undefined],
  ['is deleted with a pod that is scaled down: the pod', ['Delete', 'Retain', 1], [], [ofPod]],
  ['is deleted with a pod that is scaled up again: none', ['Delete', 'Retain', 2], [ofPod], []],
  ['is deleted with both, the pod is kept: the set', ['Delete', 'Delete', 2], [], [ofSet]],
  ['is deleted with both, the pod is scaled down: the pod', ['Delete', 'Delete', 1], [ofSet], [ofPod]],
  [
    'has an owner that is not its controller: the controller',
    ['Retain', 'Delete', 2],
    [{ ...ofSet, controller: false }],
    [ofSet],
  ],
  ['is owned by an earlier set: unchanged', ['Retain', 'Delete', 2], [formerSet], undefined],
  ['is owned by an earlier pod: unchanged', ['Delete', 'Delete', 1], [formerPod], undefined],
  ['has another controller: unchanged', ['Delete', 'Delete', 2], [controller], undefined],
  ['has another controller and the set: without the set', ['Delete', 'Delete', 2], [controller, ofSet], [controller]],
  [
    'has another controller and is retained: without the set',
    ['Retain', 'Retain', 2],
    [controller, ofSet],
    [controller],
  ],
])('the owners of a claim that %s', (_, [whenScaled, whenDeleted, replicas], owners, expected) => {
  expect(ownersToSet(claimOf(owners), setOf(whenScaled, whenDeleted, replicas), pod)).toEqual(expected);
});

it('isStaleFor is true for a claim of an earlier pod that will be deleted with it', () => {
  expect(isStaleFor(claimOf([formerPod]), setOf('Delete', 'Retain', 2), 'web-1')).toBe(true);
  expect(isStaleFor(claimOf([formerPod]), setOf('Retain', 'Retain', 2), 'web-1')).toBe(false);
  expect(isStaleFor(claimOf([ofSet]), setOf('Delete', 'Delete', 2), 'web-1')).toBe(false);
});
