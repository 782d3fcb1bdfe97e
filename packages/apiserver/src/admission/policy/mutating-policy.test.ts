import { Catalogue } from '@coxswain/api';
import {
  cloneJson,
  compileNormalizer,
  type GroupVersionKind,
  isJsonObject,
  type KubernetesObject,
} from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { AdmissionChain, type AdmissionObjects, type AdmissionPlugin } from '../admission.ts';
import { attributesOf, creates, pod } from '../plugin-runner.test-data.ts';
import { mutatingAdmissionPolicy } from './mutating-policy.ts';
import { mutatingBinding, mutatingPolicy, policyTest } from './policies.test-data.ts';

const schemaOf = (kind: GroupVersionKind) => Catalogue.builtIn().kind(kind)?.schema;
/** Supports built-in kinds in one version, without defaults. */
const objects: AdmissionObjects = {
  equivalents: () => [],
  toKind: async (object) => cloneJson(object),
  toHub: async (object) => object,
  read: (value, kind) => compileNormalizer(schemaOf(kind)!)(isJsonObject(value) ? value : {}).object,
  schema: schemaOf,
  withDefaults: (object) => object,
};

const label = (name: string, expression: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {"${name}": ${expression}}}}` },
});
/** Appends a letter to the value of the label. */
const append = (name: string, letter: string) =>
  label(name, `(object.?metadata.?labels[?"${name}"]).orValue("") + "${letter}"`);
const policy = (name: string, mutations: readonly object[], reinvocationPolicy = 'Never') => [
  mutatingPolicy(name, { mutations, reinvocationPolicy }),
  mutatingBinding(name),
];

async function labelsAfter(plugins: readonly AdmissionPlugin[]): Promise<unknown> {
  const attributes = { ...attributesOf(creates(pod())), objects };
  await new AdmissionChain(plugins).admit(attributes);
  return attributes.object?.metadata?.labels;
}

/** A plug-in that runs after policies, like webhooks. */
const other = (change: (object: KubernetesObject) => void, wants = true): AdmissionPlugin => ({
  name: 'Other',
  operations: ['CREATE'],
  admit(attributes) {
    if (attributes.object) change(attributes.object);
    if (wants && attributes.reinvocation) attributes.reinvocation.wanted = true;
  },
});
const setLabel = (name: string, value: string) => (object: KubernetesObject) => {
  object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, [name]: value } };
};

describe('MutatingAdmissionPolicy', () => {
  const cases: Readonly<Record<string, [KubernetesObject[], AdmissionPlugin[], unknown]>> = {
    'changes the object, in the order of policy names': [
      [...policy('b', [append('x', 'b')]), ...policy('a', [append('x', 'a'), append('x', 'A')])],
      [],
      { x: 'aAb' },
    ],
    'is reinvoked once with IfNeeded': [
      [...policy('a', [append('x', 'a')], 'IfNeeded'), ...policy('b', [append('x', 'b')])],
      [],
      { x: 'aba' },
    ],
    'is reinvoked with IfNeeded after another plug-in has changed the object': [
      [...policy('a', [append('seen', '1'), label('y', '"mine"')], 'IfNeeded')],
      [other(setLabel('y', 'theirs'))],
      { seen: '11', y: 'theirs' },
    ],
    'is not reinvoked with Never': [
      [...policy('a', [label('y', '"mine"')])],
      [other(setLabel('y', 'theirs'))],
      { y: 'theirs' },
    ],
  };
  for (const [sentence, [stored, after, expected]] of Object.entries(cases))
    it(sentence, async () => {
      const { options } = policyTest(stored);
      expect(await labelsAfter([mutatingAdmissionPolicy(options), ...after])).toEqual(expected);
    });

  it('does not break managedFields', async () => {
    const { options } = policyTest(
      policy('p', [
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression:
              '[JSONPatch{op: "add", path: "/metadata/managedFields", value: [{"manager": "x", "operation": "Wrong"}]}]',
          },
        },
      ]),
    );
    const warnings: string[] = [];
    const attributes = {
      ...attributesOf(creates(pod())),
      objects,
      warn: (text: string) => void warnings.push(text),
    };
    await mutatingAdmissionPolicy(options).admit?.(attributes);
    expect(attributes.object?.metadata?.managedFields).toBeUndefined();
    expect(warnings[0]).toMatch(/^\.metadata\.managedFields was in an invalid state after admission;/);
  });

  it('fails for a kind without a schema', async () => {
    const { options } = policyTest(policy('p', [label('a', '"b"')]));
    const attributes = { ...attributesOf(creates(pod())), objects: { ...objects, schema: () => undefined } };
    await expect(mutatingAdmissionPolicy(options).admit?.(attributes)).rejects.toMatchObject({
      code: 503,
      message:
        'Resource kind /v1, Kind=Pod not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.',
    });
  });

  it('records metrics', async () => {
    const { options, metric } = policyTest(policy('p', [label('a', '"b"'), label('c', 'string(object.nothing)')]));
    const attributes = { ...attributesOf(creates(pod())), objects };
    await expect(mutatingAdmissionPolicy(options).admit?.(attributes)).rejects.toMatchObject({ code: 403 });
    expect(metric('apiserver_mutating_admission_policy_check_total').sort()).toEqual([
      'error_type="invalid_error",policy="p",policy_binding="p" 1',
      'error_type="no_error",policy="p",policy_binding="p" 1',
    ]);
  });

  it('treats names of inherited properties as data', async () => {
    const { options } = policyTest(policy('p', [label('__proto__', '"x"'), label('constructor', '"y"')]));
    const attributes = { ...attributesOf(creates(pod())), objects };
    await mutatingAdmissionPolicy(options).admit?.(attributes);
    expect(Object.entries(attributes.object?.metadata?.labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
