import { type Clock, sleep, type Timer } from '@coxswain/apimachinery/clock';
import { type FollowedFiles, followFiles } from '@coxswain/component-base/files';
import type { ApiHandler, Connection } from '@coxswain/component-base/http';
import { Listener, notFoundResponse } from '@coxswain/component-base/http';
import { debugFlagsPages, isDebugFlagsPath } from '@coxswain/component-base/logs';
import { heapSampler, isProfilePath, profilePages } from '@coxswain/component-base/profiling';
import { policyStatusController } from '../admission/policy/index.ts';
import { withAudit, withFailedAuthenticationAudit } from '../audit/index.ts';
import { credentialRemover } from '../authentication/index.ts';
import { Impersonation } from '../authorization/index.ts';
import { reconcileRbacPolicy } from '../authorization/rbac-policy/index.ts';
import { bootstrapHooks, flowSchemas, type PostStartHook, priorityLevels } from '../bootstrap/index.ts';
import { handlerChain, InFlight, type RequestState, UnderWay, withMetrics, withRequestLog } from '../filters/index.ts';
import { FlowControl } from '../flowcontrol/index.ts';
import { HealthChecks } from '../health/index.ts';
import { type InProcessTransport, inProcessTransport } from '../http/in-process.ts';
import type { ContextHandler } from '../http/request-context.ts';
import { requestLabels } from '../metrics/index.ts';
import type { ResourceRegistries } from '../registry/resource-registries.ts';
import { Access } from './access.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { ApiSurface } from './api-surface.ts';
import { startCompaction } from './compaction.ts';
import { type ServerAddress, ServerCore } from './server-core.ts';
import { ServerPaths } from './server-paths.ts';
import { withParts } from './start-hooks.ts';

/** The delay after the start until modules that are not needed for it are loaded. */
const restDelayMs = 1_000;

/**
 * An API server, which runs between `start` and `stop`. All of its state is in the store. A process can have several servers.
 *
 * Its parts are `ServerCore` (storage), `Access` (authentication and authorization), `ApiSurface` (resources), `ServerPaths` (other
 * paths), and the filters that every request passes.
 */
export class ApiServer {
  readonly config: ApiServerConfig;
  /** Handles requests, over sockets or in-process. */
  readonly handler: ApiHandler;
  readonly health: HealthChecks;
  readonly #core: ServerCore;
  readonly #access: Access;
  readonly #surface: ApiSurface;
  readonly #listener: Listener | undefined;
  /** Priority and fairness. Undefined when it is off, or when there are no limits. */
  readonly #flowControl: FlowControl | undefined;
  /** Undefined unless `policyTypeChecking` is on. */
  readonly #policyStatus: ReturnType<typeof policyStatusController> | undefined;
  readonly #shuttingDown = new AbortController();
  readonly #underWay = new UnderWay();
  #hooks: readonly PostStartHook[] = [];
  readonly #startedHooks = new Set<string>();
  #followed: readonly FollowedFiles[] = [];
  #rest: Timer | undefined;
  #loading: Promise<void> | undefined;
  /** True once authorization has its informers synced. */
  #synced = false;
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(config: ApiServerConfig) {
    this.config = config;
    this.#core = new ServerCore(config);
    this.#access = new Access(this.#core);
    this.#surface = new ApiSurface(this.#core, this.#access, this.#shuttingDown.signal);
    this.health = this.#newHealthChecks();
    this.#flowControl = this.#newFlowControl((state) => {
      if (isKnown(state)) this.#core.metrics.request(requestLabels(state)).dropped();
    });
    const paths = new ServerPaths(this.#core, this.#surface, this.health, [['debug', this.#newDebugPages()]]);
    const isKnown = ({ info }: RequestState): boolean =>
      info.isResourceRequest ? this.#surface.router.serves(info) : paths.knows(info.path);
    this.handler = this.#newHandler(paths, isKnown);
    this.#policyStatus = config.policyTypeChecking ? this.#newPolicyStatus() : undefined;
    this.#listener = config.listen && new Listener({ ...config.listen, handler: this.handler });
  }

  get registries(): ResourceRegistries {
    return this.#core.registries;
  }

  /** The address on which the server listens. Undefined before `start`, and without a port. */
  get address(): ServerAddress | undefined {
    return this.#core.address;
  }

  /** Returns an in-process transport through the whole handler chain, authenticated as the given user. */
  transport(user?: NonNullable<Connection['user']>): InProcessTransport {
    return inProcessTransport(this.handler, user);
  }

  /**
   * Listens and creates the bootstrap objects of a cluster. Resolves when the server is ready. Rejects when it is stopped before
   * that. Further calls return the same promise.
   */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const { logger } = this.config;
    const { signal } = this.#shuttingDown;
    if (this.#listener && !signal.aborted) {
      const { port, address } = await this.#listener.listen();
      this.#core.address = { host: address, port };
      if (this.config.profiling) heapSampler.start().catch(() => {});
    }
    assertNotStopped(signal);
    this.#follow();
    const { synced } = this.#access.authorization;
    const hooks = withParts(this.#postStartHooks(), {
      storage: () => this.config.store.currentRevision(),
      informers: () => synced,
    });
    this.#hooks = hooks;
    startCompaction(this.config.store, {
      intervalMs: this.config.compactionIntervalMs ?? 0,
      clock: this.config.clock,
      signal,
      logger: this.#core.logger,
    });
    const started = hooks.map(async (hook) => {
      const registered = this.health.addStartHook(hook.name);
      await hook.start(signal);
      registered.done();
      this.#startedHooks.add(hook.name);
    });
    const filter = this.#flowControl && this.health.addStartHook('priority-and-fairness-filter');
    this.health.add({ name: 'autoregister-completion', check: () => this.#assertAPIServices() });
    await Promise.all([
      synced.then(() => {
        this.#synced = true;
      }),
      ...started,
    ]);
    await this.#flowControl?.follow();
    filter?.done();
    assertNotStopped(signal);
    await this.#policyStatus?.start();
    const load = (): void => {
      this.#loading = this.#core.loadRest();
    };
    this.#rest = this.config.clock.setTimeout(load, restDelayMs, { background: true });
    logger.info('The server is ready');
  }

  /** Starts the server, runs it until the signal is aborted, and stops it. */
  async run(signal: AbortSignal): Promise<void> {
    await this.start();
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await this.stop();
  }

  /**
   * Stops the server. `/readyz` fails at once. After the shutdown delay, new requests are refused, watches end, and running requests
   * get a grace period. The store is closed last. Further calls return the same promise.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { clock, shutdownDelayMs, shutdownGraceMs, store, dialer, audit, encryption } = this.config;
    this.#rest?.cancel();
    this.health.beginShutdown();
    if (shutdownDelayMs > 0) await sleep(clock, shutdownDelayMs);
    this.#shuttingDown.abort();
    const drained = this.#underWay.drain();
    this.#flowControl?.close();
    // A running start sees the abort. Wait for it, because only then all hooks to stop are known.
    if (this.#started) await withinTime(this.#started.catch(noMatter), clock, shutdownGraceMs);
    const stopped = Promise.all(this.#hooks.map((hook) => hook.stop?.())).catch((error) =>
      this.#core.logger.error('Failed to stop post-start hooks', error),
    );
    await withinTime(Promise.all([stopped, drained]), clock, shutdownGraceMs);
    if (this.#listener) {
      const force = clock.setTimeout(() => this.#listener?.force(), shutdownGraceMs);
      await this.#listener.close();
      force.cancel();
    }
    await this.#policyStatus?.stop();
    for (const followed of this.#followed) followed.close();
    this.#surface.stop();
    this.#access.close();
    await this.#loading;
    await this.#core.close();
    dialer.close?.();
    await audit?.log.close();
    encryption?.close();
    await store.close();
  }

  #newHandler(paths: ServerPaths, isKnown: (state: RequestState) => boolean): ApiHandler {
    const { config } = this;
    const { codecs, scheme, metrics, logger, now } = this.#core;
    const { authenticator, authorizer } = this.#access;
    const { features, random, audit, clock, eventLoop } = config;
    const inFlight = new InFlight({
      maxReadOnly: config.maxRequestsInFlight,
      maxMutating: config.maxMutatingRequestsInFlight,
    });
    this.#collectMetrics(this.#flowControl?.controller.executing ?? inFlight.current);
    return handlerChain({
      codecs,
      authenticator,
      removeCredentials: credentialRemover(config.authentication.requestHeader?.headers),
      authorizer,
      impersonation: new Impersonation(authorizer, features.enabled('ConstrainedImpersonation')),
      inFlight,
      ...(this.#flowControl && { priorityAndFairness: this.#flowControl.filter }),
      underWay: this.#underWay,
      uuid: random.uuid,
      clock,
      eventLoop,
      requestTimeoutMs: config.requestTimeoutMs,
      ...(config.corsAllowedOrigins && { corsAllowedOrigins: config.corsAllowedOrigins }),
      requestLog: withRequestLog(config.logger, () => clock.monotonic()),
      metrics: withMetrics(metrics, clock, isKnown),
      ...(audit && {
        audit: withAudit({ ...audit, codecs, scheme, now }),
        failedAuthenticationAudit: withFailedAuthenticationAudit({ ...audit, codecs, scheme, now }),
      }),
      onError: (error, { method, path }) => logger.error('Failed to answer request', error, { method, path }),
      endpoint: (state) => this.#surface.serve(state) ?? paths.serve(state),
    });
  }

  #newHealthChecks(): HealthChecks {
    const { encryption, store } = this.config;
    const { now } = this.#core;
    const health = new HealthChecks({ now, onResult: this.#core.metrics.healthResult });
    const checkStore = async (): Promise<void> => void (await store.currentRevision());
    health.add({ name: 'log', check: () => {} });
    // In-process calls need no certificate, so this check of upstream always passes.
    for (const endpoint of ['healthz', 'livez'] as const)
      health.addTo(endpoint, { name: 'loopback-serving-certificate', check: () => {} });
    health.add({ name: 'etcd', check: checkStore });
    if (encryption?.healthCheck) health.add(encryption.healthCheck);
    health.addTo('readyz', { name: 'etcd-readiness', check: () => store.checkWritable() });
    health.addTo('readyz', { name: 'informer-sync', check: () => this.#assertSynced() });
    return health;
  }

  #newFlowControl(onRejected: (state: RequestState) => void): FlowControl | undefined {
    const { config } = this;
    const { maxRequestsInFlight, maxMutatingRequestsInFlight, priorityAndFairness = true } = config;
    const serverSeats = maxRequestsInFlight + maxMutatingRequestsInFlight;
    if (!priorityAndFairness || serverSeats <= 0) return undefined;
    return new FlowControl({
      serverSeats,
      requestTimeoutMs: config.requestTimeoutMs,
      features: config.features,
      bootstrap: { levels: priorityLevels, schemas: flowSchemas },
      listers: this.registries,
      objectStats: (group, resource) => this.#surface.cacheStatsOf(group, resource),
      metrics: this.#core.metrics,
      now: this.#core.now,
      clock: config.clock,
      eventLoop: config.eventLoop,
      onRejected,
    });
  }

  /** Serves `/debug/…`: profiles, the log verbosity, and the pages of priority and fairness. */
  #newDebugPages(): ContextHandler {
    const pages = this.#flowControl?.debugPages;
    const { profiling, verbosity } = this.config;
    return async (context) => {
      const { request, info } = context;
      const { method, search, signal } = request;
      if (profiling && isProfilePath(info.path)) return profilePages({ method, search, signal, path: info.path });
      if (profiling && verbosity && isDebugFlagsPath(info.path)) return debugFlagsPages(request, verbosity);
      return pages?.(context) ?? notFoundResponse();
    };
  }

  #newPolicyStatus(): ReturnType<typeof policyStatusController> {
    return policyStatusController({
      listers: this.registries,
      transport: this.transport({ username: 'system:apiserver', groups: ['system:masters'] }),
      kindFor: (resource) => this.#surface.router.kindFor(resource),
      eventLoop: this.config.eventLoop,
      logger: this.#core.logger,
    });
  }

  #collectMetrics(inFlight: InFlight['current']): void {
    const { metrics } = this.#core;
    metrics.onCollect(() => {
      metrics.inflight('readOnly').set(inFlight.readOnly);
      metrics.inflight('mutating').set(inFlight.mutating);
      for (const [{ group, resource }, { entries, bytes }] of this.#surface.cacheStats())
        metrics.setObjects(group, resource, entries, bytes);
    });
  }

  /** Reloads files when they change. */
  #follow(): void {
    const { followedFiles = [], logger } = this.config;
    this.#followed = followedFiles.map(({ flag, files, contents, apply }) =>
      followFiles({
        clock: this.config.clock,
        files,
        initial: contents,
        onChange: async (changed) => {
          await apply(changed, this.#listener);
          logger.info('Reloaded a changed file', { flag: `--${flag}` });
        },
        onError: (error) =>
          logger.error('Failed to reload a changed file; its previous content stays in use', error, {
            flag: `--${flag}`,
          }),
      }),
    );
  }

  #postStartHooks(): PostStartHook[] {
    const { config, registries } = this;
    const { store, storePrefix, clock, features, kubernetesServiceNodePort } = config;
    const { allocation, served, logger, address, now } = this.#core;
    const context = { client: registries, listers: registries, store, storePrefix, now, clock, logger };
    return [
      ...bootstrapHooks(context, {
        serviceCIDRs: config.serviceClusterIPRanges,
        allocation,
        advertiseAddress: config.advertiseAddress,
        securePort: address?.port ?? 443,
        ...(kubernetesServiceNodePort !== undefined && { kubernetesServiceNodePort }),
        leaveEndpoints: config.leaveEndpoints,
        hostname: config.hostname,
        instanceId: config.random.uuid(),
        authentication: config.authentication.clusterInfo,
        servedGroupVersions: served,
      }),
      ...this.#surface.hooks,
      {
        name: 'rbac/bootstrap-roles',
        start: async () => {
          const { kubeletClientUser } = config;
          await reconcileRbacPolicy(registries, registries, {
            features,
            ...(kubeletClientUser && { kubeletClient: kubeletClientUser }),
          });
        },
      },
    ];
  }

  #assertAPIServices(): void {
    if (!this.#startedHooks.has('kube-apiserver-autoregistration')) throw new Error('missing APIService');
  }

  #assertSynced(): void {
    if (!this.#synced) throw new Error('the stored objects are still being read');
  }
}

function assertNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Error('the server was stopped before it was ready');
}

/** Ignores an error of `start`, which its caller gets. */
const noMatter = (): void => {};

/** Waits for the promise, but no longer than `ms`. */
async function withinTime(done: Promise<unknown>, clock: Clock, ms: number): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  timer?.cancel();
}
