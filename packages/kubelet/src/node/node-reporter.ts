import type { Node, NodeStatus } from '@coxswain/api/core/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { type ClientSet, type Clock, type EventRecorder, type Logger, sleep } from '@coxswain/client';
import type { Machine } from '../machine/machine.ts';
import type { KubeRuntime, RuntimeHealth } from '../runtime/kube-runtime.ts';
import { mapPatch } from '../status/map-patch.ts';
import {
  attachDetachAnnotation,
  defaultLabels,
  type NodeFacts,
  newNode,
  nodeStatus,
  withoutResourcesOfOthers,
} from './node-object.ts';
import { type CompleteNodeSpec, defaultNodeReporting, type NodeReporting } from './node-spec.ts';

export interface NodeReporterOptions {
  readonly spec: CompleteNodeSpec;
  readonly clients: ClientSet;
  readonly runtime: Pick<KubeRuntime, 'version' | 'health' | 'images'>;
  readonly machine: Machine;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  /** What the node's informer has of it. */
  readonly current: () => Node | undefined;
  /** Returns a message if the states of containers are not known; undefined otherwise. */
  readonly lifecycleProblem?: () => string | undefined;
}

const firstRetryMs = 100;
const longestRetryMs = 7000;
/** A runtime that has not answered for this time is down. One that is restarted in less does not make the node unready. */
const runtimeDownAfterMs = 30_000;
/** How long a report waits for the runtime. */
const runtimeTimeoutMs = 10_000;

/**
 * Makes the node known to the cluster, and says how it is: what has changed within ten seconds, and everything again every
 * five minutes. A node that somebody deleted comes back.
 */
export class NodeReporter {
  readonly #options: NodeReporterOptions;
  #node: Node | undefined;
  /** The node's informer has shown it. */
  #isSeen = false;
  #reportedAtMs = 0;
  #nextReportMs: number;
  /** With what was found out for the last report. */
  #spec: CompleteNodeSpec;
  readonly #reporting: NodeReporting;
  #isShuttingDown = false;
  /** As it was last told. */
  #isUnschedulable = false;
  /** The runtime's last answers. */
  #health: RuntimeHealth | undefined;
  #images: NodeFacts['images'] = [];
  #isAnswering = true;
  /** When the runtime last answered, in the clock's monotonic time. */
  #answeredAtMs: number | undefined;

  /** Ends the wait for the next report. */
  #wake: AbortController | undefined;

  constructor(options: NodeReporterOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.#reporting = { ...defaultNodeReporting, ...options.spec.reporting };
    this.#nextReportMs = this.#reporting.reportEveryMs;
  }

  /** The node, with its latest addresses and resources. */
  get spec(): CompleteNodeSpec {
    return this.#spec;
  }

  /** As the server had it when it was last written or seen. */
  get node(): Node | undefined {
    const seen = this.#options.current();
    return seen && Number(seen.metadata.resourceVersion) >= Number(this.#node?.metadata.resourceVersion ?? 0)
      ? seen
      : this.#node;
  }

  starting(): void {
    this.#record('Normal', 'Starting', 'Starting kubelet.');
  }

  /**
   * Resolves once the node is known to the cluster, or at once if this is left to somebody else; rejects only with the signal's reason.
   */
  async register(signal: AbortSignal): Promise<void> {
    const { clock, logger, spec } = this.#options;
    if (spec.register === false) return;
    for (let delayMs = firstRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
      try {
        await this.#tryRegister(signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        logger.error('Unable to register node with API server', error, { node: spec.name });
      }
      await sleep(clock, delayMs, signal);
    }
  }

  /** Reports until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, spec } = this.#options;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const wait = AbortSignal.any([signal, this.#wake.signal]);
      await sleep(clock, this.#reporting.updateEveryMs, wait).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#report(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isNotFound(error)) await this.register(signal).catch(() => {});
        else logger.error('Error updating node status, will retry', error, { node: spec.name });
      }
    }
  }

  /** The next report is made now: the runtime may have become ready. */
  hurry(): void {
    this.#wake?.abort();
  }

  /** The node is going away: it is not ready any more. */
  async shutDown(signal: AbortSignal): Promise<void> {
    this.#isShuttingDown = true;
    this.#record('Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    this.#record('Normal', 'NodeNotReady', `Node ${this.#options.spec.name} status is now: NodeNotReady`);
    await this.#report(signal);
  }

  async #tryRegister(signal: AbortSignal): Promise<void> {
    const { clients } = this.#options;
    const spec = await this.#refresh();
    const nodes = clients.core.v1.nodes();
    const node = newNode(spec, await this.#facts());
    try {
      this.#node = await nodes.create(node, { signal });
      this.#reported();
      for (const event of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID']) {
        this.#record('Normal', event, `Node ${spec.name} status is now: ${event}`);
      }
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#takeUp(await nodes.get(spec.name, { signal }), node, signal);
    }
  }

  /** Finds out what may have changed on the machine. */
  async #refresh(): Promise<CompleteNodeSpec> {
    const { spec } = this.#options;
    if (spec.changes) this.#spec = { ...this.#spec, ...(await spec.changes(this.node)) };
    return this.#spec;
  }

  /** The node was known before: what is its own is set right. */
  async #takeUp(existing: Node, wanted: Node, signal: AbortSignal): Promise<void> {
    const { clients, spec } = this.#options;
    const bootId = wanted.status?.nodeInfo?.bootID;
    const oldBootId = existing.status?.nodeInfo?.bootID;
    if (oldBootId && oldBootId !== bootId) {
      this.#record('Warning', 'Rebooted', `Node ${spec.name} has been rebooted, boot id: ${bootId}`);
    }
    const patch = metadataPatch(existing.metadata, wanted.metadata, spec.keepLabels === true);
    if (patch) existing = await clients.core.v1.nodes().patch(spec.name, 'strategic-merge', patch, { signal });
    this.#node = existing;
    this.#reportedAtMs = 0;
    await this.#report(signal, true);
  }

  async #report(signal: AbortSignal, isBack = false): Promise<void> {
    const { clients, clock, current } = this.#options;
    // Differs from upstream, where a node that somebody deleted comes back only when its kubelet is restarted.
    if (this.#isSeen && !current()) this.#node = undefined;
    this.#isSeen = current() !== undefined;
    const base = this.node;
    if (!base) {
      await this.register(signal);
      return;
    }
    this.#tellWhetherSchedulable(base);
    const spec = await this.#refresh();
    const before = base.status ?? {};
    const status = nodeStatus(spec, await this.#facts(), isBack ? withoutResourcesOfOthers(spec, before) : before);
    const hasChanged = !jsonEquals(comparable(before), comparable(status));
    const isDue = clock.now() - this.#reportedAtMs >= this.#nextReportMs;
    if (!hasChanged && !isDue) return;
    const readiness = (of: NodeStatus): string | undefined =>
      of.conditions?.find(({ type }) => type === 'Ready')?.status;
    this.#node = await clients.core.v1
      .nodes()
      .patch(spec.name, 'strategic-merge', { status: statusPatch(before, status) }, { subresource: 'status', signal });
    const wasReady = readiness(before) === 'True';
    const isReady = readiness(status) === 'True';
    if (wasReady !== isReady && !this.#isShuttingDown) {
      const event = isReady ? 'NodeReady' : 'NodeNotReady';
      this.#record('Normal', event, `Node ${spec.name} status is now: ${event}`);
    }
    this.#reported(!hasChanged);
  }

  #tellWhetherSchedulable({ spec: { unschedulable = false } = {} }: Node): void {
    if (unschedulable === this.#isUnschedulable) return;
    this.#isUnschedulable = unschedulable;
    const event = unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable';
    this.#record('Normal', event, `Node ${this.#options.spec.name} status is now: ${event}`);
  }

  /** Not all nodes at once: the first time after a change is by chance. */
  #reported(isRegular = false): void {
    const { clock, random } = this.#options;
    const { reportEveryMs } = this.#reporting;
    this.#reportedAtMs = clock.now();
    this.#nextReportMs = isRegular ? reportEveryMs : reportEveryMs * (0.5 + random());
  }

  async #facts(): Promise<NodeFacts> {
    const { runtime, machine, clock, lifecycleProblem } = this.#options;
    const [info] = await Promise.all([machine.info(), this.#askRuntime()]);
    const health = this.#health;
    const lifecycle = lifecycleProblem?.();
    const problems = [
      ...this.#silenceOfRuntime(),
      ...(lifecycle === undefined ? [] : [lifecycle]),
      ...(health?.runtimeProblem === undefined ? [] : [`container runtime not ready: ${health.runtimeProblem}`]),
      ...(health?.networkProblem === undefined
        ? []
        : [`container runtime network not ready: ${health.networkProblem}`]),
      ...(this.#isShuttingDown ? ['node is shutting down'] : []),
    ];
    const runtimeVersion = runtime.version;
    return { machine: info, runtimeVersion, runtime: health, images: this.#images, problems, nowMs: clock.now() };
  }

  /** Asks the runtime about itself and its images. What it does not answer stays as it was. */
  async #askRuntime(): Promise<void> {
    const { runtime, clock, logger, spec } = this.#options;
    const failed = (error: unknown): void => {
      if (this.#isAnswering) logger.error('Container runtime sanity check failed', error, { node: spec.name });
      this.#isAnswering = false;
    };
    await Promise.all([
      runtime.health({ timeoutMs: runtimeTimeoutMs }).then((health) => {
        this.#health = health;
        this.#isAnswering = true;
        this.#answeredAtMs = clock.monotonic();
      }, failed),
      runtime.images.listImages({}, { timeoutMs: runtimeTimeoutMs }).then(
        ({ images }) => {
          this.#images = images;
        },
        () => {},
      ),
    ]);
  }

  #silenceOfRuntime(): string[] {
    if (this.#answeredAtMs === undefined) return ['container runtime status check may not have completed yet'];
    const isDown = this.#options.clock.monotonic() - this.#answeredAtMs >= runtimeDownAfterMs;
    return isDown ? ['container runtime is down'] : [];
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { recorder, spec } = this.#options;
    recorder.event({ kind: 'Node', name: spec.name, uid: spec.name }, type, reason, message);
  }
}

type Metadata = Node['metadata'];

/** What has to be changed so that a node that was known before has the labels and annotations that it should; undefined for nothing. */
function metadataPatch(existing: Metadata, { labels = {}, annotations = {} }: Metadata, keepLabels: boolean) {
  const wanted = Object.fromEntries(
    Object.entries(labels).filter(([name]) => !keepLabels || defaultLabels.includes(name)),
  );
  const isAttached = attachDetachAnnotation in annotations;
  const detached = !isAttached && existing.annotations?.[attachDetachAnnotation] !== undefined;
  const isMissing = (had: Readonly<Record<string, string>> | undefined, want: Readonly<Record<string, string>>) =>
    Object.entries(want).some(([key, value]) => had?.[key] !== value);
  if (!detached && !isMissing(existing.labels, wanted) && !isMissing(existing.annotations, annotations))
    return undefined;
  return {
    metadata: { labels: wanted, annotations: { ...annotations, ...(detached && { [attachDetachAnnotation]: null }) } },
  };
}

/** Without the times of heartbeats, in one order. */
function comparable(status: NodeStatus): object {
  const { capacity, allocatable, addresses, daemonEndpoints, nodeInfo } = status;
  const images = status.images ?? [];
  const conditions = status.conditions ?? [];
  const { swap, ...info } = nodeInfo ?? {};
  const { features, runtimeHandlers, declaredFeatures } = status;
  return {
    ...{ capacity, allocatable, addresses, port: daemonEndpoints?.kubeletEndpoint?.Port ?? 0, info, images },
    ...{ features, runtimeHandlers, declaredFeatures },
    conditions: conditions
      .map(({ type, status: is, reason, message }) => ({ type, status: is, reason, message }))
      .sort((a, b) => (a.type < b.type ? -1 : 1)),
  };
}

/** All conditions, for their heartbeats, and whatever else has changed. */
function statusPatch(before: NodeStatus, status: NodeStatus) {
  const { conditions, addresses, daemonEndpoints, nodeInfo, images, capacity, allocatable } = status;
  const changed = <T extends keyof NodeStatus>(field: T): boolean => !jsonEquals(before[field], status[field]);
  return {
    conditions,
    ...(changed('capacity') && { capacity: mapPatch(before.capacity, capacity) }),
    ...(changed('allocatable') && { allocatable: mapPatch(before.allocatable, allocatable) }),
    ...(changed('addresses') && { addresses: [...(addresses ?? []), ...goneAddresses(before, status)] }),
    ...(changed('daemonEndpoints') && { daemonEndpoints }),
    ...(changed('nodeInfo') && { nodeInfo }),
    ...(changed('images') && { images: images ?? null }),
    ...(changed('features') && { features: status.features }),
    ...(changed('runtimeHandlers') && { runtimeHandlers: status.runtimeHandlers ?? null }),
    ...(changed('declaredFeatures') && { declaredFeatures: status.declaredFeatures }),
  };
}

/** Addresses are merged by type. */
const goneAddresses = (before: NodeStatus, { addresses }: NodeStatus) =>
  (before.addresses ?? [])
    .filter(({ type }) => !(addresses ?? []).some((address) => address.type === type))
    .map(({ type }) => ({ type, $patch: 'delete' }));
