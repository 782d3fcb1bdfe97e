import type { Container, ContainerPort, Pod } from '@coxswain/api/core/v1';
import { remembered } from './remembered.ts';

const anyAddress = '0.0.0.0';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Returns the host ports that the pod requests, including those of sidecars. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const ports = ofContainers(spec?.containers ?? noContainers);
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  return sidecars.length === 0 ? ports : [...ports, ...portsOf(sidecars)];
}

const noContainers: readonly Container[] = [];

const portsOf = (containers: readonly Container[]): readonly HostPort[] =>
  containers.flatMap(({ ports }) => (ports ?? []).flatMap(hostPort));

const ofContainers = remembered(portsOf);

const hostPort = ({ hostIP, hostPort, protocol }: ContainerPort): HostPort[] =>
  hostPort ? [{ ip: hostIP || anyAddress, protocol: protocol || 'TCP', port: hostPort }] : [];

/** The host ports in use on a node. A port on address 0.0.0.0 conflicts with the same port on every address. */
export class UsedPorts {
  /** Addresses by protocol and port. Undefined for most nodes, which makes the frequent copies cheap. */
  #addresses: Map<string, Set<string>> | undefined;

  get isEmpty(): boolean {
    return !this.#addresses?.size;
  }

  add({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    this.#addresses ??= new Map();
    const addresses = this.#addresses.get(key);
    if (addresses) addresses.add(ip);
    else this.#addresses.set(key, new Set([ip]));
  }

  remove({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const addresses = this.#addresses?.get(key);
    if (addresses?.delete(ip) && addresses.size === 0) this.#addresses?.delete(key);
  }

  conflictsWith({ ip, protocol, port }: HostPort): boolean {
    const addresses = this.#addresses?.get(`${protocol}/${port}`);
    return addresses !== undefined && (ip === anyAddress || addresses.has(anyAddress) || addresses.has(ip));
  }

  clone(): UsedPorts {
    const copy = new UsedPorts();
    if (this.#addresses) {
      copy.#addresses = new Map(Array.from(this.#addresses, ([key, addresses]) => [key, new Set(addresses)]));
    }
    return copy;
  }
}
