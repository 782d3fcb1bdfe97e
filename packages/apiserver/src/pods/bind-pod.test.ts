import { FeatureGates } from '@coxswain/api';
import type { Binding, Pod } from '@coxswain/api/core/v1';
import { toStatus } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { createBinding } from './bind-pod.ts';

const pod: Pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p2', namespace: 'test', uid: 'u', resourceVersion: '7' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Pending' },
};

const bind = async (binding: Partial<Binding>, current = pod, name = 'p2'): Promise<unknown> => {
  let stored: Pod | undefined;
  try {
    await createBinding({
      name,
      binding: { metadata: { name: 'p2' }, target: { kind: 'Node', name: 'n' }, ...binding },
      features: FeatureGates.defaults,
      now: () => new Date('2026-01-02T03:04:05Z'),
      storageKey: '/registry/pods/test/p2',
      update: async (change) => {
        stored = change(current);
      },
    });
  } catch (error) {
    const { code, reason, message, details } = toStatus(error);
    return { code, ...(reason && { reason }), message, ...(details && { details }) };
  }
  return [stored?.spec?.nodeName, stored?.status];
};

describe('a binding', () => {
  it('assigns the pod to the node', async () => {
    expect(await bind({})).toEqual([
      'n',
      {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }],
      },
    ]);
    expect(pod.spec?.nodeName).toBeUndefined();
  });

  const conflict = (kind: string, why: string) => ({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${kind} "p2": ${why}`,
    details: { name: 'p2', kind },
  });
  const stored =
    'StorageError: invalid object, Code: 4, Key: /registry/pods/test/p2, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ';

  it.each<[string, Partial<Binding>, Pod, unknown]>([
    [
      'for another name',
      { metadata: { name: 'other' } },
      pod,
      { code: 400, reason: 'BadRequest', message: 'name in URL does not match name in Binding object' },
    ],
    [
      'to something other than a node',
      { target: { kind: 'Pod', name: '' } },
      pod,
      {
        code: 400,
        message:
          '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
      },
    ],
    [
      'with the uid of another pod',
      { metadata: { name: 'p2', uid: 'abc' } },
      pod,
      conflict('pods', `${stored}UID in precondition: abc, UID in object meta: u`),
    ],
    [
      'with an old resourceVersion',
      { metadata: { name: 'p2', resourceVersion: '1' } },
      pod,
      conflict('pods', `${stored}ResourceVersion in precondition: 1, ResourceVersion in object meta: 7`),
    ],
    [
      'of a pod that has a node',
      {},
      { ...pod, spec: { containers: [], nodeName: 'n' } },
      conflict('pods/binding', 'pod p2 is already assigned to node "n"'),
    ],
  ])('%s is refused', async (_, binding, current, expected) => {
    expect(await bind(binding, current)).toEqual(expected);
  });
});
