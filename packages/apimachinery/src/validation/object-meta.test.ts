import { describe, expect, it } from 'vitest';
import { invalid, Path } from '../field/index.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import { isDns1123Label } from './dns.ts';
import { validateManagedFields } from './managed-fields.ts';
import { nameIsDnsSubdomain } from './name.ts';
import {
  validateAnnotations,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateObjectMetaWithOpts,
} from './object-meta.ts';

const path = Path.of('metadata');
const name =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const good: ObjectMeta = { name: 'x', namespace: 'ns' };
const owner = (kind: string) => ({ apiVersion: 'apps/v1', kind, name: kind.toLowerCase(), uid: '1', controller: true });
const printed = (references: unknown) => JSON.stringify(references);

describe('validateObjectMeta', () => {
  it.each<[why: string, meta: ObjectMeta, errors: string[]]>([
    ['a name and a namespace', good, []],
    ['a generated name', { generateName: 'x-', name: 'x-abcde', namespace: 'ns' }, []],
    ['no name', { namespace: 'ns' }, ['name: Required value: name or generateName is required']],
    [
      'bad names',
      { generateName: 'X_', name: 'X_1', namespace: 'ns' },
      [`generateName: Invalid value: "X_": ${subdomain}`, `name: Invalid value: "X_1": ${subdomain}`],
    ],
    ['no namespace', { name: 'x' }, ['namespace: Required value']],
    ['a bad namespace', { ...good, namespace: 'a.b' }, ['namespace: Invalid value: "a.b": must not contain dots']],
    [
      'a negative generation',
      { ...good, generation: -1 },
      ['generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['a bad label', { ...good, labels: { '-': '' } }, [`labels: Invalid value: "-": ${name}`]],
    [
      'annotations in capitals, and a bad one',
      { ...good, annotations: { 'A/b': 'any thing', ' ': '' } },
      [`annotations: Invalid value: " ": ${name}`],
    ],
    [
      'an event for an owner',
      { ...good, ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] },
      [
        'ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'an owner with empty fields',
      { ...good, ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] },
      [
        'ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        'ownerReferences.kind: Invalid value: "": must not be empty',
        'ownerReferences.name: Invalid value: "": must not be empty',
        'ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'three controllers',
      { ...good, ownerReferences: ['A', 'B', 'C'].map(owner) },
      ['B/b', 'C/c'].map(
        (second) =>
          `ownerReferences: Invalid value: ${printed(['A', 'B', 'C'].map(owner))}: Only one reference can have Controller set to true. Found "true" in references for A/a and ${second}`,
      ),
    ],
    [
      'finalizers that contradict each other',
      { ...good, finalizers: ['orphan', 'foregroundDeletion', 'a b'] },
      [
        `finalizers: Invalid value: "a b": ${name}`,
        'finalizers: Invalid value: ["orphan","foregroundDeletion","a b"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ])('%s', (_, meta, errors) => {
    expect(validateObjectMeta(meta, true, nameIsDnsSubdomain, path).map(String)).toEqual(
      errors.map((error) => `metadata.${error}`),
    );
  });

  it('forbids a namespace on kinds that have none', () => {
    expect(validateObjectMeta({ name: 'x' }, false, nameIsDnsSubdomain, path)).toEqual([]);
    expect(validateObjectMeta(good, false, nameIsDnsSubdomain, path).map(String)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  it('can ignore generateName', () => {
    const validate = (meta: ObjectMeta) =>
      validateObjectMetaWithOpts(
        meta,
        true,
        (namePath, value) => isDns1123Label(value).map((message) => invalid(namePath, value, message)),
        path,
      ).map(String);
    expect(validate({ ...good, generateName: 'X_' })).toEqual([]);
    expect(validate({ ...good, name: 'a.b' })).toEqual(['metadata.name: Invalid value: "a.b": must not contain dots']);
    expect(validate({ generateName: 'x-', namespace: 'ns' })).toEqual([
      'metadata.name: Internal error: generateName was specified ("x-"), but no name was generated',
      'metadata.name: Required value: name or generateName is required',
    ]);
  });
});

describe('validateAnnotations', () => {
  it('limits all of them together to 256 KiB', () => {
    const annotations = (bytes: number) => ({ a: 'é'.repeat(1000), b: 'x'.repeat(bytes - 2002) });
    expect(validateAnnotations(annotations(256 * 1024), path)).toEqual([]);
    expect(validateAnnotations(annotations(256 * 1024 + 1), path).map(String)).toEqual([
      'metadata: Too long: may not be more than 262144 bytes',
    ]);
  });
});

describe('validateManagedFields', () => {
  it('checks operation, type, manager and subresource', () => {
    const entries = [
      { operation: 'Merge', fieldsType: 'V2', manager: 'a\tb', subresource: 's'.repeat(257) },
      { operation: 'Apply', fieldsType: 'FieldsV1', manager: 'm', subresource: 'status' },
      {},
    ];
    expect(validateManagedFields(entries, path).map(String)).toEqual([
      'metadata[0].operation: Invalid value: "Merge": must be `Apply` or `Update`',
      'metadata[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      'metadata[0].manager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)',
      'metadata[0].subresource: Too long: may not be more than 256 bytes',
      'metadata[2].operation: Invalid value: "": must be `Apply` or `Update`',
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const created = '2024-01-01T00:00:00Z';
  const old: ObjectMeta = { ...good, uid: '1', resourceVersion: '5', generation: 3, creationTimestamp: created };
  const deleted: ObjectMeta = { ...old, deletionTimestamp: created, deletionGracePeriodSeconds: 0, finalizers: ['a'] };

  it.each<[why: string, newMeta: ObjectMeta, oldMeta: ObjectMeta, errors: string[]]>([
    ['no change', old, old, []],
    ['finalizers on an object that is not being deleted', { ...old, finalizers: ['a b'] }, old, []],
    ['finalizers removed from an object being deleted', { ...deleted, finalizers: [] }, deleted, []],
    [
      'finalizers added to an object being deleted',
      { ...deleted, finalizers: ['c', 'b', 'a', 'b'] },
      deleted,
      [
        'finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b", "c"}',
      ],
    ],
    [
      'no resourceVersion, and a lower generation',
      { ...old, resourceVersion: '', generation: 2 },
      old,
      [
        'resourceVersion: Invalid value: "": must be specified for an update',
        'generation: Invalid value: 2: must not be decremented',
      ],
    ],
    [
      'a changed identity',
      { ...deleted, name: 'y', namespace: undefined, uid: '2', creationTimestamp: '2024-01-02T00:00:00Z' },
      old,
      [
        'name: Invalid value: "y": field is immutable',
        'namespace: Invalid value: "": field is immutable',
        'uid: Invalid value: "2": field is immutable',
        'creationTimestamp: Invalid value: "2024-01-02T00:00:00Z": field is immutable',
        'deletionTimestamp: Invalid value: "2024-01-01T00:00:00Z": field is immutable',
        'deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
      ],
    ],
    [
      'a reverted deletion',
      { ...old, creationTimestamp: undefined },
      deleted,
      ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'].map(
        (field) => `${field}: Invalid value: null: field is immutable`,
      ),
    ],
    [
      'bad labels and annotations',
      { ...old, labels: { '-': 'x' }, annotations: { '-': 'x' } },
      old,
      [`labels: Invalid value: "-": ${name}`, `annotations: Invalid value: "-": ${name}`],
    ],
  ])('%s', (_, newMeta, oldMeta, errors) => {
    expect(validateObjectMetaUpdate(newMeta, oldMeta, path).map(String)).toEqual(
      errors.map((error) => `metadata.${error}`),
    );
  });
});
