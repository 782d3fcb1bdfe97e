import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { GroupVersion } from '../meta/group-version.ts';
import type { KubernetesList, KubernetesObject } from '../meta/type-meta.ts';
import { identityConversion } from './hub-conversion.ts';
import { API_VERSION_INTERNAL, type RuntimeObject } from './object.ts';
import { defineType } from './object-type.ts';
import { Scheme } from './scheme.ts';
import { NotRegisteredError } from './scheme-errors.ts';

/** Three versions of a kind, the second of which is the hub, and the same kind in another group. */
interface ScalerV1 extends KubernetesObject {
  spec: { cpu?: number };
}
interface ScalerV2 extends KubernetesObject {
  spec: { metrics: { name: string; value: number }[] };
}
interface Twin extends KubernetesObject {
  metrics: { name: string; value: number }[];
}

const version = (name: string) => GroupVersion.of('example.com', name);
const abroad = GroupVersion.of('other.example.com', 'v1');
const internal = version(API_VERSION_INTERNAL);
const hub = version('v2').withKind('Scaler');

let scheme: Scheme;
beforeEach(() => {
  scheme = new Scheme('test');
  scheme.addKnownTypes(
    version('v1'),
    defineType<ScalerV1>('v1.Scaler'),
    defineType<KubernetesList<ScalerV1>>('v1.ScalerList'),
    defineType('v1.Lonely'),
  );
  scheme.addKnownTypes(version('v2'), defineType<ScalerV2>('v2.Scaler'), defineType('v2.ScalerList'));
  scheme.addKnownTypes(version('v3'), defineType<ScalerV2>('v3.Scaler'), defineType('v3.Lonely'));
  scheme.addKnownTypes(abroad, defineType<Twin>('other.Scaler'), defineType('other.ScalerList'));
  scheme.addHubConversion<ScalerV1, ScalerV2>(version('v1').withKind('Scaler'), hub, {
    toHub: ({ spec, ...rest }) => ({
      ...rest,
      spec: { metrics: spec.cpu === undefined ? [] : [{ name: 'cpu', value: spec.cpu }] },
    }),
    fromHub: ({ spec, ...rest }) => {
      const cpu = spec.metrics.find((metric) => metric.name === 'cpu')?.value;
      return { ...rest, spec: cpu === undefined ? {} : { cpu } };
    },
  });
  scheme.addHubConversion(version('v3').withKind('Scaler'), hub, identityConversion);
  scheme.addHubConversion<Twin, ScalerV2>(abroad.withKind('Scaler'), hub, {
    toHub: ({ metrics, ...rest }) => ({ ...rest, spec: { metrics } }),
    fromHub: ({ spec, ...rest }) => ({ ...rest, metrics: spec.metrics }),
  });
});

const metrics = [{ name: 'cpu', value: 80 }];
const asVersion = {
  'example.com/v1': { kind: 'Scaler', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: { cpu: 80 } },
  'example.com/v2': { kind: 'Scaler', apiVersion: 'example.com/v2', metadata: { name: 'a' }, spec: { metrics } },
  'example.com/v3': { kind: 'Scaler', apiVersion: 'example.com/v3', metadata: { name: 'a' }, spec: { metrics } },
  'other.example.com/v1': { kind: 'Scaler', apiVersion: 'other.example.com/v1', metadata: { name: 'a' }, metrics },
};
const versions = Object.entries(asVersion);
const pairs = versions.flatMap(([from, object]) => versions.map(([to, expected]) => ({ from, to, object, expected })));

describe('convertToVersion', () => {
  it.each(pairs)('converts $from to $to through the hub', ({ object, to, expected }) => {
    expect(scheme.convertToVersion(object, GroupVersion.parse(to))).toEqual(expected);
  });

  it('shares nothing with the object and does not modify it', () => {
    for (const [to] of versions) {
      const original = structuredClone(asVersion['example.com/v3']);
      const converted = scheme.convertToVersion(original, GroupVersion.parse(to));
      expect(original).toEqual(asVersion['example.com/v3']);
      expect(converted).toHaveProperty('metadata');
      expect('metadata' in converted && converted.metadata).not.toBe(original.metadata);
    }
  });

  it('unsafeConvertToVersion modifies the object in place', () => {
    const original = structuredClone(asVersion['example.com/v3']);
    expect(scheme.unsafeConvertToVersion(original, version('v2'))).toBe(original);
    expect(original.apiVersion).toBe('example.com/v2');
  });

  it('loses nothing when an object is converted there and back', () => {
    const name = fc.constantFrom(...versions.map(([to]) => GroupVersion.parse(to)));
    fc.assert(
      fc.property(fc.array(name), (path) => {
        const there = path.reduce<RuntimeObject>(
          (object, to) => scheme.convertToVersion(object, to),
          asVersion['example.com/v1'],
        );
        expect(scheme.convertToVersion(there, version('v1'))).toEqual(asVersion['example.com/v1']);
      }),
    );
  });

  it('writes kind and apiVersion first', () => {
    const text = JSON.stringify(scheme.convertToVersion(asVersion['example.com/v1'], abroad));
    expect(text).toBe(
      '{"kind":"Scaler","apiVersion":"other.example.com/v1","metadata":{"name":"a"},"metrics":[{"name":"cpu","value":80}]}',
    );
  });

  it('keeps __proto__ keys as data', () => {
    const object: KubernetesObject = JSON.parse(
      '{"kind":"Scaler","apiVersion":"example.com/v1","metadata":{"labels":{"__proto__":"x"}},"spec":{}}',
    );
    const converted = scheme.convertToVersion(object, abroad);
    expect(JSON.stringify(converted)).toContain('"labels":{"__proto__":"x"}');
  });
});

describe('lists', () => {
  const v1List = {
    kind: 'ScalerList',
    apiVersion: 'example.com/v1',
    metadata: { resourceVersion: '7' },
    items: [{ metadata: { name: 'a' }, spec: { cpu: 80 } }, { spec: {} }],
  };

  it.each([
    ['the hub’s version', version('v2'), [{ metadata: { name: 'a' }, spec: { metrics } }, { spec: { metrics: [] } }]],
    ['another group', abroad, [{ metadata: { name: 'a' }, metrics }, { metrics: [] }]],
  ])('convert as their items do, to %s', (_, target, items) => {
    expect(scheme.convertToVersion(v1List, target)).toEqual({ ...v1List, apiVersion: String(target), items });
  });

  it('have items with a kind only if they had one before', () => {
    const list = { ...v1List, items: [asVersion['example.com/v1']] };
    expect(scheme.convertToVersion(list, version('v2'))).toHaveProperty('items', [asVersion['example.com/v2']]);
  });
});

describe('an internal hub', () => {
  it('is converted to and from like any version', () => {
    scheme.addKnownTypes(internal, defineType('internal.Lonely'));
    const identity = identityConversion;
    scheme.addHubConversion(version('v1').withKind('Lonely'), internal.withKind('Lonely'), identity);
    scheme.addHubConversion(version('v3').withKind('Lonely'), internal.withKind('Lonely'), identity);
    const lonely = { kind: 'Lonely', apiVersion: 'example.com/v1' };
    const atHub = scheme.convertToVersion(lonely, internal);
    expect(atHub.apiVersion).toBe('example.com/__internal');
    expect(scheme.convertToVersion(atHub, version('v3')).apiVersion).toBe('example.com/v3');
    expect(scheme.convertToVersion(lonely, version('v3')).apiVersion).toBe('example.com/v3');
    expect(scheme.hubFor(version('v1').withKind('Lonely'))).toBe(internal.withKind('Lonely'));
  });
});

describe('types registered for several versions', () => {
  it('change nothing but the apiVersion', () => {
    const same = defineType('same.Thing');
    scheme.addKnownTypes(version('v1'), same);
    scheme.addKnownTypeWithName(version('v2').withKind('Renamed'), same);
    const thing = { kind: 'Thing', apiVersion: 'example.com/v1', a: [1] };
    expect(scheme.convertToVersion(thing, version('v2'))).toEqual({
      kind: 'Renamed',
      apiVersion: 'example.com/v2',
      a: [1],
    });
  });
});

describe('what cannot be converted', () => {
  it.each([
    [
      'an unknown kind',
      'Nope',
      version('v2'),
      'no kind "Nope" is registered for version "example.com/v1" in scheme "test"',
    ],
    [
      'to a version without the kind',
      'Lonely',
      version('v2'),
      'no kind "Lonely" is registered for version "example.com/v2" in scheme "test"',
    ],
    [
      'to a group without the kind',
      'Lonely',
      abroad,
      'v1.Lonely is not suitable for converting to "other.example.com/v1" in scheme "test"',
    ],
  ])('%s', (_, kind, target, message) => {
    const object = { kind, apiVersion: 'example.com/v1' };
    expect(() => scheme.convertToVersion(object, target)).toThrow(NotRegisteredError);
    expect(() => scheme.convertToVersion(object, target)).toThrow(message);
  });

  it('two types with no hub in common', () => {
    expect(() => scheme.convertToVersion({ kind: 'Lonely', apiVersion: 'example.com/v1' }, version('v3'))).toThrow(
      'converting (v1.Lonely) to (v3.Lonely): unknown conversion',
    );
  });

  it('an empty list of such objects', () => {
    scheme.addKnownTypes(version('v1'), defineType('v1.LonelyList'));
    scheme.addKnownTypes(version('v3'), defineType('v3.LonelyList'));
    const list = { kind: 'LonelyList', apiVersion: 'example.com/v1', items: [] };
    expect(() => scheme.convertToVersion(list, version('v3'))).toThrow('unknown conversion');
  });
});

describe('addHubConversion', () => {
  it.each([
    [
      'a second conversion',
      version('v1').withKind('Scaler'),
      hub,
      'Double registration of the conversion of example.com/v1, Kind=Scaler: old=example.com/v2, Kind=Scaler, new=example.com/v2, Kind=Scaler',
    ],
    [
      'a hub of a hub',
      hub,
      internal.withKind('Scaler'),
      'a hub cannot be converted to another hub: example.com/v2, Kind=Scaler to example.com/__internal, Kind=Scaler',
    ],
    [
      'a spoke as a hub',
      version('v4').withKind('Scaler'),
      version('v1').withKind('Scaler'),
      'a hub cannot be converted to another hub: example.com/v4, Kind=Scaler to example.com/v1, Kind=Scaler',
    ],
  ])('refuses %s', (_, gvk, to, message) => {
    expect(() => scheme.addHubConversion(gvk, to, identityConversion)).toThrow(new Error(message));
  });
});
