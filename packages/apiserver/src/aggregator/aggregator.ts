import type { APIService } from '@coxswain/api/apiregistration/v1';
import { jsonEquals } from '@coxswain/apimachinery';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { DiscoveryRegistry } from '../discovery/index.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { OpenApiService } from '../openapi/index.ts';
import type { InternalClient, Lister } from '../registry/lister.ts';
import { type AvailabilityListers, checkAvailability } from './availability.ts';
import { availableCondition, withAvailability, writeStatus } from './available-condition.ts';
import { RemoteApi, type RemoteApiOptions, unavailable } from './remote-api.ts';
import { fetchResources } from './remote-discovery.ts';
import { RemoteOpenApi } from './remote-openapi.ts';

export interface AggregatorOptions extends RemoteApiOptions, AvailabilityListers {
  readonly apiServices: Lister<APIService>;
  readonly client: InternalClient;
  readonly discovery: DiscoveryRegistry;
  readonly openApi: OpenApiService;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval between checks of an available server. */
const wellIntervalMs = 30_000;
const firstRetryMs = 500;

/** An aggregated API server, for one group version. */
interface Behind {
  service: APIService;
  readonly remote: RemoteApi;
  readonly documents: RemoteOpenApi;
  /** Number of consecutive failed checks. */
  failures: number;
  timer: Timer | undefined;
  checking: boolean;
  /** Set when something changed during a check: the next check then follows without delay. */
  again: boolean;
}

/**
 * Proxies requests to aggregated API servers, for the group versions of APIServices that name a Service. Writes the
 * availability of those servers to the status of their APIServices, and adds their resources to discovery and OpenAPI.
 */
export class Aggregator {
  readonly #options: AggregatorOptions;
  /** By `GROUP/VERSION`. */
  readonly #behind = new Map<string, Behind>();
  readonly #unsubscribe: (() => void)[] = [];
  #stopped = false;

  constructor(options: AggregatorOptions) {
    this.#options = options;
  }

  /** Resolves when the APIServices have synced. Their servers are checked from then on, in the background. */
  async start(): Promise<void> {
    const { apiServices, services, endpointSlices } = this.#options;
    await apiServices.synced;
    if (this.#stopped) return;
    for (const service of apiServices.list()) this.#set(service);
    const recheck = (namespace: string | undefined, name: string | undefined): void => {
      for (const behind of this.#behind.values()) {
        const reference = behind.service.spec?.service;
        if (reference?.namespace === namespace && reference?.name === name) void this.#check(behind);
      }
    };
    this.#unsubscribe.push(
      apiServices.onChange((service, old) => (service ? this.#set(service) : old && this.#remove(old))),
      services.onChange((service, old) => {
        const { namespace, name } = (service ?? old)?.metadata ?? {};
        recheck(namespace, name);
      }),
      endpointSlices.onChange((slice, old) => {
        const { namespace, labels } = (slice ?? old)?.metadata ?? {};
        recheck(namespace, labels?.['kubernetes.io/service-name']);
      }),
    );
  }

  stop(): void {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const { timer } of this.#behind.values()) timer?.cancel();
    this.#behind.clear();
  }

  /** Returns the response of the aggregated server for the path; undefined when this server itself serves the path. */
  serve(context: RequestContext): Promise<ApiResponse> | undefined {
    if (this.#behind.size === 0) return undefined;
    const [, prefix, group, version] = context.info.path.split('/', 4);
    if (prefix !== 'apis') return undefined;
    const behind = this.#behind.get(`${group}/${version}`);
    if (!behind) return undefined;
    if (availableCondition(behind.service)?.status !== 'True') return Promise.resolve(unavailable());
    return behind.remote.serve(context);
  }

  #set(service: APIService): void {
    const { spec } = service;
    const known = this.#behind.get(keyOf(service));
    if (known && spec?.service && jsonEquals(known.service.spec, spec)) {
      known.service = service;
      return;
    }
    if (known) this.#remove(known.service);
    if (!spec?.service || !spec.group || !spec.version) return;
    const remote = new RemoteApi(service, this.#options);
    const onError = (error: unknown): void =>
      this.#options.logger.error('Failed to load OpenAPI documents of APIService', error, { apiService: service });
    const documents = new RemoteOpenApi(remote, spec.group, spec.version, onError);
    const behind: Behind = {
      service,
      remote,
      documents,
      failures: 0,
      timer: undefined,
      checking: false,
      again: false,
    };
    this.#behind.set(keyOf(service), behind);
    this.#discover(behind, [], true);
    void this.#check(behind);
  }

  #remove(service: APIService): void {
    const key = keyOf(service);
    const behind = this.#behind.get(key);
    if (behind?.service.metadata.name !== service.metadata.name) return;
    behind!.timer?.cancel();
    this.#behind.delete(key);
    const { discovery, openApi } = this.#options;
    openApi.remove(behind!.documents);
    discovery.removeRemote(service.spec?.group ?? '', service.spec?.version ?? '');
  }

  #isKnown(behind: Behind): boolean {
    return !this.#stopped && this.#behind.get(keyOf(behind.service)) === behind;
  }

  async #check(behind: Behind): Promise<void> {
    if (behind.checking) {
      behind.again = true;
      return;
    }
    behind.checking = true;
    behind.timer?.cancel();
    let isWell = false;
    try {
      isWell = await this.#judge(behind);
    } catch (error) {
      this.#options.logger.error('Failed to update availability of APIService', error, { apiService: behind.service });
    }
    behind.checking = false;
    behind.failures = isWell ? 0 : behind.failures + 1;
    if (!this.#isKnown(behind)) return;
    const pause = isWell ? wellIntervalMs : Math.min(wellIntervalMs, firstRetryMs * 2 ** (behind.failures - 1));
    const delayMs = behind.again ? 0 : pause;
    behind.timer = this.#options.clock.setTimeout(() => void this.#check(behind), delayMs, { background: true });
    behind.again = false;
  }

  async #judge(behind: Behind): Promise<boolean> {
    const { client, now } = this.#options;
    const { service, remote } = behind;
    const availability = await checkAvailability(service, remote, this.#options);
    if (!this.#isKnown(behind)) return false;
    const judged = withAvailability(behind.service, availability, now());
    if (judged) await writeStatus(client, judged);
    if (availability.status !== 'True') {
      this.#discover(behind, undefined, true);
      return false;
    }
    const { group = '', version = '' } = service.spec ?? {};
    const { resources } = await fetchResources(remote, group, version);
    if (!this.#isKnown(behind)) return false;
    this.#discover(behind, resources, false);
    void this.#document(behind);
    return true;
  }

  /** Refreshes the OpenAPI documents. The availability check does not wait for it, as it may take long. */
  async #document(behind: Behind): Promise<void> {
    const isNew = await behind.documents.refresh();
    if (isNew && this.#isKnown(behind)) this.#options.openApi.add(behind.documents);
  }

  /** Updates discovery. Without `resources`, the ones already in discovery stay. */
  #discover(behind: Behind, resources: Resources | undefined, stale: boolean): void {
    const { discovery } = this.#options;
    const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = behind.service.spec ?? {};
    const known = resources ?? discovery.remote(group, version)?.resources ?? [];
    const priority = { group: groupPriorityMinimum, version: versionPriority };
    discovery.setRemote({ group, version, resources: known }, priority, stale);
  }
}

type Resources = Awaited<ReturnType<typeof fetchResources>>['resources'];

const keyOf = ({ spec }: APIService): string => `${spec?.group ?? ''}/${spec?.version ?? ''}`;
