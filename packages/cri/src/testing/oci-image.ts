import { createHash } from 'node:crypto';
import { type TarEntry, tar } from './tar.ts';

export interface OciImage {
  /** The full name, such as `registry.example/web:1`. */
  readonly name: string;
  readonly files: readonly TarEntry[];
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  /** As in a Dockerfile's USER. */
  readonly user?: string;
}

/** Packs an image with one layer as an OCI archive, as `ctr images import` accepts. */
export function ociArchive({ name, files, command = [], env = [], user = '' }: OciImage): Buffer {
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer) => {
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  };
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const layer = add('application/vnd.oci.image.layer.v1.tar', tar(files));
  const config = add(
    'application/vnd.oci.image.config.v1+json',
    json({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Cmd: command, Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...env], ...(user !== '' && { User: user }) },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = add(mediaType, json({ schemaVersion: 2, mediaType, config, layers: [layer] }));
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.split(':').at(-1) };
  const index = json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] });
  return tar([
    { path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', content: index },
    ...Array.from(blobs, ([digest, content]) => ({ path: `blobs/${digest.replace(':', '/')}`, content })),
  ]);
}
