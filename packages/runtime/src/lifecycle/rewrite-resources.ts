import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../model/index.ts';
import type { OciSpec } from '../oci/index.ts';

/** Replaces the limits in the configuration that a container will be started with. */
export async function rewriteResources(bundle: string, resources: OciSpec['linux']['resources']): Promise<void> {
  const path = join(bundle, 'config.json');
  const spec = JSON.parse(await readFile(path, 'utf8')) as OciSpec;
  const next: OciSpec = { ...spec, linux: { ...spec.linux, resources: { ...spec.linux.resources, ...resources } } };
  await writeAtomically(path, JSON.stringify(next));
}
