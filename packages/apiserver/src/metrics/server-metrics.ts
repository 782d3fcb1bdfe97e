import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { Collectable, Counter, Gauge } from '@coxswain/component-base/metrics';
import { HealthMetrics, ProcessMetrics, textFormat } from '@coxswain/component-base/metrics';
import type { RequestContext } from '../http/request-context.ts';
import { versionInfo } from '../version/index.ts';
import { LabelTree } from './label-tree.ts';
import type { RequestLabels } from './request-labels.ts';
import { newServerFamilies } from './server-families.ts';

/** Records metrics of requests with the same labels. */
export interface RequestRecorder {
  /** Records a response. The size counts for reads only. */
  record(code: number, seconds: number, responseBytes: number): void;
  /** The number of running long-running requests, such as watches. */
  readonly longRunning: Pick<Gauge, 'inc' | 'dec'>;
  /** Records that the server terminated a request to protect itself. */
  terminated(code: number): void;
  /** Records that the server rejected a request with a 429. */
  dropped(): void;
  /** Records that the server aborted a request, usually at its deadline. */
  aborted(): void;
}

export interface ServerMetricsOptions {
  readonly now: () => Date;
  /** Whether DELETE resets metrics. Upstream has that only when profiling is enabled. */
  readonly canReset: boolean;
}

/** The maximum number of recorders. It is not reached, because labels exist only for served resources. */
const maxRecorders = 10_000;

/**
 * The metrics of one server, under upstream's names. Recorders are cached by their labels. Recording takes well under a
 * microsecond, getting a recorder again is a map lookup.
 */
export class ServerMetrics {
  readonly #families = newServerFamilies();
  readonly #health = new HealthMetrics();
  readonly #process: ProcessMetrics;
  /** The start of the process, in Unix time. */
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

  /** Returns the recorder for requests with these labels, always the same one. */
  request(labels: RequestLabels): RequestRecorder {
    const { verb, dryRun, group, version, resource, subresource, scope } = labels;
    // The most selective labels come first.
    const keys = [resource, verb, scope, subresource, version, group, dryRun];
    return this.#recorders.getOrCreate(keys, () => this.#newRecorder(labels));
  }

  /** The number of running requests that are not long-running. */
  inflight(kind: 'mutating' | 'readOnly'): Pick<Gauge, 'inc' | 'dec' | 'set'> {
    return this.#families.inflight.with(kind);
  }

  /** Returns a function that records the size of a request body. Frequent callers should keep this and the following functions. */
  bodySizes(group: string, resource: string, verb: string): (bytes: number) => void {
    const sizes = this.#families.bodySizes.with(group, resource, verb);
    return (bytes) => sizes.observe(bytes);
  }

  /** Returns a function that records an event sent to a watcher, by its size. */
  watchEvents(group: string, version: string, resource: string): (bytes: number) => void {
    const count = this.#families.watchEvents.with(group, version, resource);
    const sizes = this.#families.watchEventSizes.with(group, version, resource);
    return (bytes) => {
      count.inc();
      sizes.observe(bytes);
    };
  }

  /** Returns a function that records a list from the watch cache: the numbers of examined and of returned objects. */
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

  /** Returns a function that records how long a read waited for the watch cache to become fresh. */
  cacheWaits(group: string, resource: string): (seconds: number) => void {
    const waits = this.#families.cacheWaits.with(group, resource);
    return (seconds) => waits.observe(seconds);
  }

  /** Returns a function that records the duration and the success of a call to the store. */
  storeRequests(operation: string, group: string, resource: string): (seconds: number, ok: boolean) => void {
    const count = this.#families.storeRequests.with(operation, group, resource);
    const durations = this.#families.storeDurations.with(operation, group, resource);
    return (seconds, ok) => {
      count.inc();
      durations.observe(seconds);
      if (!ok) this.#families.storeErrors.with(operation, group, resource).inc();
    };
  }

  /** Sets the number of objects of a resource, and their total size. */
  setObjects(group: string, resource: string, count: number, bytes?: number): void {
    this.#families.objects.with(group, resource).set(count);
    this.#families.objectsByOldName.with(oldName(group, resource)).set(count);
    if (bytes !== undefined) this.#families.objectBytes.with(group, resource).set(bytes);
  }

  /**
   * Deletes the metrics of a resource that is no longer served. Recorders that callers still hold then record into series that
   * are not exported.
   */
  forgetResource(group: string, resource: string): void {
    // This also drops recorders of resources with that name in other groups. New ones continue their series.
    this.#recorders.delete(resource);
    const isGone = (ofGroup: string, name: string): boolean => ofGroup === group && name === resource;
    for (const family of Object.values(this.#families)) family.forget(['group', 'resource'], isGone);
    this.#families.objectsByOldName.delete(oldName(group, resource));
  }

  /** Sets the size of the store on disk. */
  setStoreBytes(bytes: number): void {
    this.#families.storeBytes.with('').set(bytes);
  }

  /** Counts connections that failed before the first request. */
  get tlsErrors(): Counter {
    return this.#families.tlsErrors.with();
  }

  /** The `onResult` callback for `HealthChecks`. */
  readonly healthResult = this.#health.record;

  /** Calls `callback` before each scrape, to set values that are not recorded as they change. Returns a function that removes it. */
  onCollect(callback: () => void): () => void {
    this.#collectors.add(callback);
    return () => void this.#collectors.delete(callback);
  }

  /** Adds the families of another part of the server to `/metrics`. */
  register(families: Iterable<Collectable>): void {
    this.#registered.push(...families);
  }

  /** Returns the paths served, for the index at `/`. */
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
    // As upstream, the component is empty for paths outside of the API.
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
      // A getter, because most requests are not long-running and need no series for this.
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
