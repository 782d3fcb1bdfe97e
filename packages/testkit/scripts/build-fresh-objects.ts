/**
 * Part of `npm run build`: starts a cluster and writes the objects that every new cluster has to `dist`, so that clusters in tests need not
 * create them each time. They contain nothing specific to the machine, and no certificates or keys.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startCluster } from '@coxswain/testkit';
import type { FreshObject } from '../src/fresh-objects.ts';

/** The prefixes below which all objects are the same in every new cluster. */
const prefixes = [
  ...['namespaces', 'serviceaccounts', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  ...['priorityclasses', 'flowschemas', 'prioritylevelconfigurations', 'apiregistration.k8s.io/apiservices'],
  ...['storageclasses', 'servicecidrs', 'ipaddresses', 'services/specs', 'minions', 'leases/kube-node-lease'],
].map((resource) => `/registry/${resource}/`);
const isAlike = (key: string): boolean =>
  prefixes.some((prefix) => key.startsWith(prefix)) || /^\/registry\/configmaps\/.*\/kube-root-ca\.crt$/.test(key);

const cluster = await startCluster({ now: '2001-01-01T00:00:00Z', clock: 'frozen' });
await cluster.settle();
const { data = {} } = await cluster.clients.core.v1.configMaps('default').get('kube-root-ca.crt');
const rootCA = JSON.stringify(data['ca.crt']).slice(1, -1);
const { store } = cluster.snapshot();
await cluster.stop();

const decoder = new TextDecoder();
const texts = new Map<string, string>();
for (const { record, value } of store.entries) if (isAlike(record.key)) texts.set(record.key, decoder.decode(value));

const uids = [...texts.values()].map((text) => (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid);
const withMarks = (text: string): string =>
  uids
    .reduce((marked, uid, index) => marked.replaceAll(uid, `{{uid ${index}}}`), text)
    .replaceAll(/2001-01-01T00:00:\d\d/g, '{{time}}')
    .replaceAll(rootCA, '{{ca}}')
    // The boot ID that replaces it must not look like another boot of the same machine.
    .replace(/"bootID":"[^"]*"/, '"bootID":""');
const objects = [...texts].map(([key, text]): FreshObject => {
  const node = /\/hollow-(\d+)$/.exec(key)?.[1];
  return { key, text: withMarks(text), ...(node !== undefined && { node: Number(node) }) };
});
const module = `export const freshObjects = ${JSON.stringify(objects)};\n`;
await writeFile(fileURLToPath(new URL('../dist/fresh-objects.js', import.meta.url)), module);
console.log(`${objects.length} objects that every new cluster has`);
