import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientSet, RESTClient, silentLogger } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { HollowNodes } from '@coxswain/kubelet';
import { type NodeAuthority, writeNodeAuthority } from './node-authority.ts';
import { freePort, type Stage } from './stage.ts';

/** The files that components need for an API server. */
export interface ApiServer {
  /** An admin kubeconfig. */
  readonly kubeconfig: string;
  /** The CA certificate with which pods verify the server. */
  readonly rootCaFile: string;
  /** The key that signs service account tokens. */
  readonly serviceAccountKeyFile: string;
  /** Signs certificates that clients request. The API server trusts them. */
  readonly signer?: NodeAuthority;
  /** Its process id. */
  readonly pid?: number;
}

const readyTimeoutMs = 60_000;

/** Starts `cox apiserver` like a user, in memory. */
export async function startOurs(stage: Stage, cox: string, flags: readonly string[] = []): Promise<ApiServer> {
  const place = ['--memory', `--data-dir=${stage.folder}`, '--bind-address=127.0.0.1', '--secure-port=0'];
  await stage.start('cox-apiserver', [cox, 'apiserver', ...place, ...flags], { until: /is ready at / });
  const pki = join(stage.folder, 'pki');
  const rootCaFile = join(pki, 'ca.crt');
  return {
    kubeconfig: join(stage.folder, 'admin.kubeconfig'),
    rootCaFile,
    serviceAccountKeyFile: join(pki, 'sa.key'),
    signer: { certificateFile: rootCaFile, keyFile: join(pki, 'ca.key') },
  };
}

/** The ports of the real kube-apiserver and etcd. */
export interface PairPorts {
  readonly server: number;
  readonly client: number;
  readonly peer: number;
}

export interface PairOptions {
  readonly folder: string;
  readonly programs: { readonly kubeApiserver: string; readonly etcd: string };
  readonly ports: PairPorts;
}

/**
 * Returns the command lines of the real kube-apiserver and etcd. The files they need are in the folder
 * (`writePairFiles`).
 */
export function pairPrograms({ folder, programs, ports }: PairOptions): {
  readonly etcd: readonly string[];
  readonly kubeApiserver: readonly string[];
} {
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${ports.client}`, `http://127.0.0.1:${ports.peer}`];
  const etcd = [
    programs.etcd,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ];
  const keyFile = join(folder, 'sa.key');
  const kubeApiserver = [
    programs.kubeApiserver,
    `--etcd-servers=${clientUrl}`,
    `--secure-port=${ports.server}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    '--service-cluster-ip-range=10.96.0.0/16',
  ];
  return { etcd, kubeApiserver };
}

/** Writes the files that the real kube-apiserver and etcd need, and an admin kubeconfig. */
export async function writePairFiles(
  folder: string,
): Promise<Omit<ApiServer, 'pid' | 'signer'> & { readonly ports: PairPorts }> {
  const [server, client, peer] = await Promise.all([freePort(), freePort(), freePort()]);
  const serviceAccountKeyFile = join(folder, 'sa.key');
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
  writeFileSync(serviceAccountKeyFile, key, { mode: 0o600 });
  writeFileSync(join(folder, 'tokens.csv'), 'admin,admin,1,"system:masters"\n', { mode: 0o600 });
  // The server creates a self-signed certificate and writes it to this file.
  const rootCaFile = join(folder, 'apiserver.crt');
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${server}`, 'certificate-authority': rootCaFile } }],
    users: [{ name: 'u', user: { token: 'admin' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return { kubeconfig, rootCaFile, serviceAccountKeyFile, ports: { server, client, peer } };
}

/** Starts the real kube-apiserver and etcd. Resolves when they are ready. Nodes may join with bootstrap tokens. */
export async function startTheirs(stage: Stage, kubeApiserver: string, etcd: string): Promise<ApiServer> {
  const { folder } = stage;
  const { ports, ...files } = await writePairFiles(folder);
  const { authority: signer, flags } = writeNodeAuthority(folder);
  const commands = pairPrograms({ folder, programs: { kubeApiserver, etcd }, ports });
  await stage.start('etcd', commands.etcd);
  const pid = await stage.start('kube-apiserver', [...commands.kubeApiserver, ...flags]);
  const ready = stage.waitFor(untilReady(files.kubeconfig, readyTimeoutMs), 'kube-apiserver', 2 * readyTimeoutMs);
  if (!(await ready)) throw new Error('timed out waiting for kube-apiserver to be ready');
  return { ...files, signer, ...(pid !== undefined && { pid }) };
}

/** Returns whether the server became ready within the timeout, and before `over` resolved. */
export async function untilReady(kubeconfig: string, timeoutMs: number, over?: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void over?.then(() => {
    isOver = true;
  });
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline && !isOver; ) {
    if (await asks(kubeconfig, '/readyz').catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
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

/** Runs two hollow nodes in this process until the stage is closed. Resolves when they are registered. */
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
