import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasonOf } from '@coxswain/apimachinery/log';
import { componentLogging } from '@coxswain/component-base/logs';
import type { Terminal } from './main.ts';
import { runUntilStopped, type ServerProcess } from './server-process.ts';

/** The header by which the API server recognises the stand-in. It then keeps its data itself. */
const stubHeader = 'x-coxswain-etcd-stub';

const help = `Usage: etcd --listen-client-urls=URL

A stand-in for etcd, for programs that start one. It answers health checks and stores nothing.
`;

/**
 * The `etcd` of envtest's assets: answers health checks on the client URLs until a signal. Other flags of etcd are accepted and ignored.
 * Returns the exit status. Never throws.
 */
export async function envtestEtcd(
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(help);
    return 0;
  }
  const urls = flagValue(args, 'listen-client-urls') ?? 'http://127.0.0.1:2379';
  try {
    const write = (line: string): void => terminal.err(line);
    const { logger } = componentLogging({ name: '', given: {}, write, now: () => new Date() });
    await runUntilStopped(process, logger, (signal) => serve(urls.split(','), terminal, signal));
    return 0;
  } catch (error) {
    terminal.err(`error: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** Returns whether the stand-in listens on one of the addresses. False for a real etcd, and when nothing listens. */
export async function isEtcdStub(urls: readonly string[]): Promise<boolean> {
  for (const url of urls) {
    const answer = await fetch(new URL('/health', url), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.headers.has(stubHeader)) return true;
  }
  return false;
}

/** Returns the last value of a flag, given as `--flag=value` or `--flag value`. */
export function flagValue(args: readonly string[], flag: string): string | undefined {
  let value: string | undefined;
  for (const [index, arg] of args.entries()) {
    if (arg.startsWith(`--${flag}=`)) value = arg.slice(flag.length + 3);
    else if (arg === `--${flag}`) value = args[index + 1];
  }
  return value;
}

async function serve(urls: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<void> {
  const servers = await Promise.all(urls.map((url) => listen(new URL(url))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  if (!signal.aborted) {
    terminal.out(`the stand-in for etcd is ready on port ${ports.join(', ')}\n`);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

async function listen({ hostname, port }: URL): Promise<Server> {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json').setHeader(stubHeader, 'true');
    if (url === '/health') response.end('{"health":"true","reason":""}');
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), hostname, () => resolve());
  });
  return server;
}
