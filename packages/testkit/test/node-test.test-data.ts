/* A test file for node:test, run by `node-test.test.ts`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startCluster, type TestCluster } from '@coxswain/testkit';

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster.stop());

test('a pod runs', async () => {
  await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec: { containers: [{ name: app, image: nginx }] }
`);
  const [pod] = await cluster.untilPodsRunning('app=web');
  assert.equal(pod?.status?.phase, 'Running');
});

test('nothing is left of a cluster that was stopped', async () => {
  // Only sockets and servers: other resources change all the time, such as the timers of the other cluster.
  const resources = (): string[] => process.getActiveResourcesInfo().filter((name) => name.endsWith('Wrap'));
  await cluster.kubeconfigFile();
  const before = resources();
  {
    await using other = await startCluster({ nodes: 5 });
    await other.kubeconfigFile();
    await other.advance('1h');
    // Stops a cluster that still has work to do.
    await other.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
  }
  assert.deepEqual(resources().sort(), before.sort());
});
