import { Catalogue, type GroupVersionResources, newCodecFactory, newScheme } from '@coxswain/api';
import type { Service } from '@coxswain/api/core/v1';
import type { GroupResource, GroupVersionResource } from '@coxswain/apimachinery';
import { AdmissionChain } from '../admission/admission.ts';
import {
  expressionHooks,
  PolicyMetrics,
  paramAuthorization,
  policyStatusController,
  servedParams,
} from '../admission/policy/index.ts';
import { celMatchConditions, WebhookMetrics } from '../admission/webhook/index.ts';
import { Aggregator, CustomApiServices } from '../aggregator/index.ts';
import { withAudit, withFailedAuthenticationAudit } from '../audit/index.ts';
import {
  bootstrapTokenAuthenticator,
  credentialRemover,
  JwtAuthenticators,
  JwtMetrics,
  serviceAccountTokenAuthenticators,
  type TokenAuthenticator,
  tokenWebhookAuthenticator,
  UnionAuthenticator,
} from '../authentication/index.ts';
import {
  type Authorization,
  AuthorizationMetrics,
  ClusterRoleAggregator,
  Impersonation,
  newAuthorization,
} from '../authorization/index.ts';
import { apiServerId } from '../bootstrap/identity-lease.ts';
import { bootstrapHooks, flowSchemas, type PostStartHook, priorityLevels } from '../bootstrap/index.ts';
import { reconcileRbacPolicy } from '../bootstrap/rbac-policy/index.ts';
import { type FollowedFiles, followFiles } from '../configuration/follow-files.ts';
import { ReloadMetrics } from '../configuration/reload-metrics.ts';
import { CustomResources } from '../crd/index.ts';
import { CustomResourceOpenApi } from '../crd/openapi/index.ts';
import { DefinitionRuleHooks } from '../crd/validation-rules/index.ts';
import { DiscoveryRegistry, discoveryHandler, pathIndex, servedResources } from '../discovery/index.ts';
import { ResourceRouter } from '../endpoints/resource-router.ts';
import type { EndpointServices } from '../endpoints/scope.ts';
import { specialEndpoints } from '../endpoints/special-endpoints.ts';
import { WatchPacer } from '../endpoints/watch-pacer.ts';
import { handlerChain, InFlight, type StateHandler, UnderWay, withMetrics } from '../filters/index.ts';
import { FlowControl, type FlowControlOptions } from '../flowcontrol/index.ts';
import { HealthChecks } from '../health/index.ts';
import type { ApiHandler, Connection } from '../http/handler.ts';
import { type InProcessTransport, inProcessTransport } from '../http/in-process.ts';
import { Listener } from '../http/listener.ts';
import type { ContextHandler } from '../http/request-context.ts';
import { notFoundResponse } from '../http/respond.ts';
import { type Collectable, requestLabels, ServerMetrics } from '../metrics/index.ts';
import { BuiltInOpenApi, OpenApiService, openApiHandler, openApiPaths } from '../openapi/index.ts';
import { enabledAdmissionPlugins } from '../options/admission-plugins.ts';
import { KubeletConnection, lookupAddresses, probeHealth } from '../proxy/index.ts';
import type { ResourceHooks } from '../registry/resource-hooks.ts';
import { ResourceRegistries } from '../registry/resource-registries.ts';
import {
  jwksPath,
  newOpenIdMetadata,
  openIdConfigurationPath,
  secretLabeller,
  TokenIssuer,
} from '../serviceaccount/index.ts';
import { newServiceAllocation, type ServiceAllocation } from '../services/index.ts';
import { versionHandler } from '../version/index.ts';
import {
  clusterIPResolver,
  endpointResolver,
  HttpsWebhookClient,
  type ServiceResolver,
  withOwnService,
} from '../webhook/index.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { startCompaction } from './compaction.ts';
import { type AdmissionDependencies, admissionPlugins, rbacEscalation } from './default-admission.ts';

/** What clients outside of resources ask for, by the first part of the path. */
type Paths = Map<string, ContextHandler>;

/**
 * An API server: built by its constructor, alive between `start` and `stop`. It has no state of its own but what is in
 * the store; a process can hold many.
 */
export class ApiServer {
  readonly config: ApiServerConfig;
  /** Answers requests, whatever brought them. */
  readonly handler: ApiHandler;
  readonly registries: ResourceRegistries;
  readonly health: HealthChecks;
  readonly metrics: ServerMetrics;
  readonly #served: readonly GroupVersionResources[];
  readonly #authorization: Authorization;
  readonly #allocation: ServiceAllocation;
  readonly #aggregator: ClusterRoleAggregator;
  readonly #chain: AdmissionChain;
  readonly #router: ResourceRouter;
  /** Absent when somebody else tells of policies' types. */
  readonly #policyStatus: ReturnType<typeof policyStatusController> | undefined;
  readonly #webhooks: HttpsWebhookClient;
  readonly #definitionRules = new DefinitionRuleHooks();
  readonly #discovery: DiscoveryRegistry;
  readonly #openApi: OpenApiService;
  readonly #customResources: CustomResources;
  readonly #customApiServices: CustomApiServices;
  readonly #remoteApis: Aggregator;
  readonly #listener: Listener | undefined;
  /** Absent when it is switched off, or when nothing is limited. */
  readonly #flowControl: FlowControl | undefined;
  readonly #shuttingDown = new AbortController();
  readonly #underWay = new UnderWay();
  #hooks: readonly PostStartHook[] = [];
  #followed: readonly FollowedFiles[] = [];
  #jwtAuthenticators: JwtAuthenticators | undefined;
  #address: { host: string; port: number } | undefined;
  /** Authorization knows what is stored. */
  #synced = false;
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(config: ApiServerConfig) {
    this.config = config;
    const { store, storePrefix, features, logger, now, random } = config;
    this.metrics = new ServerMetrics({ now });
    const scheme = newScheme();
    const codecs = newCodecFactory();
    this.#served = servedResources(Catalogue.builtIn(), config.runtimeConfig, features);
    this.registries = new ResourceRegistries({
      store,
      root: storePrefix,
      scheme,
      codecs,
      features,
      random,
      now,
      eventTtlSeconds: config.eventTtlSeconds,
      serviceIPFamilies: this.#serviceIPFamilies(),
      hooks: (resource) => this.#hooksOf(resource),
      strategies: (resource) => this.#definitionRules.strategyOf(resource),
      onCacheError: (resource, error) => logger.error(`watch cache of ${resource}`, error),
      ...(config.encryption && { storeFor: (resource) => config.encryption!.storeFor(resource, store) }),
    });
    const { registries } = this;
    const report = (message: string, error?: unknown): void => logger.error(message, error);
    this.#allocation = newServiceAllocation({
      client: registries,
      listers: registries,
      store,
      storePrefix,
      nodePortRange: config.serviceNodePortRange,
      now,
      random: random.number,
      report,
    });
    this.#authorization = newAuthorization(config.authorization ?? config.authorizationModes, registries, {
      gates: features,
      now,
      random: random.number,
      report,
      metrics: this.#registered(new AuthorizationMetrics()),
      reloadMetrics: this.#reloadMetrics('authorization'),
    });
    this.#aggregator = new ClusterRoleAggregator(registries, registries, (error) => report('aggregating roles', error));
    const { authorizer } = this.#authorization;
    const authenticator = this.#authenticator();
    const serviceLister = registries.lister<Service>('', 'services');
    this.#webhooks = new HttpsWebhookClient({
      resolveService: this.#serviceResolver(),
      synced: serviceLister.synced,
      userAgent: 'kube-apiserver-admission',
      now,
    });
    this.#chain = this.#admission();
    const services: EndpointServices = {
      codecs,
      scheme,
      features,
      admission: this.#chain,
      authorizer,
      namespaces: registries.lister('', 'namespaces'),
      now,
      allowPrivileged: config.allowPrivileged,
      serviceIPFamilies: this.#serviceIPFamilies(),
      minRequestTimeoutMs: config.minRequestTimeoutMs,
      maxRequestBodyBytes: 3 * 1024 * 1024,
      shuttingDown: this.#shuttingDown.signal,
      random: random.number,
      watchPacer: new WatchPacer(),
      equivalents: (scope, subresource) => router.equivalents(scope, subresource),
      onWatchEvents: this.#watchEventCounter(),
      onWatchError: ({ resource }, error) => report(`watch of ${resource}`, error),
    };
    this.health = new HealthChecks({ now, onResult: this.metrics.healthResult });
    const router: ResourceRouter = new ResourceRouter(this.#served, {
      registries,
      services,
      ...specialEndpoints({
        services,
        pods: () => router.scope('v1', 'pods'),
        tokenAuthenticator: authenticator,
        apiAudiences: config.serviceAccounts.apiAudiences,
        tokenRequest: {
          issuer: new TokenIssuer({
            issuer: config.serviceAccounts.issuers[0] ?? '',
            key: config.serviceAccounts.signingKey,
            now,
          }),
          client: registries,
          apiAudiences: config.serviceAccounts.apiAudiences,
          ...(config.serviceAccounts.maxExpirationSeconds !== undefined && {
            maxExpirationSeconds: config.serviceAccounts.maxExpirationSeconds,
          }),
          extendExpiration: config.serviceAccounts.extendExpiration,
          now,
        },
        eviction: {
          client: registries,
          budgets: registries.lister('policy', 'poddisruptionbudgets'),
          deletePod: (namespace, name, options) =>
            router
              .scope('v1', 'pods')
              .registry.delete({ namespace, name, options, dryRun: (options.dryRun?.length ?? 0) > 0 }),
          now,
        },
        proxy: {
          pods: registries.lister('', 'pods'),
          services: registries.lister('', 'services'),
          endpoints: registries.lister('', 'endpoints'),
          kubelets: new KubeletConnection(registries.lister('', 'nodes'), {
            ...(config.kubeletPreferredAddressTypes && { preferredAddressTypes: config.kubeletPreferredAddressTypes }),
          }),
          dialer: config.dialer,
          authorizer,
          featureGates: features,
          random: random.number,
          lookup: lookupAddresses,
        },
        components: {
          scheduler: () => probeHealth(config.dialer, 10259),
          'controller-manager': () => probeHealth(config.dialer, 10257),
          'etcd-0': async () => this.#storeProblem(),
        },
      }),
    });
    this.#router = router;
    this.#discovery = new DiscoveryRegistry(this.#served);
    this.#openApi = this.#newOpenApi();
    const customOpenApi = new CustomResourceOpenApi(Catalogue.builtIn(), () => this.#openApi.changed());
    this.#openApi.add(customOpenApi);
    this.#customResources = new CustomResources({
      store,
      ...(config.encryption && { storeFor: (resource) => config.encryption!.storeFor(resource, store) }),
      root: storePrefix,
      codecs,
      services,
      random,
      now,
      webhooks: { client: this.#webhooks, uuid: random.uuid },
      onCacheError: (resource, error) => logger.error(`watch cache of ${resource}`, error),
      listers: registries,
      router,
      discovery: this.#discovery,
      openApi: customOpenApi,
      report,
    });
    this.#remoteApis = new Aggregator({
      apiServices: registries.lister('apiregistration.k8s.io', 'apiservices'),
      services: registries.lister('', 'services'),
      endpointSlices: registries.lister('discovery.k8s.io', 'endpointslices'),
      client: registries,
      discovery: this.#discovery,
      openApi: this.#openApi,
      dialer: config.dialer,
      resolveService: this.#serviceResolver(),
      clientCertificate: () => config.proxyClient,
      now,
      report,
    });
    this.#customApiServices = new CustomApiServices({
      definitions: registries.lister('apiextensions.k8s.io', 'customresourcedefinitions'),
      apiServices: registries.lister('apiregistration.k8s.io', 'apiservices'),
      client: registries,
      now,
      report,
    });
    const inFlight = new InFlight({
      maxReadOnly: config.maxRequestsInFlight,
      maxMutating: config.maxMutatingRequestsInFlight,
    });
    const isServed: Parameters<typeof withMetrics>[1] = ({ info }) =>
      info.isResourceRequest ? router.serves(info) : knownPaths.has(info.path);
    this.#flowControl = this.#newFlowControl((state) => {
      if (isServed(state)) this.metrics.request(requestLabels(state)).dropped();
    });
    this.#collectMetrics(this.#flowControl?.controller.executing ?? inFlight.current);
    const paths = this.#paths();
    const knownPaths = new Set([
      ...[...paths.keys()].map((path) => `/${path}`),
      ...this.#discoveryPaths(),
      ...openApiPaths(),
      openIdConfigurationPath,
      jwksPath,
    ]);
    const unlisted: Paths = new Map(this.#flowControl && [['debug', this.#flowControl.debugPages]]);
    const endpoint: StateHandler = (state) => {
      const remote = this.#remoteApis.serve(state);
      if (remote) return remote;
      if (state.info.isResourceRequest) return router.handle(state);
      const { path } = state.info;
      const [, first = ''] = path.split('/', 2);
      const handler = first === '' && path !== '/' ? undefined : (paths.get(first) ?? unlisted.get(first));
      return handler?.(state) ?? Promise.resolve(notFoundResponse());
    };
    this.handler = handlerChain({
      codecs,
      authenticator,
      removeCredentials: credentialRemover(config.authentication.requestHeader?.headers),
      authorizer,
      impersonation: new Impersonation(authorizer, features.enabled('ConstrainedImpersonation')),
      inFlight,
      ...(this.#flowControl && { priorityAndFairness: this.#flowControl.filter }),
      underWay: this.#underWay,
      uuid: random.uuid,
      requestTimeoutMs: config.requestTimeoutMs,
      metrics: withMetrics(this.metrics, isServed),
      ...(config.audit && {
        audit: withAudit({ ...config.audit, codecs, scheme, now }),
        failedAuthenticationAudit: withFailedAuthenticationAudit({ ...config.audit, codecs, scheme, now }),
      }),
      onError: (error, { method, path }) => logger.error(`${method} ${path}`, error),
      endpoint,
    });
    this.#policyStatus = config.policyTypeChecking ? this.#newPolicyStatus() : undefined;
    this.#listener = config.listen && new Listener({ ...config.listen, handler: this.handler });
  }

  /** Where it listens, once it does; absent without a port. */
  get address(): { readonly host: string; readonly port: number } | undefined {
    return this.#address;
  }

  /** The way to this server without a socket: through the whole handler chain, as the given user. */
  transport(user?: NonNullable<Connection['user']>): InProcessTransport {
    return inProcessTransport(this.handler, user);
  }

  /**
   * Listens and makes what a cluster begins with. Resolves when all of that is there: the server is ready. Rejects when
   * it is stopped before. Again: the same promise.
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
      this.#address = { host: address, port };
    }
    assertNotStopped(signal);
    this.#follow();
    const hooks = this.#postStartHooks();
    this.#hooks = hooks;
    startCompaction(this.config.store, {
      intervalMs: this.config.compactionIntervalMs ?? 0,
      signal,
      report: (message, error) => logger.error(message, error),
    });
    await Promise.all([
      this.#authorization.synced.then(() => {
        this.#synced = true;
      }),
      ...hooks.map(async (hook) => {
        const registered = this.health.addStartHook(hook.name);
        await hook.start(signal);
        registered.done();
      }),
    ]);
    await this.#flowControl?.follow();
    assertNotStopped(signal);
    await this.#policyStatus?.start();
    logger.info('the server is ready');
  }

  /** Runs until the signal is aborted, then stops in good order. */
  async run(signal: AbortSignal): Promise<void> {
    await this.start();
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await this.stop();
  }

  /**
   * Stops: no longer ready, then no new connections, watches end, requests under way have their grace, and the store is
   * closed at last. Again: the same promise.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { shutdownDelayMs, shutdownGraceMs, store, dialer, audit, encryption } = this.config;
    this.health.beginShutdown();
    if (shutdownDelayMs > 0) await delay(shutdownDelayMs);
    this.#shuttingDown.abort();
    const drained = this.#underWay.drain();
    this.#flowControl?.close();
    // What is being started sees that it is in vain; only then is it known what there is to stop.
    if (this.#started) await withinTime(this.#started.catch(noMatter), shutdownGraceMs);
    const stopped = Promise.all(this.#hooks.map((hook) => hook.stop?.())).catch((error) =>
      this.config.logger.error('what was started could not be stopped', error),
    );
    await withinTime(Promise.all([stopped, drained]), shutdownGraceMs);
    if (this.#listener) {
      const force = setTimeout(() => this.#listener?.force(), shutdownGraceMs);
      await this.#listener.close();
      clearTimeout(force);
    }
    await this.#policyStatus?.stop();
    this.#remoteApis.stop();
    this.#customApiServices.stop();
    for (const followed of this.#followed) followed.close();
    this.#customResources.stop();
    this.#aggregator.close();
    this.#authorization.close();
    this.#jwtAuthenticators?.close();
    this.config.authentication.tokenWebhook?.webhook.close();
    this.#chain.close();
    this.#webhooks.close();
    await this.#allocation.close();
    this.registries.stop();
    dialer.close?.();
    await audit?.log.close();
    encryption?.close();
    await store.close();
  }

  #serviceResolver(): ServiceResolver {
    const services = this.registries.lister<Service>('', 'services');
    const elsewhere = this.config.routeToEndpoints
      ? endpointResolver(
          services,
          this.registries.lister('discovery.k8s.io', 'endpointslices'),
          this.config.random.number,
        )
      : clusterIPResolver(services);
    return withOwnService(() => this.#address, elsewhere);
  }

  #serviceIPFamilies(): ('IPv4' | 'IPv6')[] {
    return this.config.serviceClusterIPRanges.map((range) => (range.includes(':') ? 'IPv6' : 'IPv4'));
  }

  /** Services' hooks are made after the registries they are for. */
  #hooksOf(groupResource: GroupResource): ResourceHooks | undefined {
    const { group, resource } = groupResource;
    if (group !== '' || resource !== 'services')
      return this.#definitionRules.hooksOf(groupResource) ?? expressionHooks(groupResource);
    const hooks = (): ResourceHooks => this.#allocation.hooks as ResourceHooks;
    return {
      beginCreate: (object, context) => hooks().beginCreate!(object, context),
      beginUpdate: (object, old, context) => hooks().beginUpdate!(object, old, context),
      afterDelete: (object) => hooks().afterDelete!(object),
    };
  }

  /** `/metrics` has them too. */
  #registered<T extends { readonly families: Iterable<Collectable> }>(metrics: T): T {
    this.metrics.register(metrics.families);
    return metrics;
  }

  #reloadMetrics(what: 'authentication' | 'authorization'): ReloadMetrics {
    const { hostname, now } = this.config;
    const prefix = `apiserver_${what}_config_controller`;
    return this.#registered(new ReloadMetrics({ prefix, serverId: apiServerId(hostname), now }));
  }

  /** Tokens that others have issued, or know. */
  #remoteTokens(): TokenAuthenticator[] {
    const { authentication, serviceAccounts, hostname, now, random, logger } = this.config;
    const { jwt, tokenWebhook } = authentication;
    const { apiAudiences } = serviceAccounts;
    const report = (message: string, error: unknown): void => logger.error(message, error);
    if (jwt)
      this.#jwtAuthenticators = new JwtAuthenticators(jwt, {
        apiAudiences,
        now,
        report,
        metrics: this.#registered(new JwtMetrics(apiServerId(hostname), now)),
        reloadMetrics: this.#reloadMetrics('authentication'),
      });
    return [
      ...(this.#jwtAuthenticators ? [this.#jwtAuthenticators] : []),
      ...(tokenWebhook
        ? [tokenWebhookAuthenticator({ ...tokenWebhook, apiAudiences, now, random: random.number, report })]
        : []),
    ];
  }

  /** Files are read again when they change. */
  #follow(): void {
    const { followedFiles = [], logger } = this.config;
    this.#followed = followedFiles.map(({ flag, files, contents, apply }) =>
      followFiles({
        files,
        initial: contents,
        onChange: async (changed) => {
          await apply(changed, this.#listener);
          logger.info(`--${flag} has changed`);
        },
        onError: (error) => logger.error(`--${flag} has changed, and what was in it before counts`, error),
      }),
    );
  }

  #authenticator(): UnionAuthenticator {
    const { authentication, serviceAccounts, now } = this.config;
    const { registries } = this;
    const { issuers, keys, apiAudiences, lookup } = serviceAccounts;
    return new UnionAuthenticator({
      apiAudiences,
      ...(authentication.requestHeader && { requestHeader: authentication.requestHeader }),
      ...(authentication.clientCA && { clientCA: authentication.clientCA }),
      anonymous: authentication.anonymous,
      tokens: [
        ...(authentication.tokenFile ? [authentication.tokenFile] : []),
        ...serviceAccountTokenAuthenticators({
          issuers,
          keys,
          apiAudiences,
          lookup,
          now,
          label: secretLabeller(registries, (message) => this.config.logger.info(message)),
          objects: {
            serviceAccounts: registries.lister('', 'serviceaccounts'),
            secrets: registries.lister('', 'secrets'),
            pods: registries.lister('', 'pods'),
            nodes: registries.lister('', 'nodes'),
          },
        }),
        ...(authentication.bootstrapTokens
          ? [bootstrapTokenAuthenticator({ secrets: registries.lister('', 'secrets'), now })]
          : []),
        ...this.#remoteTokens(),
      ],
      now,
    });
  }

  #admission(): AdmissionChain {
    const { features, now, random, enabledAdmissionPlugins: on, disabledAdmissionPlugins: off } = this.config;
    const { admissionConfiguration: configuration = {}, defaultTolerationSeconds: tolerationSeconds } = this.config;
    const webhooks = this.#webhookOptions();
    const plugins = admissionPlugins(enabledAdmissionPlugins(on, off), {
      listers: this.registries,
      client: this.registries,
      authorizer: this.#authorization.authorizer,
      features,
      now,
      random,
      configuration,
      ...(tolerationSeconds && { tolerationSeconds }),
      webhooks,
      policies: this.#policyOptions(webhooks.metrics),
      ownerMapper: ({ group, version }, kind) =>
        this.#discovery.groupVersion(group, version)?.resources.find((resource) => resource.kind === kind),
    });
    const params = paramAuthorization({
      context: { listers: this.registries, client: this.registries, authorizer: this.#authorization.authorizer },
      resourceFor: (kind) => this.#router.ofKind(kind)?.scope.resource.resource,
    });
    return new AdmissionChain([...plugins, rbacEscalation(this.#authorization), params]);
  }

  #webhookOptions(): AdmissionDependencies['webhooks'] {
    const { random, logger } = this.config;
    const metrics = new WebhookMetrics();
    this.metrics.register(metrics.families);
    return {
      client: this.#webhooks,
      metrics,
      compileConditions: celMatchConditions(this.#authorization.authorizer),
      uuid: random.uuid,
      report: (message, error) => logger.error(message, error),
    };
  }

  #policyOptions(conditionMetrics: WebhookMetrics): AdmissionDependencies['policies'] {
    const metrics = new PolicyMetrics();
    this.metrics.register(metrics.families);
    return {
      metrics,
      conditionMetrics,
      params: (kind) => {
        const served = this.#router.ofKind(kind);
        return served && servedParams(served);
      },
    };
  }

  #paths(): Paths {
    const discovery = discoveryHandler({
      registry: this.#discovery,
      serverAddress: () => this.#externalAddress(),
    });
    const health = this.health.handler;
    const paths: Paths = new Map([
      ['api', discovery],
      ['apis', discovery],
      ['healthz', health],
      ['livez', health],
      ['readyz', health],
      ['version', versionHandler],
      ['metrics', this.metrics.handler],
      ['openapi', openApiHandler(this.#openApi, this.config.now)],
    ]);
    this.health.add({ name: 'log', check: () => {} });
    this.health.add({ name: 'etcd', check: () => this.#checkStore() });
    const { healthCheck } = this.config.encryption ?? {};
    if (healthCheck) this.health.add(healthCheck);
    this.health.addTo('readyz', { name: 'etcd-readiness', check: () => this.#checkStore() });
    this.health.addTo('readyz', { name: 'informer-sync', check: () => this.#assertSynced() });
    const openId = this.#openIdMetadata();
    if (openId) {
      paths.set('.well-known', async ({ info }) =>
        info.path === openIdConfigurationPath ? openId().configuration : notFoundResponse(),
      );
      paths.set('openid', async ({ info }) => (info.path === jwksPath ? openId().keyset : notFoundResponse()));
    }
    paths.set(
      '',
      pathIndex(
        () => [...paths.keys()].map((path) => `/${path}`),
        () => this.metrics.paths(),
        openApiPaths,
      ),
    );
    return paths;
  }

  /** What is below `/api` and `/apis` and no resource. */
  #discoveryPaths(): string[] {
    return this.#served.flatMap(({ group, version }) =>
      group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
    );
  }

  #newOpenApi(): OpenApiService {
    const service = new OpenApiService();
    service.add(new BuiltInOpenApi(Catalogue.builtIn(), this.#served));
    return service;
  }

  /** Recorders are kept by resource: a watch counts thousands of events a second. */
  #watchEventCounter(): NonNullable<EndpointServices['onWatchEvents']> {
    const recorders = new Map<GroupVersionResource, (bytes: number) => void>();
    return (resource, events, bytes) => {
      let record = recorders.get(resource);
      if (!record) {
        record = this.metrics.watchEvents(resource.group, resource.version, resource.resource);
        recorders.set(resource, record);
      }
      for (let i = 0; i < events; i++) record(bytes / events);
    };
  }

  #newFlowControl(onRejected: FlowControlOptions['onRejected']): FlowControl | undefined {
    const { config, registries, metrics } = this;
    const { maxRequestsInFlight, maxMutatingRequestsInFlight, priorityAndFairness = true } = config;
    const serverSeats = maxRequestsInFlight + maxMutatingRequestsInFlight;
    if (!priorityAndFairness || serverSeats <= 0) return undefined;
    return new FlowControl({
      serverSeats,
      requestTimeoutMs: config.requestTimeoutMs,
      features: config.features,
      bootstrap: { levels: priorityLevels, schemas: flowSchemas },
      listers: registries,
      objectStats: (group, resource) =>
        registries.cacheStatsOf(group, resource) ?? this.#customResources.cacheStatsOf(group, resource),
      metrics,
      now: config.now,
      ...(onRejected && { onRejected }),
    });
  }

  #collectMetrics(inFlight: InFlight['current']): void {
    const { metrics, registries } = this;
    metrics.onCollect(() => {
      metrics.inflight('readOnly').set(inFlight.readOnly);
      metrics.inflight('mutating').set(inFlight.mutating);
      for (const [{ group, resource }, { entries, bytes }] of [
        ...registries.cacheStats(),
        ...this.#customResources.cacheStats(),
      ])
        metrics.setObjects(group, resource, entries, bytes);
    });
  }

  #openIdMetadata(): (() => ReturnType<typeof newOpenIdMetadata>) | undefined {
    const { issuers, keys, jwksUri } = this.config.serviceAccounts;
    const make = (externalAddress: string) =>
      newOpenIdMetadata({ issuer: issuers[0] ?? '', keys, externalAddress, ...(jwksUri && { jwksUri }) });
    try {
      make('localhost');
    } catch (error) {
      this.config.logger.error('no OpenID metadata is served', error);
      return undefined;
    }
    return () => make(this.#externalAddress());
  }

  #externalAddress(): string {
    const { advertiseAddress, externalHost } = this.config;
    const host = externalHost ?? advertiseAddress;
    const port = this.#address?.port ?? 443;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  #postStartHooks(): PostStartHook[] {
    const { config, registries } = this;
    const { store, storePrefix, now, logger, features } = config;
    const context = {
      client: registries,
      listers: registries,
      store,
      storePrefix,
      now,
      report: (message: string, error?: unknown): void => logger.error(message, error),
    };
    return [
      ...bootstrapHooks(context, {
        serviceCIDRs: config.serviceClusterIPRanges,
        allocation: this.#allocation,
        advertiseAddress: config.advertiseAddress,
        securePort: this.#address?.port ?? 443,
        ...(config.kubernetesServiceNodePort !== undefined && {
          kubernetesServiceNodePort: config.kubernetesServiceNodePort,
        }),
        leaveEndpoints: config.leaveEndpoints,
        hostname: config.hostname,
        instanceId: config.random.uuid(),
        authentication: config.authentication.clusterInfo,
        servedGroupVersions: this.#served,
      }),
      { name: 'crd-informer-synced', start: () => this.#customResources.start() },
      { name: 'apiservice-registration-controller', start: () => this.#customApiServices.start() },
      { name: 'apiservice-discovery-controller', start: () => this.#remoteApis.start() },
      {
        name: 'rbac/bootstrap-roles',
        start: async () => {
          await reconcileRbacPolicy(registries, registries, features);
          await this.#aggregator.start();
        },
      },
    ];
  }

  #newPolicyStatus(): ReturnType<typeof policyStatusController> {
    return policyStatusController({
      listers: this.registries,
      transport: this.transport({ username: 'system:apiserver', groups: ['system:masters'] }),
      kindFor: (resource) => this.#router.kindFor(resource),
      report: (message, error) => this.config.logger.error(message, error),
    });
  }

  #assertSynced(): void {
    if (!this.#synced) throw new Error('what is stored is still being read');
  }

  async #checkStore(): Promise<void> {
    await this.config.store.currentRevision();
  }

  async #storeProblem(): Promise<string | undefined> {
    try {
      await this.#checkStore();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for the one or the other, and leaves no timer behind. */
function assertNotStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Error('the server was stopped before it was ready');
}

/** Whoever started the server hears of it. */
const noMatter = (): void => {};

async function withinTime(done: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
