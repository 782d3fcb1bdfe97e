import type { Service, ServicePort, ServiceSpec } from '@coxswain/api/core/v1';
import { GroupKind, invalid, newInternalError, newInvalid, Path } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { clientsMistake } from '../registry/clients-mistake.ts';
import type { PortSource } from './node-port-allocator.ts';

/** The node ports of a service after a write. */
export interface NodePortPlan {
  /** By index of `spec.ports`; undefined where the port stays as it is. */
  readonly nodePorts: readonly (number | undefined)[];
  readonly healthCheckNodePort?: number;
  /** Ports that the service no longer has. */
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
 * Returns all node ports that are allocated to a service.
 *
 * Differs from upstream: an ExternalName service may have node ports in its spec, which are not allocated. Upstream treats them as
 * allocated when its type changes, and releases them with it, although another service may have them.
 */
export function heldPorts({ spec = {} }: Service): number[] {
  if (!hasNodePorts(spec)) return [];
  const { healthCheckNodePort } = spec;
  return [...nodePortsOf(spec), ...(needsHealthCheck(spec) && healthCheckNodePort ? [healthCheckNodePort] : [])];
}

/** Returns whether a write may allocate or release node ports. */
export function concernsNodePorts({ spec = {} }: Service, old?: Service): boolean {
  return hasNodePorts(spec) || hasNodePorts(old?.spec ?? {});
}

/** Allocates node ports for a new service. Throws upstream's ApiErrors. */
export function planCreate(service: Service, source: PortSource): NodePortPlan {
  const { spec = {} } = service;
  return {
    nodePorts: hasNodePorts(spec) ? initialNodePorts(service, source) : [],
    healthCheckNodePort: needsHealthCheck(spec) ? takeHealthCheck(spec, source) : undefined,
    released: [],
  };
}

/** Allocates node ports for an update, and returns which are released. Throws upstream's ApiErrors. */
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

/** Allocates one node port for the same port with several protocols, unless different ones are requested. */
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
    // As upstream, this error has no reason and details.
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
