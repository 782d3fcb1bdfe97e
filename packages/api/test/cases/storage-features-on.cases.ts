import type { CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

export const suite: CaseSuite = {
  features: { VolumeLimitScaling: true },
  bases: {
    driver: {
      object: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'cases.example.com' }, spec: {} },
    },
  },
  cases: {
    'pods are scheduled without the driver by default': { create: 'driver' },
    'pods may be kept from nodes without the driver': {
      create: 'driver',
      change: edit({ 'spec.preventPodSchedulingIfMissing': true }),
    },
    'that can change': { update: 'driver', change: edit({ 'spec.preventPodSchedulingIfMissing': true }) },
  },
};
