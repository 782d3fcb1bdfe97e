import type { CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const election = { 'spec.strategy': 'Youngest', 'spec.preferredHolder': 'you' };

export const suite: CaseSuite = {
  bases: {
    lease: {
      object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'lease' }, spec: {} },
    },
  },
  cases: {
    'what elections by version need is dropped from a new lease': { create: 'lease', change: edit(election) },
    'what elections by version need is dropped from an update': { update: 'lease', change: edit(election) },
  },
};
