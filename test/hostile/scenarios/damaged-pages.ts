import { readFileSync, writeFileSync } from 'node:fs';
import type { Contender } from '../contender.ts';
import { failureOf } from '../restartable.ts';
import type { Finding, Scenario } from '../scenario.ts';
import { seededRandom } from './killed-process.ts';
import { withClients } from './with-clients.ts';

const trials = 35;
const objects = 300;
const pageBytes = 4096;
const startTimeoutMs = 120_000;

export const damagedPages: Scenario = {
  name: 'damaged-pages',
  what: `the store of a stopped server is damaged and the server is started, ${trials} times`,
  needs: 'process',
  run: damage,
};

async function damage(contender: Contender): Promise<readonly Finding[]> {
  const { kubeconfig, dataFiles, start } = await contender.restartable('server');
  const first = start();
  if (!(await first.isReady(startTimeoutMs))) {
    const [ended] = await first.kill('SIGKILL');
    throw new Error(`the server did not start: ${ended?.said}`);
  }
  await withClients(kubeconfig, async ({ core }) => {
    const create = (index: number) =>
      core.v1.configMaps('default').create({ metadata: { name: `c-${index}` }, data: { text: textOf(index) } });
    await Promise.all(Array.from({ length: objects }, (_, index) => create(index)));
  });
  await first.kill('SIGTERM');
  const sound = dataFiles().map((file) => [file, readFileSync(file)] as const);

  const random = seededRandom(35);
  const counts = { refused: 0, right: 0, wrong: 0, crashed: 0, late: 0 };
  let [refusal, crash] = ['', ''];
  for (let trial = 0; trial < trials; trial++) {
    for (const [file, content] of sound) writeFileSync(file, content);
    const [file, content] = sound[trial % sound.length]!;
    writeFileSync(file, damaged(Buffer.from(content), random));
    const server = start();
    const isReady = await server.isReady(startTimeoutMs);
    const isRight = isReady && (await hasAll(kubeconfig));
    const failure = (await server.kill(isReady ? 'SIGTERM' : 'SIGKILL')).map(failureOf).find((each) => each);
    if (isRight) counts.right++;
    else if (failure?.isCrash) {
      counts.crashed++;
      crash ||= failure.reason;
    } else if (isReady) counts.wrong++;
    else if (failure) {
      counts.refused++;
      refusal ||= failure.reason;
    } else counts.late++;
  }
  const shown = (reason: string): string => reason.replaceAll(contender.folder, '').slice(0, 200);
  return [
    { measure: 'refused with a reason', value: `${counts.refused} of ${trials}` },
    { measure: 'for example', value: shown(refusal) },
    { measure: 'started, all data correct', value: `${counts.right}` },
    { measure: 'started, something is wrong', value: `${counts.wrong}`, ok: counts.wrong === 0 },
    { measure: 'not ready in time', value: `${counts.late}`, ok: counts.late === 0 },
    {
      measure: 'ended by a signal or a panic',
      value: `${counts.crashed}${crash && `, for example ${shown(crash)}`}`,
      ok: counts.crashed === 0,
    },
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

/** Damages the file: a page of zeros, a page of noise, a few wrong bytes, or a missing end. */
function damaged(file: Buffer, random: () => number): Buffer {
  const used = usedBytes(file);
  const page = Math.floor((random() * used) / pageBytes) * pageBytes;
  const kind = Math.floor(random() * 4);
  if (kind === 3) return file.subarray(0, Math.floor(random() * used));
  const [from, length] = kind === 2 ? [page + Math.floor(random() * 4000), 8] : [page, pageBytes];
  for (let index = from; index < from + length; index++) file[index] = kind === 0 ? 0 : random() * 256;
  return file;
}

/** Returns the size without the trailing zeros, because files may be allocated in advance. */
function usedBytes(file: Buffer): number {
  let end = file.length;
  while (end > 0 && file[end - 1] === 0) end--;
  return end;
}
