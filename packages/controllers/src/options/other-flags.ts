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

const workers = 'every controller has as many workers as is good for one process';
const logs = 'it tunes a logging library that is not used here';
const recycling = 'volumes are not recycled';

const named = (flag: IgnoredFlag, ...names: readonly string[]): Record<string, IgnoredFlag> =>
  Object.fromEntries(names.map((name) => [name, flag]));

/** By name. */
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
  ...named(ignored(boolean, 'a port is taken by one process'), 'permit-address-sharing', 'permit-port-sharing'),
  'tls-curve-preferences': ignored(strings, 'curves are those of OpenSSL'),
  ...named(ignored(duration, logs), 'log-flush-frequency'),
  ...named(ignored(string, logs), 'log-json-info-buffer-size', 'log-text-info-buffer-size'),
  ...named(ignored(boolean, logs), 'log-json-split-stream', 'log-text-split-stream'),
  ...named(told(strings, 'all metrics are served, with all labels'), 'allow-metric-labels', 'disabled-metrics'),
  'allow-metric-labels-manifest': told(string, 'all metrics are served, with all labels'),
  'show-hidden-metrics-for-version': ignored(string, 'no metrics are hidden'),
  'attach-detach-reconcile-sync-period': ignored(duration, 'volumes are looked at when something happens to them'),
  'disable-attach-detach-reconcile-sync': ignored(boolean, 'volumes are looked at when something happens to them'),
  'cluster-name': ignored(string, 'only clouds want to know'),
  'contention-profiling': ignored(boolean, 'it profiles locks of Go, of which there are none'),
  'controller-shutdown-timeout': ignored(duration, 'controllers end as soon as they are told'),
  'controller-start-interval': ignored(duration, 'all controllers start at once'),
  'configure-cloud-routes': ignored(boolean, 'there are no clouds'),
  'route-reconciliation-period': ignored(duration, 'there are no clouds'),
  'flex-volume-plugin-dir': ignored(string, 'there are no flex volumes'),
  'kube-api-content-type': ignored(string, 'JSON is sent and understood everywhere'),
  'leader-elect-resource-lock': ignored(string, 'leaders are elected by leases'),
  'min-resync-period': ignored(duration, 'caches are right without being filled again'),
  'namespace-sync-period': ignored(duration, 'namespaces are looked at when something happens to them'),
  'node-startup-grace-period': ignored(duration, 'a new node has as long as any other'),
  'resource-quota-sync-period': ignored(duration, 'quotas are looked at every five minutes'),
};

const thisVersion = ['', '1.36', 'kube=1.36'];

/** By name. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'cidr-allocator-type': refusedUnless(string, ['', 'RangeAllocator'], 'another allocator than RangeAllocator'),
  'cloud-config': refused(string, 'clouds'),
  'cloud-provider': refused(string, 'clouds'),
  'disable-force-detach-on-timeout': refused(boolean, 'a way to wait for ever for a volume'),
  'emulated-version': refusedUnless(strings, thisVersion, 'emulation of older versions'),
  'enable-dynamic-provisioning': refusedUnless(boolean, ['true'], 'a way to run without provisioners'),
  'enable-garbage-collector': refusedUnless(
    boolean,
    ['true'],
    'a way to run without it',
    'use --controllers=*,-garbagecollector',
  ),
  'enable-hostpath-provisioner': refused(boolean, 'that provisioner by this flag'),
  'enable-leader-migration': refused(boolean, 'leader migration'),
  'external-cloud-volume-plugin': refused(string, 'clouds'),
  'leader-migration-config': refused(string, 'leader migration'),
  'min-compatibility-version': refusedUnless(strings, ['', ...thisVersion, '1.35', 'kube=1.35'], 'older versions'),
  'node-cidr-mask-size': refusedUnless(
    integer,
    ['0'],
    'one size for both families',
    'use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6',
  ),
};
