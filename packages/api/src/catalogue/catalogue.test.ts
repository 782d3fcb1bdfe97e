import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GroupVersion, GroupVersionKind, type StructSchema } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { Catalogue } from './catalogue.ts';

const catalogue = Catalogue.builtIn();
const kind = (apiVersion: string, name: string) => catalogue.kind(GroupVersion.parse(apiVersion).withKind(name))!;

describe('the catalogue of kinds', () => {
  it('describes a field as upstream declares it', () => {
    const spec = catalogue.type('core.v1.PodSpec');
    expect(spec.fields.get('volumes')).toMatchObject({
      number: 1,
      pointer: false,
      omitEmpty: true,
      patchStrategy: ['merge', 'retainKeys'],
      mergeKey: 'name',
      schema: {
        kind: 'list',
        listType: 'map',
        mapKeys: ['name'],
        items: { kind: 'struct', fullName: 'core.v1.Volume' },
      },
    });
    expect(spec.fields.get('restartPolicy')?.schema).toEqual({
      kind: 'string',
      goName: 'RestartPolicy',
      enum: ['Always', 'Never', 'OnFailure'],
    });
    expect(catalogue.type('core.v1.ResourceRequirements').fields.get('limits')?.schema).toMatchObject({
      goName: 'v1.ResourceList',
    });
    expect(catalogue.type('meta.v1.ObjectMeta').fields.get('uid')?.schema).toMatchObject({ goName: 'types.UID' });
    expect(spec.fields.get('dnsPolicy')).toMatchObject({ name: 'dnsPolicy', goName: 'DNSPolicy' });
    expect(spec.fields.get('hostname')).not.toHaveProperty('goName');
    expect(spec.fields.get('nodeSelector')?.schema).toMatchObject({ kind: 'map', atomic: true });
    expect(catalogue.type('core.v1.ContainerPort').fields.get('protocol')?.default).toBe('TCP');
  });

  it('takes the fields of a type without an OpenAPI definition from the definitions that inline it', () => {
    const env = catalogue.type('core.v1.EphemeralContainer').fields.get('env');
    expect(env).toMatchObject({ mergeKey: 'name', schema: { kind: 'list', listType: 'map', mapKeys: ['name'] } });
    const scope = catalogue.type('admissionregistration.v1.RuleWithOperations').fields.get('scope');
    expect(scope?.schema).toMatchObject({ enum: ['*', 'Cluster', 'Namespaced'] });
  });

  it('reads enum values that contain spaces', () => {
    const usages = catalogue.type('certificates.v1.CertificateSigningRequestSpec').fields.get('usages')?.schema;
    expect(usages).toMatchObject({ items: { enum: expect.arrayContaining(['cert sign', 'client auth', 'any']) } });
  });

  it('flattens inlined structs in JSON and keeps them whole on the protobuf wire', () => {
    const volume = catalogue.type('core.v1.Volume');
    expect(volume.fields.has('configMap')).toBe(true);
    expect(volume.fields.has('volumeSource')).toBe(false);
    expect(volume.declared.map(({ name, number, inline }) => [name, number, inline])).toEqual([
      ['name', 1, false],
      ['volumeSource', 2, true],
    ]);
  });

  it('supports types that contain themselves', () => {
    const properties = catalogue.type('apiextensions.v1.JSONSchemaProps').fields.get('properties')!.schema;
    expect(properties).toMatchObject({ kind: 'map', values: { fullName: 'apiextensions.v1.JSONSchemaProps' } });
  });

  it('can read every type of every kind', () => {
    const seen = new Set<string>();
    const visit = (struct: StructSchema): void => {
      if (seen.has(struct.fullName)) return;
      seen.add(struct.fullName);
      for (const { schema } of struct.declared) {
        let inner = schema;
        while (inner.kind === 'list' || inner.kind === 'map')
          inner = inner.kind === 'list' ? inner.items : inner.values;
        if (inner.kind === 'struct') visit(inner);
      }
    };
    for (const { schema } of catalogue.kinds()) visit(schema);
    expect(seen.size).toBeGreaterThan(850);
  });

  it.each([
    ['autoscaling/v1', 'HorizontalPodAutoscaler', 'autoscaling/v2, Kind=HorizontalPodAutoscaler'],
    ['resource.k8s.io/v1beta1', 'ResourceClaim', 'resource.k8s.io/v1, Kind=ResourceClaim'],
    ['events.k8s.io/v1', 'Event', '/v1, Kind=Event'],
    ['v1', 'Pod', '/v1, Kind=Pod'],
  ])('leads %s %s to its hub', (apiVersion, name, hub) => {
    expect(kind(apiVersion, name).hub.toString()).toBe(hub);
  });

  it('enables exactly the stable versions by default', () => {
    const on = catalogue.groupVersions
      .map(({ group, version }) => GroupVersion.of(group, version))
      .filter((gv) => catalogue.enabledByDefault(gv));
    expect(on.filter(({ version }) => /alpha|beta/.test(version))).toEqual([]);
    expect(on).toContain(GroupVersion.of('autoscaling', 'v2'));
    expect(on).toHaveLength(22);
  });

  it('has the options kinds in every group version, and no unknown kinds', () => {
    expect(kind('apps/v1', 'DeleteOptions').schema.fullName).toBe('meta.v1.DeleteOptions');
    expect(catalogue.kind(GroupVersionKind.of('apps', 'v1', 'Pod'))).toBeUndefined();
    expect(catalogue.kind(GroupVersionKind.of('nobody', 'v1', 'DeleteOptions'))).toBeUndefined();
  });
});

const upstream = process.env.COXSWAIN_UPSTREAM ?? join(import.meta.dirname, '../../../../../shared/upstream/v1.36.4');

describe.skipIf(!existsSync(upstream))('compared with upstream’s discovery', () => {
  const files = existsSync(upstream)
    ? readdirSync(join(upstream, 'discovery')).filter((file) => /^apis?__.*v\d.*\.json$/.test(file))
    : [];
  it.each(files)('%s lists the same resources', (file) => {
    const list = JSON.parse(readFileSync(join(upstream, 'discovery', file), 'utf8')) as {
      groupVersion: string;
      resources: {
        name: string;
        kind: string;
        namespaced: boolean;
        verbs: string[];
        shortNames?: string[];
        categories?: string[];
        singularName: string;
        group?: string;
        version?: string;
      }[];
    };
    const gv = GroupVersion.parse(list.groupVersion);
    const ours = catalogue.groupVersions.find(({ group, version }) => group === gv.group && version === gv.version)!;
    const flat = ours.resources.flatMap((resource) => [
      {
        name: resource.name,
        kind: resource.kind,
        namespaced: resource.namespaced,
        verbs: resource.verbs.split(' '),
        shortNames: resource.shortNames,
        categories: resource.categories,
        singularName: resource.singularName,
      },
      ...(resource.subresources ?? []).map((sub) => ({
        name: `${resource.name}/${sub.name}`,
        kind: sub.kind,
        namespaced: resource.namespaced,
        verbs: sub.verbs.split(' '),
        singularName: '',
        group: sub.group,
        version: sub.version,
      })),
    ]);
    const theirs = list.resources.map(({ storageVersionHash: _, ...resource }: Record<string, unknown>) => resource);
    expect(flat).toHaveLength(theirs.length);
    for (const resource of theirs) expect(flat).toContainEqual(resource);
  });
});
