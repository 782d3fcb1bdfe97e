import type { Binding, Pod } from '@coxswain/api/core/v1';
import type { NodeInfo } from './node-info.ts';

/** Pods that would have to go from a node for another. */
export interface Victims {
  readonly pods: readonly Pod[];
  readonly numPDBViolations: number;
}

/** What an extender left of the nodes, and why it left others out, by name. */
export interface ExtenderFilterResult {
  readonly nodes: readonly NodeInfo[];
  readonly failed: Readonly<Record<string, string>>;
  readonly failedAndUnresolvable: Readonly<Record<string, string>>;
}

/** Somebody outside of this process who has a say in scheduling. Its methods reject when it cannot be asked. */
export interface Extender {
  readonly name: string;
  /** What it would have said can be left out when it cannot be asked. */
  readonly isIgnorable: boolean;
  readonly isFilter: boolean;
  readonly isPrioritizer: boolean;
  readonly isBinder: boolean;
  readonly supportsPreemption: boolean;
  /** What its scores count. */
  readonly weight: number;
  /** Whether it is to be asked about the pod at all: it may be there for certain resources only. */
  isInterested(pod: Pod): boolean;
  filter(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult>;
  /** Scores from 0 to 10 by name of the node. */
  prioritize(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  bind(binding: Binding, signal: AbortSignal): Promise<void>;
  /** What is left of candidates for preemption, by name of the node; `nodeOf` finds a node's pods. */
  processPreemption(
    pod: Pod,
    candidates: ReadonlyMap<string, Victims>,
    nodeOf: (name: string) => NodeInfo | undefined,
    signal: AbortSignal,
  ): Promise<Map<string, Victims>>;
}
