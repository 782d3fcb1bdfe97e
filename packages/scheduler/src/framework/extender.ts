import type { Binding, Pod } from '@coxswain/api/core/v1';
import type { NodeInfo } from './node-info.ts';

/** Pods that would have to be evicted from a node to make room for another. */
export interface Victims {
  readonly pods: readonly Pod[];
  readonly numPDBViolations: number;
}

/** The nodes that an extender left, and the reasons why it rejected others, by node name. */
export interface ExtenderFilterResult {
  readonly nodes: readonly NodeInfo[];
  readonly failed: Readonly<Record<string, string>>;
  readonly failedAndUnresolvable: Readonly<Record<string, string>>;
}

/** A process outside of the scheduler that takes part in scheduling. Methods reject when it cannot be reached. */
export interface Extender {
  readonly name: string;
  /** Whether its errors are ignored. */
  readonly isIgnorable: boolean;
  readonly isFilter: boolean;
  readonly isPrioritizer: boolean;
  readonly isBinder: boolean;
  readonly supportsPreemption: boolean;
  /** The weight of its scores. */
  readonly weight: number;
  /** Returns whether it must be called for the pod: an extender may manage only certain resources. */
  isInterested(pod: Pod): boolean;
  filter(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult>;
  /** Returns scores from 0 to 10 by node name. */
  prioritize(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  bind(binding: Binding, signal: AbortSignal): Promise<void>;
  /** Returns the remaining candidates for preemption by node name. `nodeOf` looks up a node with its pods. */
  processPreemption(
    pod: Pod,
    candidates: ReadonlyMap<string, Victims>,
    nodeOf: (name: string) => NodeInfo | undefined,
    signal: AbortSignal,
  ): Promise<Map<string, Victims>>;
}
