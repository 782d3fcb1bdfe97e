/** `npm run test:soak [-- options]`: a cluster in steady use, whose memory must stop rising. See README.md. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RESTClient, sleep, systemClock } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { buildCox } from '../conformance/cluster.ts';
import { activities, type Churn } from './churn/index.ts';
import { keepUp, type Tally } from './pace.ts';
import { formatTrends, type Sample, trendsOf } from './verdict.ts';
import { WatchedCluster } from './watched-cluster.ts';

const usage = `Usage: npm run test:soak -- [options]

Keeps a cluster busy and measures its memory each minute.

  --minutes <n>        duration (120)
  --warm-up <share>    share of the time in which memory may rise (0.5)
  --most-rise <share>  allowed rise afterwards (0.01)
  --rate <factor>      rate of all activities (1)
  --only <names>       run only these activities, separated by commas
  --collect-every <n>  minutes between full collections (5)
  --nodes <n>          hollow nodes (2)
  --memory             keep all data in memory
  --node-flags <flags> further flags of the cluster's Node, separated by spaces
  --snapshots <folder> write heap snapshots after a tenth of the time, after the warm-up, and at the end
  --help               this text

Activities: ${activities.map(({ name }) => name).join(', ')}
`;

const logs = fileURLToPath(new URL('.cache', import.meta.url));
const namespace = 'soak';

const header =
  'minute    heap  external  heap size     rss  (anon   file)  files  /metrics   cpu   begun  failed  left out';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '120' },
      'warm-up': { type: 'string', default: '0.5' },
      'most-rise': { type: 'string', default: '0.01' },
      rate: { type: 'string', default: '1' },
      only: { type: 'string' },
      'collect-every': { type: 'string', default: '5' },
      nodes: { type: 'string', default: '2' },
      memory: { type: 'boolean', default: false },
      'node-flags': { type: 'string', default: '' },
      snapshots: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  buildCox(say);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  mkdirSync(logs, { recursive: true });
  const log = join(logs, 'cluster.log');
  const cluster = await WatchedCluster.start({
    folder,
    log,
    memory: values.memory,
    nodes: Number(values.nodes),
    nodeFlags: values['node-flags'].split(' ').filter((flag) => flag !== ''),
  });
  cluster.ended.then(abort);
  try {
    const samples = await soak(cluster, {
      minutes: Number(values.minutes),
      warmUp: Number(values['warm-up']),
      rate: Number(values.rate),
      collectEvery: Number(values['collect-every']),
      ...(values.only !== undefined && { only: values.only.split(',') }),
      ...(values.snapshots !== undefined && { snapshots: values.snapshots }),
      signal: stop.signal,
    });
    const isWhole = samples.length === Number(values.minutes);
    if (!isWhole) say('stopped before the end');
    const trends = trendsOf(samples, samples.length * Number(values['warm-up']), Number(values['most-rise']));
    process.stdout.write(`\nafter the warm-up\n${formatTrends(trends)}`);
    say(`the cluster's log: ${relative(process.cwd(), log)}`);
    return isWhole && trends.length > 0 && trends.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface SoakOptions {
  readonly minutes: number;
  readonly warmUp: number;
  readonly rate: number;
  readonly collectEvery: number;
  readonly only?: readonly string[];
  readonly snapshots?: string;
  readonly signal: AbortSignal;
}

/** Returns a sample for each minute; fewer when the signal is aborted. */
async function soak(cluster: WatchedCluster, options: SoakOptions): Promise<Sample[]> {
  const { minutes, rate, only, snapshots, signal } = options;
  const config = { ...(await loadRestConfig({ path: cluster.kubeconfig })), qps: 0 };
  const rest = RESTClient.forConfig(config);
  const end = new AbortController();
  const ending = AbortSignal.any([end.signal, signal]);
  const churn: Churn = {
    rest,
    config,
    namespace,
    random: Math.random,
    signal: ending,
    sleep: (ms) => sleep(systemClock, ms, ending),
  };
  await rest.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  const chosen = activities.filter(({ name }) => only?.includes(name) ?? true);
  for (const { prepare } of chosen) await prepare?.(churn);
  const tallies = chosen.map((): Tally => ({ begun: 0, ended: 0, failed: 0, leftOut: 0, lastFailure: undefined }));
  const running = chosen.map((activity, index) => keepUp(activity, churn, rate, tallies[index]!));
  const snapshotMinutes = [Math.ceil(minutes / 10), Math.ceil(minutes * options.warmUp), minutes];
  const samples: Sample[] = [];
  say(header);
  const start = performance.now();
  let cpuSeconds = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(systemClock, Math.max(0, start + minute * 60_000 - performance.now()), signal).catch(() => {});
    if (signal.aborted) break;
    const collect = minute % options.collectEvery === 0;
    const sampled = await sample(cluster, rest, minute, collect);
    samples.push(sampled);
    const share = (sampled.cpuSeconds - cpuSeconds) / 60;
    cpuSeconds = sampled.cpuSeconds;
    say(lineOf(sampled, share, tallies));
    if (snapshots !== undefined && snapshotMinutes.includes(minute)) {
      mkdirSync(snapshots, { recursive: true });
      await cluster.writeHeapSnapshot(join(snapshots, `${minute}.heapsnapshot`));
    }
  }
  end.abort();
  await Promise.all(running);
  await rest.close();
  for (const [index, { name }] of chosen.entries()) {
    const { begun, ended, failed, leftOut, lastFailure } = tallies[index]!;
    const why = lastFailure === undefined ? '' : ` (${lastFailure})`;
    say(`${name.padEnd(14)} ${begun} begun, ${ended} ended, ${failed} failed${why}, ${leftOut} left out`);
  }
  return samples;
}

type Sampled = Sample & { readonly cpuSeconds: number; readonly heapTotal: number };

async function sample(cluster: WatchedCluster, rest: RESTClient, minute: number, collect: boolean): Promise<Sampled> {
  // Taken before the collection, which the process would not do by itself.
  const status = cluster.process;
  const { bytes } = await rest.raw({ method: 'GET', path: '/metrics' });
  const { heapUsed, heapTotal, external, cpuSeconds } = await cluster.heap({ collect });
  return {
    minute,
    ...status,
    metricsBytes: bytes.length,
    heapTotal,
    cpuSeconds,
    ...(collect && { heap: heapUsed, external }),
  };
}

function lineOf(sampled: Sampled, cpuShare: number, tallies: readonly Tally[]): string {
  const mib = (bytes: number | undefined): string => (bytes === undefined ? '-' : (bytes / 2 ** 20).toFixed(1));
  const sum = (of: (tally: Tally) => number): string => String(tallies.reduce((total, tally) => total + of(tally), 0));
  const cells: readonly (readonly [text: string, width: number])[] = [
    [String(sampled.minute), 6],
    [mib(sampled.heap), 8],
    [mib(sampled.external), 10],
    [mib(sampled.heapTotal), 11],
    [mib(sampled.rss), 8],
    [mib(sampled.rssAnon), 7],
    [mib(sampled.rssFile), 7],
    [String(sampled.fileDescriptors), 8],
    [`${(sampled.metricsBytes / 1024).toFixed(0)}K`, 10],
    [`${(cpuShare * 100).toFixed(0)}%`, 6],
    [sum(({ begun }) => begun), 8],
    [sum(({ failed }) => failed), 8],
    [sum(({ leftOut }) => leftOut), 10],
  ];
  return cells.map(([text, width]) => text.padStart(width)).join('');
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
