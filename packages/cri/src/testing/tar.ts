/** An entry of a tar archive. */
export interface TarEntry {
  readonly path: string;
  readonly mode?: number;
  /** Undefined for directories and links. */
  readonly content?: Uint8Array;
  readonly linkTo?: string;
  readonly uid?: number;
}

const blockSize = 512;

/** Packs entries as a POSIX tar archive. A path that ends with a slash is a directory. Throws if a path is longer than 100 bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const end = Buffer.alloc(2 * blockSize);
  return Buffer.concat([...entries.flatMap((entry) => [header(entry), padded(entry.content)]), end]);
}

function header({ path, mode, content, linkTo, uid = 0 }: TarEntry): Buffer {
  const block = Buffer.alloc(blockSize);
  const type = linkTo !== undefined ? '2' : path.endsWith('/') ? '5' : '0';
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar archive`);
  block.write(path, 0);
  block.write(octal(mode ?? (type === '5' ? 0o755 : 0o644), 7), 100);
  block.write(octal(uid, 7), 108);
  block.write(octal(uid, 7), 116);
  block.write(octal(content?.length ?? 0, 11), 124);
  block.write(octal(0, 11), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(linkTo ?? '', 157);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(content: Uint8Array = new Uint8Array()): Buffer {
  const whole = Math.ceil(content.length / blockSize) * blockSize;
  return Buffer.concat([content, Buffer.alloc(whole - content.length)]);
}
