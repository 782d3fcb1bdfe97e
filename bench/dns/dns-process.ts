import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Target } from '../apiserver/target.ts';

const clockTicksPerSecond = 100;

/** What kubeadm installs, without the parts that need other servers or fixed ports. */
const corefile = (port: number, connection: string): string => `
.:${port} {
    errors
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
       ${connection}
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loadbalance
}
`;

export interface Load {
  readonly seconds: number;
  readonly clients: number;
  readonly outstanding: number;
}

/** A DNS server in its own process, on its own port, with the objects of an API server. */
export class DnsProcess {
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.#port = port;
    this.startMs = startMs;
  }

  /** Starts it and waits until `query` has an answer with a record. */
  static async start(
    name: string,
    directory: string,
    program: (
      corefile: string,
      kubeconfig: string,
    ) => { readonly command: readonly string[]; readonly connection: string },
    { port: apiPort, token }: Target,
    query: string,
  ): Promise<DnsProcess> {
    const port = await freePort();
    const path = join(directory, `Corefile-${name}`);
    const kubeconfig = join(directory, 'kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${apiPort}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
    const { command, connection } = program(path, kubeconfig);
    await writeFile(path, corefile(port, connection));
    const [executable = '', ...args] = command;
    const started = performance.now();
    // One core for each: the goal is for a core.
    const child = spawn(executable, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, GOMAXPROCS: '1' },
    });
    while (!(await hasRecord(port, query))) {
      if (child.exitCode !== null) throw new Error(`${name} ended before it answered`);
    }
    return new DnsProcess(child, port, performance.now() - started);
  }

  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
  }

  rssMiB(): number {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) / 1024;
  }

  /** Returns the number of answers. */
  async load(file: string, { seconds, clients, outstanding }: Load): Promise<number> {
    const args = ['-s', '127.0.0.1', '-p', this.#port, '-d', file, '-l', seconds, '-c', clients, '-q', outstanding];
    const dnsperf = spawn('dnsperf', args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    dnsperf.stdout.on('data', (data) => {
      out += data;
    });
    await once(dnsperf, 'close');
    return Number(/Queries completed:\s+(\d+)/.exec(out)?.[1] ?? 0);
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}

/** Asks once; false when there is no answer within 50 ms, or none with records. */
function hasRecord(port: number, query: string): Promise<boolean> {
  const [name = ''] = query.split(' ');
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  const header = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const packet = Buffer.concat([header, ...labels, Buffer.from([0, 1, 0, 1])]);
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const done = (found: boolean): void => {
      clearTimeout(timer);
      socket.close();
      resolve(found);
    };
    const timer = setTimeout(() => done(false), 50);
    socket.once('message', (answer) => done(answer.readUInt16BE(6) > 0));
    socket.on('error', () => {});
    socket.send(packet, port, '127.0.0.1');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
