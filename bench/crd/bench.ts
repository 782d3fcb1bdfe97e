import { fileURLToPath } from 'node:url';
import { type Answer, LoadClient } from '../apiserver/load-client.ts';
import { startOurs, startPeer, type Target } from '../apiserver/target.ts';
import { type Comparison, comparing } from '../comparison.ts';
import { largeDefinition, largeObject, pathOf } from './large-definition.ts';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const warmUps = 400;
const rounds = 4;
const objectsPerRound = 150;
const inFlight = 16;

type Figures = readonly (readonly [name: string, ms: number])[];

/**
 * Definitions with 200 fields, nested lists and 50 rules, and their objects: on our server and, when `KUBE_APISERVER`
 * and `ETCD` are the paths of the binaries, on the real pair. The cost of the rules is the difference to the same
 * definition without rules.
 */
export async function crdBench(): Promise<Comparison> {
  const { KUBE_APISERVER: kubeApiserver, ETCD: etcd } = process.env;
  const ours = await measure(() => startOurs(cox));
  const peer = kubeApiserver && etcd ? await measure(() => startPeer(kubeApiserver, etcd)) : undefined;
  const row = comparing(ours, peer);
  const rows = ours.map(([name], index) => row(name, 'ms', (figures) => figures[index]![1]));
  return { peerName: 'the real pair', rows };
}

async function measure(start: () => Promise<Target>): Promise<Figures> {
  const target = await start();
  const client = new LoadClient(target, 4);
  console.error(`${target.name} is ready …`);
  try {
    const rows: [string, number][] = [];
    const create = async (name: string, plural: string, withRules: boolean): Promise<void> => {
      const cpu = target.cpuMs();
      const started = performance.now();
      expectGood(await client.request('POST', definitions, largeDefinition(plural, withRules)));
      rows.push([`${name}, until it is answered`, performance.now() - started]);
      await served(client, plural);
      rows.push([`${name}, CPU until it is served`, target.cpuMs() - cpu]);
    };
    await create('first definition with 50 rules', 'firsts', true);
    await create('another one', 'ruleds', true);
    await create('the same without rules', 'plains', false);
    const plurals = ['ruleds', 'plains'];
    for (const plural of plurals) await createMany(client, plural, 'warm-up', warmUps);
    const cpu = new Map(plurals.map((plural) => [plural, 0]));
    for (let round = 0; round < rounds; round++) {
      for (const plural of plurals) {
        const before = target.cpuMs();
        await createMany(client, plural, `round-${round}`, objectsPerRound);
        cpu.set(plural, cpu.get(plural)! + target.cpuMs() - before);
      }
    }
    const [withRules = 0, without = 0] = plurals.map((plural) => cpu.get(plural)! / (rounds * objectsPerRound));
    rows.push(['create of an object, CPU', withRules], ['the same without rules', without]);
    rows.push(['what 50 rules take', withRules - without]);
    return rows;
  } finally {
    await client.close();
    await target.stop();
  }
}

async function served(client: LoadClient, plural: string): Promise<void> {
  while ((await client.request('GET', pathOf(plural))).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function createMany(client: LoadClient, plural: string, prefix: string, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      expectGood(await client.request('POST', pathOf(plural), largeObject(plural, `${prefix}-${next++}`)));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function expectGood({ status, body }: Answer): void {
  if (status >= 300) throw new Error(`${status} ${body}`);
}
