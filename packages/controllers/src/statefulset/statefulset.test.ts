import { afterEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { statefulSetController } from './index.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('StatefulSet', () => {
  it('creates its pods', async () => {
    cluster = await TestCluster.start({ controllers: [statefulSetController] });
    const sets = cluster.clients.apps.v1.statefulSets('default');
    await sets.create({
      metadata: { name: 'web', annotations: { note: 'a' } },
      spec: {
        replicas: 2,
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
        template: {
          metadata: { labels: { app: 'web', tier: 'x' }, annotations: { h: 'a<b>&c' } },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: 'web:1' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data', labels: { l: '1' } },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    await cluster.settle();
    const { items } = await cluster.clients.core.v1.pods('default').list();
    const claims = await cluster.clients.core.v1.persistentVolumeClaims('default').list();
    const revs = await cluster.clients.apps.v1.controllerRevisions('default').list();
    console.log(
      JSON.stringify(items[0], null, 1),
      JSON.stringify(claims.items, null, 1),
      JSON.stringify(revs.items, null, 1),
      JSON.stringify(await sets.get('web'), null, 1),
      await cluster.events(),
      cluster.spy.writes,
      cluster.log,
    );
    expect(items.length).toBe(1);
  });
});
