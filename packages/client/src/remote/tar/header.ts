/** A member of an archive. */
export interface TarHeader {
  /** As in the archive: must be validated before it is used as a path. */
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'link' | 'other';
  /** Permissions, twelve bits. */
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** The target of a link. */
  readonly linkName: string;
}

/** A truncated or invalid archive. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

export const blockBytes = 512;

const field = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkName: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

/** Types by the header's type flag. NUL (old archives) and 7 (contiguous files) are files. */
const types: ReadonlyMap<string, TarHeader['type']> = new Map([
  ['0', 'file'],
  ['\0', 'file'],
  ['7', 'file'],
  ['1', 'link'],
  ['2', 'symlink'],
  ['5', 'directory'],
]);
const letters: Readonly<Record<Exclude<TarHeader['type'], 'other'>, string>> = {
  file: '0',
  link: '1',
  symlink: '2',
  directory: '5',
};

/** A header block with its type flag. Some blocks are not members but extend the next one. */
export interface TarBlock extends TarHeader {
  readonly letter: string;
}

/**
 * Parses a header block; returns undefined for a block of zeros, which marks the end. Throws a TarError when the
 * checksum is wrong.
 */
export function readBlock(block: Uint8Array): TarBlock | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (number(block, field.checksum) !== checksum(block)) throw new TarError('wrong checksum in the archive');
  const letter = String.fromCharCode(block[field.type[0]]!);
  const name = text(block, field.name);
  // GNU has other fields in place of the prefix.
  const prefix = text(block, field.magic) === 'ustar' ? text(block, field.prefix) : '';
  const type = types.get(letter) ?? 'other';
  return {
    letter,
    name: prefix ? `${prefix}/${name}` : name,
    type: type === 'file' && name.endsWith('/') ? 'directory' : type,
    mode: number(block, field.mode) & 0o7777,
    size: number(block, field.size),
    mtime: number(block, field.mtime),
    linkName: text(block, field.linkName),
  };
}

/** Returns the blocks before a member's content. */
export function writeHeader(header: Omit<TarHeader, 'type'> & { type: keyof typeof letters }): Uint8Array[] {
  const encoder = new TextEncoder();
  const name = encoder.encode(header.name);
  const linkName = encoder.encode(header.linkName);
  const blocks: Uint8Array[] = [];
  // Long names are written in GNU's format, which small implementations in containers support, unlike POSIX's.
  if (linkName.length > field.linkName[1]) blocks.push(...longName('K', linkName));
  if (name.length > field.name[1]) blocks.push(...longName('L', name));
  blocks.push(block(letters[header.type], name, linkName, header));
  return blocks;
}

function longName(letter: string, name: Uint8Array): Uint8Array[] {
  const content = new Uint8Array(Math.ceil((name.length + 1) / blockBytes) * blockBytes);
  content.set(name);
  const link = new TextEncoder().encode('././@LongLink');
  return [block(letter, link, new Uint8Array(0), { mode: 0, size: name.length + 1, mtime: 0 }), content];
}

function block(
  letter: string,
  name: Uint8Array,
  linkName: Uint8Array,
  { mode, size, mtime }: Pick<TarHeader, 'mode' | 'size' | 'mtime'>,
): Uint8Array {
  const bytes = new Uint8Array(blockBytes);
  const put = ([start, length]: readonly [number, number], value: Uint8Array | string) =>
    bytes.set((typeof value === 'string' ? new TextEncoder().encode(value) : value).subarray(0, length), start);
  put(field.name, name);
  put(field.mode, octal(mode, 7));
  put(field.uid, octal(0, 7));
  put(field.gid, octal(0, 7));
  put(field.size, size < 8 ** 11 ? octal(size, 11) : binary(size));
  put(field.mtime, octal(Math.max(0, Math.floor(mtime)), 11));
  put(field.type, letter);
  put(field.linkName, linkName);
  put(field.magic, 'ustar  ');
  put(field.checksum, `${octal(checksum(bytes), 6)}\0 `);
  return bytes;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** GNU's binary format for numbers that are too large for octal digits. */
function binary(value: number): Uint8Array {
  const bytes = new Uint8Array(12);
  new DataView(bytes.buffer).setBigUint64(4, BigInt(value));
  bytes[0] = 0x80;
  return bytes;
}

function text(block: Uint8Array, [start, length]: readonly [number, number]): string {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function number(block: Uint8Array, at: readonly [number, number]): number {
  const [start, length] = at;
  const first = block[start]!;
  if ((first & 0x80) !== 0) {
    // Negative numbers, used for times before 1970.
    if (first === 0xff) return 0;
    const value = new DataView(block.buffer, block.byteOffset + start + length - 8, 8).getBigUint64(0);
    if (first !== 0x80 || value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new TarError('a number out of range in the archive');
    return Number(value);
  }
  const digits = text(block, at).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError('not a number in the archive');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The sum of all bytes, with the checksum field counted as spaces. */
function checksum(block: Uint8Array): number {
  const [start, length] = field.checksum;
  let sum = length * 0x20;
  for (const [index, byte] of block.entries()) if (index < start || index >= start + length) sum += byte;
  return sum;
}
