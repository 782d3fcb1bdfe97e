import { createWriteStream } from 'node:fs';
import { copyFile, lstat, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from '../../files/make-directory.ts';
import { TarError } from '../tar/header.ts';
import type { TarMember } from '../tar/read-tar.ts';

interface Destination {
  /** The path segment with which all members begin, and which `localPath` replaces; `.` for none. */
  readonly base: string;
  readonly localPath: string;
  readonly onSkip?: (path: string, reason: string) => void;
}

/** Extracts members to files. Throws a TarError when a name leads out of `localPath`. */
export async function extractMembers(members: AsyncIterable<TarMember>, destination: Destination): Promise<void> {
  const { base, onSkip } = destination;
  let root = destination.localPath;
  let isFirst = true;
  for await (const member of members) {
    const parts = partsOf(member.name, base);
    if (isFirst && parts.length === 0 && member.type === 'file' && (await isDirectory(root)))
      root = join(root, basename(base));
    isFirst = false;
    const path = join(root, ...parts);
    if (member.type === 'directory') {
      await makeDirectory(path, 0o755);
      continue;
    }
    if (member.type === 'symlink') {
      onSkip?.(path, `symbolic link to ${member.linkName}`);
      continue;
    }
    if (member.type === 'other') {
      onSkip?.(path, 'neither a file nor a directory');
      continue;
    }
    await makeDirectory(dirname(path), 0o755);
    if (member.type === 'link') {
      const target = join(root, ...partsOf(member.linkName, base));
      if (!(await lstat(target)).isFile())
        throw new TarError(`${member.name} is a link to something that is not a file`);
      await copyFile(target, path);
    } else {
      await pipeline(member.content, createWriteStream(path, { mode: member.mode & 0o777 }));
    }
  }
}

/** The path segments from `localPath` to a member. */
function partsOf(name: string, base: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isWithin = !name.startsWith('/') && !parts.some((part) => part === '..' || (sep !== '/' && part.includes(sep)));
  if (!isWithin || (base !== '.' && parts[0] !== base)) throw new TarError(`${name} is outside of the requested path`);
  return base === '.' ? parts : parts.slice(1);
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
