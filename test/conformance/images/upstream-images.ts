import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An image that upstream's tests use. */
interface UpstreamImage {
  /** Its identifier in Go, such as `Agnhost`. */
  readonly id: string;
  readonly name: string;
}

/** A place in upstream's tests that uses an image. */
interface ImageUse {
  readonly id: string;
  /** Such as `test/e2e/network/dns.go:68`. */
  readonly at: string;
  /** The text of the test around it; absent outside of tests. */
  readonly test?: string;
}

/** Names that must not exist: tests expect that they cannot be pulled, or have credentials of their own for them. */
const neverThere: readonly string[] = ['InvalidRegistryImage', 'AgnhostPrivate'];

/** Reads the images from `test/utils/image/manifest.go`. Throws when it has none. */
export function readUpstreamImages(source: string): UpstreamImage[] {
  const registries = new Map(
    Array.from(source.matchAll(/^\s*(\w+):\s+"([^"]+)",$/gm), ([, field = '', value = '']) => [field, value]),
  );
  const configs = source.matchAll(/configs\[(\w+)\]\s*=\s*Config\{list\.(\w+),\s*"([^"]+)",\s*"([^"]+)"\}/g);
  const images = Array.from(configs, ([, id = '', registry = '', repository = '', version = '']) => ({
    id,
    name: `${registries.get(registry) ?? registry}/${repository}:${version}`,
  }));
  if (images.length === 0) throw new Error('no image is in the list of upstream; it has another form than expected');
  return images.filter(({ id }) => !neverThere.includes(id));
}

/** Finds where a test's source uses images: `imageutils.Agnhost` in any form. */
export function readImageUses(file: string, source: string): ImageUse[] {
  const uses: ImageUse[] = [];
  let test: string | undefined;
  source.split('\n').forEach((line, index) => {
    const began = /\b(?:ConformanceIt|It)\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/.exec(line);
    if (began) test = began[1] ?? began[2];
    for (const [, id = ''] of line.matchAll(/\bimageutils\.([A-Z]\w*)\b(?!\()/g)) {
      uses.push({ id, at: `${file}:${index + 1}`, ...(test !== undefined && { test }) });
    }
  });
  return uses;
}

/** Returns, for each image that is not made here, a line with its name and lines with the tests that use it, as far as can be told. */
export function describeMissing(
  images: readonly UpstreamImage[],
  uses: readonly ImageUse[],
  isMade: (name: string) => boolean,
): string[] {
  return images
    .filter(({ name }) => !isMade(name))
    .flatMap(({ id, name }) => {
      const places = uses.filter((use) => use.id === id);
      if (places.length === 0) return [`${name}: no test of test/e2e names it`];
      return [`${name}:`, ...places.map(({ at, test }) => `  ${at}${test === undefined ? '' : ` (near “${test}”)`}`)];
    });
}

/** Compares what upstream's tests use with what is made here, in the folder of Kubernetes' module. */
export async function findMissing(kubernetes: string, isMade: (name: string) => boolean): Promise<string[]> {
  const images = readUpstreamImages(await readFile(join(kubernetes, 'test/utils/image/manifest.go'), 'utf8'));
  const folder = join(kubernetes, 'test/e2e');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.go')).sort();
  const uses: ImageUse[] = [];
  for (const file of files) {
    uses.push(...readImageUses(`test/e2e/${file}`, await readFile(join(folder, file), 'utf8')));
  }
  return describeMissing(images, uses, isMade);
}
