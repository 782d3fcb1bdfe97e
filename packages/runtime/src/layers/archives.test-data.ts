import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type HelperCommands, HelperCommands as Helpers } from '@coxswain/linux';
import { type TarEntry, TarReader, TarWriter } from '../tar/index.ts';
import { defaultLayerLimits, type LayerLimits } from './layer-limits.ts';
import { type UnpackedLayer, unpackLayer } from './unpack-layer.ts';
import { overlayWhiteouts } from './whiteout-format.ts';

const run = promisify(execFile);

/** Why layers cannot be unpacked as root here; undefined if they can. */
export const unpackProblem =
  process.platform !== 'linux' || process.getuid?.() !== 0 ? 'unpacking layers needs root on Linux' : undefined;

/** An entry for tests: whatever is left out is usual. */
export interface TestEntry extends Partial<TarEntry> {
  readonly path: string;
  readonly content?: string | Buffer;
}

export function tarEntry({ content = '', ...entry }: TestEntry): TarEntry {
  return {
    type: 'file',
    linkTo: '',
    mode: entry.type === 'directory' ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    mtime: { seconds: 1_000_000_000, nanoseconds: 0 },
    deviceMajor: 0,
    deviceMinor: 0,
    xattrs: new Map(),
    ...entry,
    size: entry.size ?? content.length,
  };
}

/** Packs entries as they are, even hostile ones. */
export async function archiveOf(entries: readonly TestEntry[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = new TarWriter({
    async write(bytes) {
      parts.push(Buffer.from(bytes));
    },
  });
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    await writer.header(tarEntry({ ...entry, content }));
    await writer.content(content);
    await writer.endOfContent(content.length);
  }
  await writer.end();
  return Buffer.concat(parts);
}

export async function* inChunks(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Unpacks layers into directories below one of the test's own. */
export class TestUnpacker {
  readonly #commands: HelperCommands = new Helpers();
  readonly #directory: string;
  #count = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async unpack(
    archive: Buffer,
    limits: Partial<LayerLimits> = {},
    signal?: AbortSignal,
  ): Promise<UnpackedLayer & { readonly target: string }> {
    const place = join(this.#directory, String(++this.#count));
    const scratch = join(place, 'scratch');
    await mkdir(scratch, { recursive: true });
    const target = join(place, 'fs');
    const unpacked = await unpackLayer(inChunks(archive), {
      commands: this.#commands,
      limits: { ...defaultLayerLimits, ...limits },
      format: overlayWhiteouts,
      target,
      scratch,
      signal,
    });
    await rm(scratch, { recursive: true });
    return { ...unpacked, target };
  }

  close(): void {
    this.#commands.close();
  }
}

/** What is in a directory as GNU's tar sees it: every path with all its attributes, and the content of files. */
export async function treeOf(directory: string): Promise<Record<string, unknown>> {
  const archive = `${directory}.tree.tar`;
  const flags = ['--create', '--format=posix', '--sort=name', '--numeric-owner', '--xattrs', '--xattrs-include=*'];
  await run('tar', [...flags, `--file=${archive}`, `--directory=${directory}`, '.']);
  const reader = new TarReader(createReadStream(archive), { pathBytes: 8192, extendedHeaderBytes: 2 ** 20 });
  const tree: Record<string, unknown> = {};
  for (let entry = await reader.next(); entry; entry = await reader.next()) {
    const parts: Buffer[] = [];
    for await (const part of reader.content()) parts.push(Buffer.from(part));
    const { path, xattrs, ...rest } = entry;
    const attributes = Object.fromEntries(Array.from(xattrs, ([key, value]) => [key, value.toString('latin1')]));
    tree[path] = { ...rest, attributes, content: Buffer.concat(parts).toString('latin1') };
  }
  await rm(archive);
  return tree;
}

export const digestOfBytes = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
