import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ControllerManagerOptions } from './controller-manager-flags.ts';
import { runControllerManager } from './run-controller-manager.ts';

/* Runs a controller manager against an API server over HTTPS, with the real clock. */

let folder: string;
let server: RunningApiServer;
let kubeconfig: string;
let clients: ClientSet;
const { logger } = recordLogs();
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-controller-manager-'));
  kubeconfig = join(folder, 'kubeconfig');
  server = await startApiServer({
    memory: true,
    securePort: 0,
    bindAddress: '127.0.0.1',
    disableAdmissionPlugins: ['ServiceAccount'],
  });
  await writeFile(kubeconfig, server.kubeconfig!);
  clients = ClientSet.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
}, 60_000);
afterEach(async () => stop?.());
afterAll(async () => {
  await clients.rest.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Resolves when the controllers are running. */
async function start(options: ControllerManagerOptions): Promise<void> {
  const ending = new AbortController();
  const running = new Promise<void>((resolve, reject) => {
    const ended = runControllerManager(
      { kubeconfig, securePort: 0, ...options },
      { logger, env: {}, onStarted: resolve },
      ending.signal,
    );
    stop = async () => {
      stop = undefined;
      ending.abort();
      await ended;
    };
    ended.catch(reject);
  });
  await running;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as import('node:net').AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function ask(port: number, path: string): Promise<string> {
  const { clientCertificate } = await (await loadRestConfig({ path: kubeconfig })).credentials!.current();
  return new Promise((resolve, reject) => {
    const { certificate: cert, key } = clientCertificate!;
    const url = `https://127.0.0.1:${port}${path}`;
    const outgoing = request(url, { cert, key, rejectUnauthorized: false, agent: false });
    outgoing.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    outgoing.end();
  });
}

async function replicaSet(name: string): Promise<void> {
  await clients.apps.v1.replicaSets('default').create({
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
}
const eventsOf = async (name: string): Promise<string[]> => {
  const { items } = await clients.core.v1.events('default').list();
  return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ message }) => message ?? '');
};

describe('a controller manager', () => {
  it('runs each controller as its own service account', async () => {
    await clients.rbac.v1.clusterRoleBindings().delete('system:controller:replicaset-controller');
    await start({ useServiceAccountCredentials: true, controllers: ['replicaset', 'daemonset', 'ttl'] });
    await replicaSet('refused');
    const user = 'system:serviceaccount:kube-system:replicaset-controller';
    await expect
      .poll(() => eventsOf('refused'))
      .toContain(
        `Error creating: pods is forbidden: User "${user}" cannot create resource "pods" in API group "" in the namespace "default"`,
      );
    const { items } = await clients.core.v1.serviceAccounts('kube-system').list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['daemon-set-controller', 'replicaset-controller', 'ttl-controller']),
    );
  });

  it('serves its health, metrics and configuration', async () => {
    const securePort = await freePort();
    await start({
      securePort,
      bindAddress: '127.0.0.1',
      authenticationKubeconfig: kubeconfig,
      authorizationKubeconfig: kubeconfig,
      controllers: ['replicaset', 'storage-version-migrator-controller'],
    });
    await replicaSet('seen');
    await expect.poll(() => eventsOf('seen')).toEqual([expect.stringMatching(/^Created pod: seen-/)]);
    expect(await ask(securePort, '/healthz?verbose')).toBe(
      '[+]leaderElection ok\n[+]replicaset-controller ok\nhealthz check passed\n',
    );
    expect(await ask(securePort, '/metrics/slis')).toContain(
      'kubernetes_healthchecks_total{name="leaderElection",status="success",type="healthz"} 1\n',
    );
    const metrics = (await ask(securePort, '/metrics')).split('\n');
    expect(metrics).toContain('leader_election_master_status{name="kube-controller-manager"} 1');
    expect(metrics).toContainEqual(expect.stringMatching(/^workqueue_adds_total\{name="replicaset"\} [1-9]/));
    expect(metrics).toContainEqual(expect.stringMatching(/^rest_client_requests_total\{code="201",.*"POST"\} [1-9]/));
    expect(metrics).toContainEqual(expect.stringMatching(/^reflector_lists_total\{name="pods"\} 1$/));
    expect(JSON.parse(await ask(securePort, '/configz'))).toMatchObject({
      'kubecontrollermanager.config.k8s.io': {
        kind: 'KubeControllerManagerConfiguration',
        Generic: { LeaderElection: { leaderElect: true, resourceName: 'kube-controller-manager' } },
        PodGCController: { TerminatedPodGCThreshold: 12_500 },
      },
    });
    expect(await ask(securePort, '/flagz')).toContain(
      '\ncontrollers: [replicaset,storage-version-migrator-controller]\n',
    );
  });

  it('does not serve pages that feature gates disable', async () => {
    const securePort = await freePort();
    await start({
      securePort,
      bindAddress: '127.0.0.1',
      authenticationKubeconfig: kubeconfig,
      featureGates: ['ComponentFlagz=false', 'ComponentStatusz=false'],
      controllers: ['ttl'],
      leaderElect: false,
    });
    expect(await ask(securePort, '/flagz')).toBe('404 page not found\n');
    expect(await ask(securePort, '/statusz')).toBe('404 page not found\n');
    expect(await ask(securePort, '/healthz?verbose')).toBe('[+]ttl-controller ok\nhealthz check passed\n');
  });

  it('releases its lease when it is stopped, and records an event', async () => {
    await start({ leaderElectResourceName: 'stopping', controllers: ['ttl'] });
    const lease = () => clients.coordination.v1.leases('kube-system').get('stopping');
    const { spec } = await lease();
    expect(spec?.holderIdentity).toBeTruthy();
    await stop!();
    expect((await lease()).spec?.holderIdentity).toBe('');
    const { items } = await clients.core.v1.events('kube-system').list();
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'stopping').map(({ message }) => message);
    expect(told).toEqual([`${spec?.holderIdentity} became leader`, `${spec?.holderIdentity} stopped leading`]);
  });

  it('does not start when its port is in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port: securePort } = taken.address() as import('node:net').AddressInfo;
    await expect(start({ securePort, bindAddress: '127.0.0.1' })).rejects.toThrow('EADDRINUSE');
    stop = undefined;
    await new Promise((resolve) => taken.close(resolve));
  });
});
