import { execFileSync } from 'node:child_process';
import { asApiError } from '@coxswain/apimachinery/errors';
import type { RESTClient } from '@coxswain/client';
import { asAdministrator, type Contender, type RunningServer } from '../contender.ts';
import type { Finding, Scenario } from '../scenario.ts';
import { withClients } from './with-clients.ts';

/** etcd allocates 64 MB before anything is stored. */
const diskMegabytes = 160;
const objectBytes = 200_000;
/** More objects than fit on the disk. */
const mostObjects = 2000;
const mostFailures = 3;
/** The longest time until creates work again after the deletions. */
const patienceMs = 60_000;

export const fullDisk: Scenario = {
  name: 'full-disk',
  what: `a disk of ${diskMegabytes} MB is filled with ConfigMaps, most of which are then deleted`,
  needs: 'process',
  async run(contender) {
    const { folder } = contender;
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'hostile', folder]);
    try {
      return await fill(contender);
    } finally {
      // A lazy unmount, because the server has files open until the end of the scenario.
      execFileSync('umount', ['--lazy', folder]);
    }
  },
};

async function fill(contender: Contender): Promise<readonly Finding[]> {
  const server = await contender.start();
  return asAdministrator(server, (rest) => tryOut(server, rest));
}

async function tryOut({ kubeconfig }: RunningServer, rest: RESTClient): Promise<readonly Finding[]> {
  const stored = new Set<string>();
  const create = async (name: string): Promise<void> => {
    const data = { text: name.padEnd(objectBytes, name) };
    await withClients(kubeconfig, ({ core }) => core.v1.configMaps('default').create({ metadata: { name }, data }));
    stored.add(name);
  };
  let refusal = 'none';
  for (let index = 0; index < mostObjects; index++) {
    const problem = await create(`c-${index}`).then(() => undefined, reasonOf);
    if (problem === undefined) continue;
    refusal = problem;
    break;
  }
  const full = [await statusOf(rest, '/readyz'), await statusOf(rest, '/livez')];
  const wanted = [...stored].slice(0, Math.ceil(stored.size * 0.8));
  let [deleted, failed, whyNot] = [0, 0, ''];
  for (const name of wanted) {
    // A server that does not answer delays every request.
    if (failed === mostFailures) break;
    const problem = await withClients(kubeconfig, ({ core }) => core.v1.configMaps('default').delete(name)).then(
      () => undefined,
      reasonOf,
    );
    if (problem === undefined) {
      stored.delete(name);
      deleted++;
      continue;
    }
    failed++;
    whyNot ||= `: ${problem}`;
  }
  const began = performance.now();
  let again: string | undefined = 'not tried';
  for (let index = 0; again !== undefined && performance.now() - began < patienceMs; index++) {
    again = await create(`again-${index}`).then(() => undefined, reasonOf);
    if (again !== undefined) await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const lost = await lostOf(kubeconfig, stored).catch(() => undefined);
  return [
    { measure: 'a create on a full disk', value: refusal, ok: /room|space|full/.test(refusal) },
    { measure: '/readyz then', value: `${full[0]}`, ok: full[0] === 500 },
    { measure: '/livez then', value: `${full[1]}`, ok: full[1] === 200 },
    { measure: 'deleted then', value: `${deleted} of ${wanted.length}${whyNot}`, ok: deleted === wanted.length },
    { measure: 'creates after that', value: again ?? `work after ${seconds} s`, ok: again === undefined },
    { measure: '/readyz after that', value: `${await statusOf(rest, '/readyz')}` },
    { measure: 'acknowledged writes lost', value: `${lost ?? 'no answer'}`, ok: lost === 0 },
  ];
}

async function lostOf(kubeconfig: string, stored: ReadonlySet<string>): Promise<number> {
  const { items } = await withClients(kubeconfig, ({ core }) => core.v1.configMaps('default').list());
  const right = new Set(items.map(({ metadata, data }) => (data?.text?.length === objectBytes ? metadata?.name : '')));
  return [...stored].filter((name) => !right.has(name)).length;
}

/** Returns the status code of a path; 0 when the server does not answer. */
async function statusOf(rest: RESTClient, path: string): Promise<number> {
  try {
    await rest.raw({ method: 'GET', path, headers: { accept: 'text/plain' } });
    return 200;
  } catch (error) {
    return asApiError(error)?.code ?? 0;
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${asApiError(error)?.code ?? 'no answer:'} ${message.slice(0, 120)}`;
}
