import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { typicalPod } from '../typical-pod.ts';

/**
 * A server that only sends: pods as a list or as a streamed list, and after a request to `/go` events as fast as they are read. Everything
 * is encoded in advance, so that mainly the reader is measured.
 */
const pods = Number(process.argv[2]);
const events = Number(process.argv[3]);

const encode = (index: number, resourceVersion: number): string =>
  JSON.stringify({
    ...typicalPod,
    metadata: {
      ...typicalPod.metadata,
      name: `web-7d4b9c6f5-${index}`,
      uid: `8f1c1f6e-6d0c-4a55-9a7a-${String(index).padStart(12, '0')}`,
      resourceVersion: String(resourceVersion),
    },
    // Each update changes the status, as most updates of pods do.
    status: { ...typicalPod.status, podIP: `10.0.${resourceVersion >> 8}.${resourceVersion & 0xff}` },
  });

const chunked = (lines: Iterable<string>): Buffer[] => {
  const chunks: Buffer[] = [];
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length > 64 * 1024) {
      chunks.push(Buffer.from(text));
      text = '';
    }
  }
  return [...chunks, Buffer.from(text)];
};

const indices = Array.from({ length: pods }, (_, index) => index);
const list = Buffer.from(
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${pods}"},"items":[${indices.map((index) => encode(index, index + 1)).join(',')}]}`,
);
const initialEvents = chunked([
  ...indices.map((index) => `{"type":"ADDED","object":${encode(index, index + 1)}}`),
  `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${pods}","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
]);
const updates = chunked(
  Array.from(
    { length: events },
    (_, index) => `{"type":"MODIFIED","object":${encode(index % pods, pods + index + 1)}}`,
  ),
);

const watchers = new Set<ServerResponse>();

async function send(response: ServerResponse, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) if (!response.write(chunk)) await once(response, 'drain');
}

const server = createServer(async (request, response) => {
  const query = new URL(request.url!, 'http://localhost').searchParams;
  response.setHeader('content-type', 'application/json');
  if (request.url === '/go') {
    response.end();
    for (const watcher of watchers) await send(watcher, updates);
  } else if (!request.url!.startsWith('/api/v1/namespaces/default/pods')) {
    response.writeHead(404).end('{"kind":"Status","apiVersion":"v1","code":404}');
  } else if (query.get('watch') === 'true' || query.get('watch') === '1') {
    response.flushHeaders();
    if (query.get('sendInitialEvents') === 'true') await send(response, initialEvents);
    watchers.add(response);
    response.once('close', () => watchers.delete(response));
  } else {
    response.end(list);
  }
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
