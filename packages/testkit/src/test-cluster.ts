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
  /** By the machine's clock; 30 seconds by default. */
  readonly timeout?: Span;
  /** Turn the cluster's clock ahead, by so much at most, whenever there is nothing left to do at its moment. */
  readonly within?: Span;
  /** What is waited for, for the message of the error. */
  readonly what?: string;
  /** Whose pods and events the error tells; all by default. */
  readonly namespace?: string;
}

export interface FailOptions {
  /** So many requests are met; all, by default. */
  readonly times?: number;
  /** The server does what it is asked, and only the answer is another. */
  readonly afterwards?: boolean;
}

/** The parts that a cluster under test is made of. */
export interface TestClusterParts {
  readonly cluster: Cluster;
  readonly nodes: HollowNodeProvider;
  readonly store: MemoryStore;
  readonly traffic: Traffic;
  readonly history: StoreHistory;
  readonly later: LaterStart;
  /** Absent when it is the machine's. */
  readonly clock: TestClock | undefined;
  /** All components were started, with all controllers. */
  readonly isWhole: boolean;
}

const defaultTimeoutMs = 30_000;
/** What does not come from the cluster is looked at again after so long. */
const pollMs = 20;

/** A cluster inside a test. */
export class TestCluster implements AsyncDisposable {
  /** As an administrator. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly dynamic: DynamicClient;
  /** The cluster's time: for informers, queues and controllers of the test's own. */
  readonly clock: Clock;
  /** Their names; `kill` lets one die at once, `revive` brings it back with nothing running on it. */
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

  /** Clients as somebody else, whom RBAC lets do no more than it says. */
  as(identity: { readonly username: string; readonly groups?: readonly string[] }): {
    readonly rest: RESTClient;
    readonly clients: ClientSet;
    readonly dynamic: DynamicClient;
  } {
    const whole: Identity = { username: identity.username, groups: identity.groups ?? ['system:authenticated'] };
    const rest = this.#parts.cluster.restAs(whole);
    return { rest, clients: new ClientSet(rest), dynamic: new DynamicClient(rest) };
  }

  /** The text of a kubeconfig with all rights, for tools outside of this process. Opens a port on this machine the first time. */
  async kubeconfig(): Promise<string> {
    return (await this.#parts.cluster.listen()).kubeconfig;
  }

  /** The same as a file, which `stop` removes: `KUBECONFIG=<file> kubectl get pods`. */
  kubeconfigFile(): Promise<string> {
    this.#kubeconfigFile ??= this.kubeconfig().then(writeKubeconfig);
    return this.#kubeconfigFile;
  }

  /** Server-side apply of YAML or objects, in an order that works; kinds that are defined there are waited for. */
  apply(manifests: Manifests): Promise<Manifest[]> {
    return this.#loader.apply(manifests);
  }

  /** Of a file, of all in a directory, or of those that a pattern such as `config/crd-*.yaml` matches. */
  async applyFile(path: string): Promise<Manifest[]> {
    return this.#loader.apply((await readManifestFiles(path)).join('\n---\n'));
  }

  /** Deletes what YAML or objects name; what is not there is no matter. */
  delete(manifests: Manifests): Promise<void> {
    return this.#loader.delete(manifests);
  }

  /**
   * Resolves when a pod that is created now would run; where not all of the cluster was started, when what was started has
   * nothing more to do.
   */
  async whenReady(timeout: Span = defaultTimeoutMs): Promise<void> {
    const { cluster, isWhole } = this.#parts;
    if (!isWhole) return this.settle(timeout);
    await cluster.whenReady(AbortSignal.timeout(toMs(timeout))).catch(async (cause: unknown) => {
      throw await this.#tooLate('the cluster to be ready', spanText(timeout), { cause });
    });
  }

  /**
   * Resolves when there is nothing more to do at this moment of the clock: all components know what was written, no queue has
   * anything in it, and no request is without its answer. What waits for its time does not count, nor do the test's own clients.
   */
  settle(timeout: Span = defaultTimeoutMs): Promise<void> {
    return this.#settler.settle('revision', toMs(timeout));
  }

  /**
   * Turns the clock ahead: milliseconds, `90s`, `1h30m`, `365d`. Everything that comes due on the way happens at its time and is
   * done before the clock goes on. See the README for what is left out where nothing happens.
   */
  async advance(by: Span): Promise<void> {
    await turnClock(toMs(by), this.#turning());
  }

  /**
   * Resolves with what the condition gives as soon as that is true; what it throws counts as not yet. Rejects with an
   * UntilTimeoutError that tells what was seen last.
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

  /** Resolves with the pods that a selector such as `app=web` matches, when there are some (or so many) and all are ready. */
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

  /** The events of a namespace, oldest first, as `Normal Scheduled Pod/web-0: Successfully assigned …`. */
  async events(namespace = 'default'): Promise<string[]> {
    return describeEvents((await this.clients.core.v1.events(namespace).list()).items);
  }

  /**
   * Requests that match fail: with what the server would say, for an ApiError; for any other error the connection breaks.
   * Returns how to end it.
   */
  fail(matcher: RequestMatcher, error: Error, { times = Infinity, afterwards = false }: FailOptions = {}): () => void {
    return this.#parts.traffic.addFault({ matcher, error, times, isAfterwards: afterwards });
  }

  /** Requests that match take so long, by the cluster's clock. Returns how to end it. */
  delay(matcher: RequestMatcher, by: Span, { times = Infinity }: Pick<FailOptions, 'times'> = {}): () => void {
    return this.#parts.traffic.addFault({ matcher, delayMs: toMs(by), times });
  }

  /** Breaks the watches that match, as when a connection is lost. Returns how many. */
  dropWatches(matcher: RequestMatcher = {}): number {
    return this.#parts.traffic.cutWatches(matcher);
  }

  /** Watches that match bring nothing any more, so that caches go stale; until what is returned is called. */
  holdBack(matcher: RequestMatcher = {}): () => void {
    return this.#parts.traffic.holdBack(matcher);
  }

  /** As when its process ends: it forgets what it knew. */
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

  /** All of its state, to begin other clusters with: `startCluster({ from })`. */
  snapshot(): ClusterSnapshot {
    return { store: this.#parts.store.snapshot(), nowMs: this.clock.now() };
  }

  /** Ends everything; nothing is left that would keep the process alive. Harmless when called again. */
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
    // Whoever ends gives itself some time for what it has begun.
    clock?.flow();
    await cluster.stop();
    clock?.stop();
    const file = await this.#kubeconfigFile?.catch(() => undefined);
    if (file) await rm(dirname(file), { recursive: true, force: true });
    keepCompiled();
  }

  async #tooLate(what: string, how: string, options: ErrorOptions, namespace?: string): Promise<UntilTimeoutError> {
    const state = await describeState(this.clients, namespace).catch(() => 'the cluster does not answer');
    return new UntilTimeoutError(`waited in vain for ${what}, for ${how}\n${state}`, options);
  }

  #turning(): TurnOptions {
    const { clock, traffic, history } = this.#parts;
    if (!clock) throw new Error("the machine's clock cannot be turned: see the option clock");
    return {
      clock,
      settle: (withHeartbeats) => this.#settler.settle(withHeartbeats ? 'revision' : 'changes', defaultTimeoutMs),
      renewWatches: () => traffic.renewWatches(),
      writes: () => history.changes,
    };
  }
}

const spanText = (span: Span): string => (typeof span === 'number' ? `${span} ms` : span);

/** What a condition gives when it is met. */
type Truthy<T> = Exclude<Awaited<T>, false | 0 | '' | null | undefined>;

const isTruthy = <T>(value: T): value is Exclude<T, false | 0 | '' | null | undefined> => Boolean(value);

/** A condition, and what came of it when it was last looked at. */
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
