import { readFile } from 'node:fs/promises';

/** Reads a file; `-` is standard input. Rejects with an Error that names the file. */
export async function readInput(name: string): Promise<Uint8Array> {
  if (name !== '-') return readFile(name).catch(asNamed(name));
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
};

const asNamed =
  (name: string) =>
  (cause: NodeJS.ErrnoException): never => {
    throw new Error(`${name}: ${words[cause.code ?? ''] ?? cause.message}`, { cause });
  };
