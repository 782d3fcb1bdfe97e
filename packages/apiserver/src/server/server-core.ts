import { Catalogue, type GroupVersionResources, newCodecFactory, newScheme } from '@coxswain/api';
import type { Service } from '@coxswain/api/core/v1';
import type { CodecFactory, GroupResource, Scheme } from '@coxswain/apimachinery';
import type { Logger } from '@coxswain/apimachinery/log';
import { expressionHooks } from '../admission/policy/index.ts';
import { retirementOf } from '../crd/terminating.ts';
import { DefinitionRuleHooks } from '../crd/validation-rules/index.ts';
import { servedResources } from '../discovery/index.ts';
import { type Collectable, ServerMetrics } from '../metrics/index.ts';
import type { ResourceHooks } from '../registry/resource-hooks.ts';
import { ResourceRegistries } from '../registry/resource-registries.ts';
import { newServiceAllocation, type ServiceAllocation } from '../services/index.ts';
import { clusterIPResolver, endpointResolver, type ServiceResolver, withOwnService } from '../webhook/index.ts';
import type { ApiServerConfig } from './api-server-config.ts';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The parts that all others depend on: scheme, codecs, registries of built-in resources, service allocation, metrics. */
export class ServerCore {
  readonly config: ApiServerConfig;
  readonly now = (): Date => new Date(this.config.clock.now());
  readonly scheme: Scheme = newScheme({ now: this.now });
  readonly codecs: CodecFactory = newCodecFactory();
  readonly metrics: ServerMetrics;
  /** The served built-in resources. */
  readonly served: readonly GroupVersionResources[];
  readonly registries: ResourceRegistries;
  readonly allocation: ServiceAllocation;
  /** The address on which the server listens. Undefined before that. */
  address: ServerAddress | undefined;
  readonly #definitionRules = new DefinitionRuleHooks(() => this.config.eventLoop);

  constructor(config: ApiServerConfig) {
    this.config = config;
    const { store, storePrefix, features, random } = config;
    const { now } = this;
    this.metrics = new ServerMetrics({ now, canReset: config.profiling ?? false });
    this.served = servedResources(Catalogue.builtIn(), config.runtimeConfig, features);
    this.registries = new ResourceRegistries({
      ...this.storage,
      scheme: this.scheme,
      features,
      eventTtlSeconds: config.eventTtlSeconds,
      serviceIPFamilies: this.serviceIPFamilies,
      hooks: (resource) => this.#hooksOf(resource),
      strategies: (resource) => this.#definitionRules.strategyOf(resource),
      retire: retirementOf,
    });
    this.allocation = newServiceAllocation({
      client: this.registries,
      listers: this.registries,
      store,
      storePrefix,
      nodePortRange: config.serviceNodePortRange,
      now,
      random: random.number,
      logger: this.logger,
    });
  }

  /** The options of registries, for built-in and custom resources. */
  get storage() {
    const { store, storePrefix, encryption, random, clock, eventLoop } = this.config;
    return {
      store,
      root: storePrefix,
      codecs: this.codecs,
      random,
      now: this.now,
      clock,
      eventLoop,
      onCacheError: (resource: GroupResource, error: Error) =>
        this.logger.error('Watch cache failed', error, { resource: String(resource) }),
      ...(encryption && { storeFor: (resource: GroupResource) => encryption.storeFor(resource, store) }),
    };
  }

  get logger(): Logger {
    return this.config.logger;
  }

  get serviceIPFamilies(): ('IPv4' | 'IPv6')[] {
    return this.config.serviceClusterIPRanges.map((range) => (range.includes(':') ? 'IPv6' : 'IPv4'));
  }

  /** The host and port for external clients. */
  get externalAddress(): string {
    const { advertiseAddress, externalHost } = this.config;
    const host = externalHost ?? advertiseAddress;
    const port = this.address?.port ?? 443;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  /** Resolves the addresses of services, for webhooks and aggregated API servers. */
  readonly resolveService: ServiceResolver = (...service) => {
    this.#resolver ??= this.#newResolver();
    return this.#resolver(...service);
  };
  #resolver: ServiceResolver | undefined;

  /** Adds metrics to `/metrics`, and returns them. */
  registered<T extends { readonly families: Iterable<Collectable> }>(metrics: T): T {
    this.metrics.register(metrics.families);
    return metrics;
  }

  /** Preloads large modules that are not needed for the start, so that no request waits for them. Errors are only logged. */
  async loadRest(): Promise<void> {
    try {
      await this.#definitionRules.load();
    } catch (error) {
      this.logger.error('Failed to load the checks of validation rules', error);
    }
  }

  async close(): Promise<void> {
    await this.allocation.close();
    this.registries.stop();
  }

  #newResolver(): ServiceResolver {
    const services = this.registries.lister<Service>('', 'services');
    const slices = () => this.registries.lister<never>('discovery.k8s.io', 'endpointslices');
    const elsewhere = this.config.routeToEndpoints
      ? endpointResolver(services, slices(), this.config.random.number)
      : clusterIPResolver(services);
    return withOwnService(() => this.address, elsewhere);
  }

  /** Returns the hooks of a resource. Those of services delegate, because they are created after the registries. */
  #hooksOf(groupResource: GroupResource): ResourceHooks | undefined {
    const { group, resource } = groupResource;
    if (group !== '' || resource !== 'services')
      return this.#definitionRules.hooksOf(groupResource) ?? expressionHooks(groupResource, this.config.eventLoop);
    const hooks = (): ResourceHooks => this.allocation.hooks as ResourceHooks;
    return {
      beginCreate: (object, context) => hooks().beginCreate!(object, context),
      beginUpdate: (object, old, context) => hooks().beginUpdate!(object, old, context),
      afterDelete: (object) => hooks().afterDelete!(object),
    };
  }
}
