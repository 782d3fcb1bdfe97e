import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { Collectable, Counter, Gauge } from '@coxswain/component-base/metrics';
import { HealthMetrics, ProcessMetrics, textFormat } from '@coxswain/component-base/metrics';
import type { RequestContext } from '../http/request-context.ts';
import { versionInfo } from '../version/index.ts';
import { LabelTree } from './label-tree.ts';
import type { RequestLabels } from './request-labels.ts';
import { newServerFamilies } from './server-families.ts';

/** Records what happens to requests with the same labels. */
export interface RequestRecorder {
  /** A request has been answered. Sizes count for reads only. */
  record(code: number, seconds: number, responseBytes: number): void;
  /** Goes up when one that lasts, such as a watch, begins, and down when it ends. */
  readonly longRunning: Pick<Gauge, 'inc' | 'dec'>;
  /** The server cut a request short to protect itself. */
  terminated(code: number): void;
  /** The server had no room for a request, which got a 429. */
  dropped(): void;
  /** The server gave a request up, as a rule because of its deadline. */
  aborted(): void;
}

export interface ServerMetricsOptions {
  readonly now: () => Date;
  /** DELETE sets metrics back to zero: upstream has that together with its profiles. */
  readonly canReset: boolean;
}

/** How many recorders are kept; labels are of what the server has, so there are never that many. */
const maxRecorders = 10_000;

/**
 * The metrics of one server, under upstream's names. Recorders are kept by their labels: whoever has one records in well
 * under a microsecond, and asking for one again is a look into a map.
 */
export class ServerMetrics {
  readonly #families = newServerFamilies();
  readonly #health = new HealthMetrics();
  readonly #process: ProcessMetrics;
  /** When the process began. */
  readonly startTimeSeconds: number;
  readonly #recorders = new LabelTree<RequestRecorder>(maxRecorders);
  readonly #collectors = new Set<() => void>();
  readonly #registered: Collectable[] = [];
  readonly #canReset: boolean;

  constructor({ now, canReset }: ServerMetricsOptions) {
    this.#canReset = canReset;
    this.startTimeSeconds = now().getTime() / 1000 - process.uptime();
    this.#process = new ProcessMetrics(this.startTimeSeconds);
    const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = versionInfo;
    this.#families.buildInfo
      .with(major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform)
      .set(1);
  }

  /** The recorder of requests with these labels: the same one each time. */
  request(labels: RequestLabels): RequestRecorder {
    const { verb, dryRun, group, version, resource, subresource, scope } = labels;
    // What tells most apart comes first.
    const keys = [resource, verb, scope, subresource, version, group, dryRun];
    return this.#recorders.getOrCreate(keys, () => this.#newRecorder(labels));
  }

  /** How many requests are being answered that are not long-running. */
  inflight(kind: 'mutating' | 'readOnly'): Pick<Gauge, 'inc' | 'dec' | 'set'> {
    return this.#families.inflight.with(kind);
  }

  /** Takes the size of a body: to be kept by whoever records often, as all that follow. */
  bodySizes(group: string, resource: string, verb: string): (bytes: number) => void {
    const sizes = this.#families.bodySizes.with(group, resource, verb);
    return (bytes) => sizes.observe(bytes);
  }

  /** Takes the size of an event that went to a watcher. */
  watchEvents(group: string, version: string, resource: string): (bytes: number) => void {
    const count = this.#families.watchEvents.with(group, version, resource);
    const sizes = this.#families.watchEventSizes.with(group, version, resource);
    return (bytes) => {
      count.inc();
      sizes.observe(bytes);
    };
  }

  /** Takes how many objects a list from the watch cache looked at, and how many it has. */
  cacheLists(group: string, resource: string, index = ''): (fetched: number, returned: number) => void {
    const count = this.#families.cacheLists.with(group, resource, index);
    const fetchedCount = this.#families.cacheListFetched.with(group, resource, index);
    const returnedCount = this.#families.cacheListReturned.with(group, resource);
    return (fetched, returned) => {
      count.inc();
      fetchedCount.inc(fetched);
      returnedCount.inc(returned);
    };
  }

  /** Takes how long a read waited for the watch cache to be current. */
  cacheWaits(group: string, resource: string): (seconds: number) => void {
    const waits = this.#families.cacheWaits.with(group, resource);
    return (seconds) => waits.observe(seconds);
  }

  /** Takes how long a call to the store took, and whether it went well. */
  storeRequests(operation: string, group: string, resource: string): (seconds: number, ok: boolean) => void {
    const count = this.#families.storeRequests.with(operation, group, resource);
    const durations = this.#families.storeDurations.with(operation, group, resource);
    return (seconds, ok) => {
      count.inc();
      durations.observe(seconds);
      if (!ok) this.#families.storeErrors.with(operation, group, resource).inc();
    };
  }

  /** How many objects of a resource there are, and how large they are together. */
  setObjects(group: string, resource: string, count: number, bytes?: number): void {
    this.#families.objects.with(group, resource).set(count);
    this.#families.objectsByOldName.with(oldName(group, resource)).set(count);
    if (bytes !== undefined) this.#families.objectBytes.with(group, resource).set(bytes);
  }

  /**
   * The resource is not served any more: whatever was recorded of it goes. What is recorded by those who were at it then is
   * counted nowhere.
   */
  forgetResource(group: string, resource: string): void {
    // Recorders of resources of that name in other groups are made anew, for the same metrics.
    this.#recorders.delete(resource);
    const isGone = (ofGroup: string, name: string): boolean => ofGroup === group && name === resource;
    for (const family of Object.values(this.#families)) family.forget(['group', 'resource'], isGone);
    this.#families.objectsByOldName.delete(oldName(group, resource));
  }

  /** How large the store is on disk. */
  setStoreBytes(bytes: number): void {
    this.#families.storeBytes.with('').set(bytes);
  }

  /** Connections that failed before a request. */
  get tlsErrors(): Counter {
    return this.#families.tlsErrors.with();
  }

  /** For `HealthChecks`. */
  readonly healthResult = this.#health.record;

  /** Calls back before each scrape: for what is looked up rather than recorded. Gives the way to stop. */
  onCollect(callback: () => void): () => void {
    this.#collectors.add(callback);
    return () => void this.#collectors.delete(callback);
  }

  /** From now on `/metrics` has these too: the families of a part of the server that knows its own. */
  register(families: Iterable<Collectable>): void {
    this.#registered.push(...families);
  }

  /** For the index of paths. */
  paths(): string[] {
    return ['/metrics', '/metrics/slis'];
  }

  /** Serves `/metrics` and `/metrics/slis`. */
  readonly handler = async ({ info, request }: RequestContext): Promise<ApiResponse> => {
    const collected: Collectable[] = info.path === '/metrics' ? Object.values(this.#families) : [];
    if (info.path === '/metrics') collected.push(...this.#registered);
    else if (info.path === '/metrics/slis') collected.push(...this.#health.families);
    else return notFoundResponse();
    if (this.#canReset && request.method === 'DELETE') {
      for (const family of collected) family.reset();
      return plainText('metrics reset\n', 'text/plain; charset=utf-8');
    }
    for (const collect of this.#collectors) collect();
    const own = info.path === '/metrics' ? this.#process.collect() : [];
    const response = plainText(
      textFormat([...collected, ...own]),
      'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    );
    response.headers['process-start-time-unix'] = String(Math.floor(this.startTimeSeconds));
    return response;
  };

  #newRecorder({ verb, dryRun, group, version, resource, subresource, scope }: RequestLabels): RequestRecorder {
    const families = this.#families;
    const target = [group, version, resource, subresource, scope];
    // Upstream's own endpoints outside of the API say nothing here.
    const common = [verb, ...target, resource === '' ? '' : 'apiserver'];
    const byCode = new Map<number, Counter>();
    const durations = families.durations.with(...common, dryRun);
    const objectives = dryRun === '' ? families.objectives.with(...common) : undefined;
    const sizes = verb === 'GET' || verb === 'LIST' ? families.responseSizes.with(...common) : undefined;
    const countOf = (code: number): Counter => {
      let count = byCode.get(code);
      if (!count) {
        count = families.requests.with(...common, dryRun, String(code));
        byCode.set(code, count);
      }
      return count;
    };
    const terminated = (code: number): void => families.terminations.with(...common, String(code)).inc();
    return {
      record: (code, seconds, responseBytes) => {
        countOf(code).inc();
        durations.observe(seconds);
        objectives?.observe(seconds);
        sizes?.observe(responseBytes);
      },
      // Not before it is needed: most requests do not last.
      get longRunning() {
        return families.longRunning.with(...common);
      },
      terminated,
      dropped: () => {
        countOf(429).inc();
        terminated(429);
      },
      aborted: () => families.aborts.with(verb, ...target).inc(),
    };
  }
}

const oldName = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`);

const plainText = (text: string, contentType: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': contentType },
  body: Buffer.from(text),
});
