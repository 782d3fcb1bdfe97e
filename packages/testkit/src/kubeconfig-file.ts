import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the text to a file with mode 0600, in a new temporary directory. Returns the path. */
export async function writeKubeconfig(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'testkit-')), 'kubeconfig');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
