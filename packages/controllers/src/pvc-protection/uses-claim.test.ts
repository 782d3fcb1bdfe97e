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
  ['names it', pod({ persistentVolumeClaim: { claimName: 'c' } }), claim('c'), true],
  ['names another', pod({ persistentVolumeClaim: { claimName: 'd' } }), claim('c'), false],
  ['has no node', pod({ persistentVolumeClaim: { claimName: 'c' } }, ''), claim('c'), false],
  ['has it for itself', pod(ephemeral), claim('web-v', true), true],
  ['would have one of that name for itself', pod(ephemeral), claim('web-v'), false],
  ['had it for itself and is shut down', pod(ephemeral, 'n', shutDown), claim('web-v', true), false],
  ['is shut down', pod({ persistentVolumeClaim: { claimName: 'c' } }, 'n', shutDown), claim('c'), true],
])('a pod that %s', (_, pod, claim, uses) => {
  expect(usesClaim(pod, claim)).toBe(uses);
});
