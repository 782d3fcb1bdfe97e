import {
  boolean,
  duration,
  type IgnoredFlag,
  ignored,
  integer,
  type RefusedFlag,
  refused,
  refusedUnless,
  string,
  strings,
  told,
} from '@coxswain/component-base';

const workers = 'the number of workers of each controller is fixed';
const logs = 'it configures a logging library that is not used here';
const recycling = 'volumes are not recycled';

const named = (flag: IgnoredFlag, ...names: readonly string[]): Record<string, IgnoredFlag> =>
  Object.fromEntries(names.map((name) => [name, flag]));

/** Accepted flags without an effect, by name. */
export const ignoredFlags: Readonly<Record<string, IgnoredFlag>> = {
  ...named(
    ignored(integer, workers),
    'concurrent-cron-job-syncs',
    'concurrent-daemonset-syncs',
    'concurrent-deployment-syncs',
    'concurrent-device-taint-eviction-syncs',
    'concurrent-endpoint-syncs',
    'concurrent-ephemeralvolume-syncs',
    'concurrent-gc-syncs',
    'concurrent-horizontal-pod-autoscaler-syncs',
    'concurrent-job-syncs',
    'concurrent-namespace-syncs',
    'concurrent-rc-syncs',
    'concurrent-replicaset-syncs',
    'concurrent-resource-quota-syncs',
    'concurrent-resourceclaim-syncs',
    'concurrent-service-endpoint-syncs',
    'concurrent-service-syncs',
    'concurrent-serviceaccount-token-syncs',
    'concurrent-statefulset-syncs',
    'concurrent-ttl-after-finished-syncs',
    'concurrent-validating-admission-policy-status-syncs',
    'mirroring-concurrent-service-endpoint-syncs',
  ),
  ...named(
    ignored(integer, recycling),
    'pv-recycler-increment-timeout-nfs',
    'pv-recycler-minimum-timeout-hostpath',
    'pv-recycler-minimum-timeout-nfs',
    'pv-recycler-timeout-increment-hostpath',
  ),
  ...named(
    ignored(string, recycling),
    'pv-recycler-pod-template-filepath-hostpath',
    'pv-recycler-pod-template-filepath-nfs',
  ),
  ...named(ignored(boolean, 'a port cannot be shared by processes'), 'permit-address-sharing', 'permit-port-sharing'),
  'tls-curve-preferences': ignored(strings, 'the curves of OpenSSL are used'),
  ...named(ignored(duration, logs), 'log-flush-frequency'),
  ...named(ignored(string, logs), 'log-json-info-buffer-size', 'log-text-info-buffer-size'),
  ...named(ignored(boolean, logs), 'log-json-split-stream', 'log-text-split-stream'),
  ...named(told(strings, 'all metrics are served, with all labels'), 'allow-metric-labels', 'disabled-metrics'),
  'allow-metric-labels-manifest': told(string, 'all metrics are served, with all labels'),
  'show-hidden-metrics-for-version': ignored(string, 'no metrics are hidden'),
  'attach-detach-reconcile-sync-period': ignored(duration, 'volumes are reconciled on changes'),
  'disable-attach-detach-reconcile-sync': ignored(boolean, 'volumes are reconciled on changes'),
  'cluster-name': ignored(string, 'only cloud providers use it'),
  'contention-profiling': ignored(boolean, 'it profiles locks, and JavaScript has none'),
  'controller-shutdown-timeout': ignored(duration, 'controllers stop at once'),
  'controller-start-interval': ignored(duration, 'all controllers start at once'),
  'configure-cloud-routes': ignored(boolean, 'cloud providers are not supported'),
  'route-reconciliation-period': ignored(duration, 'cloud providers are not supported'),
  'flex-volume-plugin-dir': ignored(string, 'flex volumes are not supported'),
  'kube-api-content-type': ignored(string, 'JSON is always used'),
  'leader-elect-resource-lock': ignored(string, 'leader election always uses Leases'),
  'min-resync-period': ignored(duration, 'informers need no resync'),
  'namespace-sync-period': ignored(duration, 'namespaces are reconciled on changes'),
  'node-startup-grace-period': ignored(duration, 'the grace period of a new node is fixed'),
  'resource-quota-sync-period': ignored(duration, 'quotas are reconciled every five minutes'),
};

const thisVersion = ['', '1.36', 'kube=1.36'];

/** Rejected flags for features that are not supported, by name. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'cidr-allocator-type': refusedUnless(string, ['', 'RangeAllocator'], 'other allocators than RangeAllocator'),
  'cloud-config': refused(string, 'cloud providers'),
  'cloud-provider': refused(string, 'cloud providers'),
  'disable-force-detach-on-timeout': refused(boolean, 'an option to disable forced detach'),
  'emulated-version': refusedUnless(strings, thisVersion, 'emulation of older versions'),
  'enable-dynamic-provisioning': refusedUnless(boolean, ['true'], 'an option to disable dynamic provisioning'),
  'enable-garbage-collector': refusedUnless(
    boolean,
    ['true'],
    'this option to disable the garbage collector',
    'use --controllers=*,-garbagecollector',
  ),
  'enable-hostpath-provisioner': refused(boolean, 'this option for the host path provisioner'),
  'enable-leader-migration': refused(boolean, 'leader migration'),
  'external-cloud-volume-plugin': refused(string, 'cloud providers'),
  'leader-migration-config': refused(string, 'leader migration'),
  'min-compatibility-version': refusedUnless(strings, ['', ...thisVersion, '1.35', 'kube=1.35'], 'older versions'),
  'node-cidr-mask-size': refusedUnless(
    integer,
    ['0'],
    'one mask size for both IP families',
    'use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6',
  ),
};
