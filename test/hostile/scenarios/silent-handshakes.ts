import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Contender, RunningServer } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';

/** Far below the limit of open files, of this process and the server's. */
const connections = 3000;
const holdMs = 45_000;
const batch = 250;
const requestEveryMs = 20;
const settleMs = 5_000;
/** The longest acceptable wait of a request caused by idle connections. A busy machine adds to it. */
const maxWaitMs = 1_000;
const maxKeptMiB = 100;

/** Connections that never begin the TLS handshake. */
export const silentHandshakes: Scenario = {
  name: 'silent-handshakes',
  what: `${connections} TCP connections that never begin the TLS handshake, for ${holdMs / 1000} seconds`,
  needs: 'address',
  async run(contender: Contender): Promise<readonly Finding[]> {
    const server = await contender.start();
    const others = new OtherRequests(server);
    const before = residentMiB(server);
    const silent = new SilentConnections(server);
    await others.during(() => silent.open());
    const waitedOpening = others.worstMs;
    const during = residentMiB(server);
    await others.during(() => delay(holdMs));
    const waitedHolding = others.worstMs;
    const { left } = silent;
    await others.during(async () => {
      silent.close();
      await delay(settleMs);
    });
    const after = residentMiB(server);
    return [
      { measure: `still open after ${holdMs / 1000} s`, value: String(left), ok: left === 0 },
      waited('while they open', waitedOpening),
      waited('while they are open', waitedHolding),
      waited('while they are closed', others.worstMs),
      ...(before && during && after
        ? [
            {
              measure: 'RSS before, with them, after (MiB)',
              value: [before, during, after].join(', '),
              ok: after - before < maxKeptMiB,
            },
          ]
        : []),
      { measure: 'other requests that failed', value: String(others.failed), ok: others.failed === 0 },
    ];
  },
};

const waited = (when: string, ms: number): Finding => ({
  measure: `longest wait of a request ${when} (ms)`,
  value: String(Math.round(ms)),
  ok: ms < maxWaitMs,
});

class SilentConnections {
  readonly #server: RunningServer;
  readonly #open = new Set<Socket>();

  constructor(server: RunningServer) {
    this.#server = server;
  }

  /** The number of connections that the server has not closed. */
  get left(): number {
    return this.#open.size;
  }

  async open(): Promise<void> {
    for (let opened = 0; opened < connections; opened += batch)
      await Promise.all(Array.from({ length: batch }, () => this.#connect()));
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #connect(): Promise<void> {
    const { host, port } = this.#server;
    const socket = connect(port, host);
    this.#open.add(socket);
    socket.on('error', () => {}).on('data', () => {});
    socket.once('close', () => this.#open.delete(socket));
    return new Promise((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
  }
}

/** Another client's requests, repeated, each on a new connection. */
class OtherRequests {
  readonly #server: RunningServer;
  worstMs = 0;
  failed = 0;

  constructor(server: RunningServer) {
    this.#server = server;
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.worstMs = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const began = performance.now();
        await this.#ask().catch(() => this.failed++);
        this.worstMs = Math.max(this.worstMs, performance.now() - began);
        await delay(requestEveryMs);
      }
    })();
    await work();
    isOver = true;
    await asking;
  }

  #ask(): Promise<void> {
    const { host, port } = this.#server;
    return new Promise((resolve, reject) => {
      const asked = request({ host, port, path: '/healthz', agent: false, rejectUnauthorized: false });
      asked.on('response', (response) => response.resume().once('end', resolve));
      asked.on('error', reject).end();
    });
  }
}

function residentMiB({ pid }: RunningServer): number | undefined {
  if (pid === undefined) return undefined;
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1024);
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
