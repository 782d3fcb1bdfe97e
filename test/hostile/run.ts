/** `npm run hostile [-- options] [scenario…]`: treats API servers like a hostile user. See README.md. */
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stage } from '../compat/stage.ts';
import { buildUpstream } from '../conformance/build.ts';
import { buildCox } from '../conformance/cluster.ts';
import { type Contender, given, ours, theirs } from './contender.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { formatTable, isGood, type Outcome } from './table.ts';

const usage = `Usage: npm run hostile -- [options] [scenario...]

Treats API servers like a hostile user, and prints the results.

  --original           test kube-apiserver and etcd beside ours; needs Go, or KUBE_APISERVER and ETCD
  --kubeconfig <file>  test a running server instead, with this admin kubeconfig
  --help               this text

Scenarios:
${scenarios.map(({ name, what }) => `  ${name.padEnd(21)}${what}\n`).join('')}`;

const logs = fileURLToPath(new URL('.cache/logs', import.meta.url));

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      original: { type: 'boolean', default: false },
      kubeconfig: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const unknown = positionals.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`unknown scenario ${unknown}\n\n${usage}`);
    return 2;
  }
  const wanted = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const contenders = await makersOf(values);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  const outcomes: Outcome[] = [];
  for (const scenario of wanted)
    for (const [name, make] of contenders) {
      if (stop.signal.aborted) break;
      if (scenario.needs === 'process' && values.kubeconfig !== undefined) continue;
      say(`${scenario.name}, ${name}: ${scenario.what} …`);
      outcomes.push(await tried(scenario, name, make, stop.signal));
    }
  process.off('SIGINT', abort).off('SIGTERM', abort);
  process.stdout.write(`\n${formatTable(outcomes)}`);
  say(`complete logs: ${relative(process.cwd(), logs)}`);
  return isGood(outcomes.filter(({ contender }) => contender !== 'kube-apiserver')) && !stop.signal.aborted ? 0 : 1;
}

type Maker = readonly [name: string, make: (stage: Stage) => Contender];

async function makersOf(values: { original: boolean; kubeconfig?: string }): Promise<readonly Maker[]> {
  const { kubeconfig } = values;
  if (kubeconfig !== undefined) return [['given', (stage) => given(stage, kubeconfig)]];
  buildCox(say);
  if (!values.original) return [['cox', ours]];
  const kubeApiserver = process.env.KUBE_APISERVER || (await buildUpstream(['kube-apiserver']))['kube-apiserver'];
  const etcd = process.env.ETCD || (await buildUpstream(['etcd'])).etcd;
  return [
    ['cox', ours],
    ['kube-apiserver', (stage) => theirs(stage, { kubeApiserver, etcd })],
  ];
}

async function tried(scenario: Scenario, name: string, make: Maker[1], signal: AbortSignal): Promise<Outcome> {
  const stage = new Stage(join(logs, scenario.name, name), signal);
  try {
    return { scenario: scenario.name, contender: name, findings: await scenario.run(make(stage)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { scenario: scenario.name, contender: name, findings: [], why: why.split('\n')[0] ?? '' };
  } finally {
    await stage.close();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
