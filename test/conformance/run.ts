/** `npm run conformance`: Kubernetes' own tests against our cluster. See README.md. */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Arguments, parseArguments, usage } from './arguments.ts';
import { buildUpstream } from './build.ts';
import { buildCox, type Cluster, startCluster } from './cluster.ts';
import { type Programs, runE2e } from './e2e.ts';
import { interruptible } from './interruptible.ts';
import { startClusterWithNodes } from './nodes/cluster-with-nodes.ts';
import { prepareNodes } from './nodes/prepare.ts';
import type { Outcome } from './report.ts';
import { type Outcomes, readResults, whatChanged, writeResults } from './results.ts';
import { formatRun } from './table.ts';
import { type ConformanceTest, isSerial, readTiers, type TierName } from './tiers.ts';

const cache = fileURLToPath(new URL('.cache', import.meta.url));
const lastLogs = join(cache, 'logs');

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseArguments(args);
    if (parsed) return await conformance(parsed);
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

async function conformance(args: Arguments): Promise<number> {
  const { tiers, focus } = args;
  const wanted = readTiers().filter(({ name }) => !focus || focus.test(name));
  const tests = wanted.filter(({ tier }) => tiers.includes(tier));
  const notRun = wanted.filter(({ tier }) => tier === 'containers' && !tiers.includes(tier));
  if (tests.length === 0) throw new Error(`no test of ${tiers.join(' and ')} matches`);
  const programs = await buildUpstream(['e2e.test', 'ginkgo', 'kubectl'], say);
  buildCox(say);
  const because = 'stopped before the end; the stored results are unchanged';
  const outcomes = await interruptible(say, (signal) => runAll(programs, tests, args, signal), because);
  process.stdout.write(`\n${formatRun(outcomes, notRun)}\n`);
  for (const tier of tiers) {
    const ofTier = tests.filter((test) => test.tier === tier);
    const now = new Map(ofTier.map(({ name }) => [name, outcomes.get(name)!]));
    if (now.size > 0) process.stdout.write(formatChanges(tier, readResults(tier), now));
    if (!focus && isOfTier(args, tier)) writeResults(tier, now);
  }
  process.stdout.write(`complete logs: ${relative(process.cwd(), lastLogs)}\n`);
  return [...outcomes.values()].every((outcome) => outcome === 'passed') ? 0 : 1;
}

/** The stored results are those of our kubelet, and of hollow nodes where these are enough. */
function isOfTier({ real, reference }: Arguments, tier: TierName): boolean {
  return !reference && real === (tier === 'containers');
}

function formatChanges(tier: TierName, before: Outcomes, now: Outcomes): string {
  if (before.size === 0) return `${tier}: there is no earlier complete run to compare with\n`;
  const changes = whatChanged(before, now);
  if (changes.length === 0) return `${tier}: nothing changed since the last complete run\n`;
  return `${tier}: since the last complete run\n${changes.map((change) => `  ${change}\n`).join('')}`;
}

/** Runs the tests against one cluster. Only the logs are left. */
async function runAll(
  programs: Programs,
  tests: readonly ConformanceTest[],
  args: Arguments,
  signal: AbortSignal,
): Promise<Outcomes> {
  // Before anything is started: it takes long, and gives advice when something is missing.
  const nodes = args.real ? await prepareNodes({ ...args, say, signal }) : undefined;
  mkdirSync(cache, { recursive: true });
  // Several runs may be concurrent; the logs of the last one to end are kept.
  const logs = mkdtempSync(join(cache, 'run-'));
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const cluster = nodes
      ? await startClusterWithNodes({ ...args, ...nodes, folder, logs, say, signal })
      : await startCluster(folder, logs);
    try {
      const until = AbortSignal.any([signal, cluster.lost]);
      return await runParts(programs, cluster, { tests, procs: args.procs, logs, signal: until });
    } finally {
      await cluster.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(lastLogs, { recursive: true, force: true });
    renameSync(logs, lastLogs);
  }
}

/** Runs the parallel tests, then the serial ones one by one. */
async function runParts(
  programs: Programs,
  { kubeconfig }: Cluster,
  { tests, procs, ...run }: { tests: readonly ConformanceTest[]; procs: number; logs: string; signal: AbortSignal },
): Promise<Outcomes> {
  const parts = [
    { title: 'parallel', names: namesOf(tests, false), procs },
    { title: 'serial', names: namesOf(tests, true), procs: 1 },
  ];
  const outcomes: [string, Outcome][] = [];
  for (const part of parts.filter(({ names }) => names.length > 0)) {
    say(`${part.title}: ${part.names.length} of the tests, ${part.procs} at a time`);
    const onProgress = progressOf(part.names.length);
    outcomes.push(...(await runE2e(programs, { ...part, ...run, kubeconfig, onProgress })));
  }
  return new Map(outcomes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function namesOf(tests: readonly ConformanceTest[], serial: boolean): string[] {
  return tests.map(({ name }) => name).filter((name) => isSerial(name) === serial);
}

/** Returns a progress function: it updates one line on a terminal, and prints a line for every ten tests elsewhere. */
function progressOf(total: number): (ended: number, failed: number) => void {
  let told = 0;
  return (ended, failed) => {
    const line = `${ended} of ${total} ended, ${failed} failed`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}${ended >= total ? '\n' : ''}`);
    else if (ended >= total || ended - told >= 10) {
      told = ended;
      say(line);
    }
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
