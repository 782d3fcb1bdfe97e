/**
 * Part of `npm run build`: writes the descriptions of types and fields to `dist`, where `loadDescriptions` finds them.
 * They are upstream's prose and therefore not in this repository, but in a development dependency. The descriptions of
 * Table columns, which are small and often needed, are also written to a file of their own.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columnDescriptions } from './column-descriptions.ts';
import { meaningsOf } from './enum-meanings.ts';

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: { readonly kind: string; readonly version: string };
}

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const types = dirname(createRequire(import.meta.url).resolve('@forklift-ui/types/package.json'));
const swagger = JSON.parse(readFileSync(join(types, 'src', 'generated', 'kubernetes', 'swagger.json'), 'utf8')) as {
  definitions: Record<string, Definition>;
  parameters?: Record<string, Parameter>;
  paths: Record<string, Record<string, Operation> & { parameters?: readonly Parameter[] }>;
};

/** Converts `io.k8s.api.core.v1.PodSpec` to `core.v1.PodSpec`. */
const typeKey = (name: string): string => name.replace(/^io\.k8s\.(?:api|[a-z-]+\.pkg\.apis)\./, '');

const descriptions: Record<string, Record<string, string>> = {};
for (const [name, { description, properties }] of Object.entries(swagger.definitions)) {
  const fields = Object.entries(properties ?? {}).map(([field, property]) => [field, property.description ?? '']);
  const meanings = meaningsOf(name.split('.').at(-1) ?? '', Object.keys(properties ?? {}));
  descriptions[typeKey(name)] = Object.fromEntries([['', description ?? ''], ...fields, ...meanings]);
}

/** Options of requests have no definitions: their fields are described as parameters of the operations. */
const optionsOfActions: Readonly<Record<string, string>> = {
  list: 'meta.v1.ListOptions',
  patch: 'meta.v1.PatchOptions',
  post: 'meta.v1.CreateOptions',
  put: 'meta.v1.UpdateOptions',
};

function optionsOf(path: string, operation: Operation): string | undefined {
  const { 'x-kubernetes-action': action = '', 'x-kubernetes-group-version-kind': gvk } = operation;
  if (action === 'connect') return `core.${gvk?.version}.${gvk?.kind}`;
  return path.endsWith('/pods/{name}/log') ? 'core.v1.PodLogOptions' : optionsOfActions[action];
}

for (const [path, { parameters: common = [], ...operations }] of Object.entries(swagger.paths)) {
  for (const operation of Object.values(operations)) {
    const options = optionsOf(path, operation);
    if (!options) continue;
    descriptions[options] ??= { '': '' };
    const fields = descriptions[options];
    for (const parameter of [...common, ...(operation.parameters ?? [])]) {
      const {
        name,
        in: place,
        description,
      } = swagger.parameters?.[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter;
      if (name && place === 'query' && description) fields[name] ??= description;
    }
  }
}
mkdirSync(dist, { recursive: true });
const write = (file: string, name: string, value: object): void =>
  writeFileSync(join(dist, file), `export const ${name} = ${JSON.stringify(value)};\n`);
write('descriptions.js', 'descriptions', descriptions);
write('column-descriptions.js', 'columnDescriptions', columnDescriptions(descriptions));
console.log(`descriptions of ${Object.keys(descriptions).length} types`);
