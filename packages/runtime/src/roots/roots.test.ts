import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HelperCommands, UtilLinuxMounter } from '@coxswain/linux';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredImage } from '../images/image-store.ts';
import {
  archiveOf,
  digestOfBytes,
  inChunks,
  type TestEntry,
  treeOf,
  unpackProblem,
} from '../layers/archives.test-data.ts';
import { chainIds, LayerStore } from '../layers/index.ts';
import { CopyMounter } from './copy-mounter.ts';
import { LayeredRootFileSystems } from './layered-root-file-systems.ts';
import { type RootMounter, rootMounterFor } from './root-mounter.ts';

if (unpackProblem) console.warn(`SKIPPED: root file systems. ${unpackProblem}`);

/** An entry of a model of a file system: its type, and the content of a file or the target of a link. */
type Model = Map<string, string>;

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');
const isBelow = (path: string, directory: string): boolean => directory === '' || path.startsWith(`${directory}/`);

function removeTree(model: Model, path: string): void {
  for (const other of [...model.keys()]) if (other === path || isBelow(other, path)) model.delete(other);
}

/** What a layer makes of the layers below, by the rules of the image specification. */
function apply(lower: Model, entries: readonly TestEntry[]): Model {
  const model = new Map(lower);
  for (const { path } of entries) {
    const name = path.split('/').at(-1) ?? '';
    const directory = parentOf(path);
    if (name === '.wh..wh..opq') {
      for (const other of [...model.keys()]) if (isBelow(other, directory)) model.delete(other);
    } else if (name.startsWith('.wh.')) removeTree(model, [directory, name.slice(4)].filter(Boolean).join('/'));
  }
  const ensure = (directory: string): void => {
    if (directory === '') return;
    ensure(parentOf(directory));
    if (model.get(directory) === 'directory') return;
    removeTree(model, directory);
    model.set(directory, 'directory');
  };
  for (const { path, type = 'file', content = '', linkTo } of entries) {
    ensure(parentOf(path));
    if (path.split('/').at(-1)?.startsWith('.wh.')) continue;
    if (type === 'directory') {
      ensure(path);
      continue;
    }
    removeTree(model, path);
    model.set(path, type === 'symbolicLink' ? `link ${linkTo}` : `file ${content}`);
  }
  return model;
}

async function modelOf(directory: string): Promise<Model> {
  const model: Model = new Map();
  for (const [path, entry] of Object.entries(await treeOf(directory))) {
    const { type, content, linkTo } = entry as { type: string; content: string; linkTo: string };
    const name = path.replace(/^\.\//, '').replace(/\/$/, '');
    if (name === '') continue;
    model.set(
      name,
      type === 'directory' ? 'directory' : type === 'symbolicLink' ? `link ${linkTo}` : `${type} ${content}`,
    );
  }
  return model;
}

describe.skipIf(unpackProblem)('root file systems (need root)', () => {
  let scratch: string;
  let commands: HelperCommands;
  let layers: LayerStore;
  let overlay: RootMounter;
  let roots: LayeredRootFileSystems;
  const images = new Map<string, StoredImage>();
  const released: string[] = [];

  const open = async (mounter: RootMounter): Promise<LayeredRootFileSystems> =>
    await LayeredRootFileSystems.open({
      root: scratch,
      images: { find: async (id) => images.get(id) },
      layers,
      mounter,
      commands,
      onRemoved: async (id) => {
        released.push(id);
      },
    });
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-roots-'));
    commands = new HelperCommands();
    overlay = await rootMounterFor(scratch, commands, new UtilLinuxMounter(commands));
    layers = await LayerStore.open(scratch, { format: overlay.format });
    roots = await open(overlay);
    released.length = 0;
  });
  afterEach(async () => {
    for (const id of await roots.list()) await roots.remove(id);
    layers.close();
    commands.close();
    await rm(scratch, { recursive: true });
  });

  /** Unpacks layers and returns the id of an image that consists of them. */
  async function imageOf(all: readonly (readonly TestEntry[])[]): Promise<string> {
    const archives = await Promise.all(all.map(archiveOf));
    const diffIds = archives.map(digestOfBytes);
    const chain = chainIds(diffIds);
    for (const [at, archive] of archives.entries()) {
      await layers.add({
        chainId: chain[at]!,
        diffId: diffIds[at]!,
        digest: '',
        compressedBytes: archive.length,
        below: chain.slice(0, at),
        open: async () => ({ read: () => inChunks(archive), verified: async () => false, release: async () => {} }),
      });
    }
    const id = `image-${chain.at(-1)}`;
    const configuration = { architecture: '', os: '', config: {}, diffIds };
    images.set(id, { id, repoTags: [], repoDigests: [], size: 0, isPinned: false, configuration });
    return id;
  }

  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const entry: fc.Arbitrary<TestEntry> = fc.oneof(
    fc.record({ path, content: fc.constantFrom('1', '2') }),
    fc.record({ path, type: fc.constant('directory' as const) }),
    fc.record({ path, type: fc.constant('symbolicLink' as const), linkTo: fc.constantFrom('a', '/etc', '../..') }),
    fc.record({ path: path.map((it) => [parentOf(it), `.wh.${it.split('/').at(-1)}`].filter(Boolean).join('/')) }),
    fc.record({ path: path.map((it) => `${it}/.wh..wh..opq`) }),
  );
  /** Without entries below what the same layer has as a file or a link: that leads elsewhere, or is refused. */
  const layer = fc.array(entry, { maxLength: 8 }).map((entries) => {
    const kinds = new Map<string, string>();
    return entries.filter(({ path: where, type = 'file' }) => {
      const parents = where.split('/').map((_, at, all) => all.slice(0, at).join('/'));
      const isWhiteout = where.includes('.wh.');
      if (parents.some((parent) => parent !== '' && (kinds.get(parent) ?? 'directory') !== 'directory')) return false;
      if (!isWhiteout && type !== 'directory' && [...kinds.keys()].some((known) => isBelow(known, where))) return false;
      if (!isWhiteout && kinds.has(where) && kinds.get(where) !== type) return false;
      for (const parent of parents) if (parent !== '') kinds.set(parent, 'directory');
      if (!isWhiteout) kinds.set(where, type);
      return true;
    });
  });

  it('are what the image specification makes of layers, joined by an overlay or copied', async () => {
    const copies = await open(new CopyMounter(commands));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(layer, { minLength: 1, maxLength: 4 }), async (all) => {
        const id = await imageOf(all);
        const expected = all.reduce(apply, new Map<string, string>());
        const sorted = (model: Model) => [...model].sort();
        const read = await roots.makeReadOnly(`r${++count}`, id);
        expect(sorted(await modelOf(read.path))).toEqual(sorted(expected));
        const written = await roots.make(`w${count}`, id);
        expect(sorted(await modelOf(written.path))).toEqual(sorted(expected));
        const copied = await copies.make(`c${count}`, id);
        expect(sorted(await modelOf(copied.path))).toEqual(sorted(expected));
        await Promise.all([roots.remove(`r${count}`), roots.remove(`w${count}`), copies.remove(`c${count}`)]);
      }),
      { numRuns: 30 },
    );
  });

  it('have directories of lower layers as they were, when a layer only adds something in them', async () => {
    const id = await imageOf([
      [
        { path: '.', type: 'directory', mode: 0o711, uid: 4, gid: 5 },
        { path: 'var', type: 'directory', mode: 0o1770, uid: 6, gid: 7 },
      ],
      [{ path: 'var/lib/new', content: 'x' }],
    ]);
    const { path: mounted } = await roots.make('c', id);
    expect(await stat(mounted)).toMatchObject({ mode: 0o40711, uid: 4, gid: 5 });
    expect(await stat(join(mounted, 'var'))).toMatchObject({ mode: 0o41770, uid: 6, gid: 7, mtimeMs: 1e12 });
    expect(await stat(join(mounted, 'var/lib'))).toMatchObject({ mode: 0o40755, uid: 0, gid: 0 });
  });

  it('are found again, and mounted again after a reboot, with what was written', async () => {
    const id = await imageOf([[{ path: 'f', content: 'x' }]]);
    const { path: mounted } = await roots.make('c', id);
    await writeFile(join(mounted, 'g'), 'written');
    expect(await roots.usage('c')).toMatchObject({ inodesUsed: 2 });
    await commands.run(['umount', mounted]);
    await mkdir(join(scratch, 'roots', '.new-half', 'lower'), { recursive: true });
    layers.close();
    layers = await LayerStore.open(scratch, { format: overlay.format });
    roots = await open(overlay);
    expect(await roots.list()).toEqual(['c']);
    expect(await readdir(join(scratch, 'roots'))).toEqual(['c']);
    const again = await roots.make('c', id);
    expect(await readFile(join(again.path, 'g'), 'utf8')).toBe('written');
    await layers.keepOnly(new Set());
    expect(layers.list()).toHaveLength(1);
    await roots.remove('c');
    expect(released).toEqual([id]);
    await layers.keepOnly(new Set());
    expect(layers.list()).toEqual([]);
    expect(await readdir(join(scratch, 'roots'))).toEqual([]);
  });

  it('may have more layers than the options of a mount have room for', async () => {
    const all = Array.from({ length: 130 }, (_, at) => [{ path: `f${at}`, content: String(at) }]);
    const { path: mounted } = await roots.make('c', await imageOf(all));
    expect(await readdir(mounted)).toHaveLength(130);
  });

  it('may have no layers', async () => {
    const id = await imageOf([]);
    expect(await readdir((await roots.makeReadOnly('r', id)).path)).toEqual([]);
    await writeFile(join((await roots.make('w', id)).path, 'f'), '');
  });

  it('have no ids that lead elsewhere', async () => {
    const id = await imageOf([]);
    for (const bad of ['../x', '', '.hidden', 'a/b']) await expect(roots.make(bad, id)).rejects.toThrow('invalid id');
  });
});
