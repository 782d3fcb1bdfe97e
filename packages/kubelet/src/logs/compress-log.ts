import { open, rename, rm, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { openRegularFile } from '../files/open-regular-file.ts';
import { compressedSuffix, temporarySuffix } from './rotated-logs.ts';

/**
 * Replaces a rotated log by a compressed one, which gets its name as soon as it is complete. Rejects if there is a temporary file of an
 * earlier attempt.
 */
export async function compressLog(path: string, signal: AbortSignal): Promise<void> {
  const temporary = path + temporarySuffix;
  const source = await openRegularFile(path);
  try {
    const { mode } = await source.stat();
    const target = await open(temporary, 'wx', mode);
    try {
      await pipeline(source.createReadStream(), createGzip(), target.createWriteStream({ flush: true }), { signal });
      await rename(temporary, path + compressedSuffix);
    } finally {
      await target.close();
      await rm(temporary, { force: true });
    }
  } finally {
    await source.close();
  }
  await unlink(path);
}

/** Of the size of what was compressed, a file of gzip has 32 bits at its end. */
const sizeBytes = 4;

/** Returns the size of what was compressed, modulo 2^32. Undefined if the file is too short for one of gzip. */
export async function uncompressedSize(path: string): Promise<number | undefined> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    if (size < sizeBytes) return undefined;
    const { buffer } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, size - sizeBytes);
    return buffer.readUInt32LE(0);
  } finally {
    await file.close();
  }
}
