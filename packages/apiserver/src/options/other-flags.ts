import {
  boolean,
  duration,
  float,
  type IgnoredFlag,
  ignored,
  integer,
  type RefusedFlag,
  refused,
  refusedUnless,
  string,
  stringArray,
  strings,
  told,
  unsigned,
} from '@coxswain/component-base';

const batchesOneByOne = 'batches are sent one after the other';
const logs = 'it tunes a logging library that is not used here';
const noPeers = 'requests are never forwarded to other API servers';
const etcdMetrics = 'these metrics are not collected';
const coordinated = 'coordinated leader election is not implemented';

/** Flags without effect, by name, with the reason. */
export const ignoredFlags: Readonly<Record<string, IgnoredFlag>> = {
  'allow-metric-labels': told(stringArray, 'labels of metrics are not restricted'),
  'allow-metric-labels-manifest': told(string, 'labels of metrics are not restricted'),
  'apiserver-count': ignored(integer, 'servers are counted by their leases'),
  'audit-log-batch-throttle-burst': ignored(integer, 'a file needs no throttling'),
  'audit-log-batch-throttle-enable': ignored(boolean, 'a file needs no throttling'),
  'audit-log-batch-throttle-qps': ignored(float, 'a file needs no throttling'),
  'audit-webhook-batch-initial-backoff': ignored(duration, batchesOneByOne),
  'audit-webhook-batch-throttle-burst': ignored(integer, batchesOneByOne),
  'audit-webhook-batch-throttle-enable': ignored(boolean, batchesOneByOne),
  'audit-webhook-batch-throttle-qps': ignored(float, batchesOneByOne),
  'contention-profiling': ignored(boolean, 'it profiles locks of Go, which are not used here'),
  'coordinated-leadership-lease-duration': ignored(duration, coordinated),
  'coordinated-leadership-renew-deadline': ignored(duration, coordinated),
  'coordinated-leadership-retry-period': ignored(duration, coordinated),
  'default-watch-cache-size': ignored(integer, 'caches are sized by their content'),
  'delete-collection-workers': ignored(integer, 'the number of concurrent deletions is fixed'),
  'disabled-metrics': told(strings, 'all metrics are enabled'),
  'encryption-provider-config-automatic-reload': told(boolean, 'the file is read once, at the start'),
  'etcd-count-metric-poll-period': ignored(duration, etcdMetrics),
  'etcd-db-metric-poll-interval': ignored(duration, etcdMetrics),
  'etcd-healthcheck-timeout': ignored(duration, 'health checks wait as long as any request to etcd'),
  'etcd-readycheck-timeout': ignored(duration, 'health checks wait as long as any request to etcd'),
  'goaway-chance': ignored(float, 'connections are kept until they are closed'),
  'kubelet-read-only-port': ignored(unsigned, 'it is for kubelets that no longer exist'),
  'kubelet-timeout': ignored(duration, 'requests to kubelets have the timeouts of client requests'),
  'lease-reuse-duration-seconds': ignored(integer, 'each driver of the store expires keys in its own way'),
  'livez-grace-period': told(duration, '/livez waits for all post-start hooks'),
  'log-flush-frequency': ignored(duration, logs),
  'log-json-info-buffer-size': ignored(string, logs),
  'log-json-split-stream': ignored(boolean, logs),
  'log-text-info-buffer-size': ignored(string, logs),
  'log-text-split-stream': ignored(boolean, logs),
  'max-connection-bytes-per-sec': told(integer, 'connections are not throttled'),
  'peer-advertise-ip': ignored(string, noPeers),
  'peer-advertise-port': ignored(string, noPeers),
  'peer-ca-file': ignored(string, noPeers),
  'permit-address-sharing': ignored(boolean, 'sockets are always opened with SO_REUSEADDR'),
  'show-hidden-metrics-for-version': ignored(string, 'no metrics are hidden'),
  'shutdown-watch-termination-grace-period': told(duration, 'watches end at once, and their clients start new ones'),
  'storage-initialization-timeout': ignored(duration, 'the server waits for its caches without a limit'),
  'storage-media-type': told(string, 'objects are stored as JSON, which kube-apiserver reads as well'),
  'tracing-config-file': told(string, 'no traces are recorded'),
  'watch-cache': told(boolean, 'reads are always served from the watch cache'),
  'watch-cache-sizes': ignored(strings, 'caches are sized by their content'),
};

const thisVersion = ['', '1.36', 'kube=1.36'];

/** Flags that are refused, by name, with the missing feature. Some have a value that is accepted. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'admission-control': refused(
    strings,
    'the former flag for admission plug-ins',
    'use --enable-admission-plugins and --disable-admission-plugins',
  ),
  'authorization-policy-file': refused(string, 'ABAC', 'use --authorization-mode=RBAC'),
  'debug-socket-path': refused(string, 'a socket for profiles'),
  'egress-selector-config-file': refused(string, 'an egress selector'),
  'aggregator-reject-forwarding-redirect': refusedUnless(
    boolean,
    ['true'],
    'an option to follow redirects of aggregated API servers',
  ),
  'emulated-version': refusedUnless(strings, thisVersion, 'emulation of older versions'),
  'emulation-forward-compatible': refused(boolean, 'emulation of older versions'),
  'enable-garbage-collector': refusedUnless(boolean, ['true'], 'a way to run without garbage collection'),
  'enable-logs-handler': refused(boolean, 'the path /logs'),
  'etcd-servers-overrides': refused(strings, 'separate stores for some resources', 'use --etcd-servers for all'),
  'kubelet-port': refusedUnless(unsigned, ['10250'], 'another default port of kubelets'),
  'min-compatibility-version': refusedUnless(
    strings,
    ['', '1.35', '1.36', 'kube=1.35', 'kube=1.36'],
    'compatibility with versions before 1.35',
  ),
  'permit-port-sharing': refused(boolean, 'a port shared by several servers'),
  'runtime-config-emulation-forward-compatible': refused(boolean, 'emulation of older versions'),
  'service-account-signing-endpoint': refused(
    string,
    'an external signer of tokens',
    'use --service-account-signing-key-file',
  ),
  'shutdown-send-retry-after': refused(boolean, 'responses with Retry-After during the shutdown delay'),
  'storage-backend': refusedUnless(string, ['', 'etcd3'], 'other stores than etcd3 by that flag', 'use --data-dir'),
  'strict-transport-security-directives': refused(strings, 'HSTS'),
  'tls-curve-preferences': refused(strings, 'a choice of curves for TLS'),
};
