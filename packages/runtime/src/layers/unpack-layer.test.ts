import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, type TestEntry, TestUnpacker, treeOf, unpackProblem } from './archives.test-data.ts';

const run = promisify(execFile);
if (unpackProblem) console.warn(`SKIPPED: unpacking layers. ${unpackProblem}`);

const directory = (path: string, more: Partial<TestEntry> = {}): TestEntry => ({ path, type: 'directory', ...more });
const link = (path: string, linkTo: string, more: Partial<TestEntry> = {}): TestEntry => ({
  path,
  type: 'symbolicLink',
  mode: 0o777,
  linkTo,
  ...more,
});

describe.skipIf(unpackProblem)('a layer (needs root)', () => {
  let scratch: string;
  let unpacker: TestUnpacker;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-layers-'));
    unpacker = new TestUnpacker(scratch);
  });
  afterEach(async () => {
    unpacker.close();
    await rm(scratch, { recursive: true });
  });

  /** What GNU's tar itself makes of an archive. */
  async function byTar(archive: Buffer): Promise<Record<string, unknown>> {
    const place = join(scratch, `tar-${Math.abs(archive.readInt32LE(0))}-${(await unusedName()).toString()}`);
    await mkdir(place);
    await writeFile(`${place}.tar`, archive);
    const flags = ['--extract', '--numeric-owner', '--same-owner', '--same-permissions', '--delay-directory-restore'];
    await run('tar', [...flags, '--xattrs', '--xattrs-include=*', `--file=${place}.tar`, `--directory=${place}`]);
    return await treeOf(place);
  }
  let names = 0;
  const unusedName = async (): Promise<number> => ++names;

  /** Names as file systems allow them, some long, some with bytes that are no UTF-8. */
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'dir', 'file.txt', 'with space', '-rf', '*', 'new\nline') },
    { weight: 1, arbitrary: fc.constantFrom('ü'.repeat(60), '\xff\xfe', 'x'.repeat(200), '\\', '"') },
  );
  const path = fc
    .array(name, { minLength: 1, maxLength: 4 })
    .map((parts) => Buffer.from(parts.join('/')).toString('latin1'));
  const metadata = fc.record({
    mode: fc.constantFrom(0o644, 0o600, 0o755, 0o4755, 0o2755, 0o1777, 0o000, 0o444),
    uid: fc.constantFrom(0, 1, 1000, 65534, 2_097_152, 4_000_000_000),
    gid: fc.constantFrom(0, 5, 100_000, 3_000_000_000),
    mtime: fc.record({
      seconds: fc.constantFrom(0, 1, 1_000_000_000, 2_000_000_000, 8_589_934_592, -1000),
      nanoseconds: fc.constantFrom(0, 0, 1, 123_456_789, 999_999_999),
    }),
  });
  const xattrs = fc.constantFrom(
    new Map<string, Buffer>(),
    new Map([['user.note', Buffer.from('a=b\nc')]]),
    new Map([['security.capability', Buffer.from('0100000200200000000000000000000000000000', 'hex')]]),
  );
  const anyEntry = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('file' as const), content: fc.string({ maxLength: 2000 }), xattrs }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('directory' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('symbolicLink' as const),
        linkTo: fc.constantFrom('a', '/etc', '../../..', 'x'.repeat(300)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('hardLink' as const), pick: fc.nat() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('characterDevice' as const, 'blockDevice' as const),
        deviceMajor: fc.nat(500),
        deviceMinor: fc.integer({ min: 1, max: 70_000 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('fifo' as const) }) },
  );

  /** Entries in a valid order: directories before what is in them, no path twice, hard links to files before them. */
  const layer = fc.array(fc.record({ path, metadata, entry: anyEntry }), { maxLength: 25 }).map((drawn) => {
    const kinds = new Map<string, string>([['', 'directory']]);
    const files: string[] = [];
    const entries: TestEntry[] = [];
    const parentsOf = (it: string): string[] =>
      it
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => all.slice(0, at + 1).join('/'));
    for (const { path: where, metadata: about, entry } of drawn) {
      if (kinds.has(where) || parentsOf(where).some((parent) => (kinds.get(parent) ?? 'directory') !== 'directory'))
        continue;
      for (const parent of parentsOf(where)) {
        if (kinds.has(parent)) continue;
        kinds.set(parent, 'directory');
        entries.push(directory(parent, about));
      }
      if (entry.type === 'hardLink') {
        const target = files[entry.pick % Math.max(files.length, 1)];
        if (target === undefined) continue;
        kinds.set(where, 'file');
        entries.push({ path: where, type: 'hardLink', linkTo: target, ...about });
        continue;
      }
      kinds.set(where, entry.type);
      if (entry.type === 'file') files.push(where);
      entries.push({ path: where, ...about, ...entry, ...(entry.type === 'symbolicLink' && { mode: 0o777 }) });
    }
    return [directory('.', { mode: 0o711, uid: 7 }), ...entries];
  });

  it('becomes the tree that GNU tar makes of it: modes, owners, times, links, attributes, devices', async () => {
    await fc.assert(
      fc.asyncProperty(layer, async (entries) => {
        // A hard link tells about the file again. What the last one says counts for tar, so all say the same here.
        const about = new Map(entries.map((entry) => [entry.path, entry]));
        const same = entries.map((entry) => {
          const target = entry.type === 'hardLink' ? about.get(entry.linkTo ?? '') : undefined;
          return target
            ? { ...entry, mode: target.mode, uid: target.uid, gid: target.gid, mtime: target.mtime }
            : entry;
        }) as TestEntry[];
        const archive = await archiveOf(same);
        const { target } = await unpacker.unpack(gzipSync(archive, { level: 1 }));
        expect(await treeOf(target)).toEqual(await byTar(archive));
      }),
      { numRuns: 40 },
    );
  });

  it.each(['posix', 'gnu'])('is read as GNU tar writes it in the format %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(layer, async (entries) => {
        const source = join(scratch, `source-${await unusedName()}`);
        await mkdir(source);
        await writeFile(`${source}.tar`, await archiveOf(entries));
        await run('tar', [
          '--extract',
          '--xattrs',
          '--xattrs-include=*',
          `--file=${source}.tar`,
          `--directory=${source}`,
        ]);
        const attributes = format === 'posix' ? ['--xattrs', '--xattrs-include=*'] : [];
        await run('tar', [
          '--create',
          `--format=${format}`,
          ...attributes,
          `--file=${source}.tar`,
          `--directory=${source}`,
          '.',
        ]);
        const archive = await readFile(`${source}.tar`);
        const { target } = await unpacker.unpack(archive);
        expect(await treeOf(target)).toEqual(await byTar(archive));
      }),
      { numRuns: 15 },
    );
  });

  const treeBelow = async (entries: readonly TestEntry[]): Promise<Record<string, unknown>> => {
    const { target } = await unpacker.unpack(await archiveOf(entries));
    return await treeOf(target);
  };

  it('keeps setuid, owners, fractions of seconds and file capabilities', async () => {
    const capability = Buffer.from('0100000200200000000000000000000000000000', 'hex');
    const mtime = { seconds: 1_234_567_890, nanoseconds: 123_456_789 };
    const file: TestEntry = {
      path: 'bin/ping',
      content: 'ping',
      mode: 0o4755,
      uid: 1000,
      gid: 3_000_000_000,
      mtime,
      xattrs: new Map([['security.capability', capability]]),
    };
    const tree = await treeBelow([
      directory('bin', { mode: 0o1777, mtime }),
      file,
      { path: 'tty', type: 'characterDevice', deviceMajor: 5, deviceMinor: 1, mode: 0o620 },
    ]);
    expect(tree['./bin/']).toMatchObject({ mode: 0o1777, mtime });
    expect(tree['./bin/ping']).toMatchObject({
      mode: 0o4755,
      uid: 1000,
      gid: 3_000_000_000,
      mtime,
      content: 'ping',
      attributes: { 'security.capability': capability.toString('latin1') },
    });
    expect(tree['./tty']).toMatchObject({ type: 'characterDevice', deviceMajor: 5, deviceMinor: 1, mode: 0o620 });
  });

  it('gives no orders to the overlay and the kernel by extended attributes', async () => {
    const names = [
      'trusted.overlay.opaque',
      'trusted.overlay.redirect',
      'user.overlay.opaque',
      'security.ima',
      'system.posix_acl_access',
      'user.fine',
    ];
    const xattrs = new Map(names.map((name) => [name, Buffer.from('y')]));
    const tree = await treeBelow([directory('d', { xattrs })]);
    expect(tree['./d/']).toMatchObject({ attributes: { 'user.fine': 'y' } });
  });

  it('hides what is below by whiteouts in the form of overlayfs, wherever they are in the archive', async () => {
    const entries = [
      directory('again'),
      { path: 'again/new', content: 'x' },
      { path: '.wh.again' },
      { path: 'gone/.wh.file' },
      { path: 'cleared/.wh..wh..opq' },
      { path: 'replaced/.wh.f' },
      { path: 'replaced/f', content: 'new' },
      { path: '.wh..wh.plnk/1.2', content: 'aufs' },
    ];
    const tree = await treeBelow(entries);
    const opaque = { 'trusted.overlay.opaque': 'y' };
    expect(tree['./again/']).toMatchObject({ attributes: opaque });
    expect(tree['./gone/file']).toMatchObject({ type: 'characterDevice', deviceMajor: 0, deviceMinor: 0 });
    expect(tree['./gone/']).toMatchObject({ attributes: {} });
    expect(tree['./cleared/']).toMatchObject({ attributes: opaque });
    expect(tree['./replaced/f']).toMatchObject({ type: 'file', content: 'new' });
    expect(Object.keys(tree).sort()).toEqual(
      ['./', './again/', './again/new', './cleared/', './gone/', './gone/file', './replaced/', './replaced/f'].sort(),
    );
  });

  it('may replace an entry by one of another type', async () => {
    const tree = await treeBelow([
      { path: 'file-directory', content: 'x' },
      directory('file-directory'),
      { path: 'file-directory/in', content: 'in' },
      directory('directory-file', { mtime: { seconds: 5, nanoseconds: 0 } }),
      { path: 'directory-file/in', content: 'gone' },
      { path: 'directory-file', content: 'file' },
      directory('directory-link'),
      { path: 'directory-link/deep/in', content: 'gone' },
      link('directory-link', '/tmp'),
      link('link-directory', '/tmp'),
      directory('link-directory', { mtime: { seconds: 7, nanoseconds: 0 } }),
      { path: 'link-directory/in', content: 'in' },
      { path: 'pipe-file', type: 'fifo' },
      { path: 'pipe-file', content: 'file' },
    ]);
    expect(tree['./file-directory/in']).toMatchObject({ content: 'in' });
    expect(tree['./directory-file']).toMatchObject({ type: 'file', content: 'file' });
    expect(tree['./directory-link']).toMatchObject({ type: 'symbolicLink', linkTo: '/tmp' });
    expect(tree['./link-directory/']).toMatchObject({ type: 'directory', mtime: { seconds: 7 } });
    expect(tree['./link-directory/in']).toMatchObject({ content: 'in' });
    expect(tree['./pipe-file']).toMatchObject({ type: 'file', content: 'file' });
    expect(Object.keys(tree)).toHaveLength(8);
  });

  it('arrives in parts of any size', async () => {
    const contents = Array.from({ length: 40 }, (_, at) => randomBytes(at * 9973));
    const archive = await archiveOf(contents.map((content, at) => ({ path: `f${at}`, content })));
    const { target } = await unpacker.unpack(gzipSync(archive, { level: 1 }));
    for (const [at, content] of contents.entries()) {
      expect((await readFile(join(target, `f${at}`))).equals(content), `f${at}`).toBe(true);
    }
  });

  it('ends when it is aborted, and tar with it', async () => {
    const archive = await archiveOf([{ path: 'large', content: Buffer.alloc(32 * 2 ** 20) }]);
    const stop = new AbortController();
    const unpacking = unpacker.unpack(archive, {}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(unpacking).rejects.toThrow('enough');
  });

  it('is decompressed from zstd, too', async () => {
    const archive = await archiveOf([{ path: 'a', content: 'some words, some words' }]);
    await writeFile(join(scratch, 'plain'), archive);
    await run('zstd', ['-q', join(scratch, 'plain'), '-o', join(scratch, 'small')]);
    const { target, diffId } = await unpacker.unpack(await readFile(join(scratch, 'small')));
    expect(await readFile(join(target, 'a'), 'utf8')).toBe('some words, some words');
    expect(diffId).toBe(`sha256:${createHash('sha256').update(archive).digest('hex')}`);
    const damaged = (await readFile(join(scratch, 'small'))).subarray(0, 40);
    await expect(unpacker.unpack(damaged)).rejects.toThrow(/zstd data is damaged|unexpected end/);
  });
});
