import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasonOf } from '@coxswain/apimachinery/log';
import { componentLogging } from '@coxswain/component-base/logs';
import type { Terminal } from './main.ts';
import { runUntilStopped, type ServerProcess } from './server-process.ts';

/** By this the API server knows that there is no etcd behind the address, and keeps its data itself. */
const stubHeader = 'x-coxswain-etcd-stub';

const help = `Usage: etcd --listen-client-urls=URL

Stands in for etcd where somebody insists on starting one. It answers that it is well, and keeps nothing.
`;

/**
 * The `etcd` of envtest's assets: listens where it is told to and answers health checks until a signal comes. Other flags of
 * etcd are taken and ignored. Gives the exit status; never throws.
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

/** Whether the stub is at one of the addresses. Nobody there, or a real etcd: no. */
export async function isEtcdStub(urls: readonly string[]): Promise<boolean> {
  for (const url of urls) {
    const answer = await fetch(new URL('/health', url), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.headers.has(stubHeader)) return true;
  }
  return false;
}

/** The last value of a flag, written `--flag=value` or `--flag value`. */
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
