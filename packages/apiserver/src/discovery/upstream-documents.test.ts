import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue, FeatureGates } from '@coxswain/api';
import { describe, expect, it } from 'vitest';
import { discoveryDifferences } from './differences.ts';
import { DiscoveryRegistry, discoveryHandler, servedResources } from './index.ts';
import { bytesOf, contextFor } from './request-context.test-data.ts';

const upstream = join(
  process.env.COXSWAIN_UPSTREAM ?? join(import.meta.dirname, '../../../../../shared/upstream/v1.36.4'),
  'discovery',
);

/** The documents were recorded from a server with every version and every feature gate enabled. */
const everything = servedResources(
  Catalogue.builtIn(),
  new Map([['api/all', 'true']]),
  new FeatureGates({
    ClusterTrustBundle: true,
    GenericWorkload: true,
    PodCertificateRequest: true,
    StorageVersionMigrator: true,
  }),
);
const handle = discoveryHandler({
  registry: new DiscoveryRegistry(everything),
  serverAddress: () => '10.10.10.10:8050',
});

interface Document {
  readonly resources?: readonly { readonly name: string }[];
}

function withoutDifferences(path: string, document: Document): unknown {
  const differences = discoveryDifferences.filter((each) => each.document === path);
  if (differences.some(({ resource }) => resource === undefined)) return undefined;
  const named = new Set(differences.map(({ resource }) => resource));
  return document.resources
    ? { ...document, resources: document.resources.filter(({ name }) => !named.has(name)) }
    : document;
}

describe.skipIf(!existsSync(upstream))('compared with upstream’s discovery documents', () => {
  const files = existsSync(upstream) ? readdirSync(upstream).filter((file) => /^apis?(__.*)?\.json$/.test(file)) : [];

  it.each(files)('%s is the same, order included', async (file) => {
    const path = `/${file.replace(/\.json$/, '').replaceAll('__', '/')}`;
    const ours = JSON.parse(bytesOf(await handle(contextFor(path))).toString()) as Document;
    const theirs = JSON.parse(readFileSync(join(upstream, file), 'utf8')) as Document;
    expect(withoutDifferences(path, ours)).toEqual(withoutDifferences(path, theirs));
  });

  it('the aggregated document is the same', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const response = await handle(contextFor('/apis', { headers: { accept } }));
    const theirs: unknown = JSON.parse(readFileSync(join(upstream, 'aggregated_v2.json'), 'utf8'));
    expect(JSON.parse(bytesOf(response).toString())).toEqual(theirs);
  });
});
