import type { Service, ServicePort, ServiceSpec } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAddress } from './address-range.ts';
import { CrashError } from './fake-cluster.test-data.ts';
import { heldPorts } from './node-ports.ts';
import type { ServiceAllocation } from './service-allocation.ts';
import { ServiceScenario, service } from './service-scenario.test-data.ts';

const range = '30000-30007';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const port = fc.record(
  {
    port: fc.constantFrom(53, 80, 81),
    protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
    nodePort: fc.integer({ min: 29999, max: 30008 }),
  },
  { requiredKeys: ['port', 'protocol'] },
);
const ports = fc
  .uniqueArray(port, { minLength: 1, maxLength: 3, selector: ({ port: number, protocol }) => `${number}/${protocol}` })
  .map((list) => list.map((one, i): ServicePort => ({ ...one, name: `p${i}` })));
const spec: fc.Arbitrary<ServiceSpec> = fc.record(
  {
    type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
    clusterIP: fc.constantFrom('None', '10.0.0.3', '10.0.0.4', '10.0.0.15', 'fd00::3', 'fd00::4'),
    ipFamilyPolicy: fc.constantFrom('SingleStack', 'PreferDualStack', 'RequireDualStack'),
    externalTrafficPolicy: fc.constantFrom('Cluster' as const, 'Local' as const),
    allocateLoadBalancerNodePorts: fc.boolean(),
    ports,
  },
  { requiredKeys: ['type', 'ports'] },
);
/** A failure during a write, and the number of writes before it. */
const trouble = fc.option(
  fc.record({
    after: fc.nat(4),
    what: fc.constantFrom('refused', 'unheard', 'store refused', 'store unheard', 'crash before', 'crash after'),
  }),
  { freq: 2, nil: undefined },
);
const step = fc.record({
  server: fc.nat(1),
  verb: fc.constantFrom('create', 'create', 'update', 'update', 'delete'),
  name,
  spec,
  trouble,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Scenario extends ServiceScenario {
  readonly #servers: ServiceAllocation[];

  constructor() {
    super(['10.0.0.0/28', 'fd00::/124'], range);
    this.#servers = [this.newServer(range), this.newServer(range)];
  }

  async run({ server, trouble: wrong, ...what }: Step): Promise<void> {
    const { cluster } = this;
    this.serveWith(this.#servers[server]!);
    if (wrong) this.#arrange(wrong);
    try {
      await this.#carryOut(what);
    } catch (error) {
      if (error instanceof CrashError) this.#servers[server] = this.newServer(range);
    } finally {
      cluster.fail = () => undefined;
      cluster.failAfter = () => undefined;
      cluster.store.beforeWrite = () => {};
      cluster.store.afterPut = () => {};
    }
  }

  async #carryOut({ verb, name: called, spec: wanted }: Pick<Step, 'verb' | 'name' | 'spec'>): Promise<void> {
    const { cluster } = this;
    const object = service(called, { ...wanted, ...(wanted.type === 'ExternalName' && { externalName: 'x.example' }) });
    if (verb === 'create') await cluster.create('', 'services', object);
    else if (verb === 'update') await cluster.update('', 'services', object);
    else await cluster.delete('', 'services', 'test', called);
  }

  #arrange({ after, what }: NonNullable<Step['trouble']>): void {
    const { cluster } = this;
    let left = after;
    const now = (): boolean => left-- === 0;
    const error = what.startsWith('crash') ? new CrashError(what) : new Error(what);
    if (what === 'refused') cluster.fail = () => (now() ? error : undefined);
    else if (what === 'unheard')
      cluster.failAfter = (write) => (write.includes('ipaddresses') && now() ? error : undefined);
    else if (what === 'crash before') cluster.fail = (write) => (write.includes(' services ') ? error : undefined);
    else if (what === 'crash after') cluster.failAfter = (write) => (write.includes(' services ') ? error : undefined);
    else {
      const fail = (): void => {
        if (now()) throw error;
      };
      if (what === 'store refused') cluster.store.beforeWrite = fail;
      else cluster.store.afterPut = fail;
    }
  }

  /** Returns the addresses and ports of all services, which must be unique. */
  used(): { addresses: string[]; ports: number[] } {
    const services = this.cluster.lister<Service>('', 'services').list();
    const addresses = services
      .flatMap(({ spec: stored }) => stored?.clusterIPs ?? [])
      .flatMap((text) => parseAddress(text)?.canonical ?? []);
    return {
      addresses: addresses.sort(),
      ports: services.flatMap((service) => [...new Set(heldPorts(service))]).sort(),
    };
  }

  recorded(): { addresses: string[]; ports: number[] } {
    return { addresses: this.addresses().sort(), ports: this.ports() };
  }
}

it('with any failures, nothing is allocated twice, and after the repair nothing is leaked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const scenario = new Scenario();
      for (const one of steps) {
        await scenario.run(one);
        const [used, recorded] = [scenario.used(), scenario.recorded()];
        expect(used.addresses).toEqual([...new Set(used.addresses)]);
        expect(used.ports).toEqual([...new Set(used.ports)]);
        expect(recorded.addresses).toEqual(expect.arrayContaining(used.addresses));
        expect(recorded.ports).toEqual(expect.arrayContaining(used.ports));
      }
      scenario.cluster.now = new Date(scenario.cluster.now.getTime() + 61_000);
      const server = scenario.newServer(range);
      for (let i = 0; i < 3; i++) await server.repair();
      expect(scenario.recorded()).toEqual(scenario.used());
    }),
    { numRuns: 100 },
  );
});
