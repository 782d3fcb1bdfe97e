import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openEtcdStore } from '@coxswain/storage';

export interface EtcdProcess {
  readonly endpoint: string;
  keys(prefix: string): Promise<string[]>;
  stop(): Promise<void>;
}

const program = process.env.ETCD ?? 'etcd';

/** A real etcd on free ports that keeps its data in the folder; undefined where there is none to start. */
export async function startEtcd(folder: string): Promise<EtcdProcess | undefined> {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const [client, peer] = (await Promise.all([freePort(), freePort()])).map((port) => `http://127.0.0.1:${port}`);
  const child = spawn(
    program,
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  return {
    endpoint: client!,
    async keys(prefix) {
      const store = await openEtcdStore({ endpoints: [client!] });
      const { entries } = await store.list(prefix);
      await store.close();
      return entries.map(({ key }) => key);
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
