/* A file of tests as somebody writes it who uses node:test; `node-test.test.ts` runs it. */
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
  // Sockets and servers; the rest comes and goes, the timers of the other cluster among it.
  const resources = (): string[] => process.getActiveResourcesInfo().filter((name) => name.endsWith('Wrap'));
  await cluster.kubeconfigFile();
  const before = resources();
  {
    await using other = await startCluster({ nodes: 5 });
    await other.kubeconfigFile();
    await other.advance('1h');
    // One that is stopped in the midst of things.
    await other.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
  }
  assert.deepEqual(resources().sort(), before.sort());
});
