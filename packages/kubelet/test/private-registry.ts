import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { busyboxFiles, ociArchive } from '@coxswain/cri/testing';

export interface PrivateRegistry {
  /** Such as `127.0.0.1:5000`. */
  readonly host: string;
  /** The requests for manifests, as `GET team/web 1 by user`. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Serves an image with busybox, by any name and tag, to one user. */
export async function startPrivateRegistry(user: string, password: string): Promise<PrivateRegistry> {
  const blobs = filesOf(ociArchive({ name: 'web:1', files: await busyboxFiles(), command: ['/bin/sh'] }));
  const index = JSON.parse(blobs.get('index.json')!.toString()) as {
    readonly manifests: [{ readonly digest: string }];
  };
  const manifestDigest = index.manifests[0].digest;
  const blobOf = (digest: string): Buffer | undefined => blobs.get(`blobs/${digest.replace(':', '/')}`);
  const requests: string[] = [];
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^?]+)/.exec(url) ?? [];
    const isIn = headers.authorization === authorization;
    if (kind === 'manifests') requests.push(`${method} ${name} ${reference} by ${isIn ? user : 'nobody'}`);
    if (!isIn) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="registry"' }).end();
      return;
    }
    const digest = kind === 'manifests' && !reference.startsWith('sha256:') ? manifestDigest : reference;
    const blob = blobOf(digest);
    if (!blob) {
      response.writeHead(url === '/v2/' ? 200 : 404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': kind === 'manifests' ? 'application/vnd.oci.image.manifest.v1+json' : 'application/octet-stream',
      'Content-Length': blob.length,
      'Docker-Content-Digest': digest,
    });
    response.end(method === 'HEAD' ? undefined : blob);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The files of a tar archive. */
function filesOf(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + 512 <= archive.length; ) {
    const header = archive.subarray(at, at + 512);
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    if (name === '') break;
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
    files.set(name, archive.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
