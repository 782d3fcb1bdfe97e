import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/index.ts';
import { LAST_APPLIED_CONFIG_ANNOTATION } from '../patch/last-applied.ts';
import { FieldManager, type FieldManagerOptions } from './field-manager.ts';
import { FieldSet } from './field-set.ts';
import { excludeFields } from './field-set-filter.ts';
import { deployment, frozen, widgetV1 } from './kinds.test-data.ts';
import { fieldPath } from './path-element.ts';
import { struct } from './schema-builder.test-data.ts';

const apiVersion = 'example.com/v1';
const kind = 'Widget';
let seconds = 0;

/** A FieldManager whose clock advances by a second with each write. */
const manager = (options: Partial<FieldManagerOptions> = {}): FieldManager =>
  new FieldManager({
    apiVersion,
    kind,
    versions: { schemaFor: (version) => (version === apiVersion ? widgetV1 : undefined), convert: (object) => object },
    emptyObject: () => ({ apiVersion, kind }),
    now: () => new Date(Date.UTC(2001, 0, 1) + 1000 * seconds++),
    ...options,
  });

type Widget = KubernetesObject & { spec?: unknown };
const widget = (spec?: unknown, metadata = {}): Widget =>
  frozen({ apiVersion, kind, metadata: { name: 'w', ...metadata }, ...(spec === undefined ? {} : { spec }) });
const stored = <T extends KubernetesObject>(object: T): T =>
  frozen({ ...object, metadata: { ...object.metadata, uid: 'u' } });
const entriesOf = (object: KubernetesObject): ManagedFieldsEntry[] => object.metadata?.managedFields ?? [];
const ownedBy = (object: KubernetesObject, name: string): unknown =>
  entriesOf(object).find((entry) => entry.manager === name)?.fieldsV1;

describe('a create', () => {
  it('gives the same managedFields as the general path of an update', () => {
    const spec = fc.record(
      { size: fc.nat(2), tags: fc.uniqueArray(fc.constantFrom('a', 'b')), any: fc.jsonValue({ maxDepth: 2 }) },
      { requiredKeys: [] },
    );
    const labels = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'));
    const emptyObjects = [undefined, () => ({ apiVersion, kind }), () => ({ apiVersion, kind, spec: { size: 0 } })];
    const filters = new Map([[apiVersion, excludeFields(FieldSet.of(fieldPath('spec', 'size')))]]);
    fc.assert(
      fc.property(
        fc.option(spec, { nil: undefined }),
        fc.option(labels, { nil: undefined }),
        fc.constantFrom(...emptyObjects),
        fc.boolean(),
        (spec, labels, emptyObject, filtered) => {
          const now = (): Date => new Date(0);
          const fields = manager({ now, ...(emptyObject && { emptyObject }), ...(filtered && { filters }) });
          const object = widget(JSON.parse(JSON.stringify(spec ?? null)) ?? undefined, labels && { labels });
          // An object with managedFields, even an empty list, takes the general path.
          const reset = widget(object.spec, { ...(labels && { labels }), managedFields: [] });
          expect(fields.update(undefined, object, 'alice')).toEqual(fields.update(undefined, reset, 'alice'));
        },
      ),
    );
  });
});

describe('an update', () => {
  it('owns the fields it changes and takes them from their previous owners', () => {
    const created = stored(manager().update(undefined, widget({ size: 1, tags: ['a'] }), 'alice'));
    const updated = manager().update(created, widget({ size: 2, tags: ['a'] }), 'bob');
    expect(ownedBy(created, 'alice')).toEqual({
      'f:spec': { '.': {}, 'f:size': {}, 'f:tags': { '.': {}, 'v:"a"': {} } },
    });
    expect(ownedBy(updated, 'alice')).toEqual({ 'f:spec': { '.': {}, 'f:tags': { '.': {}, 'v:"a"': {} } } });
    expect(ownedBy(updated, 'bob')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('by an existing owner keeps its fields, adds new ones and drops removed ones', () => {
    const created = stored(manager().update(undefined, widget({ size: 1, tags: ['a', 'b'] }), 'alice'));
    const updated = manager().update(created, widget({ size: 2, tags: ['b', 'c'] }), 'alice');
    expect(ownedBy(updated, 'alice')).toEqual({
      'f:spec': { '.': {}, 'f:size': {}, 'f:tags': { '.': {}, 'v:"b"': {}, 'v:"c"': {} } },
    });
    expect(entriesOf(updated)).toHaveLength(1);
    expect(entriesOf(updated)[0]?.time).not.toBe(entriesOf(created)[0]?.time);
  });

  it('drops fields that no manager can own from its own manager', () => {
    const created = manager().update(undefined, widget({ size: 1 }), 'alice');
    const [entry] = entriesOf(created);
    const claims = { ...entry, fieldsV1: { 'f:metadata': { 'f:generation': {} }, 'f:spec': { 'f:size': {} } } };
    const live = stored(widget({ size: 1 }, { generation: 1, managedFields: [claims] }));
    const updated = manager().update(live, widget({ size: 2 }, { generation: 2 }), 'alice');
    expect(ownedBy(updated, 'alice')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('that changes nothing keeps all times', () => {
    const created = stored(manager().update(undefined, widget({ size: 1 }), 'alice'));
    expect(entriesOf(manager().update(created, created, 'bob'))).toEqual(entriesOf(created));
  });

  it("is recorded as by 'unknown' when the manager is empty", () => {
    expect(entriesOf(manager().update(undefined, widget({ size: 1 }), ''))[0]?.manager).toBe('unknown');
  });

  it('that creates a built-in object owns no field that is always present', () => {
    const fieldManager = manager({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      emptyObject: undefined,
      versions: { schemaFor: () => deployment, convert: (object) => object },
    });
    const created = fieldManager.update(
      undefined,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: {}, spec: { containers: [{ name: 'c', resources: {} }] } },
          strategy: { rollingUpdate: { maxSurge: 1 } },
        },
        status: {},
      },
      'me',
    );
    expect(ownedBy(created, 'me')).toEqual({
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} } },
        'f:template': {
          'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {}, 'f:resources': {} } } },
        },
      },
    });
  });

  const created = stored(manager().update(undefined, widget({ size: 1 }), 'alice'));
  const reset: Record<string, unknown[]> = {
    'an empty list': [],
    'an empty entry': [{}],
    'an entry of empty values': [{ manager: '', time: null }],
  };
  it.each(Object.entries(reset))('with %s as managedFields clears them until the first apply', (_, managedFields) => {
    const cleared = manager().update(created, widget({ size: 2 }, { managedFields }), 'bob');
    expect(cleared.metadata).not.toHaveProperty('managedFields');
    const untracked = stored(manager().update(stored(cleared), widget({ size: 3 }), 'bob'));
    expect(untracked.metadata).not.toHaveProperty('managedFields');
    const applied = manager().apply(untracked, widget({ map: { a: 'b' } }), { manager: 'carol' });
    expect(ownedBy(applied, 'before-first-apply')).toEqual({ 'f:spec': { '.': {}, 'f:size': {} } });
    expect(ownedBy(applied, 'carol')).toEqual({ 'f:spec': { 'f:map': { 'f:a': {} } } });
  });

  const ignored: Record<string, unknown> = {
    undefined: undefined,
    null: null,
    'an entry of an unknown operation': [{ manager: 'x', operation: 'Delete', apiVersion, fieldsType: 'FieldsV1' }],
    'an entry of fields that cannot be decoded': [
      { manager: 'x', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: { x: {} } },
    ],
  };
  it.each(Object.entries(ignored))('with %s as managedFields keeps the live ones', (_, managedFields) => {
    expect(
      ownedBy(manager().update(created, widget({ size: 1, tags: ['a'] }, { managedFields }), 'bob'), 'alice'),
    ).toEqual(ownedBy(created, 'alice'));
  });

  it('may set managedFields, but not through a subresource', () => {
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    };
    const next = widget({ size: 1 }, { managedFields: [entry] });
    expect(entriesOf(manager().update(created, next, 'bob'))).toEqual([entry]);
    expect(entriesOf(manager({ subresource: 'status' }).update(created, next, 'bob'))).toEqual(entriesOf(created));
  });

  it('drops owners of versions that no longer exist', () => {
    const gone = {
      manager: 'x',
      operation: 'Apply',
      apiVersion: 'example.com/v0',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    };
    const next = manager().update(created, widget({ size: 2 }, { managedFields: [gone] }), 'bob');
    expect(entriesOf(next).map((entry) => entry.manager)).toEqual(['bob']);
  });

  it('that does not fit the schema throws, or loses managedFields with updateNoErrors', () => {
    const next = widget({ size: 'x' }, { managedFields: entriesOf(created) });
    expect(() => manager().update(created, next, 'bob')).toThrow('.spec.size: expected numeric');
    expect(manager().updateNoErrors(created, next, 'bob').metadata).toEqual({ name: 'w' });
  });

  it('of a kind without metadata returns the object unchanged', () => {
    const options = frozen({ apiVersion, kind, force: true });
    const versions = {
      schemaFor: () => struct({ apiVersion: 'string', kind: 'string', force: 'bool' }),
      convert: (object: unknown) => object,
    };
    expect(manager({ versions }).update(undefined, options, 'bob')).toBe(options);
  });
});

describe('an apply', () => {
  it('to an object whose managedFields cannot be decoded throws', () => {
    const live = stored(
      widget({}, { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion, fieldsType: 'FieldsV2' }] }),
    );
    expect(() => manager().apply(live, widget(), { manager: 'a' })).toThrow(
      'failed to decode managed fields: invalid fieldsType "FieldsV2" in managed fields entry 0',
    );
  });

  it('may modify the new object in `complete` without affecting later writes', () => {
    const fieldManager = manager({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      emptyObject: undefined,
      versions: { schemaFor: () => deployment, convert: (object) => object },
      complete: (object) => {
        Object.assign((object as { spec: object }).spec, { replicas: 1 });
        return object;
      },
    });
    const metadata = { name: 'd' };
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
    fieldManager.apply(undefined, applied, { manager: 'a' });
    const created = fieldManager.update(undefined, { ...applied, spec: { replicas: 1 } } as KubernetesObject, 'b');
    expect(ownedBy(created, 'b')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('passes the merged object to `complete`, and names the object when that throws', () => {
    const complete = (object: KubernetesObject): KubernetesObject => ({
      ...object,
      metadata: { ...object.metadata, labels: { d: 'e' } },
    });
    expect(manager({ complete }).apply(undefined, widget({ size: 1 }), { manager: 'a' }).metadata?.labels).toEqual({
      d: 'e',
    });
    const failing = (): never => {
      throw new Error('cannot convert float64 to int32');
    };
    expect(() => manager({ complete: failing }).apply(undefined, widget({ size: 1.5 }), { manager: 'a' })).toThrow(
      'failed to convert new object (/w; example.com/v1, Kind=Widget) to proper version: cannot convert float64 to int32',
    );
  });

  it('by kubectl drops the annotation of client-side apply when it would be too large', () => {
    const annotations = { [LAST_APPLIED_CONFIG_ANNOTATION]: 'x' };
    const live = stored(manager().update(undefined, widget({}, { annotations }), 'csa'));
    const large = widget({ map: { a: 'x'.repeat(256 * 1024) } });
    const small = widget({ map: { a: 'x' } });
    expect(manager().apply(live, small, { manager: 'kubectl' }).metadata?.annotations).toEqual({
      [LAST_APPLIED_CONFIG_ANNOTATION]:
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"map":{"a":"x"}}}\n',
    });
    expect(manager().apply(live, large, { manager: 'kubectl' }).metadata?.annotations).toEqual({});
    expect(manager().apply(live, large, { manager: 'other' }).metadata?.annotations).toEqual(annotations);
  });
});

describe('laws', () => {
  const word = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const maps = fc
    .array(fc.tuple(word, word), { minLength: 1, maxLength: 3 })
    .map((entries) => Object.fromEntries(entries));
  const specs = fc.record(
    {
      size: fc.nat(2),
      tags: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      atomicList: fc.array(word, { maxLength: 3 }),
      map: maps,
      atomicMap: maps,
      rows: fc.uniqueArray(fc.record({ id: fc.nat(2), v: word }, { requiredKeys: ['id'] }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ id }) => id,
      }),
      struct: fc.record(
        { p: word, q: fc.record({ r: word, s: fc.nat(2) }, { requiredKeys: ['r'] }) },
        { requiredKeys: ['p'] },
      ),
    },
    { requiredKeys: ['size'] },
  );
  const apply = (live: KubernetesObject | undefined, spec: unknown, name: string): KubernetesObject =>
    stored(manager().apply(live, widget(spec), { manager: name, force: true }));

  it('applying twice is applying once, times included', () => {
    fc.assert(
      fc.property(specs, specs, specs, (first, other, again) => {
        const once = apply(apply(apply(undefined, first, 'a'), other, 'b'), again, 'a');
        expect(apply(once, again, 'a')).toEqual(once);
      }),
    );
  });

  it('applying an empty configuration removes exactly the fields that no other manager owns', () => {
    fc.assert(
      fc.property(specs, specs, (mine, theirs) => {
        const both = apply(apply(undefined, theirs, 'b'), mine, 'a');
        const [a, b] = [both, both].map((object, i) => FieldSet.fromFieldsV1(ownedBy(object, i === 0 ? 'a' : 'b')));
        const without = apply(both, undefined, 'a');
        expect(ownedBy(without, 'a')).toBeUndefined();
        // When a took all of b's fields, b has no entry.
        expect(FieldSet.fromFieldsV1(ownedBy(without, 'b')).toString()).toBe(b?.toString());
        // Another manager applies what is left: it has all of b's fields and none that only a owned.
        const { spec: left = {} }: Widget = without;
        const rest = FieldSet.fromFieldsV1(ownedBy(apply(undefined, withoutNulls(left), 'c'), 'c'));
        expect(
          a
            ?.difference(b ?? FieldSet.empty)
            .leaves()
            .intersection(rest)
            .toString(),
        ).toBe('');
        expect(b?.leaves().difference(rest).toString()).toBe('');
      }),
    );
  });

  const withoutNulls = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, item) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).filter(([, child]) => child !== null))
        : item,
    );
});
