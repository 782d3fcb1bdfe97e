import type { Node } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from '../admission.ts';

const key = 'node.kubernetes.io/not-ready';
const effect = 'NoSchedule';

/** A new node gets no pods before a controller has seen that it is ready. */
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
