import type { EndpointAddress, EndpointPort, EndpointSubset } from '@coxswain/api/core/v1';
import { inHashOrder } from '../framework/hash/fnv128a.ts';

/** An address and its readiness. */
interface Host {
  readonly address: EndpointAddress;
  isReady: boolean;
}

/**
 * Returns the canonical form of subsets: as few as possible, each with all ports that its addresses have in common, and
 * everything in a fixed order. An address that is not ready in one subset counts as not ready.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; hosts: Map<string, Host> }>();
  const known = new Map<string, EndpointAddress>();
  for (const subset of subsets) {
    // Addresses without ports are endpoints too.
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const key = port ? asGoPrintsPort(port) : '';
      const { hosts } = byPort.get(key) ?? put(byPort, key, { port, hosts: new Map<string, Host>() });
      for (const address of subset.addresses ?? []) addHost(hosts, address, true, known);
      for (const address of subset.notReadyAddresses ?? []) addHost(hosts, address, false, known);
    }
  }
  const byHosts = new Map<string, { hosts: Host[]; ports: EndpointPort[] }>();
  for (const { port, hosts } of byPort.values()) {
    if (hosts.size === 0) continue;
    const key = [...hosts]
      .map(([key, { isReady }]) => `${key} ${isReady}`)
      .sort()
      .join();
    const { ports } = byHosts.get(key) ?? put(byHosts, key, { hosts: [...hosts.values()], ports: [] });
    if (port) ports.push(port);
  }
  return inHashOrder([...byHosts.values()].map(toSubset), asGoPrintsSubset);
}

function toSubset({ hosts, ports }: { hosts: readonly Host[]; ports: readonly EndpointPort[] }): EndpointSubset {
  const sorted = hosts.toSorted((a, b) => compareAddresses(a.address, b.address));
  const addresses = sorted.filter(({ isReady }) => isReady).map(({ address }) => address);
  const notReadyAddresses = sorted.filter(({ isReady }) => !isReady).map(({ address }) => address);
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: inHashOrder(ports, asGoPrintsPort) }),
  };
}

function addHost(
  hosts: Map<string, Host>,
  address: EndpointAddress,
  isReady: boolean,
  known: Map<string, EndpointAddress>,
): void {
  // Pods with hostNetwork share the address of their node.
  const key = `${address.ip} ${address.targetRef?.uid ?? ''}`;
  const host = hosts.get(key);
  if (host) host.isReady &&= isReady;
  else hosts.set(key, { address: known.get(key) ?? put(known, key, address), isReady });
}

function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  const [first, second] = [a.targetRef?.uid ?? '', b.targetRef?.uid ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}

function put<V>(map: Map<string, V>, key: string, value: V): V {
  map.set(key, value);
  return value;
}

const asGoPrintsPort = (port: EndpointPort): string => `(v1.EndpointPort)${portFields(port)}`;

const asGoPrintsSubset = ({ addresses, notReadyAddresses, ports }: EndpointSubset): string =>
  `(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)${listOf(addresses, addressFields)} ` +
  `NotReadyAddresses:([]v1.EndpointAddress)${listOf(notReadyAddresses, addressFields)} ` +
  `Ports:([]v1.EndpointPort)${listOf(ports, portFields)}}`;

const listOf = <T>(items: readonly T[] | undefined, print: (item: T) => string): string =>
  items?.length ? `[${items.map(print).join(' ')}]` : '<nil>';

const portFields = ({ name = '', port, protocol = 'TCP', appProtocol = '<nil>' }: EndpointPort): string =>
  `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol}}`;

const addressFields = ({ ip, hostname = '', nodeName = '<nil>', targetRef }: EndpointAddress): string =>
  `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:(*string)${nodeName} ` +
  `TargetRef:(*v1.ObjectReference)${targetRef ? referenceFields(targetRef) : '<nil>'}}`;

function referenceFields(reference: NonNullable<EndpointAddress['targetRef']>): string {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = reference;
  const { resourceVersion = '', fieldPath = '' } = reference;
  return (
    `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} ` +
    `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`
  );
}
