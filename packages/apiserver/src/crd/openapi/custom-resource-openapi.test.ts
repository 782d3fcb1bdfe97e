import { readFileSync } from 'node:fs';
import { Catalogue, FeatureGates, loadDescriptions } from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { servedResources } from '../../discovery/index.ts';
import { BuiltInOpenApi, OpenApiService } from '../../openapi/index.ts';
import { CustomResourceOpenApi } from './custom-resource-openapi.ts';

type JsonObject = Record<string, unknown>;

/**
 * Definitions, and the documents that kube-apiserver publishes for them. Of built-in types only the kinds are recorded.
 */
const recorded: {
  crds: CustomResourceDefinition[];
  v3: Record<string, { components: { schemas: JsonObject } }>;
  v2: { paths: JsonObject; definitions: JsonObject };
} = JSON.parse(readFileSync(new URL('./testdata/documents.json', import.meta.url), 'utf8'));

/** Descriptions are part of the built packages. Without them, documents have no descriptions. */
const isDescribed = await loadDescriptions().then(
  () => true,
  () => false,
);

/** Omits descriptions of options, which are long and tested elsewhere. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, text]) => {
        if (key !== 'description' || typeof text !== 'string') return true;
        return isDescribed && !(value.in === 'query' && text.length > 200);
      })
      .map(([key, child]) => [key, comparable(child)]),
  );
}

const kindsOnly = (definition: unknown): JsonObject => {
  const kinds = isJsonObject(definition) ? definition['x-kubernetes-group-version-kind'] : undefined;
  return kinds ? { 'x-kubernetes-group-version-kind': kinds } : {};
};

function publishing(definitions = recorded.crds): { service: OpenApiService; custom: CustomResourceOpenApi } {
  const service = new OpenApiService(() => new Date(0));
  const custom = new CustomResourceOpenApi(Catalogue.builtIn(), () => service.changed());
  service.add(custom);
  for (const definition of definitions) custom.publish(definition);
  return { service, custom };
}

const json = async (service: OpenApiService, path: string): Promise<JsonObject> =>
  JSON.parse(Buffer.from((await service.v3(path, 'json'))!.bytes).toString());

describe('OpenAPI documents of custom resources', () => {
  it.each(Object.keys(recorded.v3))('%s equals that of kube-apiserver', async (path) => {
    const { service } = publishing();
    const ours = await json(service, path);
    const { schemas } = ours.components as { schemas: JsonObject };
    ours.components = {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, name.startsWith('com.') ? schema : kindsOnly(schema)]),
      ),
    };
    expect(comparable(ours)).toEqual(comparable(recorded.v3[path]));
  });

  it('are part of the OpenAPI v2 document', async () => {
    const { service } = publishing();
    const { paths, definitions } = JSON.parse(Buffer.from((await service.v2('json')).bytes).toString());
    const own = Object.entries(definitions).filter(([name]) => name.startsWith('com.example'));
    expect(comparable(Object.fromEntries(own))).toEqual(comparable(recorded.v2.definitions));
    const withoutHashes = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(comparable(value), (key, ref) => (key === '$ref' ? String(ref).replace(/-[\w-]{8}$/, '') : ref)),
      );
    // The names of shared parameters are hashes of their text, descriptions included.
    expect(isDescribed ? comparable(paths) : withoutHashes(paths)).toEqual(
      isDescribed ? comparable(recorded.v2.paths) : withoutHashes(recorded.v2.paths),
    );
  });

  it('are merged with those of built-in kinds, which a definition cannot replace', async () => {
    const { service } = publishing([]);
    const catalogue = Catalogue.builtIn();
    const builtIn = new BuiltInOpenApi(catalogue, servedResources(catalogue, new Map(), new FeatureGates()));
    const together = new OpenApiService(() => new Date(0));
    together.add(builtIn);
    const custom = new CustomResourceOpenApi(catalogue, () => together.changed());
    together.add(custom);
    custom.publish(recorded.crds[0]!);
    const { definitions } = JSON.parse(Buffer.from((await together.v2('json')).bytes).toString());
    expect(Object.keys(definitions)).toContain('com.example.stable.v1.CronTab');
    const kinds = definitions['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']['x-kubernetes-group-version-kind'];
    expect(kinds).toContainEqual({ group: 'apiextensions.k8s.io', kind: 'DeleteOptions', version: 'v1' });
    expect([...(await service.v3Index()).keys()]).toEqual([]);
  });

  it('keep all digits of integers beyond 2^53', async () => {
    const crd = structuredClone(recorded.crds[0]!);
    const schema = crd.spec.versions[0]!.schema!.openAPIV3Schema!;
    schema.properties = { exact: { type: 'integer', format: 'int64', default: 9_007_199_254_740_993n } };
    const { service } = publishing([crd]);
    const document = Buffer.from((await service.v3('apis/stable.example.com/v1', 'json'))!.bytes);
    expect(document.includes('"default":9007199254740993')).toBe(true);
    // OpenAPI v2 documents have no defaults.
    expect((await service.v2('json')).bytes.length).toBeGreaterThan(0);
  });

  it('change only with their own definition', async () => {
    const { service, custom } = publishing();
    const before = await service.v3Index();
    const crd = structuredClone(recorded.crds[0]!);
    crd.spec.versions[0]!.schema!.openAPIV3Schema!.description = 'Another one.';
    custom.publish(crd);
    const after = await service.v3Index();
    const changed = [...after].filter(([path, hash]) => before.get(path) !== hash).map(([path]) => path);
    expect(changed).toEqual(['apis/stable.example.com/v1']);
    custom.publish(recorded.crds[0]!);
    expect(await service.v3Index()).toEqual(before);
  });

  it('are removed with their definition, or when the version is no longer served', async () => {
    const { service, custom } = publishing();
    custom.withdraw('crontabs.stable.example.com');
    const rich = structuredClone(recorded.crds[1]!);
    rich.spec.versions[1]!.served = false;
    custom.publish(rich);
    expect([...(await service.v3Index()).keys()]).toEqual(['apis/rich.example.com/v1']);
    custom.withdraw('riches.rich.example.com');
    const { paths } = await json(service, 'apis/rich.example.com/v1');
    expect(Object.keys(paths as object).every((path) => path.includes('apples'))).toBe(true);
  });

  it('omit a schema that is not structural', async () => {
    const crd = structuredClone(recorded.crds[0]!);
    crd.spec.versions[0]!.schema = { openAPIV3Schema: { properties: { spec: {} } } };
    const { service } = publishing([crd]);
    const { components } = await json(service, 'apis/stable.example.com/v1');
    expect((components as { schemas: JsonObject }).schemas['com.example.stable.v1.CronTab']).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'stable.example.com', kind: 'CronTab', version: 'v1' }],
    });
  });
});
