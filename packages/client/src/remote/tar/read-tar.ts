import { BlockReader } from './block-reader.ts';
import { readBlock, type TarBlock, TarError, type TarHeader } from './header.ts';

/** A member and its content. The content must be read before the next member; unread content is skipped. */
export interface TarMember extends TarHeader {
  readonly content: AsyncIterable<Uint8Array>;
}

/** Longer than the names of any file system. */
const maxExtensionBytes = 1024 * 1024;

/**
 * Yields the members of an archive: POSIX (ustar and pax) and GNU. Throws a TarError when it is invalid or truncated.
 * Data after the end of the archive is ignored.
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember, void, undefined> {
  const reader = new BlockReader(bytes);
  const decoder = new TextDecoder();
  /** Extensions for all members, and for the next one. */
  let general: Extension = {};
  let next: Extension = {};
  for (;;) {
    const bytesOfBlock = await reader.block();
    // Some writers omit the end marker.
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
  // Links and directories may have a size but no content.
  return member.type === 'file' || member.type === 'other' ? member : { ...member, size: 0 };
}

const beforeZero = (text: string): string => text.split('\0', 1)[0]!;

/** Parses pax records: `length key=value`, each with a newline. */
function readPax(text: string): Extension {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const values = new Map<string, string>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(0x20, start);
    const length = Number(decoder.decode(bytes.subarray(start, space)));
    if (space === -1 || !Number.isInteger(length) || length <= 0)
      throw new TarError('the archive has an invalid pax record');
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
