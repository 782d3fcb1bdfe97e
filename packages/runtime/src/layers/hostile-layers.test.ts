import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArchiveError } from '../tar/index.ts';
import { archiveOf, type TestEntry, TestUnpacker, treeOf, unpackProblem } from './archives.test-data.ts';
import type { LayerLimits } from './layer-limits.ts';

if (unpackProblem) console.warn(`SKIPPED: hostile layers. ${unpackProblem}`);

const directory = (path: string): TestEntry => ({ path, type: 'directory' });
const link = (path: string, linkTo: string): TestEntry => ({ path, type: 'symbolicLink', linkTo });
const hardLink = (path: string, linkTo: string): TestEntry => ({ path, type: 'hardLink', linkTo });

describe.skipIf(unpackProblem)('a hostile layer (needs root)', () => {
  let scratch: string;
  let outside: string;
  let unpacker: TestUnpacker;
  let before: unknown;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-hostile-'));
    outside = join(scratch, 'outside');
    await mkdir(join(outside, 'etc'), { recursive: true });
    await writeFile(join(outside, 'etc/passwd'), 'root');
    await symlink('etc', join(outside, 'link'));
    before = await treeOf(outside);
    unpacker = new TestUnpacker(join(scratch, 'layers'));
  });
  afterEach(async () => {
    unpacker.close();
    // Whatever a layer was, nothing beside its own directory has changed.
    expect(await treeOf(outside)).toEqual(before);
    expect((await readdir(scratch)).sort()).toEqual(['layers', 'outside']);
    await rm(scratch, { recursive: true });
  });

  const refused = async (
    entries: readonly TestEntry[] | Buffer,
    message: RegExp,
    limits: Partial<LayerLimits> = {},
  ) => {
    const archive = Buffer.isBuffer(entries) ? entries : await archiveOf(entries);
    const failure = await unpacker.unpack(archive, limits).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ArchiveError);
    expect((failure as Error).message).toMatch(message);
  };

  it.each<[string, TestEntry[], RegExp]>([
    ['a path that leads out', [{ path: '../outside/etc/passwd', content: 'x' }], /leads out of the layer/],
    ['a path that goes in and leads out', [{ path: 'a/../../x', content: 'x' }], /leads out of the layer/],
    ['a directory that is above', [directory('..')], /leads out of the layer/],
    ['a hard link to a file outside', [hardLink('x', '/etc/passwd')], /which is not in the layer/],
    ['a hard link that leads out', [hardLink('x', '../../outside/etc/passwd')], /leads out of the layer/],
    [
      'a hard link through a symbolic link',
      [link('l', '/'), hardLink('x', 'l/etc/passwd')],
      /which is not in the layer/,
    ],
    ['a hard link to a directory', [directory('d'), hardLink('x', 'd')], /which is a directory/],
    ['a hard link to itself', [{ path: 'x' }, hardLink('x', './x')], /which is itself/],
    [
      'a loop of symbolic links',
      [link('a', 'b'), link('b', 'a'), { path: 'a/x' }],
      /too many levels of symbolic links/,
    ],
    [
      'a file as a directory',
      [
        { path: 'f', content: 'x' },
        { path: 'f/g', content: 'y' },
      ],
      /not a directory/,
    ],
    ['a device as a directory', [{ path: 'd', type: 'blockDevice' }, { path: 'd/g' }], /not a directory/],
    ['a root that is a file', [{ path: '.', content: 'x' }], /root of the layer is not a directory/],
    ['a root that is a symbolic link', [link('./', '/etc')], /root of the layer is not a directory/],
    ['a whiteout of everything', [{ path: '.wh.' }], /invalid whiteout/],
    ['a whiteout of the parent', [{ path: 'a/.wh...' }], /invalid whiteout/],
    ['a whiteout that leads out', [{ path: '../.wh.outside' }], /leads out of the layer/],
    ['something below a whiteout', [{ path: '.wh.a/b' }], /below a whiteout/],
    ['a name that is too long', [{ path: 'n'.repeat(256) }], /file name too long/],
    ['a path that is too long', [{ path: `${'d/'.repeat(3000)}x` }], /file name too long/],
    ['directories in directories without end', [{ path: `${'d/'.repeat(600)}x` }], /directories in each other/],
    ['a symbolic link to nothing', [link('l', '')], /to nothing/],
  ])('%s is refused', async (_, entries, message) => {
    await refused(entries, message);
  });

  it.each<[string, TestEntry[], string]>([
    ['absolute', [link('l', '/')], 'l/outside/etc/passwd'],
    ['upwards', [link('l', '../../../../../..')], 'l/outside/etc/passwd'],
    ['in two steps', [link('a', '..'), link('b', 'a/../..')], 'b/etc/passwd'],
    ['made after its directory', [directory('l'), { path: 'l/before' }, link('l', '/')], 'l/etc/passwd'],
    ['made into a directory and back', [link('l', '/'), directory('l'), link('l', '/')], 'l/etc/passwd'],
  ])(
    'a symbolic link (%s) leads nowhere outside: what is written through it stays in the layer',
    async (_, entries, path) => {
      const { target } = await unpacker.unpack(await archiveOf([...entries, { path, content: 'mine' }]));
      const tree = await treeOf(target);
      const written = Object.keys(tree).filter((name) => name.endsWith('/passwd'));
      expect(written).toHaveLength(1);
      expect(await readFile('/etc/passwd', 'utf8')).not.toBe('mine');
    },
  );

  it('random names and links never lead out, whatever their order', async () => {
    const part = fc.constantFrom('a', 'b', 'c', '..', '.', '', 'etc', 'passwd');
    const anyPath = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const absolute = fc.constantFrom('/', '/etc', '/tmp', '../../..', '../../outside', '../../outside/etc');
    const entry: fc.Arbitrary<TestEntry> = fc.oneof(
      fc.record({ path: anyPath, content: fc.constantFrom('x', '') }),
      fc.record({ path: anyPath, type: fc.constant('directory' as const) }),
      fc.record({ path: anyPath, type: fc.constant('symbolicLink' as const), linkTo: fc.oneof(anyPath, absolute) }),
      fc.record({ path: anyPath, type: fc.constant('hardLink' as const), linkTo: fc.oneof(anyPath, absolute) }),
      fc.record({ path: anyPath.map((it) => `${it}/.wh.a`) }),
    );
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        const failure = await unpacker.unpack(await archiveOf(entries)).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure === undefined) whole++;
        else expect(failure).toBeInstanceOf(ArchiveError);
        expect(await treeOf(outside)).toEqual(before);
      }),
      { numRuns: 120 },
    );
    expect(whole).toBeGreaterThan(5);
  });

  it('damaged bytes are an error of the archive, never another one', async () => {
    const archive = await archiveOf([
      directory('d'),
      { path: 'd/f', content: 'content' },
      hardLink('h', 'd/f'),
      link('l', 'd'),
    ]);
    const change = fc.record({ at: fc.nat(archive.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.nat(archive.length),
        async (changes, cut) => {
          const damaged = Buffer.from(archive);
          for (const { at, byte } of changes) damaged[at] = byte;
          const failure = await unpacker.unpack(cut % 3 === 0 ? damaged.subarray(0, cut) : damaged).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (failure !== undefined) expect(failure).toBeInstanceOf(ArchiveError);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('a bomb is refused before it fills the disk', async () => {
    const bomb = gzipSync(await archiveOf([{ path: 'zeros', content: Buffer.alloc(24 * 2 ** 20) }]));
    await refused(bomb, /times as large as its compressed form/, { expansionFreeBytes: 2 ** 20, expansion: 50 });
    await refused(bomb, /larger than 1048576 bytes/, { layerBytes: 2 ** 20 });
    await expect(unpacker.unpack(bomb, { reservedBytes: 2 ** 60 })).rejects.toThrow('no space left on device');
  });

  it('more entries than allowed are refused, with and without directories of their own', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ path: `f${at}` }));
    await refused(many, /more than 20 entries/, { entries: 20 });
    const deep = [1, 2, 3].map((at) => ({ path: `${at}/a/b/c/d/e/f/g/h` }));
    await refused(deep, /too many directories/, { entries: 20 });
  });

  it('an extended header without end is refused', async () => {
    const xattrs = new Map([['user.large', Buffer.alloc(5000)]]);
    await refused([{ path: 'f', xattrs }], /extended tar header is too long/, { extendedHeaderBytes: 4096 });
  });

  it('an archive that ends too early is refused', async () => {
    const archive = await archiveOf([{ path: 'f', content: 'x'.repeat(5000) }]);
    await refused(archive.subarray(0, 3000), /unexpected end/);
    await refused(gzipSync(archive).subarray(0, 60), /gzip data is damaged/);
  });
});
