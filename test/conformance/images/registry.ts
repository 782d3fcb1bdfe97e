import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Descriptor, ImageStore, type StoredImage } from './image-store.ts';

export interface RegistryOptions {
  /** The directory of an `ImageStore`. Images that are added later are served too. */
  readonly directory: string;
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
}

export interface Registry {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the images of a store by the OCI distribution protocol, for reading only. It stands for all registries: the `ns` parameter, with
 * which containerd names the registry that it was to ask, is a part of an image's name; without it the first image with the path is meant.
 */
export async function startRegistry({ directory, host, port }: RegistryOptions): Promise<Registry> {
  const server = createServer((request, response) => {
    answer(directory, request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'UNKNOWN', error.message);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve);
  });
  return { port: portOf(server), close: () => closed(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the registry has no port');
  return address.port;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

async function answer(directory: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(response, 405, 'UNSUPPORTED', 'this registry is only for reading');
  }
  const target = readTarget(request.url ?? '/');
  if (!target) return refuse(response, 404, 'NOT_FOUND', 'no such path');
  if (target === 'version') return void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  const store = await ImageStore.open(directory);
  const images = imagesAt(store, target);
  if (images.length === 0) return refuse(response, 404, 'NAME_UNKNOWN', `no image ${target.path}`);
  const found = await contentOf(store, images, target);
  if (!found) {
    const code = target.kind === 'manifests' ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN';
    return refuse(response, 404, code, `${target.path} has no ${target.reference}`);
  }
  await send(store, found, request, response);
}

/** What a URL asks for. */
interface Target {
  readonly kind: 'manifests' | 'blobs';
  /** The registry, if the client says which. */
  readonly registry?: string;
  /** The repository, without the registry. */
  readonly path: string;
  /** A tag or a digest. */
  readonly reference: string;
}

function readTarget(url: string): Target | 'version' | undefined {
  const { pathname, searchParams } = new URL(url, 'http://registry');
  if (/^\/v2\/?$/.test(pathname)) return 'version';
  const match = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname);
  if (!match) return undefined;
  const [, path = '', kind, reference = ''] = match;
  const registry = searchParams.get('ns');
  return {
    kind: kind === 'blobs' ? 'blobs' : 'manifests',
    path,
    reference: decodeURIComponent(reference),
    ...(registry && { registry }),
  };
}

/** The images of a repository. */
function imagesAt(store: ImageStore, { registry, path }: Target): readonly StoredImage[] {
  return store.images.filter(({ name }) => {
    const { repository, host } = splitName(name);
    return repository === path && (registry === undefined || registry === host);
  });
}

/** Splits a full name of an image into its parts. */
function splitName(name: string): { readonly host: string; readonly repository: string; readonly tag: string } {
  const slash = name.indexOf('/');
  const colon = name.lastIndexOf(':');
  return { host: name.slice(0, slash), repository: name.slice(slash + 1, colon), tag: name.slice(colon + 1) };
}

/** Only content of the repository's own images is served, even by digest. */
async function contentOf(
  store: ImageStore,
  images: readonly StoredImage[],
  { kind, reference }: Target,
): Promise<Descriptor | undefined> {
  if (kind === 'manifests') {
    return images.find(({ name, manifest }) => manifest.digest === reference || splitName(name).tag === reference)
      ?.manifest;
  }
  for (const image of images) {
    const { manifest } = await store.read(image);
    const found = [manifest.config, ...manifest.layers].find(({ digest }) => digest === reference);
    if (found) return found;
  }
  return undefined;
}

async function send(
  store: ImageStore,
  { mediaType, digest }: Descriptor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = store.pathOf(digest);
  const { size } = await stat(path);
  response.writeHead(200, {
    'Content-Type': mediaType,
    'Content-Length': size,
    'Docker-Content-Digest': digest,
    ETag: `"${digest}"`,
  });
  if (request.method === 'HEAD') return void response.end();
  createReadStream(path)
    .on('error', () => response.destroy())
    .pipe(response);
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  const body = JSON.stringify({ errors: [{ code, message }] });
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
