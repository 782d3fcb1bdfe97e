import { afterEach, describe, expect, it } from 'vitest';
import { TestCluster } from './test-cluster.ts';

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('a pod', () => {
  it('gets a node, an event and a condition', async () => {
    cluster = await TestCluster.start();
    await cluster.createNode('a');
    await cluster.createPod('web');
    await cluster.settle();
    expect(cluster.log).toEqual([]);
    expect(await cluster.placements()).toEqual({ web: 'a' });
    expect(await cluster.events()).toEqual(['Normal Scheduled Pod/web: Successfully assigned default/web to a']);
  });
});
