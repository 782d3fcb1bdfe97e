import type { Pod, ResourceQuotaSpec } from '@coxswain/api/core/v1';
import { newConflict } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { createWidgetDefinition, widgets } from '../../test/widgets.ts';
import { resourceQuotaController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [resourceQuotaController] });
});
afterEach(() => cluster.stop());

const quotas = () => cluster.clients.core.v1.resourceQuotas('default');
const pods = () => cluster.clients.core.v1.pods('default');
const configMaps = () => cluster.clients.core.v1.configMaps('default');

async function quota(hard: Readonly<Record<string, string>>, more: Partial<ResourceQuotaSpec> = {}, name = 'q') {
  await quotas().create({ metadata: { name }, spec: { hard: { ...hard }, ...more } });
  await cluster.settle();
}
const status = async (name = 'q') => (await quotas().get(name)).status;
const used = async (name = 'q') => (await status(name))?.used;
const pod = (name: string, cpu = '100m', more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'c', resources: { requests: { cpu }, limits: { cpu } } }], ...more },
});
const writes = (): string[] => cluster.spy.writes.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
const statusWrite = 'PUT /api/v1/namespaces/default/resourcequotas/q/status';

describe('a quota', () => {
  it('gets the current usage in one write', async () => {
    await pods().create(pod('a', '300m'));
    await pods().create(pod('b', '1'));
    await configMaps().create({ metadata: { name: 'c' } });
    await cluster.settle();
    const [before] = [(await configMaps().list()).items.length];
    await quota({ pods: '10', 'requests.cpu': '4', 'limits.memory': '1Gi', 'count/configmaps': '20', secrets: '5' });
    expect(await status()).toEqual({
      hard: { pods: '10', 'requests.cpu': '4', 'limits.memory': '1Gi', 'count/configmaps': '20', secrets: '5' },
      used: { pods: '2', 'requests.cpu': '1300m', 'limits.memory': '0', 'count/configmaps': `${before}`, secrets: '0' },
    });
    expect(writes()).toEqual([statusWrite]);
    await cluster.advance(700_000, 60_000);
    expect(writes()).toEqual([statusWrite]);
  });

  it('is counted again when its limits change', async () => {
    await pods().create(pod('a'));
    await quota({ pods: '10' });
    await quotas().patch('q', 'merge', { spec: { hard: { pods: null, 'requests.cpu': '2' } } });
    await cluster.settle();
    expect(await status()).toEqual({ hard: { 'requests.cpu': '2' }, used: { 'requests.cpu': '100m' } });
  });

  it('with scopes counts only objects that match all of them', async () => {
    await pods().create(pod('short', '1', { activeDeadlineSeconds: 60 }));
    await pods().create(pod('long', '2'));
    await quota({ pods: '10', 'requests.cpu': '10' }, { scopes: ['Terminating', 'NotBestEffort'] });
    expect(await used()).toEqual({ pods: '1', 'requests.cpu': '1' });
  });

  it('is reduced when objects are deleted', async () => {
    await quota({ pods: '10', 'requests.cpu': '4', configmaps: '10' });
    const { configmaps } = (await used())!;
    await pods().create(pod('a'));
    await configMaps().create({ metadata: { name: 'c' } });
    await cluster.settle();
    expect(await used()).toEqual({ pods: '1', 'requests.cpu': '100m', configmaps: `${Number(configmaps) + 1}` });
    // The API server has already counted the new objects, so the controller has nothing to write.
    expect(writes()).toEqual([statusWrite]);
    await pods().delete('a', { gracePeriodSeconds: 0 });
    await configMaps().delete('c');
    await cluster.settle();
    expect(await used()).toEqual({ pods: '0', 'requests.cpu': '0', configmaps });
  });

  it('is reduced when a pod terminates', async () => {
    await quota({ pods: '10', 'requests.cpu': '4', 'count/pods': '5' });
    const { metadata } = await pods().create(pod('a'));
    await pods().updateStatus({ metadata, status: { phase: 'Running' } });
    await cluster.settle();
    const before = cluster.spy.writes.length;
    await pods().patch('a', 'merge', { metadata: { labels: { x: 'y' } } });
    await cluster.settle();
    expect(cluster.spy.writes.length).toBe(before);
    await pods().patch('a', 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    await cluster.settle();
    expect(await used()).toEqual({ pods: '0', 'requests.cpu': '0', 'count/pods': '1' });
  });

  it('is updated when a pod changes its scope', async () => {
    await quota({ pods: '10' }, { scopes: ['NotTerminating'] });
    await quota({ pods: '10' }, { scopes: ['Terminating'] }, 'short');
    await pods().create(pod('a'));
    await pods().patch('a', 'merge', { spec: { activeDeadlineSeconds: 60 } });
    await cluster.settle();
    expect([await used(), await used('short')]).toEqual([{ pods: '0' }, { pods: '1' }]);
  });

  it('is updated when a service changes its type', async () => {
    const services = cluster.clients.core.v1.services('default');
    await quota({ 'services.nodeports': '5', 'services.loadbalancers': '2' });
    await services.create({ metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    await cluster.settle();
    expect(await used()).toEqual({ 'services.nodeports': '1', 'services.loadbalancers': '0' });
    await services.patch('s', 'merge', { spec: { type: 'ClusterIP' } });
    await cluster.settle();
    expect(await used()).toEqual({ 'services.nodeports': '0', 'services.loadbalancers': '0' });
  });

  it('is corrected within five minutes after a wrong write', async () => {
    await quota({ pods: '10' });
    const found = await quotas().get('q');
    await quotas().updateStatus({ ...found, status: { ...found.status, used: { pods: '7' } } });
    await cluster.settle();
    expect(await used()).toEqual({ pods: '7' });
    await cluster.advance(330_000);
    expect(await used()).toEqual({ pods: '0' });
  });

  it('is corrected after a restart', async () => {
    await quota({ pods: '10' });
    await pods().create(pod('a'));
    await cluster.settle();
    await cluster.stopControllers();
    await pods().delete('a', { gracePeriodSeconds: 0 });
    expect(await used()).toEqual({ pods: '1' });
    cluster.startControllers();
    await cluster.settle();
    expect(await used()).toEqual({ pods: '0' });
  });

  it('is updated again after a conflict', async () => {
    let failures = 2;
    cluster.spy.plan = ({ method }) => {
      if (method === 'PUT' && failures-- > 0)
        throw newConflict(GroupResource.of('', 'resourcequotas'), 'q', new Error('injected'));
    };
    await quota({ pods: '10' });
    await cluster.advance(1000, 100);
    expect(failures).toBe(-1);
    expect(await used()).toEqual({ pods: '0' });
  });
});

describe('custom resources', () => {
  it('are counted once their kind is known', async () => {
    await quota({ 'count/widgets.example.com': '5', pods: '1' });
    // They cannot be counted, so the usage is not set to zero.
    expect(await used()).toEqual({ pods: '0' });
    await createWidgetDefinition(cluster);
    await cluster.advance(30_000);
    expect(await used()).toEqual({ 'count/widgets.example.com': '0', pods: '0' });
    await widgets(cluster).create({ metadata: { name: 'w' } });
    await cluster.settle();
    expect(await used()).toEqual({ 'count/widgets.example.com': '1', pods: '0' });
    await widgets(cluster).delete('w');
    await cluster.settle();
    expect(await used()).toEqual({ 'count/widgets.example.com': '0', pods: '0' });
  });
});
