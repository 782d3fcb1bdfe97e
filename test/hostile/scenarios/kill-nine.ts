import type { Contender } from '../contender.ts';
import { failureOf, type RestartedServer } from '../restartable.ts';
import type { Finding, Scenario } from '../scenario.ts';
import { seededRandom } from './killed-process.ts';
import { withClients } from './with-clients.ts';

const rounds = 20;
const startTimeoutMs = 120_000;

export const killNine: Scenario = {
  name: 'kill-nine',
  what: `all processes are killed ${rounds} times, during their start and during writes`,
  needs: 'process',
  run: kill,
};

interface Counts {
  refused: number;
  firstRefusal: string;
  readonly acknowledged: Set<string>;
}

async function kill(contender: Contender): Promise<readonly Finding[]> {
  const { kubeconfig, start, leftovers } = await contender.restartable('cluster');
  const random = seededRandom(9);
  const counts: Counts = { refused: 0, firstRefusal: '', acknowledged: new Set() };

  const whole = start();
  const began = performance.now();
  const hasStarted = await whole.isReady(startTimeoutMs);
  const startMs = performance.now() - began;
  const [first] = await whole.kill('SIGKILL');
  if (!hasStarted) throw new Error(`it did not start: ${first?.said}`);

  for (let round = 0; round < rounds; round++) {
    const running = start();
    if (round % 2 === 0) await passed(startMs * 1.3 * random());
    else if (await running.isReady(startTimeoutMs)) await write(kubeconfig, 300 + 1000 * random(), round, counts);
    await end(running, 'SIGKILL', counts);
  }

  const last = start();
  const isBack = await last.isReady(startTimeoutMs);
  const lost = isBack ? await lostOf(kubeconfig, counts.acknowledged) : counts.acknowledged.size;
  const left = leftovers();
  await end(last, isBack ? 'SIGTERM' : 'SIGKILL', counts);
  const { refused, firstRefusal, acknowledged } = counts;
  return [
    {
      measure: 'starts refused',
      value: `${refused} of ${rounds + 1}${firstRefusal && `: ${firstRefusal.slice(0, 200)}`}`,
      ok: refused === 0,
    },
    { measure: 'ready in the end', value: isBack ? 'yes' : 'no', ok: isBack },
    { measure: 'acknowledged writes lost', value: `${lost} of ${acknowledged.size}`, ok: lost === 0 },
    { measure: 'files left behind', value: left.join(', ') || 'none', ok: left.length === 0 },
  ];
}

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function end(server: RestartedServer, signal: 'SIGKILL' | 'SIGTERM', counts: Counts): Promise<void> {
  const failure = (await server.kill(signal)).map(failureOf).find((each) => each !== undefined);
  if (!failure) return;
  counts.refused++;
  counts.firstRefusal ||= failure.reason;
}

/** Creates objects with four concurrent writers, and records the acknowledged ones. */
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
