import type { Pod, TopologySpreadConstraint } from '@coxswain/api/core/v1';
import type { ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { type CycleState, StateKey } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status, skip } from '../../framework/status.ts';
import { CountsCache } from '../../topology/counts-cache.ts';
import { NodeTable } from '../../topology/node-table.ts';
import { DefaultSelector } from './default-selector.ts';
import type { PodTopologySpreadArgs } from './pod-topology-spread-args.ts';
import { type SpreadConstraint, spreadConstraints, type WhenUnsatisfiable } from './spread-constraint.ts';
import { spreadCounts } from './spread-counts.ts';
import { SpreadFilter } from './spread-filter.ts';
import { spreadEvents } from './spread-hints.ts';
import { hostnameLabel, SpreadScore } from './spread-score.ts';

export const name = 'PodTopologySpread';

/** The built-in default constraints. */
const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: hostnameLabel, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

interface FilterState {
  readonly pod: Pod;
  readonly filters: readonly SpreadFilter[];
}

const filterKey = new StateKey<FilterState>(`PreFilter${name}`, ({ pod, filters }) => ({
  pod,
  filters: filters.map((filter) => filter.clone(pod)),
}));
const scoreKey = new StateKey<SpreadScore>(`PreScore${name}`);

type OwnConstraints = Partial<Record<WhenUnsatisfiable, readonly SpreadConstraint[]>>;

/** Spreads pods over topology domains by their topology spread constraints, or the default ones. */
export class PodTopologySpread implements Plugin {
  readonly name: string = name;
  readonly #handle: Handle;
  readonly #isSystemDefaulted: boolean;
  readonly #defaults: readonly TopologySpreadConstraint[];
  readonly #defaultSelector: DefaultSelector | undefined;
  readonly #table = new NodeTable();
  readonly #counts = new CountsCache(this.#table);
  /** Cached own constraints of pods, since hints need them after many events. */
  readonly #constraints = new WeakMap<Pod, OwnConstraints>();
  readonly #missesLabel = Status.unresolvable(
    "node(s) didn't match pod topology spread constraints (missing required label)",
  );
  readonly #isTooFull = Status.unschedulable("node(s) didn't match pod topology spread constraints");

  constructor({ defaultingType, defaultConstraints }: PodTopologySpreadArgs, handle: Handle) {
    this.#handle = handle;
    this.#isSystemDefaulted = defaultingType === 'System';
    this.#defaults = this.#isSystemDefaulted ? systemDefaults : defaultConstraints;
    this.#defaultSelector = this.#defaults.length > 0 ? new DefaultSelector(handle.informers) : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return spreadEvents((pod) => this.#constraintsOf(pod, 'DoNotSchedule'));
  }

  preFilter(state: CycleState, { pod }: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    let constraints: readonly SpreadConstraint[];
    try {
      constraints = this.#constraintsOf(pod, 'DoNotSchedule');
    } catch (error) {
      return failed('get constraints from pod', error);
    }
    if (constraints.length === 0) return skip;
    this.#table.sync(nodes);
    const counts = spreadCounts(this.#counts, pod, constraints, true);
    const filters = constraints.map((constraint, i) => new SpreadFilter(pod, constraint, counts[i]!));
    state.set(filterKey, { pod, filters });
    return undefined;
  }

  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): undefined {
    this.#change(state, pod, added, node, 1);
  }

  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): undefined {
    this.#change(state, pod, removed, node, -1);
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const row = this.#table.row(node.name);
    for (const filter of state.get(filterKey).filters) {
      if (!filter.hasDomain(row)) return this.#missesLabel;
      if (!filter.allows(row)) return this.#isTooFull;
    }
    return undefined;
  }

  preScore(state: CycleState, { pod }: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const all = this.#handle.snapshot().nodes;
    if (all.length === 0) return skip;
    let constraints: readonly SpreadConstraint[];
    try {
      constraints = this.#constraintsOf(pod, 'ScheduleAnyway');
    } catch (error) {
      return failed('calculating preScoreState', error);
    }
    if (constraints.length === 0) return skip;
    // With the system defaults, nodes without a zone still count for the hostname constraint.
    const requireAllKeys = hasConstraints(pod) || !this.#isSystemDefaulted;
    // The snapshot is the same as in `preFilter`.
    if (!state.find(filterKey)) this.#table.sync(all);
    const counts = spreadCounts(this.#counts, pod, constraints, requireAllKeys);
    state.set(scoreKey, new SpreadScore(pod, this.#table, constraints, counts, nodes, requireAllKeys));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.get(scoreKey).score(node);
  }

  normalizeScore(state: CycleState, _pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): undefined {
    state.get(scoreKey).normalize(nodes, scores);
  }

  #change(state: CycleState, { pod }: PodInfo, { pod: changed }: PodInfo, node: NodeInfo, by: 1 | -1): void {
    if (changed.metadata.namespace !== pod.metadata.namespace) return;
    const row = this.#table.row(node.name);
    for (const filter of state.get(filterKey).filters) filter.change(changed, row, by);
  }

  /** Throws an Error for an invalid selector. */
  #constraintsOf(pod: Pod, whenUnsatisfiable: WhenUnsatisfiable): readonly SpreadConstraint[] {
    return hasConstraints(pod)
      ? this.#ownConstraints(pod, whenUnsatisfiable)
      : this.#defaultConstraints(pod, whenUnsatisfiable);
  }

  #ownConstraints(pod: Pod, whenUnsatisfiable: WhenUnsatisfiable): readonly SpreadConstraint[] {
    const own = this.#constraints.get(pod) ?? {};
    const known = own[whenUnsatisfiable];
    if (known) return known;
    try {
      const constraints = spreadConstraints(
        pod.spec?.topologySpreadConstraints ?? [],
        pod.metadata.labels,
        whenUnsatisfiable,
      );
      this.#constraints.set(pod, { ...own, [whenUnsatisfiable]: constraints });
      return constraints;
    } catch (error) {
      const kind = whenUnsatisfiable === 'DoNotSchedule' ? 'hard' : 'soft';
      throw because(`obtaining pod's ${kind} topology spread constraints`, error);
    }
  }

  #defaultConstraints(pod: Pod, whenUnsatisfiable: WhenUnsatisfiable): readonly SpreadConstraint[] {
    const constraints = spreadConstraints(this.#defaults, pod.metadata.labels, whenUnsatisfiable);
    if (constraints.length === 0 || !this.#defaultSelector) return [];
    const selector = this.#defaultSelector.of(pod);
    return selector.isEmpty() ? [] : constraints.map((constraint) => ({ ...constraint, selector }));
  }
}

const hasConstraints = ({ spec }: Pod): boolean => (spec?.topologySpreadConstraints?.length ?? 0) > 0;

const because = (what: string, cause: unknown): Error =>
  new Error(`${what}: ${cause instanceof Error ? cause.message : cause}`, { cause });

const failed = (what: string, cause: unknown): Status => Status.failed(because(what, cause));
