import type { Node } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from '../admission.ts';

const key = 'node.kubernetes.io/not-ready';
const effect = 'NoSchedule';

/** Adds a NoSchedule taint to new nodes, which is removed when the node is ready. */
export const taintNodesByCondition = (): AdmissionPlugin => ({
  name: 'TaintNodesByCondition',
  operations: ['CREATE'],
  resources: ['nodes'],
  admit({ object }) {
    const node = object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { key, effect }] };
  },
});
