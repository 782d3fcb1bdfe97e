import type { Pod, Service, ServiceSpec } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { TestCluster } from '../../test/test-cluster.ts';

export interface PodOptions {
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

/** Creates services, nodes and pods in the default namespace, and sets pod statuses as kubelets do. */
export class Network {
  readonly #cluster: TestCluster;
  #addresses = 0;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  async node(name: string, zone?: string, cpu = '4'): Promise<void> {
    const labels: Record<string, string> = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
    const nodes = this.#cluster.clients.core.v1.nodes();
    await nodes.create({ metadata: { name, labels } });
    await nodes.patch(
      name,
      'merge',
      {
        status: {
          allocatable: { cpu },
          conditions: [{ type: 'Ready', status: 'True' }],
        },
      },
      { subresource: 'status' },
    );
    await this.#cluster.settle();
  }

  async service(name: string, spec: Partial<ServiceSpec> = {}, metadata: Service['metadata'] = {}): Promise<Service> {
    const service = await this.#cluster.clients.core.v1.services('default').create({
      metadata: { name, ...metadata },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
    });
    await this.#cluster.settle();
    return service;
  }

  /** Creates a running pod. */
  async pod(name: string, options: PodOptions = {}): Promise<Pod> {
    const { ips = [this.#nextAddress()], ready = true, node = 'node-1', labels = { app: 'web' }, spec } = options;
    await this.#pods.create({
      metadata: { name, labels },
      spec: {
        nodeName: node,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'web', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }],
        ...spec,
      },
    });
    return await this.status(name, {
      phase: 'Running',
      podIP: ips[0]!,
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: this.now }],
    });
  }

  async ready(name: string, isReady: boolean): Promise<void> {
    const condition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: this.now } as const;
    await this.status(name, { conditions: [condition] });
  }

  async status(name: string, status: Pod['status'] & object): Promise<Pod> {
    const pod = await this.#pods.patch(name, 'merge', { status }, { subresource: 'status' });
    await this.#cluster.settle();
    return pod;
  }

  /** Marks the pod as succeeded. */
  async end(name: string): Promise<void> {
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: this.now } as const;
    await this.status(name, { phase: 'Succeeded', conditions: [condition] });
  }

  /** Deletes the pod without a grace period. */
  async kill(name: string): Promise<void> {
    await this.#pods.delete(name, { gracePeriodSeconds: 0 });
    await this.#cluster.settle();
  }

  /** Returns the slices of a service, oldest first. */
  async slices(service: string): Promise<EndpointSlice[]> {
    const slices = this.#cluster.clients.discovery.v1.endpointSlices('default');
    const { items } = await slices.list({ labelSelector: `kubernetes.io/service-name=${service}` });
    return items;
  }

  get now(): string {
    return new Date(this.#cluster.clock.now()).toISOString().replace(/\.\d+/, '');
  }

  get #pods() {
    return this.#cluster.clients.core.v1.pods('default');
  }

  #nextAddress(): string {
    this.#addresses++;
    return `10.1.${this.#addresses >> 8}.${this.#addresses & 255}`;
  }
}

/** Returns the sorted addresses of a slice. */
export const addressesOf = ({ endpoints }: EndpointSlice): string[] =>
  (endpoints ?? []).flatMap(({ addresses }) => addresses).sort();
