import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockBytes, TarError } from './header.ts';
import { readTar } from './read-tar.ts';
import { type TarSource, writeTar } from './write-tar.ts';

async function bytesOf(members: TarSource[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeTar(members)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function membersOf(bytes: Uint8Array, pieceBytes = 100_000, read = true) {
  const members: object[] = [];
  for await (const { content, ...header } of readTar(cut(bytes, pieceBytes))) {
    const chunks: Uint8Array[] = [];
    if (read) for await (const chunk of content) chunks.push(chunk);
    members.push({ ...header, ...(read && { content: Buffer.concat(chunks).toString('latin1') }) });
  }
  return members;
}

const file = (name: string, content: Uint8Array, mode = 0o644): TarSource => ({
  name,
  type: 'file',
  mode,
  mtime: 1_700_000_000,
  size: content.length,
  content: () => cut(content, 7),
});

describe('an archive', () => {
  it('is read back as it was written, from any chunks', async () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((name) => !/[\0/]/.test(name));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, fc.uint8Array({ maxLength: 2000 }), fc.nat(0o7777)), { maxLength: 5 }),
        fc.integer({ min: 1, max: 3000 }),
        async (files, pieceBytes) => {
          const archive = await bytesOf(files.map(([name, content, mode]) => file(name, content, mode)));
          expect(archive.length % blockBytes).toBe(0);
          expect(await membersOf(archive, pieceBytes)).toEqual(
            files.map(([name, content, mode]) => ({
              name,
              mode,
              type: 'file',
              size: content.length,
              mtime: 1_700_000_000,
              linkName: '',
              content: Buffer.from(content).toString('latin1'),
            })),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is readable by tar', async () => {
    const archive = await bytesOf([
      file('short', Buffer.from('abc'), 0o755),
      file(`${'d'.repeat(90)}/${'f'.repeat(90)}`, Buffer.alloc(5000, 1)),
      { name: 'empty/', type: 'directory', mode: 0o700, mtime: 0 },
      { name: 'link', type: 'symlink', mode: 0o777, mtime: 0, linkName: 'l'.repeat(150) },
    ]);
    const { status, stdout } = spawnSync('tar', ['tf', '-'], { input: archive, encoding: 'utf8' });
    expect([status, stdout.trim().split('\n')]).toEqual([
      0,
      ['short', `${'d'.repeat(90)}/${'f'.repeat(90)}`, 'empty/', 'link'],
    ]);
  });

  it.each(['gnu', 'pax', 'ustar'])('of the %s format is read', async (format) => {
    const script = `
      set -e; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
      mkdir -p a/${'b'.repeat(80)}; printf hello > a/${'b'.repeat(80)}/${'c'.repeat(90)}; printf x > a/é
      ln -s target a/link; ln a/é a/hard; chmod 750 a/é; touch -d @1700000000 a/é
      tar --format=${format} --sort=name -cf - a`;
    const { status, stdout } = spawnSync('sh', ['-c', script]);
    expect(status).toBe(0);
    const members = await membersOf(stdout, 700);
    expect(members).toMatchObject([
      { name: 'a/', type: 'directory', content: '' },
      { name: `a/${'b'.repeat(80)}/`, type: 'directory' },
      { name: `a/${'b'.repeat(80)}/${'c'.repeat(90)}`, type: 'file', size: 5, content: 'hello' },
      { name: 'a/hard', type: 'file', mode: 0o750, content: 'x' },
      { name: 'a/link', type: 'symlink', linkName: 'target' },
      { name: 'a/é', type: 'link', linkName: 'a/hard', mtime: 1_700_000_000 },
    ]);
  });

  it('skips unread content', async () => {
    const archive = await bytesOf([file('a', Buffer.alloc(10_000)), file('b', Buffer.from('b'))]);
    expect(await membersOf(archive, 1000, false)).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  });

  it('supports sizes that are too large for octal digits', async () => {
    const size = 9 * 1024 ** 3;
    const huge = writeTar([{ ...file('huge', new Uint8Array(0)), size }]);
    const { value: header } = await huge.next();
    await huge.return();
    const reader = readTar(cut(header!, 512));
    const { value: member } = await reader.next();
    expect(member).toMatchObject({ name: 'huge', size });
  });

  it.each([
    ['is truncated within a header', (archive: Buffer) => archive.subarray(0, 100)],
    ['is truncated within a file', (archive: Buffer) => archive.subarray(0, 700)],
    ['has a wrong checksum', (archive: Buffer) => Buffer.concat([Buffer.from('X'), archive.subarray(1)])],
    ['is not an archive', () => Buffer.alloc(1000, 'x')],
  ])('is rejected when it %s', async (_, spoil) => {
    const archive = await bytesOf([file('a', Buffer.alloc(1000))]);
    await expect(membersOf(spoil(archive))).rejects.toBeInstanceOf(TarError);
  });

  it('is not written when a file became shorter', async () => {
    await expect(bytesOf([{ ...file('a', Buffer.from('abc')), size: 10 }])).rejects.toThrow('became shorter');
  });
});
