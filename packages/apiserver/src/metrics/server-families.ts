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

/** What `/metrics` has of one server. Names, labels and buckets are upstream's. */
export const newServerFamilies = () => ({
  requests: counter(
    'apiserver_request_total',
    [...ofRequest, 'dry_run', 'code'],
    'Requests by verb, resource and status code.',
  ),
  durations: histogram(
    'apiserver_request_duration_seconds',
    [...ofRequest, 'dry_run'],
    durationBuckets,
    'Time from request to answer, in seconds.',
  ),
  objectives: histogram(
    'apiserver_request_sli_duration_seconds',
    ofRequest,
    objectiveBuckets,
    'Time from request to answer without what others made it wait, in seconds.',
  ),
  responseSizes: histogram(
    'apiserver_response_sizes',
    ofRequest,
    responseSizeBuckets,
    'Sizes of answers to reads, in bytes.',
  ),
  bodySizes: histogram(
    'apiserver_request_body_size_bytes',
    [...ofResource, 'verb'],
    bodySizeBuckets,
    'Sizes of the bodies of requests, in bytes.',
  ),
  longRunning: gauge('apiserver_longrunning_requests', ofRequest, 'Requests that last, and are going on now.'),
  terminations: counter(
    'apiserver_request_terminations_total',
    [...ofRequest, 'code'],
    'Requests that the server cut short to protect itself.',
  ),
  aborts: counter(
    'apiserver_request_aborts_total',
    ofRequest.slice(0, -1),
    'Requests that the server gave up, for example at their deadline.',
  ),
  // Differs from upstream: what is going on now, rather than the most of the last second.
  inflight: gauge('apiserver_current_inflight_requests', ['request_kind'], 'Requests that are being answered now.'),
  watchEvents: counter('apiserver_watch_events_total', ofWatch, 'Events that watchers got.'),
  watchEventSizes: histogram(
    'apiserver_watch_events_sizes',
    ofWatch,
    eventSizeBuckets,
    'Sizes of events that watchers got, in bytes.',
  ),
  objects: gauge('apiserver_resource_objects', ofResource, 'Stored objects.'),
  objectsByOldName: gauge('apiserver_storage_objects', ['resource'], 'Stored objects, under the name before v1.34.'),
  objectBytes: gauge(
    'apiserver_resource_size_estimate_bytes',
    ofResource,
    'Sum of the sizes of stored objects, in bytes.',
  ),
  cacheLists: counter('apiserver_cache_list_total', [...ofResource, 'index'], 'Lists answered from the watch cache.'),
  cacheListFetched: counter(
    'apiserver_cache_list_fetched_objects_total',
    [...ofResource, 'index'],
    'Objects looked at for lists answered from the watch cache.',
  ),
  cacheListReturned: counter(
    'apiserver_cache_list_returned_objects_total',
    ofResource,
    'Objects in lists answered from the watch cache.',
  ),
  cacheWaits: histogram(
    'apiserver_watch_cache_read_wait_seconds',
    ofResource,
    waitBuckets,
    'Time that reads waited for the watch cache to be current, in seconds.',
  ),
  storeRequests: counter('etcd_requests_total', ['operation', ...ofResource], 'Calls to the store.'),
  storeErrors: counter('etcd_request_errors_total', ['operation', ...ofResource], 'Calls to the store that failed.'),
  storeDurations: histogram(
    'etcd_request_duration_seconds',
    ['operation', ...ofResource],
    durationBuckets,
    'Time that calls to the store took, in seconds.',
  ),
  storeBytes: gauge('apiserver_storage_size_bytes', ['storage_cluster_id'], 'Size of the store on disk, in bytes.'),
  tlsErrors: counter('apiserver_tls_handshake_errors_total', [], 'Connections that failed before a request.'),
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
    'Which Kubernetes this is; always 1.',
  ),
});
