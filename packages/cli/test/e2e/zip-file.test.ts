import { crc32, deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ZipFile } from './zip-file.ts';

interface Entry {
  readonly name: string;
  readonly content: string;
  readonly method: number;
  readonly checksum?: number;
}

/** Returns a minimal zip archive, with extra fields of different lengths in both headers, and a comment at the end. */
function zip(...entries: readonly Entry[]): ZipFile {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method, checksum = crc32(content) } of entries) {
    const packed = method === 0 ? Buffer.from(content) : deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(4, 28);
    files.push(local, Buffer.from(name), Buffer.alloc(4), packed);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(checksum, 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(2, 30);
    central.writeUInt32LE(offset, 42);
    directory.push(central, Buffer.from(name), Buffer.alloc(2));
    offset += 34 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(offset, 16);
  return new ZipFile(Buffer.concat([...files, ...directory, end, Buffer.from('a comment')]));
}

it('reads deflated and stored files', () => {
  const archive = zip({ name: 'a/b', content: 'bbb', method: 8 }, { name: 'c', content: 'see', method: 0 });
  expect(archive.read('a/b').toString()).toBe('bbb');
  expect(archive.read('c').toString()).toBe('see');
});

it.each<[sentence: string, archive: ZipFile, message: string]>([
  ['a missing file', zip({ name: 'a', content: '', method: 0 }), 'no b in the archive'],
  ['a damaged file', zip({ name: 'b', content: 'x', method: 8, checksum: 1 }), 'b is damaged'],
  ['an unsupported compression method', zip({ name: 'b', content: 'x', method: 9 }), 'b is packed by method 9'],
  ['a file that is not an archive', new ZipFile(Buffer.alloc(100)), 'not a zip archive'],
])('refuses %s', (_, archive, message) => {
  expect(() => archive.read('b')).toThrow(message);
});
