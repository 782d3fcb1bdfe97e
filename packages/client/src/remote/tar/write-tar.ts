import { blockBytes, TarError, type TarHeader, writeHeader } from './header.ts';

/** A member to write. */
export interface TarSource {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly mtime: number;
  /** For files: exactly this many bytes are read from the content. */
  readonly size?: number;
  readonly content?: () => AsyncIterable<Uint8Array>;
  readonly linkName?: string;
}

/** Yields an archive of the members. Throws a TarError when a member's content is shorter than its size. */
export async function* writeTar(
  members: AsyncIterable<TarSource> | Iterable<TarSource>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { name, type, mode, mtime, size = 0, content, linkName = '' } of members) {
    const header: Omit<TarHeader, 'type'> = { name, mode, mtime, size: type === 'file' ? size : 0, linkName };
    yield* writeHeader({ ...header, type });
    if (type !== 'file' || size === 0) continue;
    let left = size;
    for await (const chunk of content?.() ?? []) {
      // A file may grow while it is read.
      const piece = chunk.subarray(0, left);
      left -= piece.length;
      yield piece;
      if (left === 0) break;
    }
    if (left > 0) throw new TarError(`${name} became shorter while it was read`);
    if (size % blockBytes > 0) yield new Uint8Array(blockBytes - (size % blockBytes));
  }
  yield new Uint8Array(2 * blockBytes);
}
