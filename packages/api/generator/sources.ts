import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of an OpenAPI property that the generator reads. */
export interface OpenApiProperty {
  readonly allOf?: readonly OpenApiProperty[];
  readonly $ref?: string;
  readonly items?: OpenApiProperty;
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

interface OpenApiSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiProperty>>;
  readonly 'x-kubernetes-map-type'?: string;
}

/**
 * `scalar:pkg.Name` is a named scalar, `(pkg.Name)map[string]T` a named map, `wrapped[]T@package.Name` a named list
 * that is a message in protobuf.
 * `goName` is set where the Go name is not `name` with a capital first letter.
 */
export type GoField = readonly [name: string, type: string, flags: string, goName?: string];

export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface Sources {
  readonly goKinds: Readonly<Record<string, string>>;
  readonly goTypes: Readonly<Record<string, readonly GoField[]>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly featureGates: Readonly<Record<string, readonly [stage: string, enabled: boolean]>>;
  readonly openApi: ReadonlyMap<string, OpenApiSchema>;
  readonly protoFields: Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>>;
  /** Group version → resources, in discovery's order of preference. */
  readonly discovery: ReadonlyMap<string, readonly DiscoveredResource[]>;
}

/** Reads the facts in this package and the upstream data. Throws when the upstream data is missing. */
export function readSources(factsDir: string, upstreamDir: string): Sources {
  if (!existsSync(upstreamDir)) {
    throw new Error(
      `The facts of Kubernetes v1.36.4 are not at ${upstreamDir}. Set COXSWAIN_UPSTREAM to the folder that holds openapi/, discovery/ and proto-fields.json.`,
    );
  }
  const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;
  const go = read<{ kinds: Record<string, string>; types: Record<string, GoField[]> }>(factsDir, 'go-types.json');

  const openApi = new Map<string, OpenApiSchema>();
  const v3 = join(upstreamDir, 'openapi', 'v3');
  for (const file of readdirSync(v3).sort()) {
    const document = read<{ components?: { schemas?: Record<string, OpenApiSchema> } }>(v3, file);
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) openApi.set(name, schema);
  }

  const discovery = new Map<string, DiscoveredResource[]>();
  const add = (groupVersion: string, file: string) =>
    discovery.set(groupVersion, read<{ resources: DiscoveredResource[] }>(upstreamDir, 'discovery', file).resources);
  add('v1', 'api__v1.json');
  const groups = read<{ items: { metadata: { name: string }; versions: { version: string }[] }[] }>(
    upstreamDir,
    'discovery',
    'aggregated_v2.json',
  );
  for (const { metadata, versions } of groups.items) {
    for (const { version } of versions) add(`${metadata.name}/${version}`, `apis__${metadata.name}__${version}.json`);
  }

  return {
    goKinds: go.kinds,
    goTypes: go.types,
    enums: read(factsDir, 'enums.json'),
    featureGates: read(factsDir, 'feature-gates.json'),
    openApi,
    protoFields: read(upstreamDir, 'proto-fields.json'),
    discovery,
  };
}
