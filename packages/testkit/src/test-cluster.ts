import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';
import { ClientSet, type Clock, DynamicClient, type RESTClient } from '@coxswain/client';
import type { Cluster, HollowNodeProvider, Identity } from '@coxswain/cluster';
import type { MemoryStore } from '@coxswain/storage';
import { keepCompiled } from '#cluster';
import type { Component } from './component.ts';
import { describeEvents, describeState } from './describe-state.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import type { LaterStart } from './later-start.ts';
import { Loader } from './load/loader.ts';
import { type Manifest, type Manifests, readManifestFiles } from './load/read-manifests.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { Settler } from './time/settle.ts';
import type { StoreHistory } from './time/store-history.ts';
import type { TestClock } from './time/test-clock.ts';
import { type Span, toMs } from './time/to-ms.ts';
import { type TurnOptions, turnClock } from './time/turn-clock.ts';
import type { RequestMatcher } from './traffic/request-about.ts';
import type { Traffic } from './traffic/traffic.ts';
import { lastSeen, UntilTimeoutError } from './wait-error.ts';

export interface UntilOptions {
  /** The timeout by the system clock; 30 seconds by default. */
  readonly timeout?: Span;
  /** Advances the cluster's clock, by this time at most, whenever there is no work left at its current time. */
  readonly within?: Span;
  /** A description of the condition, for the error message. */
  readonly what?: string;
  /** The namespace of the pods and events in the error message; all by default. */
  readonly namespace?: string;
}

export interface FailOptions {
  /** The number of requests to affect; unlimited by default. */
  readonly times?: number;
  /** The server processes the request, and only its response is replaced or lost. */
  readonly afterwards?: boolean;
}

/** The parts of a `TestCluster`. */
export interface TestClusterParts {
  readonly cluster: Cluster;
  readonly nodes: HollowNodeProvider;
  readonly store: MemoryStore;
  readonly traffic: Traffic;
  readonly history: StoreHistory;
  readonly later: LaterStart;
  /** Undefined with the real clock. */
  readonly clock: TestClock | undefined;
  /** True when all components were started, with all controllers. */
  readonly isWhole: boolean;
}

const defaultTimeoutMs = 30_000;
/** The interval at which `until` checks for changes outside of the cluster. */
const pollMs = 20;

/** A cluster inside a test. */
export class TestCluster implements AsyncDisposable {
  /** A client with all rights. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly dynamic: DynamicClient;
  /** The cluster's clock, also for informers, queues and controllers of the test. */
  readonly clock: Clock;
  /** The nodes: `names` lists them, `kill` stops one at once, `revive` starts it again with nothing running on it. */
  readonly nodes: Pick<HollowNodeProvider, 'names' | 'isAlive' | 'kill' | 'revive'>;
  readonly #parts: TestClusterParts;
  readonly #settler: Settler;
  readonly #loader: Loader;
  #kubeconfigFile: Promise<string> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: TestClusterParts) {
    const { cluster, nodes, later } = parts;
    this.#parts = parts;
    this.rest = cluster.rest;
    this.clients = cluster.clients;
    this.dynamic = new DynamicClient(cluster.rest);
    this.clock = cluster.clock;
    this.nodes = nodes;
    this.#settler = new Settler({ ...parts, isIdle: () => later.isOver && cluster.isIdle });
    this.#loader = new Loader({ rest: cluster.rest, until: (condition, what) => this.until(condition, { what }) });
  }

  /** Returns clients with another identity, which RBAC restricts. */
  as(identity: { readonly username: string; readonly groups?: readonly string[] }): {
    readonly rest: RESTClient;
    readonly clients: ClientSet;
    readonly dynamic: DynamicClient;
  } {
    const whole: Identity = { username: identity.username, groups: identity.groups ?? ['system:authenticated'] };
    const rest = this.#parts.cluster.restAs(whole);
    return { rest, clients: new ClientSet(rest), dynamic: new DynamicClient(rest) };
  }

  /** Returns the text of a kubeconfig with all rights, for programs outside of this process. The first call opens a local port. */
  async kubeconfig(): Promise<string> {
    return (await this.#parts.cluster.listen()).kubeconfig;
  }

  /** Writes the kubeconfig to a file, which `stop` removes, and returns its path: `KUBECONFIG=<file> kubectl get pods`. */
  kubeconfigFile(): Promise<string> {
    this.#kubeconfigFile ??= this.kubeconfig().then(writeKubeconfig);
    return this.#kubeconfigFile;
  }

  /** Applies YAML or objects by server-side apply, in install order. Waits until CustomResourceDefinitions among them are established. */
  apply(manifests: Manifests): Promise<Manifest[]> {
    return this.#loader.apply(manifests);
  }

  /** Applies a file, all manifests in a directory, or the files that match a pattern such as `config/crd-*.yaml`. */
  async applyFile(path: string): Promise<Manifest[]> {
    return this.#loader.apply((await readManifestFiles(path)).join('\n---\n'));
  }

  /** Deletes the objects that YAML or objects name. Missing ones are ignored. */
  delete(manifests: Manifests): Promise<void> {
    return this.#loader.delete(manifests);
  }

  /** Resolves when a pod that is created now would run; when only some components were started, resolves when these have no work left. */
  async whenReady(timeout: Span = defaultTimeoutMs): Promise<void> {
    const { cluster, isWhole } = this.#parts;
    if (!isWhole) return this.settle(timeout);
    await cluster.whenReady(AbortSignal.timeout(toMs(timeout))).catch(async (cause: unknown) => {
      throw await this.#tooLate('the cluster to be ready', spanText(timeout), { cause });
    });
  }

  /**
   * Resolves when there is no work left at this time of the clock: all components have received all writes, all queues are empty, and no
   * request is in progress. Work that waits for a timer does not count, nor do the test's own clients.
   */
  settle(timeout: Span = defaultTimeoutMs): Promise<void> {
    return this.#settler.settle('revision', toMs(timeout));
  }

  /**
   * Advances the clock: by milliseconds, or `90s`, `1h30m`, `365d`. Every timer on the way fires at its time, and the work it causes is
   * finished before the clock moves on. See the README for what is skipped when nothing happens.
   */
  async advance(by: Span): Promise<void> {
    await turnClock(toMs(by), this.#turning());
  }

  /**
   * Resolves with the condition's result as soon as it is truthy. An exception in the condition counts as "not yet". Rejects with an
   * UntilTimeoutError that has the last result.
   */
  async until<T>(condition: () => T | Promise<T>, options: UntilOptions = {}): Promise<Truthy<T>> {
    const { timeout = defaultTimeoutMs, within, what = 'a condition', namespace } = options;
    const look = new Look(condition);
    const giveUpAt = performance.now() + toMs(timeout);
    const isLate = (): boolean => performance.now() >= giveUpAt;
    if (within !== undefined) {
      await turnClock(toMs(within), { ...this.#turning(), isEnough: async () => isLate() || look.isMet() });
    } else while (!(await look.isMet()) && !isLate()) await this.#parts.history.news(pollMs);
    if (look.found) return look.found.value;
    const waited = within === undefined || isLate() ? spanText(timeout) : `${spanText(within)} of the cluster's time`;
    const cause = look.error === undefined ? {} : { cause: look.error };
    throw await this.#tooLate(what, `${waited}; ${lastSeen(look.value, look.error)}`, cause, namespace);
  }

  /** Resolves with the pods that match a selector such as `app=web`, when there is at least one (or exactly `count`) and all are ready. */
  untilPodsRunning(
    labelSelector: string,
    { count, namespace = 'default', ...options }: UntilOptions & { readonly count?: number } = {},
  ): Promise<Pod[]> {
    const what = `${count ?? 'some'} pods with ${labelSelector} in ${namespace}, all running and ready`;
    const condition = async (): Promise<Pod[] | false> => {
      const { items } = await this.clients.core.v1.pods(namespace).list({ labelSelector });
      return items.length >= (count ?? 1) && items.every(isRunning) && items.length <= (count ?? Infinity) && items;
    };
    return this.until(condition, { what, namespace, ...options });
  }

  /** Returns the Events of a namespace, oldest first, formatted as `Normal Scheduled Pod/web-0: Successfully assigned …`. */
  async events(namespace = 'default'): Promise<string[]> {
    return describeEvents((await this.clients.core.v1.events(namespace).list()).items);
  }

  /**
   * Makes matching requests fail: with the server's response for an ApiError; with a broken connection for any other error. Returns a
   * function that ends it.
   */
  fail(matcher: RequestMatcher, error: Error, { times = Infinity, afterwards = false }: FailOptions = {}): () => void {
    return this.#parts.traffic.addFault({ matcher, error, times, isAfterwards: afterwards });
  }

  /** Delays matching requests by the cluster's clock. Returns a function that ends it. */
  delay(matcher: RequestMatcher, by: Span, { times = Infinity }: Pick<FailOptions, 'times'> = {}): () => void {
    return this.#parts.traffic.addFault({ matcher, delayMs: toMs(by), times });
  }

  /** Breaks matching watches, like a lost connection. Returns their number. */
  dropWatches(matcher: RequestMatcher = {}): number {
    return this.#parts.traffic.cutWatches(matcher);
  }

  /** Holds back the events of matching watches, so that caches become stale, until the returned function is called. */
  holdBack(matcher: RequestMatcher = {}): () => void {
    return this.#parts.traffic.holdBack(matcher);
  }

  /** Stops a component, like the end of its process: its state in memory is lost. */
  stopComponent(component: Component): Promise<void> {
    this.#parts.later.skip(component);
    return this.#parts.cluster.stopComponent(component);
  }

  startComponent(component: Component): void {
    this.#parts.cluster.startComponent(component);
  }

  async restart(component: Component): Promise<void> {
    await this.stopComponent(component);
    this.startComponent(component);
  }

  /** Returns the whole state, to start other clusters from: `startCluster({ from })`. */
  snapshot(): ClusterSnapshot {
    return { store: this.#parts.store.snapshot(), nowMs: this.clock.now() };
  }

  /** Stops the cluster. Nothing is left that would keep the process alive. May be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { cluster, later, clock } = this.#parts;
    later.cancel();
    // Components wait for a moment for their work in progress when they stop, so the clock must run.
    clock?.flow();
    await cluster.stop();
    clock?.stop();
    const file = await this.#kubeconfigFile?.catch(() => undefined);
    if (file) await rm(dirname(file), { recursive: true, force: true });
    keepCompiled();
  }

  async #tooLate(what: string, how: string, options: ErrorOptions, namespace?: string): Promise<UntilTimeoutError> {
    const state = await describeState(this.clients, namespace).catch(() => 'the cluster does not answer');
    return new UntilTimeoutError(`timed out waiting for ${what}, after ${how}\n${state}`, options);
  }

  #turning(): TurnOptions {
    const { clock, traffic, history } = this.#parts;
    if (!clock) throw new Error('the real clock cannot be advanced: see the option clock');
    return {
      clock,
      settle: (withHeartbeats) => this.#settler.settle(withHeartbeats ? 'revision' : 'changes', defaultTimeoutMs),
      renewWatches: () => traffic.renewWatches(),
      writes: () => history.changes,
    };
  }
}

const spanText = (span: Span): string => (typeof span === 'number' ? `${span} ms` : span);

/** The type of a condition's result when it is met. */
type Truthy<T> = Exclude<Awaited<T>, false | 0 | '' | null | undefined>;

const isTruthy = <T>(value: T): value is Exclude<T, false | 0 | '' | null | undefined> => Boolean(value);

/** A condition, and the outcome of its last check. */
class Look<T> {
  readonly #condition: () => T | Promise<T>;
  value: unknown;
  error: unknown;
  found: { readonly value: Truthy<T> } | undefined;

  constructor(condition: () => T | Promise<T>) {
    this.#condition = condition;
  }

  async isMet(): Promise<boolean> {
    if (this.found) return true;
    try {
      const value = await this.#condition();
      this.error = undefined;
      this.value = value;
      if (isTruthy(value)) this.found = { value };
    } catch (error) {
      this.error = error;
    }
    return this.found !== undefined;
  }
}

const isRunning = ({ status, metadata }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.phase === 'Running' &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
