/** Records the encodings of representative objects by a real kube-apiserver; see record.ts for how to run it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { representativeObjects } from './representative-objects.ts';
import { pathOf, send, sendRaw } from './server.ts';

const namespace = 'encodings';
await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
const lines: string[] = [];
for (const [sentence, object] of Object.entries(representativeObjects)) {
  const { collection, item } = pathOf(object, namespace);
  const created = await send('POST', `${collection}?fieldManager=encodings`, object);
  if (created.code >= 300) throw new Error(`${sentence}: ${created.body.message}`);
  try {
    const get = (accept: string) => sendRaw('GET', item, undefined, accept).then(({ body }) => body);
    // The server's controllers may still be writing to the object: all three encodings must show the same version.
    let json: string;
    let yaml: string;
    let protobuf: string;
    do {
      json = (await get('application/json')).toString();
      yaml = (await get('application/yaml')).toString();
      protobuf = (await get('application/vnd.kubernetes.protobuf')).toString('base64');
    } while (json !== (await get('application/json')).toString());
    lines.push(`${JSON.stringify(sentence)}:${JSON.stringify({ json, yaml, protobuf })}`);
  } finally {
    await send('DELETE', `${item}?gracePeriodSeconds=0`);
  }
}
writeFileSync(join(import.meta.dirname, 'recorded', 'encodings', 'objects.json'), `{\n${lines.join(',\n')}\n}\n`);
console.log(`${lines.length} objects`);
