import { networkInterfaces } from 'node:os';
import { Catalogue } from '@coxswain/api';
import type { APIService } from '@coxswain/api/apiregistration/v1';
import type { GroupResource, GroupVersionResource } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { CacheStats } from '@coxswain/storage';
import type { AdmissionChain } from '../admission/admission.ts';
import { Aggregator, CustomApiServices } from '../aggregator/index.ts';
import type { PostStartHook } from '../bootstrap/index.ts';
import { CustomResources } from '../crd/index.ts';
import { CustomResourceOpenApi } from '../crd/openapi/index.ts';
import { DiscoveryRegistry } from '../discovery/index.ts';
import { RecentFrames } from '../endpoints/recent-frames.ts';
import { ResourceRouter } from '../endpoints/resource-router.ts';
import type { EndpointServices } from '../endpoints/scope.ts';
import { specialEndpoints } from '../endpoints/special-endpoints.ts';
import { WatchPacer } from '../endpoints/watch-pacer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { BuiltInOpenApi, OpenApiService } from '../openapi/index.ts';
import { KubeletConnection, lookupAddresses, ownAddresses, probeHealth } from '../proxy/index.ts';
import { TokenIssuer } from '../serviceaccount/index.ts';
import { HttpsWebhookClient, resolveWithoutNobody } from '../webhook/index.ts';
import type { Access } from './access.ts';
import { newAdmission } from './server-admission.ts';
import type { ServerCore } from './server-core.ts';

const maxRequestBodyBytes = 3 * 1024 * 1024;

/**
 * All resources of the server: built-in ones, custom resources, and those of aggregated API servers. Also discovery and OpenAPI,
 * which describe them.
 */
export class ApiSurface {
  readonly router: ResourceRouter;
  readonly discovery: DiscoveryRegistry;
  readonly openApi: OpenApiService;
  readonly customResources: CustomResources;
  readonly #core: ServerCore;
  readonly #access: Access;
  readonly #webhooks: HttpsWebhookClient;
  readonly #admission: AdmissionChain;
  readonly #customApiServices: CustomApiServices;
  readonly #remoteApis: Aggregator;
  /** Cached by resource while it is served, because a watch may record thousands of events per second. */
  readonly #watchEventRecorders = new Map<GroupVersionResource, (bytes: number) => void>();

  /** Watches end when `shuttingDown` is aborted. */
  constructor(core: ServerCore, access: Access, shuttingDown: AbortSignal) {
    this.#core = core;
    this.#access = access;
    const { registries, served, logger, config, resolveService, now } = core;
    const { clock, random } = config;
    this.discovery = new DiscoveryRegistry(served);
    this.openApi = new OpenApiService(now);
    this.#webhooks = new HttpsWebhookClient({
      resolveService: config.nobodyAt ? resolveWithoutNobody(config.nobodyAt, resolveService) : resolveService,
      synced: registries.lister('', 'services').synced,
      userAgent: 'kube-apiserver-admission',
      now,
    });
    this.#admission = newAdmission(core, access, {
      router: () => this.router,
      discovery: this.discovery,
      webhooks: this.#webhooks,
    });
    const services = this.#endpointServices(shuttingDown);
    this.router = this.#newRouter(services);
    this.openApi.add(new BuiltInOpenApi(Catalogue.builtIn(), served));
    const customOpenApi = new CustomResourceOpenApi(Catalogue.builtIn(), () => this.openApi.changed());
    this.openApi.add(customOpenApi);
    this.customResources = new CustomResources({
      ...core.storage,
      services,
      webhooks: { client: this.#webhooks, uuid: random.uuid },
      listers: registries,
      router: this.router,
      discovery: this.discovery,
      openApi: customOpenApi,
      logger,
      onWithdrawn: (resource) => this.#forget(resource),
      ...(config.pauseBeforeRemoval && { pauseBeforeRemoval: config.pauseBeforeRemoval }),
    });
    const apiServices = registries.lister<APIService>('apiregistration.k8s.io', 'apiservices');
    const common = { apiServices, client: registries, now, clock, logger };
    this.#remoteApis = new Aggregator({
      ...common,
      services: registries.lister('', 'services'),
      endpointSlices: registries.lister('discovery.k8s.io', 'endpointslices'),
      discovery: this.discovery,
      openApi: this.openApi,
      dialer: config.dialer,
      resolveService,
      clientCertificate: () => config.proxyClient?.(),
    });
    this.#customApiServices = new CustomApiServices({
      ...common,
      definitions: registries.lister('apiextensions.k8s.io', 'customresourcedefinitions'),
    });
  }

  /** Handles a request for a resource or for an aggregated API server. Returns undefined for other requests. */
  serve(context: RequestContext): Promise<ApiResponse> | undefined {
    return (
      this.#remoteApis.serve(context) ?? (context.info.isResourceRequest ? this.router.handle(context) : undefined)
    );
  }

  get hooks(): PostStartHook[] {
    return [
      { name: 'crd-informer-synced', start: () => this.customResources.start() },
      { name: 'apiservice-registration-controller', start: () => this.#customApiServices.start() },
      { name: 'apiservice-discovery-controller', start: () => this.#remoteApis.start() },
    ];
  }

  /** The statistics of the watch caches of all resources in use. */
  *cacheStats(): Iterable<[GroupResource, CacheStats]> {
    yield* this.#core.registries.cacheStats();
    yield* this.customResources.cacheStats();
  }

  cacheStatsOf(group: string, resource: string): CacheStats | undefined {
    return this.#core.registries.cacheStatsOf(group, resource) ?? this.customResources.cacheStatsOf(group, resource);
  }

  stop(): void {
    this.#remoteApis.stop();
    this.#customApiServices.stop();
    this.customResources.stop();
    this.#admission.close();
    this.#webhooks.close();
  }

  #endpointServices(shuttingDown: AbortSignal): EndpointServices {
    const { config, codecs, scheme, registries, serviceIPFamilies, logger, now } = this.#core;
    return {
      codecs,
      scheme,
      features: config.features,
      admission: this.#admission,
      authorizer: this.#access.authorizer,
      namespaces: registries.lister('', 'namespaces'),
      now,
      clock: config.clock,
      eventLoop: config.eventLoop,
      allowPrivileged: config.allowPrivileged,
      serviceIPFamilies,
      minRequestTimeoutMs: config.minRequestTimeoutMs,
      maxRequestBodyBytes,
      shuttingDown,
      random: config.random.number,
      watchPacer: new WatchPacer(config.clock),
      recentFrames: new RecentFrames(),
      equivalents: (scope, subresource) => this.router.equivalents(scope, subresource),
      onWatchEvents: (resource, events, bytes) => this.#countWatchEvents(resource, events, bytes),
      onWatchError: ({ resource }, error) => logger.error('Watch failed', error, { resource }),
    };
  }

  #newRouter(services: EndpointServices): ResourceRouter {
    const { config, registries, served, now } = this.#core;
    const { authenticator, authorizer } = this.#access;
    const { serviceAccounts, features, dialer, random, clock } = config;
    const { apiAudiences, maxExpirationSeconds } = serviceAccounts;
    const pods = () => this.router.scope('v1', 'pods');
    dialer.refuse?.(
      ownAddresses({
        listening: () => this.#core.address,
        advertiseAddress: config.advertiseAddress,
        services: registries.lister('', 'services'),
        endpoints: registries.lister('', 'endpoints'),
        interfaces: networkInterfaces,
      }),
    );
    const special = specialEndpoints({
      services,
      pods,
      tokenAuthenticator: authenticator,
      apiAudiences,
      tokenRequest: {
        issuer: new TokenIssuer({
          issuer: serviceAccounts.issuers[0] ?? '',
          key: serviceAccounts.signingKey,
          now,
          newId: random.uuid,
        }),
        client: registries,
        apiAudiences,
        ...(maxExpirationSeconds !== undefined && { maxExpirationSeconds }),
        extendExpiration: serviceAccounts.extendExpiration,
        now,
      },
      eviction: {
        client: registries,
        budgets: registries.lister('policy', 'poddisruptionbudgets'),
        deletePod: (namespace, name, options) =>
          pods().registry.delete({ namespace, name, options, dryRun: (options.dryRun?.length ?? 0) > 0 }),
        now,
        clock,
      },
      proxy: {
        pods: registries.lister('', 'pods'),
        services: registries.lister('', 'services'),
        endpoints: registries.lister('', 'endpoints'),
        kubelets: new KubeletConnection(registries.lister('', 'nodes'), {
          ...(config.kubeletPreferredAddressTypes && { preferredAddressTypes: config.kubeletPreferredAddressTypes }),
        }),
        dialer,
        authorizer,
        featureGates: features,
        random: random.number,
        lookup: lookupAddresses,
      },
      components: {
        scheduler: async () => (config.isLocal?.('scheduler') ? undefined : probeHealth(dialer, 10259)),
        'controller-manager': async () =>
          config.isLocal?.('controller-manager') ? undefined : probeHealth(dialer, 10257),
        'etcd-0': () => this.#storeProblem(),
      },
    });
    return new ResourceRouter(served, { registries, services, ...special });
  }

  #countWatchEvents(resource: GroupVersionResource, events: number, bytes: number): void {
    let record = this.#watchEventRecorders.get(resource);
    if (!record) {
      // Delete events of custom resources may be sent after their definition was removed. Do not create metrics for them again.
      if (!this.router.kindFor(resource)) return;
      record = this.#core.metrics.watchEvents(resource.group, resource.version, resource.resource);
      this.#watchEventRecorders.set(resource, record);
    }
    for (let i = 0; i < events; i++) record(bytes / events);
  }

  /** Deletes the metrics of a custom resource that is no longer served. */
  #forget({ group, resource }: GroupResource): void {
    this.#core.metrics.forgetResource(group, resource);
    for (const counted of this.#watchEventRecorders.keys())
      if (counted.group === group && counted.resource === resource) this.#watchEventRecorders.delete(counted);
  }

  async #storeProblem(): Promise<string | undefined> {
    try {
      await this.#core.config.store.currentRevision();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
