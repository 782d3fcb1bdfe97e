import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envtestAssets } from '../../src/envtest-assets.ts';

const cox = [
  process.execPath,
  '--conditions=coxswain-source',
  '--import=tsx',
  fileURLToPath(new URL('cox.ts', import.meta.url)),
];
const cwd = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'envtest-'));
  const lines: string[] = [];
  const terminal = { out: (text: string) => lines.push(text), err: (text: string) => lines.push(text) };
  expect(await envtestAssets(join(folder, 'assets'), terminal, { cox, env: {} })).toBe(0);
  expect(lines[0]).toBe(`export KUBEBUILDER_ASSETS=${join(folder, 'assets')}\n`);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const asset = (name: string): string => join(folder, 'assets', name);

function start(name: string, args: readonly string[]): { child: ChildProcess; text: () => string } {
  const child = spawn(asset(name), args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk));
  return { child, text: () => text };
}

/** Returns a port that was just free, like envtest. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Polls like envtest until the status is 200, ignoring certificates. */
async function pollUntilOK(poll: () => Promise<number>): Promise<void> {
  while ((await poll().catch(() => 0)) !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
}

const year = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 365 * 86_400_000) };
const newAuthority = (): KeyPair => issueKeyPair({ commonName: 'authority', isCA: true, ...year });

function ask(port: number, path: string, client?: KeyPair): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const credentials = client && { cert: client.certificatePem, key: client.keyPem };
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, ...credentials }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

it('lists its flags for envtest', () => {
  const help = (name: string): string => {
    const { status, stdout } = spawnSync(asset(name), ['--help'], { cwd, encoding: 'utf8' });
    expect(status).toBe(0);
    return stdout;
  };
  expect(help('kube-apiserver')).not.toMatch(/^\s*--insecure-port\b/m);
  expect(help('kube-apiserver')).toMatch(/^\s*--etcd-servers\b/m);
  expect(help('etcd')).not.toMatch(/^\s*--unsafe-no-fsync\b/m);
});

it('can be started, polled and stopped like envtest does', async () => {
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcd = start('etcd', [
    `--advertise-client-urls=${etcdUrl}`,
    `--data-dir=${folder}`,
    `--listen-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  ]);
  await pollUntilOK(async () => (await fetch(`${etcdUrl}/health`)).status);

  const certDir = join(folder, 'certs');
  await mkdir(certDir);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(certDir, name), text);
    return join(certDir, name);
  };
  const [serving, signer, clients] = [newAuthority(), newAuthority(), newAuthority()];
  const pair = issueKeyPair(
    { commonName: 'localhost', ipAddresses: ['127.0.0.1'], usages: ['serverAuth'], ...year },
    serving,
  );
  await file('apiserver.crt', pair.certificatePem);
  await file('apiserver.key', pair.keyPem);
  const server = start('kube-apiserver', [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certDir}`,
    `--client-ca-file=${await file('client-cert-auth-ca.crt', clients.certificatePem)}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${await file('sa-signer.crt', signer.certificatePem)}`,
    `--service-account-signing-key-file=${await file('sa-signer.key', signer.keyPem)}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  await pollUntilOK(async () => (await ask(port, '/readyz')).status);

  const admin = issueKeyPair(
    { commonName: 'admin', organizations: ['system:masters'], usages: ['clientAuth'], ...year },
    clients,
  );
  expect(await ask(port, '/api/v1/namespaces/default')).toMatchObject({ status: 403 });
  const service = await ask(port, '/api/v1/namespaces/default/services/kubernetes', admin);
  expect(JSON.parse(service.text).spec.clusterIP).toBe('10.0.0.1');
  expect((await ask(port, '/metrics', admin)).status).toBe(200);

  for (const { child } of [server, etcd]) {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  }
  expect(server.text()).toContain('The server is ready');
});

it('treats an address where nothing listens as an etcd that is not started yet', async () => {
  const port = await freePort();
  const server = start('kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${port}`,
    '--secure-port=0',
    '--bind-address=127.0.0.1',
  ]);
  while (!server.text().includes('Waiting for etcd')) await new Promise((resolve) => setTimeout(resolve, 100));
  server.child.kill('SIGKILL');
});
