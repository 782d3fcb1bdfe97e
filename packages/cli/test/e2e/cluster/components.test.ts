import { join } from 'node:path';
import { RESTClient, silentLogger } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { HollowNodes } from '@coxswain/kubelet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import { CoxApiServer } from '../cox-apiserver.ts';
import { CoxProcess } from '../cox-process.ts';
import { Shell } from '../shell.ts';
import { componentKubeconfig } from './component-kubeconfig.ts';
import { events } from './events.ts';

const election = [
  '--leader-elect-lease-duration=10s',
  '--leader-elect-renew-deadline=8s',
  '--leader-elect-retry-period=1s',
  '--secure-port=0',
];

const controllersRun = /controllers are running/;
const schedulerRuns = /the scheduler is running/;

/* Each component in its own process, over HTTPS, with no more rights than upstream gives it. */

describe.skipIf(!findBinary('kubectl'))('separate components', () => {
  let server: CoxApiServer;
  /** The instances that were started first (the leaders), and those that wait. */
  let controllers: CoxProcess[] = [];
  let schedulers: CoxProcess[] = [];
  let schedulerKubeconfig: string;
  let shell: Shell;
  const kubectl = (command: string) => shell.run(`kubectl ${command}`);
  const stop = new AbortController();
  let nodes: Promise<void> | undefined;

  beforeAll(async () => {
    server = await CoxApiServer.start();
    shell = new Shell(server.kubeconfig);
    const pki = (name: string): string => join(server.directory, 'pki', name);
    schedulerKubeconfig = await componentKubeconfig(server, 'system:kube-scheduler');
    const controllersKubeconfig = await componentKubeconfig(server, 'system:kube-controller-manager');
    const startBoth = () => {
      const controllerManager = new CoxProcess([
        'controller-manager',
        `--kubeconfig=${controllersKubeconfig}`,
        '--use-service-account-credentials',
        `--root-ca-file=${pki('ca.crt')}`,
        `--service-account-private-key-file=${pki('sa.key')}`,
        ...election,
      ]);
      const scheduler = new CoxProcess(['scheduler', `--kubeconfig=${schedulerKubeconfig}`, ...election]);
      controllers = [...controllers, controllerManager];
      schedulers = [...schedulers, scheduler];
    };
    startBoth();
    await controllers[0]!.says(controllersRun);
    await schedulers[0]!.says(schedulerRuns);
    startBoth();
    const rest = RESTClient.forConfig(await loadRestConfig({ path: server.kubeconfig }));
    nodes = new HollowNodes({ rest, nodes: 2, logger: silentLogger }).run(stop.signal).finally(() => rest.close());
  }, 120_000);
  afterAll(async () => {
    shell?.close();
    stop.abort();
    await nodes;
    await Promise.all([...controllers, ...schedulers].map((each) => each.stop()));
    await server?.stop();
  }, 60_000);

  it('have their own identities and only their rights', async () => {
    const asScheduler = `--kubeconfig=${schedulerKubeconfig}`;
    expect(await kubectl(`${asScheduler} auth whoami -o jsonpath='{.status.userInfo.username}'`)).toBe(
      'system:kube-scheduler',
    );
    expect(await kubectl(`${asScheduler} get secrets -A`)).toContain(
      'User "system:kube-scheduler" cannot list resource "secrets"',
    );
  });

  it('make a Deployment run', async () => {
    await kubectl('wait node/hollow-0 node/hollow-1 --for=condition=Ready');
    await kubectl('create deployment web --image=web:1 --replicas=4');
    expect(await kubectl('rollout status deployment/web --timeout=35s')).toContain('successfully rolled out');
    // Each controller uses its own service account.
    expect(await kubectl('-n kube-system get serviceaccount deployment-controller replicaset-controller -o name')).toBe(
      'serviceaccount/deployment-controller\nserviceaccount/replicaset-controller',
    );
    const [pod, node] = (
      await kubectl(`get pods -o jsonpath='{.items[0].metadata.name} {.items[0].spec.nodeName}'`)
    ).split(' ');
    await expect
      .poll(() => events(shell, 'default', `Pod/${pod}`), { timeout: 20_000 })
      .toContain(`Normal Scheduled: Successfully assigned default/${pod!.slice(0, -6)}-##### to ${node}`);
  });

  it('are replaced by waiting instances when they are killed; no pod is created or bound twice', async () => {
    const holders = async () => [
      await kubectl(`-n kube-system get lease kube-scheduler -o jsonpath='{.spec.holderIdentity}'`),
      await kubectl(`-n kube-system get lease kube-controller-manager -o jsonpath='{.spec.holderIdentity}'`),
    ];
    const before = await holders();
    expect([controllers[1]!.out, schedulers[1]!.out]).toEqual(['', '']);
    const placed = `get pods --sort-by=.metadata.name --no-headers -o custom-columns=:.metadata.name,:.spec.nodeName`;
    const old = (await kubectl(placed)).split('\n');

    await Promise.all([
      controllers[0]!.stop('SIGKILL'),
      schedulers[0]!.stop('SIGKILL'),
      kubectl('scale deployment/web --replicas=10'),
    ]);
    await controllers[1]!.says(controllersRun);
    await schedulers[1]!.says(schedulerRuns);
    expect(await kubectl('rollout status deployment/web --timeout=35s')).toContain('successfully rolled out');
    const after = await holders();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);

    const now = (await kubectl(placed)).split('\n');
    expect(now.length).toBe(10);
    expect(now).toEqual(expect.arrayContaining(old));
    const told = `get events --field-selector reason=Scheduled --no-headers -o custom-columns=:.involvedObject.name`;
    const count = async () => (await kubectl(told)).split('\n').length;
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThanOrEqual(9);
    const names = (await kubectl(told)).split('\n');
    // The last Events of the killed one may be missing.
    expect(new Set(names).size).toBe(names.length);
    expect(await kubectl('get events --field-selector reason=FailedScheduling -o name')).toBe('');
    expect(await kubectl('-n kube-system get events --field-selector involvedObject.kind=Lease')).toMatch(
      /LeaderElection {3}lease\/kube-scheduler {3}\S+ became leader/,
    );
  });
});
