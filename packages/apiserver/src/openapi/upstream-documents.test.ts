import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue, FeatureGates, loadDescriptions } from '@coxswain/api';
import { isJsonObject } from '@coxswain/apimachinery';
import { afterAll, describe, expect, it } from 'vitest';
import { servedResources } from '../discovery/index.ts';
import { openApiDifferences } from './differences.ts';
import { BuiltInOpenApi, OpenApiService } from './index.ts';

const upstream = join(
  process.env.COXSWAIN_UPSTREAM ?? join(import.meta.dirname, '../../../../../shared/upstream/v1.36.4'),
  'openapi',
);

/** Whether there are descriptions, which are compared, too. They exist once the packages are built. */
const described = await loadDescriptions().then(
  () => true,
  () => false,
);
const comparable = described && existsSync(upstream);

const service = new OpenApiService(() => new Date(0));
service.add(
  new BuiltInOpenApi(
    Catalogue.builtIn(),
    servedResources(
      Catalogue.builtIn(),
      new Map([['api/all', 'true']]),
      new FeatureGates({
        ClusterTrustBundle: true,
        GenericWorkload: true,
        PodCertificateRequest: true,
        StorageVersionMigrator: true,
      }),
    ),
  ),
);

const met = new Set<unknown>();

function isKnown(where: string, ours: unknown, theirs: unknown): boolean {
  const addsTo = theirs === undefined || (typeof theirs === 'string' && String(ours).startsWith(theirs));
  const known = openApiDifferences.find((each) => each.where.test(where) && (!each.oursAddsTo || addsTo));
  if (known) met.add(known);
  return known !== undefined;
}

/** Returns the locations at which two values differ, except for known differences. */
function differences(ours: unknown, theirs: unknown, at: readonly string[] = []): string[] {
  const where = at.join('/');
  if (ours === theirs || isKnown(where, ours, theirs)) return [];
  if ((isJsonObject(ours) && isJsonObject(theirs)) || (Array.isArray(ours) && Array.isArray(theirs))) {
    const [a, b] = [entriesOf(ours), entriesOf(theirs)];
    return [...new Set([...a.keys(), ...b.keys()])].flatMap((key) => differences(a.get(key), b.get(key), [...at, key]));
  }
  return [`${where}: ${JSON.stringify(ours)} where upstream has ${JSON.stringify(theirs)}`];
}

/** Returns the entries of an object or list. The key of a string in a list is the string itself, of other items the index. */
function entriesOf(value: object): Map<string, unknown> {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return new Map(value.map((item) => [item, item]));
  }
  return new Map(Object.entries(value));
}

describe.skipIf(!comparable)('compared with upstream’s OpenAPI documents', () => {
  const paths = comparable
    ? readdirSync(join(upstream, 'v3')).map((file) => file.replace('_openapi.json', '').replaceAll('__', '/'))
    : [];

  it.each(paths.filter((path) => !openApiDifferences.some(({ where }) => where.test(`paths//${path}/`))))(
    '%s has no unlisted difference',
    async (path) => {
      const file = `${path.replaceAll('/', '__')}_openapi.json`;
      const theirs: unknown = JSON.parse(readFileSync(join(upstream, 'v3', file), 'utf8'));
      const ours = await service.v3(path, 'json');
      expect(differences(JSON.parse(Buffer.from(ours!.bytes).toString()), theirs)).toEqual([]);
    },
  );

  it('the v2 document has no unlisted difference', async () => {
    const theirs: unknown = JSON.parse(readFileSync(join(upstream, 'swagger.json'), 'utf8'));
    const ours = await service.v2('json');
    expect(differences(JSON.parse(Buffer.from(ours.bytes).toString()), theirs)).toEqual([]);
  });

  afterAll(() => {
    expect(openApiDifferences.filter((each) => !met.has(each))).toEqual([]);
  });
});
