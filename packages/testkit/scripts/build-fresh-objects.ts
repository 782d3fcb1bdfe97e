/**
 * Part of `npm run build`: lets a cluster make what every new cluster has, and puts that into `dist`, so that clusters in tests
 * need not make it each time. Nothing of it knows the machine, a certificate or a key.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startCluster } from '@coxswain/testkit';
import { type FreshObject, timeMark, uidMark } from '../src/fresh-objects.ts';

/** Of which all objects are the same in every new cluster. */
const prefixes = [
  ...['namespaces', 'serviceaccounts', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  ...['priorityclasses', 'flowschemas', 'prioritylevelconfigurations', 'apiregistration.k8s.io/apiservices'],
  ...['storageclasses', 'servicecidrs', 'ipaddresses', 'services/specs'],
].map((resource) => `/registry/${resource}/`);

const now = '2001-01-01T00:00:00Z';
const cluster = await startCluster({ components: ['controllers'], now, clock: 'frozen' });
await cluster.until(async () => (await cluster.clients.storage.v1.storageClasses().list()).items.length > 0);
await cluster.settle();
const { store } = cluster.snapshot();
await cluster.stop();

const decoder = new TextDecoder();
const texts = new Map<string, string>();
for (const { record, value } of store.entries) {
  if (prefixes.some((prefix) => record.key.startsWith(prefix))) texts.set(record.key, decoder.decode(value));
}
const objects = [...texts].map(([key, text]): FreshObject => {
  const { uid } = (JSON.parse(text) as { metadata: { uid: string } }).metadata;
  return [key, text.replace(uid, uidMark).replaceAll(now, timeMark)];
});
const module = [
  `export const [uidMark, timeMark] = ${JSON.stringify([uidMark, timeMark])};`,
  `export const freshObjects = ${JSON.stringify(objects)};\n`,
].join('\n');
await writeFile(fileURLToPath(new URL('../dist/fresh-objects.js', import.meta.url)), module);
console.log(`${objects.length} objects of every new cluster`);
