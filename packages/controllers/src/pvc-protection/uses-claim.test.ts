import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { usesClaim } from './index.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'p', controller: true };
const claim = (name: string, isOwned = false): PersistentVolumeClaim => ({
  metadata: { namespace: 'a', name, ...(isOwned && { ownerReferences: [owner] }) },
});
const template = { spec: { resources: {} } };
const pod = (volume: object, nodeName = 'n', metadata: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: { namespace: 'a', name: 'web', uid: 'p', ...metadata },
  spec: { nodeName, containers: [{ name: 'c' }], volumes: [{ name: 'v', ...volume }] },
});
const ephemeral = { ephemeral: { volumeClaimTemplate: template } };
const shutDown = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

it.each<[sentence: string, pod: Pod, claim: PersistentVolumeClaim, uses: boolean]>([
  ['names the claim', pod({ persistentVolumeClaim: { claimName: 'c' } }), claim('c'), true],
  ['names another claim', pod({ persistentVolumeClaim: { claimName: 'd' } }), claim('c'), false],
  ['has no node', pod({ persistentVolumeClaim: { claimName: 'c' } }, ''), claim('c'), false],
  ['has it as its ephemeral claim', pod(ephemeral), claim('web-v', true), true],
  ['has an ephemeral claim of that name which it does not own', pod(ephemeral), claim('web-v'), false],
  ['has it as its ephemeral claim and is shut down', pod(ephemeral, 'n', shutDown), claim('web-v', true), false],
  [
    'names the claim and is shut down',
    pod({ persistentVolumeClaim: { claimName: 'c' } }, 'n', shutDown),
    claim('c'),
    true,
  ],
])('usesClaim of a pod that %s', (_, pod, claim, uses) => {
  expect(usesClaim(pod, claim)).toBe(uses);
});
