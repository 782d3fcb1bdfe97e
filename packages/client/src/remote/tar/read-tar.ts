import { BlockReader } from './block-reader.ts';
import { readBlock, type TarBlock, TarError, type TarHeader } from './header.ts';

/** A member and its content, which is to be read before the next member is asked for; what is not read is passed over. */
export interface TarMember extends TarHeader {
  readonly content: AsyncIterable<Uint8Array>;
}

/** Names longer than any file system has. */
const maxExtensionBytes = 1024 * 1024;

/**
 * The members of an archive as it comes: POSIX (ustar and pax) and GNU's. Throws a TarError when it cannot be read or breaks
 * off. What follows the end of the archive is passed over.
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember, void, undefined> {
  const reader = new BlockReader(bytes);
  const decoder = new TextDecoder();
  /** What was said of all members, and of the next. */
  let general: Extension = {};
  let next: Extension = {};
  for (;;) {
    const bytesOfBlock = await reader.block();
    // Some writers leave the end out.
    const block = bytesOfBlock && readBlock(bytesOfBlock);
    if (!block) break;
    const extend = async (): Promise<string> => {
      if (block.size > maxExtensionBytes) throw new TarError('a name in the archive is too long');
      return decoder.decode(await reader.whole(block.size));
    };
    if (block.letter === 'g') general = { ...general, ...readPax(await extend()) };
    else if (block.letter === 'x') next = { ...next, ...readPax(await extend()) };
    else if (block.letter === 'L') next = { ...next, name: beforeZero(await extend()) };
    else if (block.letter === 'K') next = { ...next, linkName: beforeZero(await extend()) };
    else {
      const member = toMember(block, { ...general, ...next });
      next = {};
      const rest = reader.content(member.size);
      yield { ...member, content: rest };
      for await (const _ of rest);
    }
  }
  await reader.drain();
}

type Extension = Partial<Pick<TarHeader, 'name' | 'linkName' | 'size' | 'mtime'>>;

function toMember({ letter: _, ...header }: TarBlock, extension: Extension): TarHeader {
  const member = { ...header, ...extension };
  if (!Number.isSafeInteger(member.size) || member.size < 0) throw new TarError('a size out of range in the archive');
  // Links and directories may tell a size that is none of the archive's.
  return member.type === 'file' || member.type === 'other' ? member : { ...member, size: 0 };
}

const beforeZero = (text: string): string => text.split('\0', 1)[0]!;

/** Records of `length key=value`, each with a newline. */
function readPax(text: string): Extension {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const values = new Map<string, string>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(0x20, start);
    const length = Number(decoder.decode(bytes.subarray(start, space)));
    if (space === -1 || !Number.isInteger(length) || length <= 0)
      throw new TarError('a record in the archive is broken');
    const record = decoder.decode(bytes.subarray(space + 1, start + length - 1));
    const equals = record.indexOf('=');
    values.set(record.slice(0, equals), record.slice(equals + 1));
    start += length;
  }
  const name = values.get('path');
  const linkName = values.get('linkpath');
  const size = values.get('size');
  const mtime = values.get('mtime');
  return {
    ...(name !== undefined && { name }),
    ...(linkName !== undefined && { linkName }),
    ...(size !== undefined && { size: Number(size) }),
    ...(mtime !== undefined && { mtime: Number(mtime) }),
  };
}
