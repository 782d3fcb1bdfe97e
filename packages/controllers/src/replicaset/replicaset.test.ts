import { afterEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { replicaSetController } from './index.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

describe('ReplicaSet', () => {
  it('creates its pods', async () => {
    cluster = await TestCluster.start({ controllers: [replicaSetController] });
    const sets = cluster.clients.apps.v1.replicaSets('default');
    await sets.create({ metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template } });
    await cluster.settle();
    const { items } = await cluster.clients.core.v1.pods('default').list();
    console.log(JSON.stringify(items[0], null, 1), JSON.stringify(await sets.get('web'), null, 1), await cluster.events(), cluster.spy.writes, cluster.log);
    expect(items.length).toBe(3);
  });
});
