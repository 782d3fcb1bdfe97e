/**
 * Records the pod template hashes of upstream's controllers. Run `KUBECONFIG=… npx tsx --conditions=coxswain-source
 * packages/controllers/test/pod-template-hashes/record.ts` against a kube-apiserver v1.36.4 and a kube-controller-manager with
 * `--controllers=deployment,daemonset`. The namespace `default` should have no workloads. The recorded ones are not deleted.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { stringifyJson } from '@coxswain/apimachinery/codec/json';
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { type RecordedHash, recordedFile } from './recorded-hash.ts';
import { namedTemplates } from './templates.ts';

const rest = RESTClient.forConfig({ ...(await loadRestConfig()), qps: 0 });
const { apps } = new ClientSet(rest);
const deployments = apps.v1.deployments('default');
const replicaSets = apps.v1.replicaSets('default');
const daemonSets = apps.v1.daemonSets('default');
const revisions = apps.v1.controllerRevisions('default');

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let round = 0; round < 300; round++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error(`${what} did not happen in time`);
}

/** Creates a Deployment with zero replicas. Resolves with its template from the server and the hash label of its ReplicaSet. */
async function deploy(name: string, template: PodTemplateSpec): Promise<RecordedHash> {
  const selector = { matchLabels: { case: name } };
  const { spec } = await deployments.create({ metadata: { name }, spec: { replicas: 0, selector, template } });
  const hash = await eventually(`the set of ${name}`, async () => {
    const { items } = await replicaSets.list({ labelSelector: `case=${name}` });
    return items[0]?.metadata.labels?.['pod-template-hash'];
  });
  return { template: spec!.template, hash };
}

/** Creates a DaemonSet and resolves with the hash label of its revision. */
async function daemonHash(name: string, template: PodTemplateSpec): Promise<string> {
  const selector = { matchLabels: { case: name } };
  await daemonSets.create({ metadata: { name }, spec: { selector, template } });
  return await eventually(`the revision of ${name}`, async () => {
    const { items } = await revisions.list({ labelSelector: `case=${name}` });
    return items[0]?.metadata.labels?.['controller-revision-hash'];
  });
}

/** Creates a second Deployment like `name` whose first ReplicaSet name is taken, and resolves with its hash label. */
async function hashAfterCollision(name: string, { template, hash }: RecordedHash): Promise<string> {
  await deployments.delete(name);
  await replicaSets.delete(`${name}-${hash}`);
  await eventually('the end', async () =>
    (await deployments.list()).items.some(({ metadata }) => metadata.name === name) ? undefined : true,
  );
  const labels = { other: name };
  const other = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await replicaSets.create({
    metadata: { name: `${name}-${hash}` },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: other },
  });
  return (await deploy(name, template)).hash;
}

const recorded: Record<string, RecordedHash> = {};
for (const { title, name, template } of namedTemplates()) {
  const made = await deploy(name, template);
  const ofDaemons = await daemonHash(name, template);
  if (ofDaemons !== made.hash) throw new Error(`${title}: the DaemonSet has ${ofDaemons}, the Deployment ${made.hash}`);
  recorded[title] = made;
  if (title.startsWith('quantities')) {
    const hash = await hashAfterCollision(name, made);
    recorded[`${title}, after a collision`] = { ...made, collisionCount: 1, hash };
  }
}
await rest.close();
writeFileSync(recordedFile('templates'), `${stringifyJson(recorded, { pretty: true })}\n`);
