import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestImage } from './test-image.ts';

export interface ScriptedRegistry {
  readonly host: string;
  /** Requests as `GET manifests 1`, with the header Range if there is one. */
  readonly requests: string[];
  /** Handles a request if it returns true. */
  script: (request: IncomingMessage, response: ServerResponse, kind: string, reference: string) => boolean;
  /** Serves an image in every repository by this tag. */
  add(tag: string, image: TestImage): void;
  close(): Promise<void>;
}

/** A registry that does as a test says. */
export async function startScriptedRegistry(): Promise<ScriptedRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<
    string,
    { readonly digest: string; readonly mediaType: string; readonly content: Buffer }
  >();
  const server = createServer((request, response) => {
    const [, kind = '', reference = ''] = /\/(manifests|blobs)\/([^?/]+)/.exec(request.url ?? '') ?? [];
    const { range } = request.headers;
    registry.requests.push(`${request.method} ${kind} ${reference}${range === undefined ? '' : ` ${range}`}`);
    if (registry.script(request, response, kind, reference)) return;
    const manifest = kind === 'manifests' ? manifests.get(reference) : undefined;
    const content = manifest?.content ?? (kind === 'blobs' ? blobs.get(reference) : undefined);
    if (!content) {
      response.writeHead(request.url === '/v2/' ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const part = content.subarray(start);
    response.writeHead(range === undefined ? 200 : 206, {
      'Content-Type': manifest?.mediaType ?? 'application/octet-stream',
      'Content-Length': part.length,
      ...(range !== undefined && { 'Content-Range': `bytes ${start}-${content.length - 1}/${content.length}` }),
      ...(manifest && { 'Docker-Content-Digest': manifest.digest }),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const registry: ScriptedRegistry = {
    host: `127.0.0.1:${port}`,
    requests: [],
    script: () => false,
    add(tag, image) {
      for (const [digest, content] of image.blobs) blobs.set(digest, content);
      for (const manifest of image.manifests) manifests.set(manifest.digest, manifest);
      manifests.set(tag, image.manifests.at(-1)!);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return registry;
}
