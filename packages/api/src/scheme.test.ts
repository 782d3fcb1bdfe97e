import { GroupVersion, GroupVersionKind } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { Catalogue } from './catalogue/catalogue.ts';
import { newScheme } from './scheme.ts';

const scheme = newScheme();

describe('the scheme of all built-in kinds', () => {
  it('recognizes every kind of the catalogue', () => {
    for (const { gvk } of Catalogue.builtIn().kinds()) expect(scheme.recognizes(gvk)).toBe(true);
  });

  it('orders versions as discovery does, and enables the stable ones', () => {
    expect(scheme.prioritizedVersionsForGroup('autoscaling').map(String)).toEqual(['autoscaling/v2', 'autoscaling/v1']);
    expect(scheme.isVersionEnabled(GroupVersion.of('resource.k8s.io', 'v1'))).toBe(true);
    expect(scheme.isVersionEnabled(GroupVersion.of('resource.k8s.io', 'v1beta1'))).toBe(false);
  });

  it('converts every version of a kind to its hub and back', () => {
    for (const { gvk, hub } of Catalogue.builtIn().kinds()) {
      if (gvk === hub) continue;
      const there = scheme.convertToVersion(scheme.new(gvk), hub.groupVersion);
      expect(GroupVersionKind.fromObject(there)).toBe(hub);
      const back = scheme.convertToVersion(there, gvk.groupVersion);
      expect(GroupVersionKind.fromObject(back)).toBe(gvk);
    }
  });

  it.each([
    ['/v1', 'Pod', 'spec.foo', 'field label not supported: spec.foo'],
    [
      'apps/v1',
      'Deployment',
      'spec.foo',
      '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['batch/v1', 'Job', 'spec.foo', 'field label "spec.foo" not supported for Job'],
    [
      'resource.k8s.io/v1',
      'ResourceSlice',
      'spec.foo',
      'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.foo',
    ],
  ])('refuses to select %s %s by %s', (groupVersion, kind, label, message) => {
    const gvk = GroupVersion.parse(groupVersion).withKind(kind);
    expect(() => scheme.convertFieldLabel(gvk, label, 'x')).toThrow(message);
  });

  it('converts a field label of events.k8s.io to the label of the core group', () => {
    const gvk = GroupVersionKind.of('events.k8s.io', 'v1', 'Event');
    expect(scheme.convertFieldLabel(gvk, 'regarding.name', 'x')).toEqual({ label: 'involvedObject.name', value: 'x' });
  });
});
