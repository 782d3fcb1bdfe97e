import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An API server under load, with all its processes. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly token: string;
  /** The time from its start until it was ready. */
  readonly startMs: number;
  /** Returns the CPU time that its processes have used so far. */
  cpuMs(): number;
  /** Returns the resident memory of its processes. */
  rssMiB(): number;
  stop(): Promise<void>;
}

const token = 'bench';
const clockTicksPerSecond = 100;

/** Starts our server, over lmdb with TLS: the same command that users run. */
export async function startOurs(cox: string): Promise<Target> {
  const directory = await scratch();
  const port = await freePort();
  const started = performance.now();
  const server = spawn(
    cox,
    [
      'apiserver',
      `--data-dir=${join(directory, 'data')}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--disable-admission-plugins=ServiceAccount',
      `--token-auth-file=${join(directory, 'tokens.csv')}`,
      '--max-requests-inflight=0',
      '--max-mutating-requests-inflight=0',
      '--enable-priority-and-fairness=false',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return watchOver('ours', directory, port, started, [server]);
}

/** Starts the real pair: kube-apiserver and etcd. */
export async function startPeer(kubeApiserver: string, etcd: string): Promise<Target> {
  const directory = await scratch();
  const [port, clientPort, peerPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
  await writeFile(join(directory, 'sa.key'), key, { mode: 0o600 });
  const clientUrl = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const started = performance.now();
  const store = spawn(
    etcd,
    [
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
    ],
    { stdio: 'ignore' },
  );
  const sa = join(directory, 'sa.key');
  const server = spawn(
    kubeApiserver,
    [
      `--etcd-servers=${clientUrl}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(directory, 'certs')}`,
      `--token-auth-file=${join(directory, 'tokens.csv')}`,
      '--authorization-mode=Node,RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${sa}`,
      `--service-account-signing-key-file=${sa}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--disable-admission-plugins=ServiceAccount',
      '--max-requests-inflight=0',
      '--max-mutating-requests-inflight=0',
      '--enable-priority-and-fairness=false',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return watchOver('kube-apiserver + etcd', directory, port, started, [server, store]);
}

async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-apiserver-'));
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'tokens.csv'), `${token},bench,1,"system:masters"\n`, { mode: 0o600 });
  return directory;
}

async function watchOver(
  name: string,
  directory: string,
  port: number,
  started: number,
  children: readonly ChildProcess[],
): Promise<Target> {
  let log = '';
  for (const child of children)
    child.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-4000);
    });
  const pids = children.map(({ pid }) => pid!);
  // The server is stopped first, because its shutdown uses the store.
  const stop = async (): Promise<void> => {
    for (const child of children) await end(child);
    await rm(directory, { recursive: true, force: true });
  };
  while (!(await isReady(port))) {
    if (children.some(({ exitCode }) => exitCode !== null)) {
      await stop();
      throw new Error(`${name} ended before it was ready:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const startMs = performance.now() - started;
  return {
    name,
    port,
    token,
    startMs,
    cpuMs: () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0),
    rssMiB: () => pids.reduce((sum, pid) => sum + rssOf(pid), 0),
    stop,
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}` },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode === 200));
      },
    );
    probe.once('error', () => resolve(false));
    probe.end();
  });
}

/** Returns the user and system time of all threads. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
}

function rssOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
