import type { UserInfo } from '@coxswain/api';
import { alwaysAllow } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { admit, newContext, pod, type TestWrite } from '../plugin-runner.test-data.ts';
import { forbiddenNodeLabels } from './node-labels.ts';
import { nodeRestriction } from './node-restriction.ts';

const n1: UserInfo = { username: 'system:node:n1', groups: ['system:nodes'] };
const claim = (more: object = {}, status: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'ns', resourceVersion: '1' },
  status: { phase: 'Bound', ...status },
  ...more,
});
const volume = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec,
});
const driver = (name: string, ...audiences: string[]) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name },
  spec: { tokenRequests: audiences.map((audience) => ({ audience })) },
});
const token = (audiences: string[], uid = 'u'): TestWrite => ({
  send: 'CREATE v1 serviceaccounts/token TokenRequest',
  name: 'default',
  object: { spec: { audiences, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid } } },
  user: n1,
});
const podWith = (...volumes: object[]) => pod({ nodeName: 'n1', volumes }, { uid: 'u' });
const unauthorized = (audience: string) =>
  `serviceaccounts "default" is forbidden: audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`;

describe('NodeRestriction', () => {
  it('restricts nodes only', async () => {
    const plugin = nodeRestriction(newContext());
    const write: TestWrite = { send: 'CREATE v1 nodes Node', object: { metadata: { name: 'n2' } } };
    expect(await admit(plugin, write)).toEqual(write.object);
    expect(await admit(plugin, { ...write, user: n1 })).toBe(
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
    expect(await admit(plugin, { ...write, user: { ...n1, username: 'system:node:' } })).toBe(
      'nodes "n2" is forbidden: could not determine node from user "system:node:"',
    );
  });

  const tokens: Record<string, [object[], string[], true | string]> = {
    'for the audience of a volume': [
      [podWith({ name: 'v', projected: { sources: [{ serviceAccountToken: { audience: 'a' } }] } })],
      ['a'],
      true,
    ],
    'for the API server': [[podWith({ name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } })], [], true],
    'for an audience that the pod does not use': [[podWith()], ['a'], unauthorized('a')],
    'for the audience of a CSI driver': [[podWith({ name: 'v', csi: { driver: 'd' } }), driver('d', 'a')], ['a'], true],
    'for another audience than that of the driver': [
      [podWith({ name: 'v', csi: { driver: 'd' } }), driver('d', 'b')],
      ['a'],
      unauthorized('a'),
    ],
    'for the driver of a claim': [
      [
        podWith({ name: 'v', persistentVolumeClaim: { claimName: 'c' } }),
        claim({ spec: { volumeName: 'v' } }),
        volume('v', { csi: { driver: 'd' } }),
        driver('d', 'a'),
      ],
      ['a'],
      true,
    ],
    'for the driver of a migrated volume type': [
      [
        podWith({ name: 'v', persistentVolumeClaim: { claimName: 'c' } }),
        claim({ spec: { volumeName: 'v' } }),
        volume('v', { gcePersistentDisk: { pdName: 'x' } }),
        driver('pd.csi.storage.gke.io', 'a'),
      ],
      ['a'],
      true,
    ],
    'for a missing claim': [
      [podWith({ name: 'v', persistentVolumeClaim: { claimName: 'lost' } })],
      ['a'],
      'serviceaccounts "default" is forbidden: error validating audience "a": persistentvolumeclaim "lost" not found',
    ],
  };
  it.each(Object.entries(tokens))('checks tokens %s', async (_, [objects, audiences, expected]) => {
    const write = token(audiences);
    expect(await admit(nodeRestriction(newContext(objects)), write)).toEqual(
      expected === true ? write.object : expected,
    );
  });

  it('allows tokens for audiences that the node is authorized for', async () => {
    const context = newContext([podWith()], { authorizer: alwaysAllow });
    const write = token(['a']);
    expect(await admit(nodeRestriction(context), write)).toEqual(write.object);
    expect(await admit(nodeRestriction(context), token(['a', 'b']))).toBe(
      'serviceaccounts "default" is forbidden: node may only request 0 or 1 audiences',
    );
    const without = newContext([podWith()], { features: { ServiceAccountNodeAudienceRestriction: false } });
    expect(await admit(nodeRestriction(without), write)).toEqual(write.object);
  });

  it('allows nodes to update some fields of the status of claims', async () => {
    const plugin = nodeRestriction(newContext());
    const send = 'UPDATE v1 persistentvolumeclaims/status PersistentVolumeClaim';
    const next = claim({}, { capacity: { storage: '1Gi' }, conditions: [], allocatedResources: { storage: '1Gi' } });
    expect(await admit(plugin, { send, object: next, oldObject: claim(), user: n1 })).toEqual(next);
    expect(await admit(plugin, { send, object: claim({}, { phase: 'Lost' }), oldObject: claim(), user: n1 })).toBe(
      'persistentvolumeclaims "c" is forbidden: node "n1" is not allowed to update fields other than status.quantity and status.conditions',
    );
  });

  it('restricts labels by domain', () => {
    const now = {
      'kubernetes.io/hostname': 'a',
      'kubernetes.io/role': 'a',
      'k8s.io/x': 'a',
      'own.k8s.io/x': 'a',
      'x.node.kubernetes.io/y': 'a',
      'x.node-restriction.kubernetes.io/y': 'a',
      'notkubernetes.io/x': 'a',
      plain: 'a',
    };
    const forbidden = ['k8s.io/x', 'kubernetes.io/role', 'own.k8s.io/x', 'x.node-restriction.kubernetes.io/y'];
    expect(forbiddenNodeLabels(now)).toEqual(forbidden);
    expect(forbiddenNodeLabels({}, now)).toEqual(forbidden);
    expect(forbiddenNodeLabels({ ...now, 'k8s.io/x': 'b' }, now)).toEqual(['k8s.io/x']);
  });
});
