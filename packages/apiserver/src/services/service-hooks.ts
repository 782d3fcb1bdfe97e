import type { Service } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery';
import type { Logger } from '@coxswain/apimachinery/log';
import type { InternalClient } from '../registry/lister.ts';
import type { Reservation, ResourceHooks, WriteContext } from '../registry/resource-hooks.ts';
import type { ClusterIPAllocator } from './cluster-ip-allocator.ts';
import {
  type ClusterIPRequest,
  clusterIPFailure,
  clusterIPsForCreate,
  clusterIPsForUpdate,
  heldClusterIPs,
  setClusterIP,
} from './cluster-ips.ts';
import type { Owner } from './ip-address-object.ts';
import type { NodePortAllocator, PortSource } from './node-port-allocator.ts';
import { concernsNodePorts, heldPorts, type NodePortPlan, planCreate, planUpdate } from './node-ports.ts';

interface ServiceHooksOptions {
  readonly client: InternalClient;
  readonly clusterIPs: ClusterIPAllocator;
  readonly nodePorts: NodePortAllocator;
  /** Logs errors of background work. */
  readonly logger: Logger;
}

/** Addresses and ports to release after a write. */
interface Holding {
  readonly addresses: string[];
  readonly ports: number[];
}

/**
 * Allocates and releases addresses and node ports of services. Allocations are stored before the service, so a crash in between
 * can only leak an allocation, which the repair finds.
 *
 * Releases (in `commit`, `rollback` and `afterDelete`) run in the background. These methods return promises that never reject, for
 * callers that want to wait. A request for an address or port that is being released waits for the release.
 */
export class ServiceHooks implements ResourceHooks<Service> {
  readonly #options: ServiceHooksOptions;
  readonly #background = new Set<Promise<void>>();

  constructor(options: ServiceHooksOptions) {
    this.#options = options;
  }

  async beginCreate(service: Service, { dryRun }: WriteContext): Promise<Reservation> {
    return this.#begin(service, undefined, dryRun, {
      needed: clusterIPsForCreate(service),
      released: [],
    });
  }

  async beginUpdate(service: Service, old: Service, { dryRun }: WriteContext): Promise<Reservation> {
    return this.#begin(service, old, dryRun, clusterIPsForUpdate(service, old));
  }

  afterDelete(service: Service): Promise<void> {
    const owner = ownerOf(service);
    // Otherwise a new service of that name would get these endpoints.
    const endpoints = this.#options.client.delete('', 'endpoints', owner.namespace, owner.name).catch((error) => {
      if (!isNotFound(error))
        this.#options.logger.error('Failed to delete service endpoints', error, { service: owner });
    });
    const holding = { addresses: heldClusterIPs(service), ports: heldPorts(service) };
    return this.#inBackground(Promise.all([endpoints, this.#release(owner, holding)]));
  }

  /** Waits for background work. */
  async close(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async #begin(
    service: Service,
    old: Service | undefined,
    dryRun: boolean,
    { needed, released }: { needed: readonly ClusterIPRequest[]; released: readonly string[] },
  ): Promise<Reservation> {
    const owner = ownerOf(service);
    const allocated: Holding = { addresses: [], ports: [] };
    const given: Holding = { addresses: [...released], ports: [] };
    try {
      for (const request of needed) {
        const address = await this.#allocateAddress(service, owner, request, dryRun);
        allocated.addresses.push(address);
      }
      for (const [i, { index }] of needed.entries()) setClusterIP(service, index, allocated.addresses[i]!);
      if (concernsNodePorts(service, old)) {
        const plan = (source: PortSource): NodePortPlan =>
          old ? planUpdate(service, old, source) : planCreate(service, source);
        const { result, allocated: ports } = dryRun
          ? { result: await this.#options.nodePorts.tryAllocate(plan), allocated: [] }
          : await this.#options.nodePorts.allocate(plan);
        allocated.ports.push(...ports);
        given.ports.push(...result.released);
        setNodePorts(service, result);
      }
    } catch (error) {
      if (!dryRun) await this.#release(owner, allocated);
      throw error;
    }
    if (dryRun) return { commit: () => {}, rollback: () => {} };
    return {
      commit: () => this.#inBackground(this.#release(owner, given)),
      rollback: () => this.#inBackground(this.#release(owner, allocated)),
    };
  }

  async #allocateAddress(service: Service, owner: Owner, request: ClusterIPRequest, dryRun: boolean): Promise<string> {
    const { clusterIPs } = this.#options;
    try {
      if (dryRun) return await clusterIPs.tryAllocate(request.family, request.address);
      if (!request.address) return await clusterIPs.allocateNext(request.family, owner);
      await clusterIPs.allocate(request.address, owner);
      return request.address;
    } catch (error) {
      throw clusterIPFailure(service, request, error);
    }
  }

  /** Never rejects. */
  async #release(owner: Owner, { addresses, ports }: Holding): Promise<void> {
    const { clusterIPs, nodePorts, logger } = this.#options;
    await Promise.all([
      ...addresses.map((address) => clusterIPs.release(address, owner)),
      nodePorts
        .release(ports)
        .catch((error) => logger.error('Error releasing node ports', error, { ports, service: owner })),
    ]);
  }

  #inBackground(work: Promise<unknown>): Promise<void> {
    const done = work.then(() => {
      this.#background.delete(done);
    });
    this.#background.add(done);
    return done;
  }
}

const ownerOf = ({ metadata }: Service): Owner => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

function setNodePorts({ spec }: Service, { nodePorts, healthCheckNodePort }: NodePortPlan): void {
  if (!spec) return;
  spec.ports = spec.ports?.map((port, i) => (nodePorts[i] ? { ...port, nodePort: nodePorts[i] } : port));
  if (healthCheckNodePort) spec.healthCheckNodePort = healthCheckNodePort;
}
