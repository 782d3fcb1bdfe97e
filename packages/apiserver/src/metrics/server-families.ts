import { CounterFamily, GaugeFamily, HistogramFamily } from '@coxswain/component-base/metrics';
import {
  bodySizeBuckets,
  durationBuckets,
  eventSizeBuckets,
  objectiveBuckets,
  responseSizeBuckets,
  waitBuckets,
} from './buckets.ts';

const ofRequest = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
const ofWatch = ['group', 'version', 'resource'];
const ofResource = ['group', 'resource'];

const counter = (name: string, labels: readonly string[], help: string): CounterFamily =>
  new CounterFamily({ name, help, labels });
const gauge = (name: string, labels: readonly string[], help: string): GaugeFamily =>
  new GaugeFamily({ name, help, labels });
const histogram = (
  name: string,
  labels: readonly string[],
  buckets: readonly number[],
  help: string,
): HistogramFamily => new HistogramFamily({ name, help, labels, buckets });

/** Returns the metrics of one server. Names, labels and buckets are upstream's. */
export const newServerFamilies = () => ({
  requests: counter(
    'apiserver_request_total',
    [...ofRequest, 'dry_run', 'code'],
    'Number of requests by verb, resource and status code.',
  ),
  durations: histogram(
    'apiserver_request_duration_seconds',
    [...ofRequest, 'dry_run'],
    durationBuckets,
    'Time from request to response, in seconds.',
  ),
  objectives: histogram(
    'apiserver_request_sli_duration_seconds',
    ofRequest,
    objectiveBuckets,
    'Time from request to response without webhooks and queuing, in seconds.',
  ),
  responseSizes: histogram(
    'apiserver_response_sizes',
    ofRequest,
    responseSizeBuckets,
    'Sizes of responses to reads, in bytes.',
  ),
  bodySizes: histogram(
    'apiserver_request_body_size_bytes',
    [...ofResource, 'verb'],
    bodySizeBuckets,
    'Sizes of request bodies, in bytes.',
  ),
  longRunning: gauge('apiserver_longrunning_requests', ofRequest, 'Number of running long-running requests.'),
  terminations: counter(
    'apiserver_request_terminations_total',
    [...ofRequest, 'code'],
    'Number of requests that the server terminated to protect itself.',
  ),
  aborts: counter(
    'apiserver_request_aborts_total',
    ofRequest.slice(0, -1),
    'Number of requests that the server aborted, for example at their deadline.',
  ),
  // Differs from upstream: the current number, not the maximum of the last second.
  inflight: gauge('apiserver_current_inflight_requests', ['request_kind'], 'Number of running requests.'),
  watchEvents: counter('apiserver_watch_events_total', ofWatch, 'Number of events sent to watchers.'),
  watchEventSizes: histogram(
    'apiserver_watch_events_sizes',
    ofWatch,
    eventSizeBuckets,
    'Sizes of events sent to watchers, in bytes.',
  ),
  objects: gauge('apiserver_resource_objects', ofResource, 'Number of stored objects.'),
  objectsByOldName: gauge(
    'apiserver_storage_objects',
    ['resource'],
    'Number of stored objects, under the metric name before v1.34.',
  ),
  objectBytes: gauge('apiserver_resource_size_estimate_bytes', ofResource, 'Total size of stored objects, in bytes.'),
  cacheLists: counter('apiserver_cache_list_total', [...ofResource, 'index'], 'Number of lists from the watch cache.'),
  cacheListFetched: counter(
    'apiserver_cache_list_fetched_objects_total',
    [...ofResource, 'index'],
    'Number of objects examined for lists from the watch cache.',
  ),
  cacheListReturned: counter(
    'apiserver_cache_list_returned_objects_total',
    ofResource,
    'Number of objects in lists from the watch cache.',
  ),
  cacheWaits: histogram(
    'apiserver_watch_cache_read_wait_seconds',
    ofResource,
    waitBuckets,
    'Time that reads waited for the watch cache to become fresh, in seconds.',
  ),
  storeRequests: counter('etcd_requests_total', ['operation', ...ofResource], 'Number of calls to the store.'),
  storeErrors: counter(
    'etcd_request_errors_total',
    ['operation', ...ofResource],
    'Number of failed calls to the store.',
  ),
  storeDurations: histogram(
    'etcd_request_duration_seconds',
    ['operation', ...ofResource],
    durationBuckets,
    'Duration of calls to the store, in seconds.',
  ),
  storeBytes: gauge('apiserver_storage_size_bytes', ['storage_cluster_id'], 'Size of the store on disk, in bytes.'),
  tlsErrors: counter(
    'apiserver_tls_handshake_errors_total',
    [],
    'Number of connections that failed before the first request.',
  ),
  buildInfo: gauge(
    'kubernetes_build_info',
    [
      'major',
      'minor',
      'git_version',
      'git_commit',
      'git_tree_state',
      'build_date',
      'go_version',
      'compiler',
      'platform',
    ],
    'The version of Kubernetes; always 1.',
  ),
});
