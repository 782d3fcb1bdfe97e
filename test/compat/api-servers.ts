import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientSet, RESTClient, silentLogger } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { HollowNodes } from '@coxswain/kubelet';
import { freePort, type Stage } from './stage.ts';

/** What components need to work for an API server. */
export interface ApiServer {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** Whom pods trust it by. */
  readonly rootCaFile: string;
  /** Signs the tokens of service accounts. */
  readonly serviceAccountKeyFile: string;
  /** Of its process. */
  readonly pid?: number;
}

const readyTimeoutMs = 60_000;

/** `cox apiserver` as a person starts it, over memory. */
export async function startOurs(stage: Stage, cox: string): Promise<ApiServer> {
  const place = ['--memory', `--data-dir=${stage.folder}`, '--bind-address=127.0.0.1', '--secure-port=0'];
  await stage.start('cox-apiserver', [cox, 'apiserver', ...place], { until: /is ready at / });
  return {
    kubeconfig: join(stage.folder, 'admin.kubeconfig'),
    rootCaFile: join(stage.folder, 'pki', 'ca.crt'),
    serviceAccountKeyFile: join(stage.folder, 'pki', 'sa.key'),
  };
}

/** The real pair. Resolves when it is ready. */
export async function startTheirs(stage: Stage, kubeApiserver: string, etcd: string): Promise<ApiServer> {
  const { folder } = stage;
  const [port, clientPort, peerPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  await stage.start('etcd', [
    etcd,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ]);
  const serviceAccountKeyFile = join(folder, 'sa.key');
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
  writeFileSync(serviceAccountKeyFile, key, { mode: 0o600 });
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'admin,admin,1,"system:masters"\n', { mode: 0o600 });
  const pid = await stage.start('kube-apiserver', [
    kubeApiserver,
    `--etcd-servers=${clientUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${serviceAccountKeyFile}`,
    '--service-cluster-ip-range=10.96.0.0/16',
  ]);
  // It signs its certificate itself, and writes down what it signed it with.
  const rootCaFile = join(folder, 'apiserver.crt');
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': rootCaFile } }],
    users: [{ name: 'u', user: { token: 'admin' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  await stage.waitFor(untilReady(kubeconfig), 'kube-apiserver to be ready', readyTimeoutMs);
  return { kubeconfig, rootCaFile, serviceAccountKeyFile, ...(pid !== undefined && { pid }) };
}

async function untilReady(kubeconfig: string): Promise<void> {
  for (const deadline = Date.now() + readyTimeoutMs; Date.now() < deadline; ) {
    const isReady = await asks(kubeconfig, '/readyz').catch(() => false);
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function asks(kubeconfig: string, path: string): Promise<boolean> {
  const rest = RESTClient.forConfig(await loadRestConfig({ path: kubeconfig }));
  try {
    await rest.raw({ method: 'GET', path, headers: { accept: 'text/plain' } });
    return true;
  } finally {
    await rest.close();
  }
}

/** Two nodes on which nothing runs, in this process, until the stage is closed. Resolves when the server knows them. */
export async function joinNodes(stage: Stage, { kubeconfig }: ApiServer): Promise<void> {
  const rest = RESTClient.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
  const stop = new AbortController();
  const nodes = new HollowNodes({ rest, nodes: 2, logger: silentLogger });
  const running = nodes.run(stop.signal);
  stage.atEnd(async () => {
    stop.abort();
    await running.catch(() => {});
    await rest.close();
  });
  const known = async (): Promise<void> => {
    while ((await new ClientSet(rest).core.v1.nodes().list()).items.length < 2)
      await new Promise((resolve) => setTimeout(resolve, 100));
  };
  await stage.waitFor(Promise.race([known(), running]), 'nodes to join', readyTimeoutMs);
}
