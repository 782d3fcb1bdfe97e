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

const batchesOneByOne = 'one batch is sent after the other';
const logs = 'it tunes a logging library that is not used here';
const noPeers = 'requests are never passed on to other API servers';
const etcdMetrics = 'these figures are not collected';
const coordinated = 'coordinated leader election is not there yet';

/** By name. */
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
  'contention-profiling': ignored(boolean, 'it profiles locks of Go, of which there are none'),
  'coordinated-leadership-lease-duration': ignored(duration, coordinated),
  'coordinated-leadership-renew-deadline': ignored(duration, coordinated),
  'coordinated-leadership-retry-period': ignored(duration, coordinated),
  'default-watch-cache-size': ignored(integer, 'caches are sized by what is in them'),
  'delete-collection-workers': ignored(integer, 'one collection is deleted in one go'),
  'disabled-metrics': told(strings, 'all metrics are on'),
  'encryption-provider-config-automatic-reload': told(boolean, 'the file is read once, at the start'),
  'etcd-count-metric-poll-period': ignored(duration, etcdMetrics),
  'etcd-db-metric-poll-interval': ignored(duration, etcdMetrics),
  'etcd-healthcheck-timeout': ignored(duration, 'health checks wait as long as any request to etcd'),
  'etcd-readycheck-timeout': ignored(duration, 'health checks wait as long as any request to etcd'),
  'goaway-chance': ignored(float, 'connections are kept until they are closed'),
  'kubelet-read-only-port': ignored(unsigned, 'it is for kubelets that no longer exist'),
  'kubelet-timeout': ignored(duration, 'requests to kubelets last as long as those of clients'),
  'lease-reuse-duration-seconds': ignored(integer, 'each driver knows best how to expire keys'),
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
  'permit-address-sharing': ignored(boolean, 'sockets are always opened so'),
  'show-hidden-metrics-for-version': ignored(string, 'no metrics are hidden'),
  'shutdown-watch-termination-grace-period': told(duration, 'watches end at once, and their clients resume elsewhere'),
  'storage-initialization-timeout': ignored(
    duration,
    'the server is ready when its caches are, however long that takes',
  ),
  'storage-media-type': told(string, 'objects are stored as JSON, which kube-apiserver reads as well'),
  'tracing-config-file': told(string, 'no traces are recorded'),
  'watch-cache': told(boolean, 'reads are always served from the watch cache'),
  'watch-cache-sizes': ignored(strings, 'caches are sized by what is in them'),
};

const thisVersion = ['', '1.36', 'kube=1.36'];

/** By name. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'admission-control': refused(
    strings,
    'the old way to choose admission plug-ins',
    'use --enable-admission-plugins and --disable-admission-plugins',
  ),
  'authorization-policy-file': refused(string, 'ABAC', 'use --authorization-mode=RBAC'),
  'debug-socket-path': refused(string, 'a socket for profiles'),
  'egress-selector-config-file': refused(string, 'an egress selector'),
  'aggregator-reject-forwarding-redirect': refusedUnless(
    boolean,
    ['true'],
    'a way to follow redirects of other API servers',
  ),
  'emulated-version': refusedUnless(strings, thisVersion, 'emulation of older versions'),
  'emulation-forward-compatible': refused(boolean, 'emulation of older versions'),
  'enable-garbage-collector': refusedUnless(boolean, ['true'], 'a way to run without garbage collection'),
  'enable-logs-handler': refused(boolean, 'the path /logs'),
  'etcd-servers-overrides': refused(strings, 'stores of their own for some resources', 'use --etcd-servers for all'),
  'kubelet-port': refusedUnless(unsigned, ['10250'], 'another port for kubelets that logger none'),
  'min-compatibility-version': refusedUnless(
    strings,
    ['', '1.35', '1.36', 'kube=1.35', 'kube=1.36'],
    'compatibility with versions before 1.35',
  ),
  'permit-port-sharing': refused(boolean, 'a port that several servers listen on'),
  'runtime-config-emulation-forward-compatible': refused(boolean, 'emulation of older versions'),
  'service-account-signing-endpoint': refused(
    string,
    'an external signer of tokens',
    'use --service-account-signing-key-file',
  ),
  'shutdown-send-retry-after': refused(boolean, 'answers with Retry-After while the server stops'),
  'storage-backend': refusedUnless(string, ['', 'etcd3'], 'another store than etcd3 by that flag', 'use --data-dir'),
  'strict-transport-security-directives': refused(strings, 'HSTS'),
  'tls-curve-preferences': refused(strings, 'a choice of curves for TLS'),
};
