import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EtcdTlsOptions } from '../etcd-options.ts';
import { openEtcdStore } from '../open-etcd-store.ts';
import { type EtcdCertificates, makeCertificates } from './certificates.ts';
import { findProgram } from './find-program.ts';
import { freePorts } from './free-ports.ts';

/** A member of an etcd cluster for tests, with a data directory that outlives its process. */
export interface EtcdServer {
  /** `http://127.0.0.1:port`, the same after a restart. */
  readonly endpoint: string;
  /** The TLS options for clients; empty without TLS. */
  readonly tls: EtcdTlsOptions;
  /** Rejects with the output when the process ends by itself soon after the first start. */
  readonly failed: Promise<never>;
  /** Kills the process with SIGKILL, like a power cut. */
  kill(): Promise<void>;
  /** Starts it again with its data. Resolves before it answers. */
  start(): Promise<void>;
  /** Stops the process (SIGSTOP) without closing its connections. Resolves when it no longer answers. */
  pause(): Promise<void>;
  /** Continues a paused process. */
  resume(): void;
  /** Kills the process and removes its data. */
  dispose(): Promise<void>;
}

export interface EtcdServerOptions {
  /** Uses TLS and requires client certificates. */
  readonly tls?: boolean;
  /** Additional flags. */
  readonly flags?: readonly string[];
}

interface Member {
  readonly name: string;
  readonly clientUrl: string;
  readonly peerUrl: string;
}

const maxOutput = 8_192;

/** Returns whether all threads of the process are stopped. */
async function isStopped(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  const states = (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/stat`, 'utf8'));
  // The state follows the name, which is in parentheses and may contain any character.
  return (await Promise.all(states)).every((text) => text[text.lastIndexOf(')') + 2] === 'T');
}

async function startMember(
  member: Member,
  members: readonly Member[],
  certificates: EtcdCertificates | undefined,
  folder: string,
  extraFlags: readonly string[],
): Promise<EtcdServer> {
  const binary = findProgram('etcd');
  if (binary === undefined) throw new Error('etcd is not installed');
  const flags = {
    name: member.name,
    'data-dir': path.join(folder, member.name),
    'listen-client-urls': member.clientUrl,
    'advertise-client-urls': member.clientUrl,
    'listen-peer-urls': member.peerUrl,
    'initial-advertise-peer-urls': member.peerUrl,
    'initial-cluster': members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(','),
    logger: 'zap',
    'log-level': 'error',
    ...(certificates && {
      'trusted-ca-file': certificates.ca,
      'cert-file': certificates.server.cert,
      'key-file': certificates.server.key,
      'client-cert-auth': 'true',
    }),
  };
  const args = [...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`), ...extraFlags];
  let child: ChildProcess | undefined;
  let output = '';
  const killAtExit = () => child?.kill('SIGKILL');
  process.on('exit', killAtExit);

  const start = async (): Promise<void> => {
    const started = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH } });
    started.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-maxOutput);
    });
    await once(started, 'spawn');
    child = started;
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  await start();
  const first = child;
  const failed = new Promise<never>((_, reject) => {
    first?.once('exit', () => {
      if (child === first) reject(new Error(`etcd ended: ${output}`));
    });
  });
  failed.catch(() => {});
  return {
    failed,
    endpoint: member.clientUrl,
    tls: certificates
      ? {
          ca: { file: certificates.ca },
          cert: { file: certificates.client.cert },
          key: { file: certificates.client.key },
        }
      : {},
    kill,
    start,
    pause: async () => {
      child?.kill('SIGSTOP');
      while (child?.pid !== undefined && !(await isStopped(child.pid)))
        await new Promise((resolve) => setImmediate(resolve));
    },
    resume: () => {
      child?.kill('SIGCONT');
    },
    dispose: async () => {
      await kill();
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
      if (output.includes('panic')) throw new Error(`etcd: ${output}`);
    },
  };
}

async function answering(servers: readonly EtcdServer[]): Promise<void> {
  for (const { endpoint, tls } of servers) {
    const store = await openEtcdStore({ endpoints: [endpoint], tls, dialTimeoutMs: 20_000 });
    try {
      await store.currentRevision();
    } finally {
      await store.close();
    }
  }
}

/** Another process may take a port between the moment it was found free and the moment etcd listens. */
const attempts = 3;

async function startMembers(count: number, options: EtcdServerOptions): Promise<EtcdServer[]> {
  for (let attempt = 1; ; attempt++) {
    const servers = await spawnMembers(count, options);
    try {
      await Promise.race([answering(servers), ...servers.map(({ failed }) => failed)]);
      return servers;
    } catch (error) {
      await Promise.all(servers.map((server) => server.dispose()));
      if (attempt === attempts) throw error;
    }
  }
}

async function spawnMembers(count: number, { tls = false, flags = [] }: EtcdServerOptions): Promise<EtcdServer[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coxswain-etcd-'));
  const certificates = tls ? await makeCertificates(folder) : undefined;
  const ports = await freePorts(2 * count);
  const members = Array.from({ length: count }, (_, index) => ({
    name: `member-${index}`,
    clientUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${ports[2 * index]}`,
    peerUrl: `http://127.0.0.1:${ports[2 * index + 1]}`,
  }));
  return Promise.all(members.map((member) => startMember(member, members, certificates, folder, flags)));
}

/** Starts an etcd on free ports with a temporary directory, and waits until it answers. */
export async function startEtcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  // etcd's leases last at least one and a half election timeouts. A short timeout makes tests of short times to live
  // fast.
  const flags = ['--heartbeat-interval=20', '--election-timeout=200', ...(options.flags ?? [])];
  const [server] = await startMembers(1, { ...options, flags });
  return server!;
}

/** Starts a cluster with this number of members. */
export function startEtcdCluster(members: number): Promise<EtcdServer[]> {
  return startMembers(members, { flags: ['--heartbeat-interval=50', '--election-timeout=500'] });
}
