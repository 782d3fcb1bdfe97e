/** A file, directory or device of an initial RAM disk. A path that ends with a slash is a directory. */
export interface CpioEntry {
  readonly path: string;
  readonly mode?: number;
  readonly content?: Uint8Array;
}

/** Packs entries in the format that the kernel unpacks as its initial RAM disk ("newc"). */
export function cpio(entries: readonly CpioEntry[]): Buffer {
  const trailer = { path: 'TRAILER!!!', mode: 0, content: new Uint8Array() };
  return Buffer.concat([...entries, trailer].flatMap((entry, index) => packed(entry, index + 1)));
}

const types = { directory: 0o040000, file: 0o100000 };

function packed({ path, mode, content = new Uint8Array() }: CpioEntry, inode: number): Buffer[] {
  const isDirectory = path.endsWith('/');
  const name = Buffer.from(`${isDirectory ? path.slice(0, -1) : path}\0`);
  const typed = (isDirectory ? types.directory : types.file) | (mode ?? (isDirectory ? 0o755 : 0o644));
  // inode, mode, uid, gid, links, mtime, size, device (2), special device (2), length of the name, checksum
  const fields = [inode, typed, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const header = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`);
  return [padded(Buffer.concat([header, name])), padded(Buffer.from(content))];
}

const padded = (part: Buffer): Buffer => Buffer.concat([part, Buffer.alloc(-part.length & 3)]);
