import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Returns where the last lines of a file begin; 0 if it has no more. A last line without newline does not count as one. */
export async function tailStart(file: FileHandle, lines: number, signal?: AbortSignal): Promise<number> {
  const block = Buffer.allocUnsafe(blockBytes);
  let { size: right } = await file.stat();
  let newlines = 0;
  while (right > 0) {
    signal?.throwIfAborted();
    const left = Math.max(0, right - blockBytes);
    const { bytesRead } = await file.read(block, 0, right - left, left);
    const bytes = block.subarray(0, bytesRead);
    for (let at = bytes.lastIndexOf(newline); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)) {
      newlines++;
      if (newlines > lines) return left + at + 1;
    }
    right = left;
  }
  return 0;
}
