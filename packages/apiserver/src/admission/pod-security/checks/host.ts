import type { LifecycleHandler, Probe } from '@coxswain/api/core/v1';
import {
  type AnyContainer,
  type Check,
  type CheckPod,
  containersOf,
  containersThat,
  namedContainers,
  plural,
  quoted,
  settersOf,
  sortedSet,
} from './check.ts';

const checkNamespaces: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  return shared.length > 0
    ? { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') }
    : undefined;
};

const checkPorts: CheckPod = ({ spec }) => {
  const portsOf = ({ ports }: AnyContainer): string[] =>
    (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const users = containersThat(spec, (container) => portsOf(container).length > 0);
  if (users.length === 0) return undefined;
  const ports = sortedSet(containersOf(spec).flatMap(portsOf));
  const use = `${plural(users.length, 'uses', 'use')} ${plural(ports.length, 'hostPort')}`;
  return { reason: 'hostPort', detail: `${namedContainers(users)} ${use} ${ports.join(', ')}` };
};

const hostsOf = (handler: Probe | LifecycleHandler | undefined): string[] =>
  [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || []);

const checkProbesAndLifecycle: CheckPod = ({ spec }) => {
  const of = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf);
  const users = sortedSet(containersThat(spec, (container) => of(container).length > 0));
  if (users.length === 0) return undefined;
  const hosts = sortedSet(containersOf(spec).flatMap(of));
  const use = `${plural(users.length, 'uses', 'use')} ${plural(hosts.length, 'probe or lifecycle host')}`;
  return { reason: 'probe or lifecycle host', detail: `${namedContainers(users)} ${use} ${quoted(hosts)}` };
};

const checkProcess: CheckPod = ({ spec }) => {
  const setters = settersOf(spec, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  return setters
    ? { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` }
    : undefined;
};

const baseline = (id: string, check: CheckPod, since = 0): Check => ({
  id,
  level: 'baseline',
  versions: [{ since, check }],
});

export const hostNamespaces = baseline('hostNamespaces', checkNamespaces);
export const hostPorts = baseline('hostPorts', checkPorts);
export const hostProbesAndHostLifecycle = baseline('hostProbesAndHostLifecycle', checkProbesAndLifecycle, 34);
export const windowsHostProcess = baseline('windowsHostProcess', checkProcess);
