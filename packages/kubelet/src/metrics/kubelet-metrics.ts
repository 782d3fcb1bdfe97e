import { type Counter, type Gauge, type Histogram, type Metrics, noMetrics } from '@coxswain/client/observe';
import {
  defaultBuckets,
  imagePullBuckets,
  imageSizeLabel,
  podStartBuckets,
  runtimeOperationBuckets,
  statusSyncBuckets,
} from './buckets.ts';

/** What a container is among those of its pod. */
export type ContainerType = 'container' | 'init_container' | 'ephemeral_container';

/** How a pod's worker was called. */
export type PodOperation = 'create' | 'update' | 'sync' | 'kill' | 'terminated';

/** A request to the kubelet's server. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly serverType: 'readonly' | 'readwrite';
  readonly isLongRunning: boolean;
}

/** Volumes of one plug-in, as the volume manager wants them or has them. */
export interface VolumeCount {
  readonly plugin: string;
  readonly state: 'desired_state_of_world' | 'actual_state_of_world';
  readonly count: number;
}

const requestLabels = ['method', 'path', 'server_type', 'long_running'];

/** The kubelet's own metrics, with upstream's names. Times are in seconds. */
export class KubeletMetrics {
  readonly #metrics: Metrics;
  readonly #operations: Counter;
  readonly #operationErrors: Counter;
  readonly #operationDurations: Histogram;
  readonly #sandboxDurations: Histogram;
  readonly #sandboxErrors: Counter;
  readonly #podWorkers: Histogram;
  readonly #workerStarts: Histogram;
  readonly #podStarts: Histogram;
  readonly #podTotals: Histogram;
  readonly #statusSyncs: Histogram;
  readonly #relists: Histogram;
  readonly #relistIntervals: Histogram;
  readonly #lastSeen: Gauge;
  readonly #runningPods: Gauge;
  readonly #runningContainers: Gauge;
  readonly #desiredPods: Gauge;
  readonly #mirrorPods: Gauge;
  readonly #volumes: Gauge;
  readonly #startedPods: Counter;
  readonly #failedPods: Counter;
  readonly #startedContainers: Counter;
  readonly #failedContainers: Counter;
  readonly #imagePulls: Histogram;
  readonly #rejections: Counter;
  readonly #evictions: Counter;
  readonly #requests: Counter;
  readonly #requestDurations: Histogram;
  readonly #requestsInFlight: Gauge;
  readonly #webSockets: Counter;
  /** By the values of their labels. Bounded by the paths that the server knows. */
  readonly #inFlight = new Map<string, number>();

  /** Without a registry nothing is recorded. */
  constructor(metrics: Metrics = noMetrics) {
    this.#metrics = metrics;
    const operation = ['operation_type'];
    this.#operations = this.#counter('runtime_operations_total', 'Cumulative number of runtime operations.', operation);
    this.#operationErrors = this.#counter(
      'runtime_operations_errors_total',
      'Cumulative number of runtime operation errors.',
      operation,
    );
    this.#operationDurations = this.#histogram(
      'runtime_operations_duration_seconds',
      'Duration in seconds of runtime operations.',
      runtimeOperationBuckets,
      operation,
    );
    const handler = ['runtime_handler'];
    this.#sandboxDurations = this.#histogram(
      'run_podsandbox_duration_seconds',
      'Duration in seconds of the run_podsandbox operations.',
      defaultBuckets,
      handler,
    );
    this.#sandboxErrors = this.#counter(
      'run_podsandbox_errors_total',
      'Cumulative number of the run_podsandbox operation errors.',
      handler,
    );
    this.#podWorkers = this.#histogram(
      'pod_worker_duration_seconds',
      'Duration in seconds to sync a single pod.',
      defaultBuckets,
      operation,
    );
    this.#workerStarts = this.#histogram(
      'pod_worker_start_duration_seconds',
      'Duration in seconds from kubelet seeing a pod to starting a worker.',
      defaultBuckets,
    );
    this.#podStarts = this.#histogram(
      'pod_start_duration_seconds',
      'Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run.',
      podStartBuckets,
    );
    this.#podTotals = this.#histogram(
      'pod_start_total_duration_seconds',
      'Duration in seconds from the creation of a pod to the pod starting to run.',
      podStartBuckets,
    );
    this.#statusSyncs = this.#histogram(
      'pod_status_sync_duration_seconds',
      'Duration in seconds from a change of a pod’s status to its update in the API server.',
      statusSyncBuckets,
    );
    this.#relists = this.#histogram(
      'pleg_relist_duration_seconds',
      'Duration in seconds for relisting pods in PLEG.',
      defaultBuckets,
    );
    this.#relistIntervals = this.#histogram(
      'pleg_relist_interval_seconds',
      'Interval in seconds between relisting in PLEG.',
      defaultBuckets,
    );
    this.#lastSeen = this.#gauge('pleg_last_seen_seconds', 'When PLEG was last active, in seconds since 1970.');
    this.#runningPods = this.#gauge('running_pods', 'Number of pods that have a running pod sandbox.');
    this.#runningContainers = this.#gauge('running_containers', 'Number of containers, by state.', ['container_state']);
    this.#desiredPods = this.#gauge('desired_pods', 'The number of pods that the kubelet is told to run.', ['static']);
    this.#mirrorPods = this.#gauge('mirror_pods', 'The number of mirror pods that the kubelet keeps.');
    this.#volumes = metrics.gauge({
      name: 'volume_manager_total_volumes',
      help: 'Number of volumes in Volume Manager.',
      labels: ['plugin_name', 'state'],
    });
    this.#startedPods = this.#counter('started_pods_total', 'Cumulative number of pods started.');
    this.#failedPods = this.#counter('started_pods_errors_total', 'Cumulative number of errors when starting pods.');
    this.#startedContainers = this.#counter('started_containers_total', 'Cumulative number of containers started.', [
      'container_type',
    ]);
    this.#failedContainers = this.#counter(
      'started_containers_errors_total',
      'Cumulative number of errors when starting containers.',
      ['container_type', 'code'],
    );
    this.#imagePulls = this.#histogram(
      'image_pull_duration_seconds',
      'Duration in seconds to pull an image.',
      imagePullBuckets,
      ['image_size_in_bytes'],
    );
    this.#rejections = this.#counter('admission_rejections_total', 'Cumulative number of pods rejected.', ['reason']);
    this.#evictions = this.#counter('evictions', 'Cumulative number of pod evictions.', ['eviction_signal']);
    this.#requests = this.#counter('http_requests_total', 'Number of the http requests received.', requestLabels);
    this.#requestDurations = this.#histogram(
      'http_requests_duration_seconds',
      'Duration in seconds to serve http requests.',
      defaultBuckets,
      requestLabels,
    );
    this.#requestsInFlight = this.#gauge(
      'http_inflight_requests',
      'Number of the inflight http requests.',
      requestLabels,
    );
    this.#webSockets = this.#counter(
      'websocket_streaming_requests_total',
      'Total number of WebSocket streaming requests received by the kubelet.',
      ['subresource'],
    );
  }

  /** Sets what never changes. */
  node(name: string, cgroupVersion: 1 | 2): void {
    this.#gauge('node_name', "The node's name. The count is always 1.", ['node']).set(1, name);
    this.#gauge('cgroup_version', 'cgroup version on the hosts.').set(cgroupVersion);
  }

  /** `operation` as in `create_container`. */
  runtimeOperation(operation: string, seconds: number, failed: boolean): void {
    this.#operations.add(1, operation);
    this.#operationDurations.observe(seconds, operation);
    if (failed) this.#operationErrors.add(1, operation);
  }

  sandboxRun(runtimeHandler: string, seconds: number, failed: boolean): void {
    this.#sandboxDurations.observe(seconds, runtimeHandler);
    if (failed) this.#sandboxErrors.add(1, runtimeHandler);
  }

  podWorker(operation: PodOperation, seconds: number): void {
    this.#podWorkers.observe(seconds, operation);
  }

  /** The time since the kubelet saw the pod. */
  podWorkerStarted(seconds: number): void {
    this.#workerStarts.observe(seconds);
  }

  /** The times since the kubelet saw the pod, and since it was created. */
  podRuns(seconds: number, sinceCreation: number): void {
    this.#podStarts.observe(seconds);
    this.#podTotals.observe(sinceCreation);
  }

  podStatusSynced(seconds: number): void {
    this.#statusSyncs.observe(seconds);
  }

  /** The times that a relisting took, and since the one before; the latter undefined for the first. */
  relisted(seconds: number, sinceLast: number | undefined, now: Date): void {
    this.#relists.observe(seconds);
    if (sinceLast !== undefined) this.#relistIntervals.observe(sinceLast);
    this.#lastSeen.set(now.getTime() / 1000);
  }

  /** What a relisting has found: sandboxes that are ready, and containers by state (`running`, `exited`, `created`, `unknown`). */
  running(pods: number, containers: Readonly<Record<string, number>>): void {
    this.#runningPods.set(pods);
    for (const [state, count] of Object.entries(containers)) this.#runningContainers.set(count, state);
  }

  desired(pods: { readonly ofApiServer: number; readonly static: number; readonly mirrors: number }): void {
    this.#desiredPods.set(pods.ofApiServer, '');
    this.#desiredPods.set(pods.static, 'true');
    this.#mirrorPods.set(pods.mirrors);
  }

  volumes(counts: Iterable<VolumeCount>): void {
    for (const { plugin, state, count } of counts) this.#volumes.set(count, plugin, state);
  }

  podStarted(): void {
    this.#startedPods.add(1);
  }

  podStartFailed(): void {
    this.#failedPods.add(1);
  }

  containerStarted(type: ContainerType): void {
    this.#startedContainers.add(1, type);
  }

  /** `code` as in `CrashLoopBackOff`, `CreateContainerError`. */
  containerStartFailed(type: ContainerType, code: string): void {
    this.#failedContainers.add(1, type, code);
  }

  /** `bytes` is 0 if the size is not known. */
  imagePulled(seconds: number, bytes: number): void {
    this.#imagePulls.observe(seconds, imageSizeLabel(bytes));
  }

  podRejected(reason: string): void {
    this.#rejections.add(1, reason);
  }

  podEvicted(signal: string): void {
    this.#evictions.add(1, signal);
  }

  /** Returns a function that takes the time when the request has ended. */
  requestBegan({ method, path, serverType, isLongRunning }: ServedRequest): (seconds: number) => void {
    const labels = [method, path, serverType, String(isLongRunning)];
    this.#requests.add(1, ...labels);
    this.#addInFlight(1, labels);
    return (seconds) => {
      this.#addInFlight(-1, labels);
      this.#requestDurations.observe(seconds, ...labels);
    };
  }

  webSocketOpened(subresource: string): void {
    this.#webSockets.add(1, subresource);
  }

  #addInFlight(change: number, labels: readonly string[]): void {
    const key = labels.join(' ');
    const count = (this.#inFlight.get(key) ?? 0) + change;
    this.#inFlight.set(key, count);
    this.#requestsInFlight.set(count, ...labels);
  }

  #counter(name: string, help: string, labels: readonly string[] = []): Counter {
    return this.#metrics.counter({ name: `kubelet_${name}`, help, labels });
  }

  #gauge(name: string, help: string, labels: readonly string[] = []): Gauge {
    return this.#metrics.gauge({ name: `kubelet_${name}`, help, labels });
  }

  #histogram(name: string, help: string, buckets: readonly number[], labels: readonly string[] = []): Histogram {
    return this.#metrics.histogram({ name: `kubelet_${name}`, help, labels, buckets });
  }
}
