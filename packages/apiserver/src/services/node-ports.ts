import type { Service, ServicePort, ServiceSpec } from '@coxswain/api/core/v1';
import { GroupKind, invalid, newInternalError, newInvalid, Path } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { clientsMistake } from '../registry/clients-mistake.ts';
import type { PortSource } from './node-port-allocator.ts';

/** What a service is to get, by the position of its ports; undefined where one keeps what it has. */
export interface NodePortPlan {
  readonly nodePorts: readonly (number | undefined)[];
  readonly healthCheckNodePort?: number;
  /** What it had and has no longer. */
  readonly released: readonly number[];
}

const portsPath = Path.of('spec', 'ports');

const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts);

const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

const nodePortsOf = ({ ports = [] }: ServiceSpec): number[] => ports.flatMap(({ nodePort }) => nodePort || []);

/**
 * All node ports that a service has been given.
 *
 * Differs from upstream: an ExternalName may name node ports, which nobody has reserved for it. Upstream takes them for
 * its own when its type changes, and frees them with it, though another service may have them.
 */
export function heldPorts({ spec = {} }: Service): number[] {
  if (!hasNodePorts(spec)) return [];
  const { healthCheckNodePort } = spec;
  return [...nodePortsOf(spec), ...(needsHealthCheck(spec) && healthCheckNodePort ? [healthCheckNodePort] : [])];
}

/** Whether anything of the source would be asked for. */
export function concernsNodePorts({ spec = {} }: Service, old?: Service): boolean {
  return hasNodePorts(spec) || hasNodePorts(old?.spec ?? {});
}

/** What a new service takes. Throws the ApiError that upstream answers. */
export function planCreate(service: Service, source: PortSource): NodePortPlan {
  const { spec = {} } = service;
  return {
    nodePorts: hasNodePorts(spec) ? initialNodePorts(service, source) : [],
    healthCheckNodePort: needsHealthCheck(spec) ? takeHealthCheck(spec, source) : undefined,
    released: [],
  };
}

/** What a changed service takes and gives back. Throws the ApiError that upstream answers. */
export function planUpdate(service: Service, old: Service, source: PortSource): NodePortPlan {
  const { spec = {} } = service;
  const { spec: before = {} } = old;
  const held = hasNodePorts(before) ? nodePortsOf(before) : [];
  const nodePorts = hasNodePorts(spec) ? changedNodePorts(service, held, source) : [];
  const released = held.filter((port) => !nodePorts.includes(port));
  const [needed, needs] = [needsHealthCheck(before), needsHealthCheck(spec)];
  if (needed && !needs && before.healthCheckNodePort) released.push(before.healthCheckNodePort);
  return {
    nodePorts,
    healthCheckNodePort: needs && !needed ? takeHealthCheck(spec, source) : undefined,
    released,
  };
}

/** The same port by several protocols gets one node port, unless several are asked for. */
function initialNodePorts(service: Service, source: PortSource): (number | undefined)[] {
  const { spec = {} } = service;
  const { ports = [] } = spec;
  const byPort = new Map<number, number>();
  return ports.map(({ port, nodePort }, i) => {
    if (!nodePort && !wantsNodePorts(spec)) return undefined;
    const shared = byPort.get(port);
    if (shared !== undefined) {
      if (nodePort && nodePort !== shared) take(service, i, nodePort, source);
      return nodePort || shared;
    }
    const asked = ports.find((other) => other.port === port && other.nodePort)?.nodePort;
    if (asked) take(service, i, asked, source);
    const taken = asked || takeNext(source);
    byPort.set(port, taken);
    return taken;
  });
}

function changedNodePorts(service: Service, before: readonly number[], source: PortSource): (number | undefined)[] {
  const { spec = {} } = service;
  const held = new Set(before);
  const seen = new Set<string>();
  return (spec.ports ?? []).map((port: ServicePort, i) => {
    if (!port.nodePort && !wantsNodePorts(spec)) return undefined;
    if (port.nodePort && !held.has(port.nodePort)) {
      take(service, i, port.nodePort, source);
      held.add(port.nodePort);
    }
    const nodePort = port.nodePort || takeNext(source);
    const key = `${port.protocol} ${nodePort}`;
    // Upstream answers with no more than these words.
    if (seen.has(key)) throw clientsMistake(`duplicate nodePort: {${key}}`);
    seen.add(key);
    return nodePort;
  });
}

function take({ metadata }: Service, index: number, port: number, source: PortSource): void {
  try {
    source.allocate(port);
  } catch (error) {
    const path = portsPath.index(index).child('nodePort');
    throw newInvalid(GroupKind.of('', 'Service'), metadata.name ?? '', [invalid(path, port, messageOf(error))]);
  }
}

function takeNext(source: PortSource): number {
  try {
    return source.allocateNext();
  } catch (error) {
    throw newInternalError(new Error(`failed to allocate a nodePort: ${messageOf(error)}`, { cause: error }));
  }
}

function takeHealthCheck({ healthCheckNodePort: asked }: ServiceSpec, source: PortSource): number {
  try {
    if (!asked) return source.allocateNext();
    source.allocate(asked);
    return asked;
  } catch (cause) {
    const what = asked ? `requested HealthCheck NodePort ${asked}` : 'a HealthCheck NodePort 0';
    throw newInternalError(new Error(`failed to allocate ${what}: ${messageOf(cause)}`, { cause }));
  }
}
