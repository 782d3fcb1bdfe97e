/**
 * Part of `npm run build`: puts the descriptions of types and fields, which are upstream's prose and therefore not in
 * this repository, from a development dependency into `dist`, where `loadDescriptions` finds them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const types = dirname(createRequire(import.meta.url).resolve('@forklift-ui/types/package.json'));
const swagger = JSON.parse(readFileSync(join(types, 'src', 'generated', 'kubernetes', 'swagger.json'), 'utf8')) as {
  definitions: Record<string, Definition>;
};

/** `io.k8s.api.core.v1.PodSpec` → `core.v1.PodSpec` */
const typeKey = (name: string): string => name.replace(/^io\.k8s\.(?:api|[a-z-]+\.pkg\.apis)\./, '');

const descriptions: Record<string, Record<string, string>> = {};
for (const [name, { description, properties }] of Object.entries(swagger.definitions)) {
  const fields = Object.entries(properties ?? {}).map(([field, property]) => [field, property.description ?? '']);
  descriptions[typeKey(name)] = Object.fromEntries([['', description ?? ''], ...fields]);
}
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, 'descriptions.js'), `export const descriptions = ${JSON.stringify(descriptions)};\n`);
console.log(`descriptions of ${Object.keys(descriptions).length} types`);
