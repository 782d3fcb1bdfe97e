import type { Container } from '@coxswain/cri';
import type { LinkedContainer } from '../logs/log-symlinks.ts';
import {
  containerNameLabel,
  podNameLabel,
  podNamespaceLabel,
  podUidLabel,
  terminationGracePeriodAnnotation,
} from '../runtime/labels.ts';
import { groupBy } from './group-by.ts';

/** A container that does not run, as far as the runtime knows. */
export interface DeadContainer extends LinkedContainer {
  readonly podUid: string;
  readonly createdAt: bigint;
  /** The runtime does not know whether it runs. */
  readonly isUnknown: boolean;
  readonly gracePeriodSeconds: number;
}

/** For containers that do not say how long they may take to end. */
const shortestGracePeriodSeconds = 2;

/** Returns those of the kubelet's containers that do not run and were created before a time. */
export function deadContainers(containers: readonly Container[], createdBeforeMs: number): DeadContainer[] {
  return containers.flatMap(({ id, labels, annotations, metadata, state, createdAt }) => {
    const podUid = labels[podUidLabel];
    if (podUid === undefined || state === 'CONTAINER_RUNNING') return [];
    if (createdAt > BigInt(Math.floor(createdBeforeMs)) * 1_000_000n) return [];
    return {
      id,
      name: metadata?.name ?? labels[containerNameLabel] ?? '',
      podUid,
      podName: labels[podNameLabel] ?? '',
      podNamespace: labels[podNamespaceLabel] ?? '',
      createdAt,
      isUnknown: state === 'CONTAINER_UNKNOWN',
      gracePeriodSeconds: Number(annotations[terminationGracePeriodAnnotation] ?? shortestGracePeriodSeconds),
    };
  });
}

/** Dead containers by pod and name. Each method takes those out that are to be removed, in the order in which that is done. */
export class ContainerGroups {
  /** Of each group, the newest is first. */
  #groups: readonly (readonly DeadContainer[])[];

  constructor(containers: readonly DeadContainer[]) {
    this.#groups = [...groupBy(containers, ({ podUid, name }) => `${podUid} ${name}`).values()].map((group) =>
      group.toSorted(newestFirst),
    );
  }

  /** All of these pods. */
  takePods(isWanted: (podUid: string) => boolean): DeadContainer[] {
    return this.#take((group) => (isWanted(group[0]?.podUid ?? '') ? 0 : group.length));
  }

  /** The oldest of each group, so that `kept` are left in each. */
  takeOldestOfEach(kept: number): DeadContainer[] {
    return this.#take(() => kept);
  }

  /** The oldest of all, so that `kept` are left; but first the same number is left in each group, and at least one. */
  takeOldest(kept: number): DeadContainer[] {
    if (this.#count <= kept) return [];
    const taken = this.takeOldestOfEach(Math.max(1, Math.floor(kept / this.#groups.length)));
    const left = this.#groups.flat().toSorted(newestFirst);
    this.#groups = [left.slice(0, kept)];
    return [...taken, ...left.slice(kept).toReversed()];
  }

  get #count(): number {
    return this.#groups.reduce((sum, group) => sum + group.length, 0);
  }

  #take(keptOf: (group: readonly DeadContainer[]) => number): DeadContainer[] {
    const groups = this.#groups;
    this.#groups = groups.map((group) => group.slice(0, keptOf(group))).filter((group) => group.length > 0);
    return groups.flatMap((group) => group.slice(keptOf(group)).toReversed());
  }
}

const newestFirst = (a: DeadContainer, b: DeadContainer): number => (a.createdAt > b.createdAt ? -1 : 1);
