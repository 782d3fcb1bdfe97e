import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GroupKind,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  parseKindArg,
  parseResourceArg,
} from './group-version.ts';

describe('GroupVersion.parse', () => {
  it.each([
    ['', '', '', ''],
    ['/', '', '', ''],
    ['v1', '', 'v1', 'v1'],
    ['apps/v1', 'apps', 'v1', 'apps/v1'],
    ['/v1', '', 'v1', 'v1'],
    ['apps/', 'apps', '', 'apps/'],
  ])('reads %j as group %j and version %j', (text, group, version, printed) => {
    const parsed = GroupVersion.parse(text);
    expect([parsed.group, parsed.version, String(parsed)]).toEqual([group, version, printed]);
  });

  it.each(['a/b/c', '//', 'a//b'])('refuses %j', (text) => {
    expect(() => GroupVersion.parse(text)).toThrow(new Error(`unexpected GroupVersion string: ${text}`));
    expect(GroupVersion.tryParse(text)).toBeUndefined();
  });
});

describe('GroupVersionKind.fromApiVersionAndKind', () => {
  it.each([
    ['v1', '/v1, Kind=K'],
    ['apps/v1', 'apps/v1, Kind=K'],
    ['apps/', 'apps/, Kind=K'],
    ['a/b/c', '/, Kind=K'],
    ['', '/, Kind=K'],
  ])('reads %j as %s', (apiVersion, printed) => {
    expect(GroupVersionKind.fromApiVersionAndKind(apiVersion, 'K').toString()).toBe(printed);
  });

  it('treats missing fields of an object as empty', () => {
    expect(GroupVersionKind.fromObject({}).isEmpty).toBe(true);
    expect(GroupVersionKind.fromObject({ apiVersion: 'apps/v1', kind: 'Deployment' })).toBe(
      GroupVersionKind.of('apps', 'v1', 'Deployment'),
    );
  });
});

describe('kinds and resources as users type them', () => {
  it.each([
    ['Pod', undefined, '', 'Pod'],
    ['Pod.v1.', '/v1, Kind=Pod', 'v1.', 'Pod'],
    ['Deployment.apps', undefined, 'apps', 'Deployment'],
    ['Deployment.v1.apps', 'apps/v1, Kind=Deployment', 'v1.apps', 'Deployment'],
    ['Ingress.v1.networking.k8s.io', 'networking.k8s.io/v1, Kind=Ingress', 'v1.networking.k8s.io', 'Ingress'],
    ['X.networking.k8s.io', 'k8s.io/networking, Kind=X', 'networking.k8s.io', 'X'],
    ['', undefined, '', ''],
    ['.', undefined, '', ''],
    ['..', '/, Kind=', '.', ''],
    ['a.b.', '/b, Kind=a', 'b.', 'a'],
  ])('reads the kind %j both ways', (text, versioned, group, kind) => {
    const parsed = parseKindArg(text);
    expect(parsed.groupVersionKind?.toString()).toBe(versioned);
    expect(parsed.groupKind).toBe(GroupKind.of(group, kind));
  });

  it('reads resources likewise', () => {
    expect(parseResourceArg('deployments.v1.apps')).toEqual({
      groupVersionResource: GroupVersionResource.of('apps', 'v1', 'deployments'),
      groupResource: GroupResource.of('v1.apps', 'deployments'),
    });
    expect(parseResourceArg('deploy').groupVersionResource).toBeUndefined();
  });
});

describe('printing', () => {
  it.each([
    [GroupKind.of('', 'Pod'), 'Pod'],
    [GroupKind.of('apps', 'Deployment'), 'Deployment.apps'],
    [GroupResource.of('', 'pods'), 'pods'],
    [GroupResource.of('apps', 'deployments'), 'deployments.apps'],
    [GroupVersionKind.of('', 'v1', 'Pod'), '/v1, Kind=Pod'],
    [GroupVersionResource.of('apps', 'v1', 'deployments'), 'apps/v1, Resource=deployments'],
  ])('%# prints %s', (value, text) => {
    expect(String(value)).toBe(text);
  });

  it('parses what it prints', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const group = fc.oneof(
      fc.constant(''),
      name,
      fc.tuple(name, name).map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(group, name, (group, other) => {
        expect(GroupVersion.parse(String(GroupVersion.of(group, other)))).toBe(GroupVersion.of(group, other));
        expect(GroupKind.parse(String(GroupKind.of(group, other)))).toBe(GroupKind.of(group, other));
        expect(GroupResource.parse(String(GroupResource.of(group, other)))).toBe(GroupResource.of(group, other));
      }),
    );
  });
});

describe('interning', () => {
  it('gives one instance for equal parts, so that Map and Set work', () => {
    const map = new Map([[GroupVersionKind.of('apps', 'v1', 'Deployment'), 1]]);
    expect(map.get(GroupVersion.parse('apps/v1').withKind('Deployment'))).toBe(1);
    expect(GroupKind.of('apps', 'Deployment').withVersion('v1').groupVersion).toBe(GroupVersion.of('apps', 'v1'));
    expect(GroupResource.of('apps', 'deployments').withVersion('v1').groupResource).toBe(
      GroupResource.of('apps', 'deployments'),
    );
  });

  it('distinguishes values whose parts differ but are the same when joined', () => {
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '1', '/', '.', '\0'), maxLength: 3 });
    fc.assert(
      fc.property(part, part, part, part, part, part, (a, b, c, d, e, f) => {
        const same = a === d && b === e && c === f;
        expect(GroupVersionKind.of(a, b, c) === GroupVersionKind.of(d, e, f)).toBe(same);
        expect(GroupVersion.of(a, b) === GroupVersion.of(d, e)).toBe(a === d && b === e);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives frozen values', () => {
    const version = GroupVersion.of('apps', 'v1');
    expect(() => Object.assign(version, { group: 'other' })).toThrow(TypeError);
    expect(JSON.stringify(version)).toBe('{"group":"apps","version":"v1"}');
  });
});

describe('kindFor', () => {
  const deployment = GroupVersionKind.of('apps', 'v1', 'Deployment');
  it.each([
    ['its own version', 'apps/v1', deployment],
    ['another version of the group', 'apps/v1beta1', GroupVersionKind.of('apps', 'v1beta1', 'Deployment')],
    ['another group', 'batch/v1', undefined],
  ])('returns the kind for %s', (_, version, expected) => {
    expect(GroupVersion.parse(version).kindFor([deployment])).toBe(expected);
  });
});
