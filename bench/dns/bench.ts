import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClientSet, RESTClient } from '@coxswain/client';
import { startOurs, type Target } from '../apiserver/target.ts';
import { type Comparison, comparing } from '../comparison.ts';
import { DnsProcess } from './dns-process.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
const peerName = 'CoreDNS';
const serviceCount = 10_000;
const headlessEvery = 20;
const seconds = 10;
/** Both have collected what they needed only at the start by then. */
const settleMs = 10_000;
/** Queries in flight. */
const clients = 8;
const outstanding = 100;
const concurrentRequests = 64;

/**
 * `cox dns`, and CoreDNS when `COREDNS` is the path of the binary, each on the same `cox apiserver` with 10,000 Services and the same Corefile. Debian's `dnsperf`
 * sends the queries: the same ones in the same order.
 */
export async function dnsBench(): Promise<Comparison> {
  const { COREDNS: peer } = process.env;
  if (spawnSync('dnsperf', ['-h']).error) throw new Error('dnsperf is missing: apt install dnsperf');
  const directory = await mkdtemp(join(tmpdir(), 'bench-dns-'));
  const target = await startOurs(cox);
  try {
    await createServices(target);
    const files = await queryFiles(directory);
    const ours = await measure(
      'ours',
      directory,
      files,
      (path, kubeconfig) => ({
        command: [cox, 'dns', `--conf=${path}`, `--kubeconfig=${kubeconfig}`],
        connection: '',
      }),
      target,
    );
    const theirs = peer
      ? await measure(
          peerName,
          directory,
          files,
          (path, kubeconfig) => ({
            command: [peer, '-conf', path],
            connection: `kubeconfig ${kubeconfig}`,
          }),
          target,
        )
      : undefined;
    const row = comparing(ours, theirs);
    const rows = Object.keys(files).map((name) =>
      row(`${name}: queries per second of CPU`, '', ({ perCpuSecond }) => perCpuSecond[name] ?? 0, {
        of: 'ratio',
        atLeast: 1,
      }),
    );
    return {
      peerName,
      rows: [
        ...rows,
        row('memory with 10,000 Services', 'MiB', ({ idleMiB }) => idleMiB, { of: 'ratio', atMost: 0.5 }),
        row('memory after the load', 'MiB', ({ loadedMiB }) => loadedMiB, { of: 'ratio', atMost: 0.5 }),
        row('start until the first answer', 'ms', ({ startMs }) => startMs),
      ],
    };
  } finally {
    await target.stop();
    await rm(directory, { recursive: true });
  }
}

interface Measured {
  readonly perCpuSecond: Readonly<Record<string, number>>;
  readonly idleMiB: number;
  readonly loadedMiB: number;
  readonly startMs: number;
}

async function measure(
  name: string,
  directory: string,
  files: Readonly<Record<string, string>>,
  program: (
    corefile: string,
    kubeconfig: string,
  ) => { readonly command: readonly string[]; readonly connection: string },
  target: Target,
): Promise<Measured> {
  const server = await DnsProcess.start(name, directory, program, target, `${nameOf(0)} A`);
  const perCpuSecond: Record<string, number> = {};
  try {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const idleMiB = server.rssMiB();
    for (const [load, path] of Object.entries(files)) {
      // The first run warms up.
      await server.load(path, { seconds: 3, clients, outstanding });
      const before = server.cpuMs();
      const queries = await server.load(path, { seconds, clients, outstanding });
      perCpuSecond[load] = (queries * 1000) / (server.cpuMs() - before);
      console.error(
        `${name}: ${load}: ${Math.round(queries / seconds)} queries/s, ${Math.round(perCpuSecond[load])} per second of CPU`,
      );
    }
    return { perCpuSecond, idleMiB, loadedMiB: server.rssMiB(), startMs: server.startMs };
  } finally {
    await server.stop();
  }
}

const nameOf = (index: number): string => `service-${index}.bench.svc.cluster.local.`;

/** The same pseudo-random numbers for everybody. */
function numbers(count: number, below: number): number[] {
  let state = 12_345;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  });
}

async function queryFiles(directory: string): Promise<Record<string, string>> {
  const files: Record<string, readonly string[]> = {
    '100 Services': numbers(20_000, 100).map((index) => `${nameOf(index)} A`),
    '10,000 Services': numbers(100_000, serviceCount).map((index) => `${nameOf(index)} A`),
    'search paths': numbers(20_000, 1000).flatMap((index) => [
      `example.com.bench.svc.cluster.local. A`,
      `host-${index}.example.com.svc.cluster.local. A`,
      `${nameOf(index)} AAAA`,
      `_http._tcp.${nameOf(index)} SRV`,
    ]),
  };
  const paths: Record<string, string> = {};
  for (const [index, [name, lines]] of Object.entries(files).entries()) {
    const path = join(directory, `queries-${index}`);
    await writeFile(path, `${lines.join('\n')}\n`);
    paths[name] = path;
  }
  return paths;
}

async function createServices({ port, token }: Target): Promise<void> {
  const clientSet = new ClientSet(
    RESTClient.forConfig({
      server: `https://127.0.0.1:${port}`,
      tls: { insecureSkipTlsVerify: true },
      credentials: { current: async () => ({ token }), refused: () => false },
      userAgent: 'bench',
      qps: 0,
    }),
  );
  await clientSet.core.v1.namespaces().create({ metadata: { name: 'bench' } });
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' as const }];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < serviceCount; index = next++) {
      const name = `service-${index}`;
      const isHeadless = index % headlessEvery === 0;
      await clientSet.core.v1.services('bench').create({
        metadata: { name },
        spec: { ports, selector: { app: name }, ...(isHeadless && { clusterIP: 'None' }) },
      });
      await clientSet.discovery.v1.endpointSlices('bench').create({
        metadata: { name: `${name}-slice`, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: Array.from({ length: 3 }, (_, endpoint) => ({
          addresses: [`10.${endpoint + 1}.${index >> 8}.${index & 255}`],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', namespace: 'bench', name: `${name}-${endpoint}` },
        })),
        ports,
      });
    }
  };
  console.error(`${serviceCount} Services …`);
  await Promise.all(Array.from({ length: concurrentRequests }, work));
  await clientSet.rest.close();
}
