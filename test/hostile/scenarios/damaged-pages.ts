import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';

import { KilledProcess, notTried, seededRandom } from './killed-process.ts';
import { withClients } from './with-clients.ts';

const trials = 35;
const objects = 300;
const pageBytes = 4096;
const ready = /is ready at /;
const startTimeoutMs = 60_000;

export const damagedPages: Scenario = {
  name: 'damaged-pages',
  what: `the store of a server that is stopped is damaged, ${trials} times, and the server started`,
  needs: 'process',
  run: async (contender) => (contender.program ? damage(contender, contender.program) : notTried),
};

async function damage({ folder }: Contender, program: readonly string[]): Promise<readonly Finding[]> {
  const kubeconfig = join(folder, 'data', 'admin.kubeconfig');
  const file = join(folder, 'data', 'store', 'store.mdb');
  const first = new KilledProcess(program);
  if (!(await first.says(ready, startTimeoutMs))) throw new Error(`the server did not start: ${first.said}`);
  await withClients(kubeconfig, async ({ core }) => {
    const create = (index: number) =>
      core.v1.configMaps('default').create({ metadata: { name: `c-${index}` }, data: { text: textOf(index) } });
    await Promise.all(Array.from({ length: objects }, (_, index) => create(index)));
  });
  await first.kill('SIGTERM');
  const sound = readFileSync(file);

  const random = seededRandom(35);
  const counts = { refused: 0, right: 0, wrong: 0, bySignal: 0, late: 0 };
  let refusal = '';
  for (let trial = 0; trial < trials; trial++) {
    writeFileSync(file, damaged(Buffer.from(sound), random));
    const server = new KilledProcess(program);
    const isReady = await server.says(ready, startTimeoutMs);
    const isRight = isReady && (await hasAll(kubeconfig));
    const end = await server.kill(isReady ? 'SIGTERM' : 'SIGKILL');
    if (isReady) counts[isRight ? 'right' : 'wrong']++;
    else if (end === 'SIGKILL') counts.late++;
    else if (typeof end === 'string') counts.bySignal++;
    else {
      counts.refused++;
      refusal ||= server.said.trim().split('\n').at(-1) ?? '';
    }
  }
  return [
    { measure: 'refused with a reason', value: `${counts.refused} of ${trials}` },
    { measure: 'such as', value: refusal.replaceAll(folder, '').slice(0, 200) },
    { measure: 'started, all is right', value: `${counts.right}` },
    { measure: 'started, something is wrong', value: `${counts.wrong}`, ok: counts.wrong === 0 },
    { measure: 'not ready in time', value: `${counts.late}`, ok: counts.late === 0 },
    { measure: 'ended by a signal', value: `${counts.bySignal}`, ok: counts.bySignal === 0 },
  ];
}

const textOf = (index: number): string => `${index} `.repeat(100 + (index % 40) * 25);

async function hasAll(kubeconfig: string): Promise<boolean> {
  try {
    const { items } = await withClients(kubeconfig, ({ core }) => core.v1.configMaps('default').list());
    const texts = new Map(items.map(({ metadata, data }) => [metadata?.name, data?.text]));
    return Array.from({ length: objects }, (_, index) => texts.get(`c-${index}`) === textOf(index)).every(Boolean);
  } catch {
    return false;
  }
}

/** A page of zeros, a page of noise, a few wrong bytes, or no end. */
function damaged(file: Buffer, random: () => number): Buffer {
  const page = Math.floor((random() * file.length) / pageBytes) * pageBytes;
  const kind = Math.floor(random() * 4);
  if (kind === 3) return file.subarray(0, Math.floor(random() * file.length));
  const [from, length] = kind === 2 ? [page + Math.floor(random() * 4000), 8] : [page, pageBytes];
  for (let index = from; index < from + length; index++) file[index] = kind === 0 ? 0 : random() * 256;
  return file;
}
