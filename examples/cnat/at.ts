import type { Container } from '@coxswain/api/core/v1';
import type { CustomResource } from '@coxswain/client';

/**
 * The cloud-native `at`, which runs containers once at a given time, as a TypeScript type. Its definition is
 * examples/manifests/at-crd.yaml.
 */
export type At = CustomResource<AtSpec, AtStatus>;

interface AtSpec {
  /** The time to run, in UTC: `2026-07-03T02:00:00Z`. */
  schedule: string;
  /** The containers to run once. */
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
