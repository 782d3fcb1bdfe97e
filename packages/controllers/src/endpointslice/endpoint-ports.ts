import type { Pod, Service } from '@coxswain/api/core/v1';
import type { EndpointPort } from '@coxswain/api/discovery/v1';
import { inHashOrder } from '../framework/hash/fnv128a.ts';
import { targetPort } from '../framework/services/pod-endpoints.ts';

/** Returns the service's ports with the pod's port numbers. Ports that the pod does not have are omitted. */
export function endpointPorts({ spec }: Service, pod: Pod): EndpointPort[] {
  const ports: EndpointPort[] = [];
  for (const port of spec?.ports ?? []) {
    const number = targetPort(pod, port);
    if (number === undefined) continue;
    ports.push({
      name: port.name ?? '',
      port: number,
      protocol: port.protocol ?? 'TCP',
      ...(port.appProtocol !== undefined && { appProtocol: port.appProtocol }),
    });
  }
  return ports;
}

/** Returns a key that is the same for equal lists of ports in any order. `ports` is null for a slice without ports. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  if (!ports) return '';
  return ports.length === 1 ? portKey(ports[0]!) : ports.map(portKey).sort().join(',');
}

const portKey = ({ name, port, protocol, appProtocol }: EndpointPort): string =>
  JSON.stringify([name, port, protocol, appProtocol]);

/** Sorts the ports as upstream does. */
export const inOrder = (ports: readonly EndpointPort[]): EndpointPort[] => inHashOrder(ports, asGoPrintsIt);

const asGoPrintsIt = ({ name, protocol, port, appProtocol }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(*string)${name ?? '<nil>'} Protocol:(*v1.Protocol)${protocol ?? '<nil>'} ` +
  `Port:(*int32)${port ?? '<nil>'} AppProtocol:(*string)${appProtocol ?? '<nil>'}}`;
