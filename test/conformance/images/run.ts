/**
 * `npm run conformance:images`: makes the images of the tier `containers`, and says which images of upstream's tests are not made.
 * `npm run conformance:images -- serve [host:port]` serves them as a registry, on 127.0.0.1:5000 by default, until it is ended.
 */
import { fileURLToPath } from 'node:url';
import { moduleFolder } from '../build.ts';
import { interruptible } from '../interruptible.ts';
import { ImageStore } from './image-store.ts';
import { makeImages } from './make-images.ts';
import { imageRecipes } from './recipes.ts';
import { startRegistry } from './registry.ts';
import { findMissing } from './upstream-images.ts';

const directory = fileURLToPath(new URL('../.cache/images', import.meta.url));

process.exitCode = await main(process.argv.slice(2));

async function main([command, ...rest]: readonly string[]): Promise<number> {
  try {
    if (command === undefined) await interruptible(say, make);
    else if (command === 'serve') await serve(rest[0] ?? '127.0.0.1:5000');
    else throw new Error(`unknown command ${command}; there is only serve, and without a command images are made`);
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

async function make(signal: AbortSignal): Promise<void> {
  const store = await ImageStore.open(directory);
  await makeImages({ store, say, signal });
  for (const name of imageRecipes.flatMap(({ names }) => names)) process.stdout.write(`${name}\n`);
  const missing = await findMissing(await moduleFolder('k8s.io/kubernetes'), (name) => store.find(name) !== undefined);
  if (missing.length > 0) say(`\nnot made, though upstream's tests use them:\n${missing.join('\n')}`);
}

async function serve(address: string): Promise<void> {
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(address) ?? [];
  if (host === '') throw new Error(`${address} is not host:port`);
  const registry = await startRegistry({ directory, host, port: Number(port) });
  say(`serving ${directory} on ${host}:${registry.port}`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
