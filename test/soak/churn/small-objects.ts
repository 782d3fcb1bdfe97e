import type { Activity } from './activity.ts';
import { create, merge, remove } from './calls.ts';

const standing = 20;

/** Renewed leases, Events, and ConfigMaps that change. */
export const smallObjects: Activity = {
  name: 'small objects',
  perMinute: 30,
  atOnce: 4,
  async prepare({ rest, namespace }) {
    for (let index = 0; index < standing; index++)
      await create(rest, `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: `settings-${index}` } });
  },
  async run({ rest, namespace }, turn) {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await create(rest, leases, { metadata: { name: `lease-${turn}` }, spec: { holderIdentity: `holder-${turn}` } });
    await merge(rest, `${leases}/lease-${turn}`, {
      spec: { renewTime: new Date().toISOString().replace('Z', '000Z') },
    });
    await remove(rest, `${leases}/lease-${turn}`);
    await merge(rest, `/api/v1/namespaces/${namespace}/configmaps/settings-${turn % standing}`, {
      data: { turn: `${turn}` },
    });
    await create(rest, `/api/v1/namespaces/${namespace}/events`, {
      metadata: { name: `told-${turn}` },
      involvedObject: { kind: 'ConfigMap', namespace, name: `settings-${turn % standing}` },
      reason: 'Soaked',
      message: `turn ${turn}`,
      type: 'Normal',
    });
  },
};
