import {
  boolean,
  duration,
  type IgnoredFlag,
  ignored,
  integer,
  type RefusedFlag,
  refused,
  string,
  told,
} from '@coxswain/component-base';

const cadvisor = 'it belongs to cAdvisor, which is not used here';
const logs = 'it tunes a logging library that is not used here';

/** By name. */
export const ignoredFlags: Readonly<Record<string, IgnoredFlag>> = {
  'application-metrics-count-limit': ignored(integer, cadvisor),
  'boot-id-file': ignored(string, cadvisor),
  'container-hints': ignored(string, cadvisor),
  containerd: ignored(string, cadvisor),
  'containerd-namespace': ignored(string, cadvisor),
  'enable-load-reader': ignored(boolean, cadvisor),
  'event-storage-age-limit': ignored(string, cadvisor),
  'event-storage-event-limit': ignored(string, cadvisor),
  'global-housekeeping-interval': ignored(duration, cadvisor),
  'housekeeping-interval': ignored(duration, cadvisor),
  'log-cadvisor-usage': ignored(boolean, cadvisor),
  'log-flush-frequency': ignored(duration, logs),
  'log-text-info-buffer-size': ignored(string, logs),
  'log-text-split-stream': ignored(boolean, logs),
  'machine-id-file': ignored(string, cadvisor),
  'runtime-cgroups': told(string, 'statistics of the container runtime itself are not collected'),
  'storage-driver-buffer-duration': ignored(duration, cadvisor),
  'storage-driver-db': ignored(string, cadvisor),
  'storage-driver-host': ignored(string, cadvisor),
  'storage-driver-password': ignored(string, cadvisor),
  'storage-driver-secure': ignored(boolean, cadvisor),
  'storage-driver-table': ignored(string, cadvisor),
  'storage-driver-user': ignored(string, cadvisor),
};

/** By name. */
export const refusedFlags: Readonly<Record<string, RefusedFlag>> = {
  'exit-on-lock-contention': refused(boolean, 'a lock file'),
  'experimental-mounter-path': refused(string, 'other mount programs'),
  'image-credential-provider-bin-dir': refused(string, 'credential provider plug-ins'),
  'image-credential-provider-config': refused(string, 'credential provider plug-ins'),
  'lock-file': refused(string, 'a lock file'),
  'reserved-memory': refused(string, 'a memory manager'),
};
