import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes it for its owner's eyes only, in a directory of its own. Returns the file. */
export async function writeKubeconfig(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'testkit-')), 'kubeconfig');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
