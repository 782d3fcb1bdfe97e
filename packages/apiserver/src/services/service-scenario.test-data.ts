import type { Service, ServiceSpec } from '@coxswain/api/core/v1';
import type { IPAddress, ServiceCIDR } from '@coxswain/api/networking/v1';
import { toStatus } from '@coxswain/apimachinery';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeCluster } from './fake-cluster.test-data.ts';
import { PortRange } from './port-range.ts';
import { newServiceAllocation, type ServiceAllocation } from './service-allocation.ts';

export const serviceCIDR = (name: string, cidrs: string[], ready?: 'True' | 'False'): ServiceCIDR => ({
  kind: 'ServiceCIDR',
  apiVersion: 'networking.k8s.io/v1',
  metadata: { name },
  spec: { cidrs },
  ...(ready && {
    status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: '', reason: '', message: '' }] },
  }),
});

export const service = (name: string, spec: ServiceSpec): Service => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name, namespace: 'test' },
  spec: { ports: [{ port: 80 }], ...spec },
});

/** Returns status code and message of a failed write, or code 0 when it succeeds. */
export const failure = (write: Promise<unknown>): Promise<[code: number, message: string]> =>
  write.then(
    () => [0, ''],
    (error: unknown) => {
      const { code = 0, message = '' } = toStatus(error);
      return [code, message];
    },
  );

/** A dual-stack cluster with a server that handles requests for services. */
export class ServiceScenario {
  readonly cluster = new FakeCluster();
  readonly #logs = recordLogs();
  readonly reports = this.#logs.lines;
  #allocation: ServiceAllocation;

  constructor(cidrs = ['10.96.0.0/16', 'fd00:10:96::/112'], nodePortRange = '30000-32767') {
    this.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('kubernetes', cidrs));
    this.cluster.serviceIPFamilies = ['IPv4', 'IPv6'];
    this.#allocation = this.newServer(nodePortRange);
    this.serveWith(this.#allocation);
  }

  get allocation(): ServiceAllocation {
    return this.#allocation;
  }

  newServer(nodePortRange = '30000-32767'): ServiceAllocation {
    const { cluster } = this;
    return newServiceAllocation({
      client: cluster,
      listers: cluster,
      store: cluster.store,
      storePrefix: '/registry',
      nodePortRange: PortRange.parse(nodePortRange),
      now: () => cluster.now,
      logger: this.#logs.logger,
    });
  }

  serveWith(allocation: ServiceAllocation): void {
    this.#allocation = allocation;
    this.cluster.hooks.set('services', allocation.hooks);
  }

  async create(name: string, spec: ServiceSpec, dryRun = false): Promise<ServiceSpec> {
    return (await this.cluster.create<Service>('', 'services', service(name, spec), {}, dryRun)).spec!;
  }

  async update(name: string, change: (spec: ServiceSpec) => void, dryRun = false): Promise<ServiceSpec> {
    const object = await this.cluster.get<Service>('', 'services', 'test', name);
    change(object.spec!);
    return (await this.cluster.update('', 'services', object, undefined, dryRun)).spec!;
  }

  /** Returns the names of all IPAddresses, sorted. */
  addresses(): string[] {
    const records = this.cluster.lister<IPAddress>('networking.k8s.io', 'ipaddresses').list();
    return records.map(({ metadata }) => metadata.name!);
  }

  /** Returns the allocated node ports in the store, sorted. */
  ports(): number[] {
    const entry = this.cluster.store.entries.get('/registry/ranges/servicenodeports');
    if (!entry) return [];
    const { data } = JSON.parse(Buffer.from(entry.value).toString()) as { data: string };
    const bits = [...Buffer.from(data, 'base64')].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    return [...bits].flatMap((bit, i) => (bit === '1' ? 30000 + bits.length - 1 - i : [])).sort((a, b) => a - b);
  }
}
