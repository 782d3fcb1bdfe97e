import type { Activity } from './activity.ts';
import { create, get, merge } from './calls.ts';
import { deployment } from './workloads.ts';

const standing = 10;
const replicas = 3;

/** Permanent Deployments are rolled out and scaled in turn, and the logs of a pod are read. */
export const rollOuts: Activity = {
  name: 'roll-outs',
  perMinute: 20,
  atOnce: 4,
  async prepare({ rest, namespace }) {
    for (let index = 0; index < standing; index++)
      await create(rest, `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment(`app-${index}`, replicas));
  },
  async run({ rest, namespace }, turn) {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/app-${turn % standing}`;
    const template = { metadata: { annotations: { 'soak.example/turn': `${turn}` } } };
    await merge(rest, path, { spec: { template, replicas: replicas + (turn % 2) } });
    const pods = await get<{ items: { metadata: { name: string } }[] }>(rest, `/api/v1/namespaces/${namespace}/pods`, {
      labelSelector: `app=app-${turn % standing}`,
      limit: 1,
    });
    const name = pods.items[0]?.metadata.name;
    if (name === undefined) return;
    // The pod may be deleted by now, or not be running yet.
    await rest.raw({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${name}/log` }).catch(() => {});
  },
};
