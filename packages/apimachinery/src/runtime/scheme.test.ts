import { beforeEach, describe, expect, it } from 'vitest';
import { GroupKind, GroupVersion, GroupVersionKind } from '../meta/group-version.ts';
import type { KubernetesList, KubernetesObject } from '../meta/type-meta.ts';
import { API_VERSION_INTERNAL } from './object.ts';
import { defineType, type ObjectType } from './object-type.ts';
import { Scheme } from './scheme.ts';
import { MissingKindError, MissingVersionError, NotRegisteredError } from './scheme-errors.ts';

interface PodObject extends KubernetesObject {
  spec?: { restartPolicy?: string };
}

const v1 = GroupVersion.of('', 'v1');
const appsV1 = GroupVersion.of('apps', 'v1');
const appsV1beta1 = GroupVersion.of('apps', 'v1beta1');
const Pod = defineType<PodObject>('core.v1.Pod', () => ({ metadata: {}, spec: {} }));
const PodList = defineType<KubernetesList<PodObject>>('core.v1.PodList');
const Deployment = defineType<KubernetesObject>('apps.v1.Deployment');
const Status = defineType<KubernetesObject>('meta.v1.Status');

let scheme: Scheme;
beforeEach(() => {
  scheme = new Scheme('test');
  scheme.addKnownTypes(v1, Pod, PodList);
  scheme.addKnownTypes(appsV1, Deployment);
});

describe('known types', () => {
  it('are found by kind and by type', () => {
    expect(scheme.typeFor(v1.withKind('Pod'))).toBe(Pod);
    expect(scheme.kindsFor(Pod)).toEqual([v1.withKind('Pod')]);
    expect(scheme.recognizes(v1.withKind('Pod'))).toBe(true);
    expect(scheme.recognizes(v1.withKind('Deployment'))).toBe(false);
    expect([...scheme.knownTypes(v1).keys()]).toEqual(['Pod', 'PodList']);
    expect([...scheme.allKnownTypes().keys()].map(String)).toEqual([
      '/v1, Kind=Pod',
      '/v1, Kind=PodList',
      'apps/v1, Kind=Deployment',
    ]);
  });

  it('may have several kinds', () => {
    scheme.addKnownTypeWithName(appsV1.withKind('Workload'), Deployment);
    scheme.addKnownTypes(appsV1beta1, Deployment);
    expect(scheme.objectKinds({ apiVersion: 'apps/v1', kind: 'Workload' })).toEqual({
      kinds: [appsV1.withKind('Deployment'), appsV1.withKind('Workload'), appsV1beta1.withKind('Deployment')],
      unversioned: false,
    });
  });

  it('may be registered again, but not as another type', () => {
    scheme.addKnownTypes(appsV1, Deployment);
    expect(scheme.kindsFor(Deployment)).toHaveLength(1);
    const other = defineType('elsewhere.Deployment');
    expect(() => scheme.addKnownTypes(appsV1, other)).toThrow(
      new Error(
        'Double registration of different types for apps/v1, Kind=Deployment: old=apps.v1.Deployment, new=elsewhere.Deployment in scheme "test"',
      ),
    );
    expect(scheme.typeFor(appsV1.withKind('Deployment'))).toBe(Deployment);
  });

  it('need a version', () => {
    expect(() => scheme.addKnownTypes(GroupVersion.of('apps', ''), Deployment)).toThrow(
      'version is required on all types: apps/, Kind=Deployment apps.v1.Deployment',
    );
  });

  it('narrow plain objects to their TypeScript type', () => {
    const object: KubernetesObject = JSON.parse('{"apiVersion":"v1","kind":"Pod","spec":{"restartPolicy":"Never"}}');
    expect(scheme.is(Deployment, object)).toBe(false);
    expect(scheme.is(Pod, object) && object.spec?.restartPolicy).toBe('Never');
  });
});

describe('new', () => {
  it('gives an object of the kind with the type’s zero value', () => {
    const pod = scheme.new(v1.withKind('Pod'));
    expect(JSON.stringify(pod)).toBe('{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{}}');
    expect(scheme.new(v1.withKind('Pod'))).not.toBe(pod);
    expect(scheme.new(appsV1.withKind('Deployment'))).toEqual({ kind: 'Deployment', apiVersion: 'apps/v1' });
  });

  it.each([
    [GroupVersionKind.of('apps', 'v1', 'X'), 'no kind "X" is registered for version "apps/v1" in scheme "test"'],
    [GroupVersionKind.of('', 'v1', 'X'), 'no kind "X" is registered for version "v1" in scheme "test"'],
    [
      GroupVersionKind.of('apps', API_VERSION_INTERNAL, 'X'),
      'no kind "X" is registered for the internal version of group "apps" in scheme "test"',
    ],
    [GroupVersionKind.of('apps', 'v1', ''), 'no version "apps/v1" has been registered in scheme "test"'],
  ])('refuses %s', (gvk, message) => {
    expect(() => scheme.new(gvk)).toThrow(NotRegisteredError);
    expect(() => scheme.new(gvk)).toThrow(message);
  });
});

describe('objectKinds', () => {
  it('refuses objects without kind or apiVersion', () => {
    expect(() => scheme.objectKinds({ apiVersion: 'v1' })).toThrow(MissingKindError);
    expect(() => scheme.objectKinds({ kind: 'Pod' })).toThrow(MissingVersionError);
    expect(() => scheme.objectKinds({ kind: 'Pod' })).toThrow(
      "Object 'apiVersion' is missing in 'unstructured object has no version'",
    );
    expect(() => scheme.objectKinds({ kind: 'Nope', apiVersion: 'v1' })).toThrow(NotRegisteredError);
  });

  it('refuses types that were never registered', () => {
    expect(() => scheme.kindsFor(Status)).toThrow('no kind is registered for the type meta.v1.Status in scheme "test"');
  });
});

describe('unversioned types', () => {
  beforeEach(() => scheme.addUnversionedTypes(v1, Status));

  it('are known in every group and version', () => {
    expect(scheme.isUnversioned(Status)).toBe(true);
    expect(scheme.isUnversioned(Pod)).toBe(false);
    expect(scheme.objectKinds({ apiVersion: 'apps/v1', kind: 'Status' })).toEqual({
      kinds: [v1.withKind('Status')],
      unversioned: true,
    });
    expect(scheme.new(appsV1.withKind('Status'))).toEqual({ apiVersion: 'apps/v1', kind: 'Status' });
    expect([...scheme.unversionedTypes()]).toEqual([[Status, v1.withKind('Status')]]);
  });

  it('are written in the registered version, whatever version is requested', () => {
    const status = { apiVersion: 'v1', kind: 'Status', message: 'm' };
    expect(scheme.convertToVersion(status, appsV1)).toEqual(status);
  });

  it('have unique names', () => {
    const other = defineType('elsewhere.Status');
    expect(() => scheme.addUnversionedTypes(appsV1, other)).toThrow(
      new Error(
        'meta.v1.Status has already been registered as unversioned kind "apps/v1, Kind=Status" - kind name must be unique in scheme "test"',
      ),
    );
  });
});

describe('versions', () => {
  beforeEach(() => {
    scheme.addKnownTypes(appsV1beta1, Deployment);
    scheme.addKnownTypes(GroupVersion.of('apps', API_VERSION_INTERNAL), defineType('apps.Deployment'));
    scheme.addKnownTypes(GroupVersion.of('apps', 'v1beta2'), defineType('apps.v1beta2.Other'));
  });

  it('are observed in order, except internal ones', () => {
    expect(scheme.observedVersions().map(String)).toEqual(['v1', 'apps/v1', 'apps/v1beta1', 'apps/v1beta2']);
    expect(scheme.isVersionRegistered(appsV1)).toBe(true);
    expect(scheme.isVersionRegistered(GroupVersion.of('apps', 'v2'))).toBe(false);
    expect(scheme.isGroupRegistered('apps')).toBe(true);
    expect(scheme.isGroupRegistered('batch')).toBe(false);
  });

  it('come in the order of their priority, followed by the others', () => {
    scheme.setVersionPriority(GroupVersion.of('apps', 'v1beta2'), appsV1);
    const names = (versions: GroupVersion[]): string[] => versions.map(String);
    expect(names(scheme.prioritizedVersionsForGroup('apps'))).toEqual(['apps/v1beta2', 'apps/v1', 'apps/v1beta1']);
    expect(names(scheme.prioritizedVersionsAllGroups())).toEqual(['v1', 'apps/v1beta2', 'apps/v1', 'apps/v1beta1']);
    expect(names(scheme.preferredVersionAllGroups())).toEqual(['v1', 'apps/v1beta2']);
    expect(names(scheme.versionsForGroupKind(GroupKind.of('apps', 'Deployment')))).toEqual(['apps/v1', 'apps/v1beta1']);
  });

  it.each([
    [[appsV1, v1], 'must register versions for exactly one group: , apps'],
    [[], 'must register versions for exactly one group: '],
    [[GroupVersion.of('apps', '__internal')], 'internal versions cannot be prioritized: apps/__internal'],
  ])('cannot be ordered as %j', (versions, message) => {
    expect(() => scheme.setVersionPriority(...versions)).toThrow(new Error(message));
  });

  it('can be disabled and enabled', () => {
    scheme.disableVersions(appsV1beta1, v1);
    expect(scheme.isVersionEnabled(appsV1)).toBe(true);
    expect(scheme.isVersionEnabled(appsV1beta1)).toBe(false);
    expect(scheme.isGroupEnabled('apps')).toBe(true);
    expect(scheme.isGroupEnabled('')).toBe(false);
    expect(scheme.isVersionRegistered(appsV1beta1)).toBe(true);
    scheme.enableVersions(v1);
    expect(scheme.isGroupEnabled('')).toBe(true);
    expect(scheme.isVersionEnabled(GroupVersion.of('batch', 'v1'))).toBe(false);
  });
});

describe('default', () => {
  beforeEach(() => {
    scheme.addDefaulter(Pod, (pod) => {
      pod.spec ??= {};
      pod.spec.restartPolicy ??= 'Always';
    });
  });

  it('sets defaults in place', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    scheme.default(pod);
    expect(pod).toEqual({ apiVersion: 'v1', kind: 'Pod', spec: { restartPolicy: 'Always' } });
  });

  it('sets the defaults of list items', () => {
    const list = { apiVersion: 'v1', kind: 'PodList', items: [{ spec: { restartPolicy: 'Never' } }, {}] };
    scheme.default(list);
    expect(list.items).toEqual([{ spec: { restartPolicy: 'Never' } }, { spec: { restartPolicy: 'Always' } }]);
  });

  it('may be registered by kind', () => {
    scheme.addDefaulter(appsV1.withKind('Deployment'), (deployment: KubernetesObject) => {
      deployment.metadata ??= {};
    });
    const deployment: KubernetesObject = { apiVersion: 'apps/v1', kind: 'Deployment' };
    scheme.default(deployment);
    expect(deployment.metadata).toEqual({});
    expect(() => scheme.addDefaulter(v1.withKind('Nope'), () => {})).toThrow(NotRegisteredError);
  });

  it('does not modify objects of unknown kinds', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Pod' };
    scheme.default(object);
    expect(object).toEqual({ apiVersion: 'example.com/v1', kind: 'Pod' });
  });

  it('uses the defaulter registered last', () => {
    scheme.addDefaulter(Pod, (pod) => {
      pod.spec = { restartPolicy: 'OnFailure' };
    });
    const pod: PodObject = { apiVersion: 'v1', kind: 'Pod' };
    scheme.default(pod);
    expect(pod.spec).toEqual({ restartPolicy: 'OnFailure' });
  });
});

describe('convertFieldLabel', () => {
  const pod = v1.withKind('Pod');

  it('accepts name and namespace for every kind', () => {
    expect(scheme.convertFieldLabel(pod, 'metadata.name', 'x')).toEqual({ label: 'metadata.name', value: 'x' });
    expect(scheme.convertFieldLabel(pod, 'metadata.namespace', 'x').label).toBe('metadata.namespace');
    expect(() => scheme.convertFieldLabel(pod, 'spec.x', 'y')).toThrow(
      new Error('"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    );
  });

  it('uses the conversion of the kind instead', () => {
    scheme.addFieldLabelConversion(pod, (label, value) => ({ label: label.replace('host', 'nodeName'), value }));
    expect(scheme.convertFieldLabel(pod, 'spec.host', 'n1')).toEqual({ label: 'spec.nodeName', value: 'n1' });
    expect(() => scheme.convertFieldLabel(appsV1.withKind('Deployment'), 'spec.host', 'n1')).toThrow();
  });
});

describe('freeze and clone', () => {
  const registrations: [string, (scheme: Scheme) => void][] = [
    ['addKnownTypes', (it) => it.addKnownTypes(v1, Pod)],
    ['addUnversionedTypes', (it) => it.addUnversionedTypes(v1, Status)],
    ['addDefaulter', (it) => it.addDefaulter(Pod, () => {})],
    [
      'addFieldLabelConversion',
      (it) => it.addFieldLabelConversion(v1.withKind('Pod'), (label, value) => ({ label, value })),
    ],
    ['setVersionPriority', (it) => it.setVersionPriority(v1)],
    ['disableVersions', (it) => it.disableVersions(v1)],
    ['enableVersions', (it) => it.enableVersions(v1)],
    [
      'addHubConversion',
      (it) =>
        it.addHubConversion(v1.withKind('A'), v1.withKind('B'), { toHub: (object) => object, fromHub: (hub) => hub }),
    ],
  ];

  it.each(registrations)('%s throws on a frozen scheme and works on its clone', (_, register) => {
    scheme.freeze();
    expect(() => register(scheme)).toThrow('scheme "test" is frozen: register everything before');
    expect(() => register(scheme.clone('other'))).not.toThrow();
  });

  it('clones have the same content and are independent', () => {
    scheme.addUnversionedTypes(v1, Status);
    scheme.addDefaulter(Pod, (pod) => {
      pod.spec = {};
    });
    scheme.disableVersions(appsV1);
    scheme.setVersionPriority(appsV1beta1, appsV1);
    const copy = scheme.clone('copy');
    copy.addKnownTypes(appsV1beta1, Deployment);
    const types: ObjectType[] = [Pod, Status];
    expect(types.map((type) => copy.kindsFor(type))).toEqual(types.map((type) => scheme.kindsFor(type)));
    expect(copy.isUnversioned(Status)).toBe(true);
    expect(copy.isVersionEnabled(appsV1)).toBe(false);
    expect(copy.prioritizedVersionsForGroup('apps')).toEqual([appsV1beta1, appsV1]);
    const pod: PodObject = { apiVersion: 'v1', kind: 'Pod' };
    copy.default(pod);
    expect(pod.spec).toEqual({});
    expect(scheme.kindsFor(Deployment)).toHaveLength(1);
    expect(copy.kindsFor(Deployment)).toHaveLength(2);
    expect(() => copy.new(v1.withKind('X'))).toThrow('in scheme "copy"');
  });
});
