import type { Pod } from '@coxswain/api/core/v1';
import { type AffinityTerm, affinityTerm, type WeightedAffinityTerm, weightedAffinityTerm } from './affinity-term.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';
import { type PodResources, podResources } from './pod-requests.ts';

/** A pod with parsed and computed values that the scheduler needs repeatedly. Immutable: a changed pod gets a new PodInfo. */
export class PodInfo {
  readonly pod: Pod;
  readonly priority: number;
  readonly requiredAffinityTerms: readonly AffinityTerm[];
  readonly requiredAntiAffinityTerms: readonly AffinityTerm[];
  readonly preferredAffinityTerms: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinityTerms: readonly WeightedAffinityTerm[];
  #resources: PodResources | undefined;
  #hostPorts: readonly HostPort[] | undefined;

  /** Throws an Error when a selector of the pod's affinity is invalid. */
  constructor(pod: Pod) {
    const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
    this.pod = pod;
    this.priority = pod.spec?.priority ?? 0;
    this.requiredAffinityTerms = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.map(read) ?? none;
    this.requiredAntiAffinityTerms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.map(read) ?? none;
    this.preferredAffinityTerms = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(weigh) ?? none;
    this.preferredAntiAffinityTerms =
      podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(weigh) ?? none;

    function read(term: Parameters<typeof affinityTerm>[1]): AffinityTerm {
      return affinityTerm(pod, term);
    }
    function weigh(term: Parameters<typeof weightedAffinityTerm>[1]): WeightedAffinityTerm {
      return weightedAffinityTerm(pod, term);
    }
  }

  get hasAffinity(): boolean {
    return (
      this.requiredAffinityTerms.length +
        this.requiredAntiAffinityTerms.length +
        this.preferredAffinityTerms.length +
        this.preferredAntiAffinityTerms.length >
      0
    );
  }

  get resources(): PodResources {
    this.#resources ??= podResources(this.pod);
    return this.#resources;
  }

  get hostPorts(): readonly HostPort[] {
    this.#hostPorts ??= hostPortsOf(this.pod);
    return this.#hostPorts;
  }

  get key(): string {
    const { namespace = '', name = '' } = this.pod.metadata;
    return `${namespace}/${name}`;
  }
}

const none: readonly never[] = [];
