import type { Container } from '@coxswain/api/core/v1';
import type { CustomResource } from '@coxswain/client';

/** The cloud-native `at`: run containers once, at a time. The type in TypeScript; its definition is examples/manifests/at-crd.yaml. */
export type At = CustomResource<AtSpec, AtStatus>;

interface AtSpec {
  /** When, in UTC: `2026-07-03T02:00:00Z`. */
  schedule: string;
  /** What: they run once. */
  containers: Container[];
}

export interface AtStatus {
  phase?: 'PENDING' | 'RUNNING' | 'DONE';
}

export const ats = {
  group: 'cnat.programming-kubernetes.info',
  version: 'v1alpha1',
  resource: 'ats',
  kind: 'At',
  namespaced: true,
} as const;
