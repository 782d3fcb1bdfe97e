import type { Pod } from '@coxswain/api/core/v1';
import { Resources } from './resources.ts';

/** What a pod takes of a node. */
export interface PodResources {
  readonly requests: Resources;
  /** As `requests`, but a container that asks for no CPU or memory counts with a little of it: so that such pods spread. */
  readonly nonZeroCPU: number;
  readonly nonZeroMemory: number;
}

export function podResources(_pod: Pod): PodResources {
  return { requests: new Resources(), nonZeroCPU: 0, nonZeroMemory: 0 };
}
