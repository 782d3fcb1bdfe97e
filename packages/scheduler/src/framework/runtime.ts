import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { CycleState } from './cycle-state.ts';
import { ExtensionPointTimer } from './extension-point-timer.ts';
import type { Handle, PluginDefinition, WaitingPods } from './handle.ts';
import type { NodeInfo } from './node-info.ts';
import { filterWithNominatedPods } from './nominated-pods.ts';
import type { ExtensionPoint, NodeStatuses, Plugin, PostFilterResult, QueuedPod } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import type { PodsInPreBind } from './pods-in-pre-bind.ts';
import type { SchedulerProfile } from './profile.ts';
import { type PluginsByPoint, pluginNames, pluginsByPoint, scoreWeights } from './profile-plugins.ts';
import { type PreFilterOutcome, runPreFilter } from './run-pre-filter.ts';
import { runScore } from './run-score.ts';
import { Status } from './status.ts';
import { HeldPod, type HeldPods } from './waiting-pod.ts';

/** The parts that all profiles of a scheduler share. */
export interface FrameworkParts
  extends Omit<
    Handle,
    | 'profileName'
    | 'waitingPods'
    | 'filterWithNominatedPods'
    | 'runFilters'
    | 'runAddPod'
    | 'runRemovePod'
    | 'cancelPreBind'
  > {
  readonly waitingPods: HeldPods;
  readonly podsInPreBind: PodsInPreBind;
}

/** Upper bound for the timeouts of Permit plug-ins. */
const maxPermitMs = 15 * 60_000;

/** The plug-ins of one profile, called in order at each extension point. */
export class Framework implements Handle {
  readonly profileName: string;
  readonly percentageOfNodesToScore: number | undefined;
  /** All plug-ins of the profile. */
  readonly plugins: readonly Plugin[];
  /** For the callers that run extension points. */
  readonly timer: ExtensionPointTimer;
  readonly #parts: FrameworkParts;
  readonly #points: PluginsByPoint;
  readonly #weights: ReadonlyMap<string, number>;
  /** The PreFilter plug-ins with `addPod` or `removePod`. */
  readonly #extensions: readonly Plugin[];
  /** The plug-ins whose `signPod` is needed for a signature: all that can influence filter results, also in trials. */
  readonly #signers: ReadonlySet<Plugin>;
  /** The filters that the cycle does not skip, and the skip set they were computed from. That set is the same object for a whole cycle. */
  #filters: readonly Plugin[] = [];
  #filtersFor: ReadonlySet<string> | undefined;

  /** Creates the profile's plug-ins. Throws an Error when one cannot be created, or the profile is invalid. */
  constructor(profile: SchedulerProfile, definitions: ReadonlyMap<string, PluginDefinition>, parts: FrameworkParts) {
    this.profileName = profile.schedulerName;
    this.percentageOfNodesToScore = profile.percentageOfNodesToScore;
    this.#parts = parts;
    this.timer = new ExtensionPointTimer(parts.metrics, parts.clock, profile.schedulerName);
    const made = this.#make(profile, definitions);
    this.plugins = [...made.values()];
    this.#points = pluginsByPoint(profile, made);
    this.#weights = scoreWeights(profile, made);
    this.#extensions = this.#points.preFilter.filter(({ addPod, removePod }) => addPod || removePod);
    this.#signers = new Set([...this.#points.filter, ...this.#extensions]);
  }

  get clients(): Handle['clients'] {
    return this.#parts.clients;
  }
  get informers(): Handle['informers'] {
    return this.#parts.informers;
  }
  get recorder(): Handle['recorder'] {
    return this.#parts.recorder;
  }
  get clock(): Handle['clock'] {
    return this.#parts.clock;
  }
  get random(): Handle['random'] {
    return this.#parts.random;
  }
  get logger(): Handle['logger'] {
    return this.#parts.logger;
  }
  get metrics(): Handle['metrics'] {
    return this.#parts.metrics;
  }
  get nominator(): Handle['nominator'] {
    return this.#parts.nominator;
  }
  get waitingPods(): WaitingPods {
    return this.#parts.waitingPods;
  }
  get extenders(): Handle['extenders'] {
    return this.#parts.extenders;
  }
  get shared(): Handle['shared'] {
    return this.#parts.shared;
  }
  snapshot(): ReturnType<Handle['snapshot']> {
    return this.#parts.snapshot();
  }
  activate(pods: Iterable<Pod>): void {
    this.#parts.activate(pods);
  }
  write<T>(task: () => Promise<T>): Promise<T> {
    return this.#parts.write(task);
  }
  cancelPreBind(uid: string, reason: string): boolean {
    return this.#parts.podsInPreBind.cancel(uid, reason);
  }

  /** The plug-ins of an extension point, in calling order. */
  at(point: ExtensionPoint): readonly Plugin[] {
    return this.#points[point];
  }

  /** Returns whether `a` is scheduled before `b`. */
  less(a: QueuedPod, b: QueuedPod): boolean {
    const [sorter] = this.#points.queueSort;
    return sorter?.less?.(a, b) ?? false;
  }

  /** Runs all PreFilter plug-ins. Stores in the state which filters to skip, and the pod's signature. */
  runPreFilter(state: CycleState, pod: PodInfo): PreFilterOutcome {
    const outcome = runPreFilter(this.#points.preFilter, state, pod, this.snapshot().nodes);
    if (!outcome.status) state.signature = this.#sign(state, pod);
    return outcome;
  }

  /** Undefined when a plug-in that is not skipped returns no signature. */
  #sign(state: CycleState, pod: PodInfo): string | undefined {
    const parts: (string | number)[] = [this.profileName, pod.priority];
    for (const plugin of this.#signers) {
      if (state.skipFilter.has(plugin.name)) continue;
      const part = plugin.signPod?.(state, pod);
      if (part === undefined) return undefined;
      parts.push(plugin.name, part);
    }
    return JSON.stringify(parts);
  }

  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.#extensions) {
      if (!plugin.addPod || state.skipFilter.has(plugin.name)) continue;
      const status = plugin.addPod(state, pod, added, node);
      if (status) return wrapped(status, `running AddPod on PreFilter plugin "${plugin.name}"`);
    }
    return undefined;
  }

  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.#extensions) {
      if (!plugin.removePod || state.skipFilter.has(plugin.name)) continue;
      const status = plugin.removePod(state, pod, removed, node);
      if (status) return wrapped(status, `running RemovePod on PreFilter plugin "${plugin.name}"`);
    }
    return undefined;
  }

  /** Returns the first rejection of a filter; undefined when the pod passes. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (this.#filtersFor !== state.skipFilter) {
      this.#filters = this.#points.filter.filter(({ name }) => !state.skipFilter.has(name));
      this.#filtersFor = state.skipFilter;
    }
    for (const plugin of this.#filters) {
      const status = plugin.filter!(state, pod, node);
      if (status) return said(status, plugin, () => `running "${plugin.name}" filter plugin`);
    }
    return undefined;
  }

  filterWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return filterWithNominatedPods(this, state, pod, node);
  }

  /** Runs the plug-ins in order until one makes room or reports that it is impossible. */
  async runPostFilter(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeStatuses,
    signal: AbortSignal,
  ): Promise<{ readonly result?: PostFilterResult | undefined; readonly status?: Status }> {
    const reasons: string[] = [];
    let result: PostFilterResult | undefined;
    for (const plugin of this.#points.postFilter) {
      const answer = await plugin.postFilter!(state, pod, statuses, signal);
      const { status, ...found } = answer instanceof Status ? { status: answer } : answer;
      if ('nominatedNodeName' in found) result = found;
      if (!status) return { result };
      status.plugin = plugin.name;
      if (!status.isRejected) return { status };
      if (status.code === 'UnschedulableAndUnresolvable') return { result, status };
      reasons.push(...status.reasons);
    }
    return { result, status: Status.unschedulable(...reasons) };
  }

  /** Runs all PreScore plug-ins. Stores in the state which plug-ins to skip in Score. */
  runPreScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const skipped = new Set<string>();
    state.skipScore = skipped;
    for (const plugin of this.#points.preScore) {
      const status = plugin.preScore!(state, pod, nodes);
      if (status?.code === 'Skip') skipped.add(plugin.name);
      else if (status) return wrapped(status, `running PreScore plugin "${plugin.name}"`);
    }
    return undefined;
  }

  /** Returns the weighted sum of the plug-ins' scores for each node, in the order of `nodes`. */
  runScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): number[] | Status {
    const plugins = this.#points.score.filter(({ name }) => !state.skipScore.has(name));
    return runScore(plugins, this.#weights, state, pod, nodes);
  }

  runReserve(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
    for (const plugin of this.#points.reserve) {
      const status = plugin.reserve!(state, pod, nodeName);
      if (status) return said(status, plugin, () => `running Reserve plugin "${plugin.name}"`);
    }
    return undefined;
  }

  /** In reverse order. */
  runUnreserve(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of this.#points.reserve.toReversed()) plugin.unreserve?.(state, pod, nodeName);
  }

  /** A pod that has to wait is added to `waitingPods`, and `waitOnPermit` returns the result. */
  runPermit(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
    const timeoutsMs = new Map<string, number>();
    for (const plugin of this.#points.permit) {
      const answer = plugin.permit!(state, pod, nodeName);
      const { status, timeoutMs } =
        answer === undefined || answer instanceof Status ? { status: answer, timeoutMs: 0 } : answer;
      if (status?.code === 'Wait') timeoutsMs.set(plugin.name, Math.min(timeoutMs, maxPermitMs));
      else if (status) return said(status, plugin, () => `running Permit plugin "${plugin.name}"`);
    }
    if (timeoutsMs.size > 0) this.#parts.waitingPods.add(new HeldPod(pod.pod, timeoutsMs, this.clock));
    return undefined;
  }

  willWaitOnPermit({ pod }: PodInfo): boolean {
    return this.#parts.waitingPods.get(pod.metadata.uid ?? '') !== undefined;
  }

  async waitOnPermit({ pod }: PodInfo): Promise<Status | undefined> {
    const { uid = '' } = pod.metadata;
    const held = this.#parts.waitingPods.get(uid);
    if (!held) return undefined;
    const status = await held.settled;
    this.#parts.waitingPods.delete(uid);
    return status && !status.isRejected ? wrapped(status, 'waiting on permit for pod') : status;
  }

  /** Returns whether any PreBind plug-in has something to do. Adds the names of the others to `skipped`. */
  runPreBindPreFlights(
    state: CycleState,
    pod: PodInfo,
    nodeName: string,
    skipped: Set<string>,
  ): { readonly willWork: boolean } | Status {
    let willWork = false;
    for (const plugin of this.#points.preBind) {
      if (!plugin.preBindPreFlight) continue;
      const status = plugin.preBindPreFlight(state, pod, nodeName);
      if (!status) willWork = true;
      else if (status.code === 'Skip') skipped.add(plugin.name);
      else return wrapped(status, `running PreBindPreFlight "${plugin.name}"`);
    }
    return { willWork };
  }

  async runPreBind(
    state: CycleState,
    pod: PodInfo,
    nodeName: string,
    { skipped, signal }: { readonly skipped: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<Status | undefined> {
    const { uid = '' } = pod.pod.metadata;
    const plugins = this.#points.preBind.filter(({ name }) => !skipped.has(name));
    if (plugins.length === 0) return undefined;
    const work = this.#parts.podsInPreBind.add(uid, signal);
    try {
      for (const plugin of plugins) {
        const status = await plugin.preBind!(state, pod, nodeName, work);
        if (status) return said(status, plugin, () => `running PreBind plugin "${plugin.name}"`);
        if (work.aborted) return Status.failed(work.reason);
      }
      return undefined;
    } finally {
      this.#parts.podsInPreBind.delete(uid);
    }
  }

  /** The first plug-in that does not return `skip` binds the pod. */
  async runBind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined> {
    for (const plugin of this.#points.bind) {
      const status = await plugin.bind!(state, pod, nodeName, signal);
      if (!status) return undefined;
      if (status.code !== 'Skip') return said(status, plugin, () => `running Bind plugin "${plugin.name}"`);
    }
    return Status.failed(new Error('no Bind plugin binds the pod'));
  }

  runPostBind(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of this.#points.postBind) plugin.postBind!(state, pod, nodeName);
  }

  #make(profile: SchedulerProfile, definitions: ReadonlyMap<string, PluginDefinition>): Map<string, Plugin> {
    const args = new Map(profile.pluginConfig.map((config) => [config.name, config.args]));
    const made = new Map<string, Plugin>();
    for (const name of pluginNames(profile.plugins)) {
      const definition = definitions.get(name);
      if (!definition) continue;
      try {
        const given = args.get(name);
        made.set(name, definition.create(definition.readArgs ? definition.readArgs(given) : given, this));
      } catch (cause) {
        throw new Error(`initializing plugin "${name}": ${messageOf(cause)}`, { cause });
      }
    }
    return made;
  }
}

/** Sets the plug-in's name on the status; for errors also prefixes the message with the operation. */
function said(status: Status, plugin: Plugin, doing: () => string): Status {
  const result = status.isRejected ? status : wrapped(status, doing());
  result.plugin = plugin.name;
  return result;
}

function wrapped(status: Status, doing: string): Status {
  const error = new Error(`${doing}: ${status.message}`, { cause: status.error });
  const result = Status.failed(error);
  result.plugin = status.plugin;
  return result;
}
