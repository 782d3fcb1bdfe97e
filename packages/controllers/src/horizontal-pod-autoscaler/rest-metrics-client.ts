import type { CrossVersionObjectReference } from '@coxswain/api/autoscaling/v2';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Selector } from '@coxswain/apimachinery/labels';
import { GroupKind, GroupResource, GroupVersion } from '@coxswain/apimachinery/meta';
import { Quantity, Scale } from '@coxswain/apimachinery/quantity';
import { durationToMs } from '@coxswain/apimachinery/time';
import type { Clock, DeferredRESTMapper, DiscoveryInterface, RESTClient } from '@coxswain/client';
import type { MetricSamples, MetricsClient, PodMetric, PodMetrics } from './metrics-client.ts';

const customGroup = 'custom.metrics.k8s.io';
/** Supported versions. */
const customVersions = ['v1beta2', 'v1beta1'];
const defaultWindowMs = 60_000;

interface PodMetricsItem {
  readonly metadata: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

interface CustomMetricItem {
  readonly describedObject: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  /** The v1beta1 name of `windowSeconds`. */
  readonly window?: number;
  readonly value: string;
}

interface ExternalMetricItem {
  readonly value: string;
}

export interface RestMetricsClientOptions {
  readonly rest: Pick<RESTClient, 'request'>;
  readonly discovery: Pick<DiscoveryInterface, 'groups'>;
  readonly mapper: Pick<DeferredRESTMapper, 'restMapping'>;
  readonly clock: Clock;
  /** How long the discovered version of the custom metrics API is cached. */
  readonly versionTtlMs: number;
}

/** Metrics from the aggregated APIs: metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io. */
export class RestMetricsClient implements MetricsClient {
  readonly #options: RestMetricsClientOptions;
  #customVersion: { readonly version: string; readonly until: number } | undefined;

  constructor(options: RestMetricsClientOptions) {
    this.#options = options;
  }

  async resourceMetric(resource: string, namespace: string, pods: Selector, container = ''): Promise<PodMetrics> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${segment(namespace)}/pods`;
    const items = await this.#list<PodMetricsItem>('resource', {
      path,
      query: selectors({ labelSelector: pods }),
      resource: GroupResource.of('metrics.k8s.io', 'pods'),
    });
    const metrics = new Map<string, PodMetric>();
    for (const item of items) {
      const value = usageOf(item, resource, container);
      if (value === undefined) continue;
      const windowMs = item.window === undefined ? 0 : durationToMs(item.window);
      metrics.set(item.metadata.name ?? '', { value, timestamp: timeOf(item.timestamp), windowMs });
    }
    return metrics;
  }

  async podsMetric(metric: string, namespace: string, pods: Selector, series: Selector): Promise<PodMetrics> {
    const items = await this.#customMetric(
      async () => `namespaces/${segment(namespace)}/pods/*/${segment(metric)}`,
      selectors({ labelSelector: pods, metricLabelSelector: series }),
      GroupResource.of(customGroup, 'pods'),
    );
    return new Map(
      items.map((item) => {
        const windowSeconds = item.windowSeconds ?? item.window;
        const windowMs = windowSeconds === undefined ? defaultWindowMs : windowSeconds * 1000;
        const measured = { value: milli(item.value), timestamp: timeOf(item.timestamp), windowMs };
        return [item.describedObject.name ?? '', measured];
      }),
    );
  }

  async objectMetric(
    metric: string,
    namespace: string,
    { kind, name, apiVersion = '' }: CrossVersionObjectReference,
    series: Selector,
  ): Promise<bigint> {
    const { group } = GroupVersion.parse(apiVersion);
    const isNamespace = kind === 'Namespace' && group === '';
    const pathOf = async (): Promise<string> => {
      if (isNamespace) return `namespaces/${segment(namespace)}/metrics/${segment(metric)}`;
      const resource = await this.#resourceOf(group, kind);
      return `namespaces/${segment(namespace)}/${segment(resource)}/${segment(name)}/${segment(metric)}`;
    };
    const resource = GroupResource.of(customGroup, isNamespace ? 'metrics' : kind.toLowerCase());
    const items = await this.#customMetric(pathOf, selectors({ metricLabelSelector: series }), resource, 1);
    const [item] = items;
    if (!item) throw new Error('bug: one item was asked for');
    return milli(item.value);
  }

  async externalMetric(metric: string, namespace: string, series: Selector): Promise<MetricSamples> {
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${segment(namespace)}/${segment(metric)}`;
    const items = await this.#list<ExternalMetricItem>('external', {
      path,
      query: selectors({ labelSelector: series }),
      resource: GroupResource.of('external.metrics.k8s.io', metric),
    });
    return items.map(({ value }) => milli(value));
  }

  async #customMetric(
    pathOf: () => Promise<string>,
    query: object,
    resource: GroupResource,
    exactly?: number,
  ): Promise<readonly CustomMetricItem[]> {
    return await explained('custom', async () => {
      const version = await this.#findCustomVersion();
      const path = `/apis/${customGroup}/${version}/${await pathOf()}`;
      const items = await this.#get<CustomMetricItem>({ path, query, resource });
      if (exactly === undefined) return atLeastOne(items, 'custom');
      if (items.length === exactly) return items;
      throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
    });
  }

  async #resourceOf(group: string, kind: string): Promise<string> {
    const wanted = GroupKind.of(group, kind);
    try {
      const { resource } = await this.#options.mapper.restMapping(wanted);
      return resource.groupResource.toString();
    } catch (error) {
      throw new Error(`unable to map kind ${wanted} to resource: ${messageOf(error)}`, { cause: error });
    }
  }

  async #findCustomVersion(): Promise<string> {
    const { discovery, clock, versionTtlMs } = this.#options;
    const now = clock.monotonic();
    if (this.#customVersion && now < this.#customVersion.until) return this.#customVersion.version;
    const group = (await discovery.groups()).find(({ name }) => name === customGroup);
    if (!group) throw new Error(`no custom metrics API (${customGroup}) registered`);
    const served = [group.preferredVersion, ...group.versions].flatMap((one) => (one ? [one.version] : []));
    const version = served.find((one) => customVersions.includes(one));
    if (version === undefined) throw new Error('no known available metric versions found');
    this.#customVersion = { version, until: now + versionTtlMs };
    return version;
  }

  #list<T>(api: string, request: MetricsRequest): Promise<readonly T[]> {
    return explained(api, async () => atLeastOne(await this.#get<T>(request), api));
  }

  async #get<T>(request: MetricsRequest): Promise<readonly T[]> {
    const list = await this.#options.rest.request<{ readonly items?: readonly T[] }>({ method: 'GET', ...request });
    return list.items ?? [];
  }
}

interface MetricsRequest {
  readonly path: string;
  readonly query: object;
  readonly resource: GroupResource;
}

/** The API responded successfully but with an empty list. */
class NoMetricsError extends Error {}

function atLeastOne<T>(items: readonly T[], api: string): readonly T[] {
  if (items.length === 0) throw new NoMetricsError(`no metrics returned from ${api} metrics API`);
  return items;
}

async function explained<T>(api: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NoMetricsError) throw error;
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns undefined when the resource was not measured for all containers. */
function usageOf({ containers }: PodMetricsItem, resource: string, container: string): bigint | undefined {
  const counted =
    container === '' ? (containers ?? []) : (containers ?? []).filter(({ name }) => name === container).slice(0, 1);
  let sum = 0n;
  for (const { usage } of counted) {
    const used = usage?.[resource];
    if (used === undefined) return undefined;
    sum += milli(used);
  }
  return counted.length === 0 ? undefined : sum;
}

const milli = (quantity: string): bigint => Quantity.parse(quantity).scaledValue(Scale.Milli);
const timeOf = (time: string | undefined): number => Date.parse(time ?? '') || 0;
const segment = encodeURIComponent;

/** Returns the non-empty selectors as query parameters. */
const selectors = (by: Readonly<Record<string, Selector>>): object =>
  Object.fromEntries(Object.entries(by).flatMap(([name, selector]) => (`${selector}` ? [[name, `${selector}`]] : [])));
