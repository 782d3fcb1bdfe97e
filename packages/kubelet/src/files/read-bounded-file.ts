import { type FileHandle, open } from 'node:fs/promises';

/** Reads a file. Rejects if it is no regular file, or has more bytes than that. */
export async function readBoundedFile(path: string, mostBytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    return await readWhole(file, path, mostBytes);
  } finally {
    await file.close();
  }
}

/** The same for a file that is open. `path` is for messages. */
export async function readWhole(file: FileHandle, path: string, mostBytes: number): Promise<Buffer> {
  const stat = await file.stat();
  if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
  const buffer = Buffer.alloc(Math.min(stat.size, mostBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > mostBytes) throw new Error(`${path} has more than ${mostBytes} bytes`);
    if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
}
