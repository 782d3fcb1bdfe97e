import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, cox } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';

import { KilledProcess, notTried, seededRandom } from './killed-process.ts';
import { withClients } from './with-clients.ts';

const rounds = 20;
const ready = /cluster is ready at /;
const startTimeoutMs = 60_000;

export const killNine: Scenario = {
  name: 'kill-nine',
  what: `cox up is killed ${rounds} times, while it starts and while it is written to`,
  needs: 'process',
  run: async (contender) => (contender.program ? kill(contender) : notTried),
};

interface Counts {
  refused: number;
  firstRefusal: string;
  readonly acknowledged: Set<string>;
}

async function kill({ folder }: Contender): Promise<readonly Finding[]> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const [data, kubeconfig] = [join(folder, 'cluster'), join(home, 'config')];
  const program = [
    process.execPath,
    cox,
    'up',
    `--data-dir=${data}`,
    `--kubeconfig=${kubeconfig}`,
    '--port=0',
    '--nodes=1',
  ];
  const random = seededRandom(9);
  const counts: Counts = { refused: 0, firstRefusal: '', acknowledged: new Set() };

  const whole = new KilledProcess(program);
  const began = performance.now();
  if (!(await whole.says(ready, startTimeoutMs))) throw new Error(`cox up did not start: ${whole.said}`);
  const startMs = performance.now() - began;
  await whole.kill('SIGKILL');

  for (let round = 0; round < rounds; round++) {
    const running = new KilledProcess(program);
    if (round % 2 === 0) await running.says(/^$/, startMs * 1.3 * random());
    else if (await running.says(ready, startTimeoutMs)) await write(kubeconfig, 300 + 1000 * random(), round, counts);
    noteEnd(await running.kill('SIGKILL'), running, counts);
  }

  const last = new KilledProcess(program);
  const isBack = await last.says(ready, startTimeoutMs);
  const lost = isBack ? await lostOf(kubeconfig, counts.acknowledged) : counts.acknowledged.size;
  const leftovers = [...readdirSync(home).filter((name) => name !== 'config'), ...draftsBelow(data)];
  noteEnd(await last.kill(isBack ? 'SIGTERM' : 'SIGKILL'), last, counts);
  const { refused, firstRefusal, acknowledged } = counts;
  return [
    {
      measure: 'starts refused',
      value: `${refused} of ${rounds + 1}${firstRefusal && `: ${firstRefusal}`}`,
      ok: refused === 0,
    },
    { measure: 'ready after all', value: isBack ? 'yes' : 'no', ok: isBack },
    { measure: 'acknowledged writes lost', value: `${lost} of ${acknowledged.size}`, ok: lost === 0 },
    { measure: 'files left behind', value: leftovers.join(', ') || 'none', ok: leftovers.length === 0 },
  ];
}

function noteEnd(end: number | string, { said }: KilledProcess, counts: Counts): void {
  if (end === 'SIGKILL' || end === 0) return;
  counts.refused++;
  counts.firstRefusal ||= said.trim().split('\n').at(-1) ?? '';
}

/** Creates objects, four at a time, and notes those that were acknowledged. */
async function write(kubeconfig: string, durationMs: number, round: number, { acknowledged }: Counts): Promise<void> {
  await withClients(kubeconfig, async ({ core }) => {
    const until = performance.now() + durationMs;
    const writer = async (writerNumber: number): Promise<void> => {
      for (let index = 0; performance.now() < until; index++) {
        const name = `c-${round}-${writerNumber}-${index}`;
        await core.v1.configMaps('default').create({ metadata: { name }, data: { name } });
        acknowledged.add(name);
      }
    };
    await Promise.all([0, 1, 2, 3].map(writer));
  });
}

async function lostOf(kubeconfig: string, acknowledged: ReadonlySet<string>): Promise<number> {
  const { items } = await withClients(kubeconfig, ({ core }) => core.v1.configMaps('default').list());
  const right = new Set(items.flatMap(({ metadata: { name = '' } = {}, data }) => (data?.name === name ? [name] : [])));
  return [...acknowledged].filter((name) => !right.has(name)).length;
}

/** What is written before it is put in its place. */
function draftsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|new)$/.test(name));
}
