import { FeatureGates, newEvaluators } from '@coxswain/api';
import type { ResourceQuota } from '@coxswain/api/core/v1';
import { GroupResource, type KubernetesObject, newConflict, newNotFound } from '@coxswain/apimachinery';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { InternalClient, Lister } from '../../registry/lister.ts';
import { newAttributes, type Parts } from '../admission.test-data.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { LimitedResource } from './configuration.ts';
import { QuotaCharger } from './quota-charger.ts';

const resourceQuotas = GroupResource.of('', 'resourcequotas');
const evaluators = newEvaluators(FeatureGates.defaults, () => new Date(0), {
  deviceClass: () => undefined,
  deviceClasses: () => [],
  pod: () => undefined,
  claims: () => [],
});

type Counts = Readonly<Record<string, string>>;

type Client = Pick<InternalClient, 'get' | 'update'>;

interface QuotaServer {
  readonly charge: (attributes: AdmissionAttributes) => Promise<string>;
  readonly look: () => void;
}

/** Quotas in a store. The listers of servers only see their state at the last call of `look`. */
class Quotas {
  readonly stored = new Map<string, ResourceQuota>();
  writes = 0;
  #version = 1;

  set(name: string, hard: Counts, used: Counts): void {
    this.#version += 1;
    const metadata = { name, namespace: 'n', uid: name, resourceVersion: String(this.#version) };
    this.stored.set(name, { metadata, spec: { hard: { ...hard } }, status: { hard: { ...hard }, used: { ...used } } });
  }

  used(name: string): Counts {
    return { ...this.stored.get(name)?.status?.used };
  }

  /** Creates a server, whose lister is updated by `look`. */
  server(limited: readonly LimitedResource[] = [], client: Partial<Client> = {}): QuotaServer {
    let seen = [...this.stored.values()];
    const lister = { list: () => seen } as unknown as Lister<ResourceQuota>;
    const charger = new QuotaCharger({ quotas: () => lister, client: { ...this.#client(), ...client }, limited });
    return {
      look: () => {
        seen = [...this.stored.values()];
      },
      charge: (attributes) =>
        charger.charge(attributes, evaluators.of(attributes.resource.groupResource)).then(
          () => 'allowed',
          (error: Error) => error.message,
        ),
    };
  }

  #client(): Client {
    return {
      get: async <T extends KubernetesObject>(_group: string, _resource: string, _namespace: string, name: string) => {
        const found = this.stored.get(name);
        if (!found) throw newNotFound(resourceQuotas, name);
        return found as unknown as T;
      },
      update: async <T extends KubernetesObject>(_group: string, _resource: string, object: T) => {
        await Promise.resolve();
        const { name = '', resourceVersion } = object.metadata ?? {};
        const found = this.stored.get(name);
        if (!found) throw newNotFound(resourceQuotas, name);
        if (found.metadata.resourceVersion !== resourceVersion) throw newConflict(resourceQuotas, name, 'changed');
        this.writes += 1;
        const { status } = object as unknown as ResourceQuota;
        this.set(name, { ...status?.hard }, { ...status?.used });
        return this.stored.get(name) as unknown as T;
      },
    };
  }
}

const configMap = (parts: Parts = {}): AdmissionAttributes =>
  newAttributes({ resource: 'v1/configmaps', kind: 'ConfigMap', object: { metadata: { name: 'x' } }, ...parts });
const isAllowed = (answer: string): boolean => answer === 'allowed';

describe('quotas are charged', () => {
  it('before objects are stored, with one write for concurrent requests', async () => {
    const quotas = new Quotas();
    quotas.set('q', { configmaps: '50' }, { configmaps: '10' });
    const { charge } = quotas.server();
    const answers = await Promise.all(Array.from({ length: 60 }, () => charge(configMap())));
    expect(answers.filter(isAllowed)).toHaveLength(40);
    expect(answers.find((answer) => !isAllowed(answer))).toBe(
      'configmaps "x" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=50, limited: configmaps=50',
    );
    expect(quotas.used('q')).toEqual({ configmaps: '50' });
    // One write for the first request, and one for all that arrived meanwhile.
    expect(quotas.writes).toBe(2);
  });

  it('neither for dry runs nor for other resources', async () => {
    const quotas = new Quotas();
    quotas.set('q', { configmaps: '1' }, { configmaps: '0' });
    const { charge } = quotas.server();
    const secret = newAttributes({ resource: 'v1/secrets', kind: 'Secret', object: { metadata: { name: 's' } } });
    expect(await Promise.all([charge(configMap({ dryRun: true })), charge(secret)])).toEqual(['allowed', 'allowed']);
    expect(quotas.writes).toBe(0);
  });

  it('only when no quota is exceeded', async () => {
    const quotas = new Quotas();
    quotas.set('a', { configmaps: '1' }, { configmaps: '1' });
    quotas.set('b', { configmaps: '9' }, { configmaps: '0' });
    const { charge } = quotas.server();
    expect(await charge(configMap())).toContain('exceeded quota: a');
    expect(quotas.used('b')).toEqual({ configmaps: '0' });
  });

  it('again after a conflict', async () => {
    const quotas = new Quotas();
    quotas.set('q', { configmaps: '2' }, { configmaps: '0' });
    const { charge } = quotas.server();
    quotas.set('q', { configmaps: '2' }, { configmaps: '1' });
    expect(await charge(configMap())).toBe('allowed');
    expect(quotas.used('q')).toEqual({ configmaps: '2' });
    expect(await charge(configMap())).toContain('used: configmaps=2');
  });

  it('only when they still exist', async () => {
    const quotas = new Quotas();
    quotas.set('q', { configmaps: '5' }, { configmaps: '0' });
    const { charge } = quotas.server();
    quotas.stored.clear();
    expect(await charge(configMap())).toBe('allowed');
  });

  it('within a timeout', async () => {
    vi.useFakeTimers();
    try {
      const quotas = new Quotas();
      quotas.set('q', { configmaps: '5' }, { configmaps: '0' });
      const { charge } = quotas.server([], { update: () => new Promise(() => {}) });
      const answers = Promise.all([charge(configMap()), charge(configMap())]);
      await vi.advanceTimersByTimeAsync(10_000);
      const late = 'Internal error occurred: resource quota evaluation timed out';
      expect(await answers).toEqual([late, late]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('without being exceeded, by several servers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 40 }),
        async (hard, requests) => {
          const quotas = new Quotas();
          quotas.set('a', { configmaps: `${hard}` }, { configmaps: '0' });
          quotas.set('b', { 'count/configmaps': '15' }, { 'count/configmaps': '0' });
          const servers = [quotas.server(), quotas.server(), quotas.server()];
          const answers = await Promise.all(
            requests.map(([server, look]) => {
              if (look) servers[server]!.look();
              return servers[server]!.charge(configMap());
            }),
          );
          const allowed = answers.filter(isAllowed).length;
          expect(allowed).toBe(Math.min(hard, 15, requests.length));
          expect(quotas.used('a')).toEqual({ configmaps: `${allowed}` });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('limited resources', () => {
  const limited: LimitedResource[] = [
    {
      apiGroup: '',
      resource: 'persistentvolumeclaims',
      matchContains: ['.storageclass.storage.k8s.io/requests.storage'],
      matchScopes: [],
    },
    {
      apiGroup: '',
      resource: 'pods',
      matchContains: [],
      matchScopes: [
        { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical', 'x'] },
        { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
      ],
    },
  ];
  const claim = newAttributes({
    resource: 'v1/persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    object: {
      metadata: { name: 'p' },
      spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } },
    } as KubernetesObject,
  });
  const pod = newAttributes({
    resource: 'v1/pods',
    kind: 'Pod',
    object: {
      metadata: { name: 'p' },
      spec: {
        containers: [],
        priorityClassName: 'x',
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaceSelector: {} }],
          },
        },
      },
    } as KubernetesObject,
  });

  it('are rejected without a quota', async () => {
    const { charge } = new Quotas().server(limited);
    expect(await charge(claim)).toBe(
      'persistentvolumeclaims "p" is forbidden: insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage',
    );
    expect(await charge(pod)).toBe(
      'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical x]} {CrossNamespacePodAffinity Exists []}]',
    );
    expect(await charge(configMap())).toBe('allowed');
  });

  it('are charged to a quota, also after a conflict', async () => {
    const quotas = new Quotas();
    const name = 'gold.storageclass.storage.k8s.io/requests.storage';
    quotas.set('q', { [name]: '3Gi' }, { [name]: '0' });
    const { charge } = quotas.server(limited);
    quotas.set('q', { [name]: '3Gi' }, { [name]: '1Gi' });
    expect(await charge(claim)).toBe('allowed');
    expect(quotas.used('q')).toEqual({ [name]: '2Gi' });
  });
});
