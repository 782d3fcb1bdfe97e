import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Descriptor, ImageStore } from './image-store.ts';

/** Adds a directory's content as a layer. The same content gives the same layer. */
export async function addDirectory(
  store: ImageStore,
  directory: string,
  flags: readonly string[] = [],
): Promise<Descriptor> {
  const args = ['--create', '--numeric-owner', '--sort=name', '--mtime=@0', '--format=gnu', ...flags, '-C', directory];
  const child = spawn('tar', [...args, '.'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = readAll(child.stderr);
  const ended = once(child, 'close');
  const layer = await store.addLayer(child.stdout);
  const [status] = await ended;
  if (status !== 0) throw new Error(`tar of ${directory} failed: ${await said}`);
  return layer;
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text = (text + chunk.toString()).slice(-2000);
  return text;
}
