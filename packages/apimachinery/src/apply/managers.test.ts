import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../meta/index.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { decodeManagedFields, encodeManagedFields, type FieldsOwner, ownerIdentity } from './managers.ts';

const entry = (more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:a': {} },
  ...more,
});

describe('the identity of an owner', () => {
  const identity = (more: Partial<FieldsOwner>): string =>
    ownerIdentity({ manager: 'm', operation: 'Update', apiVersion: 'v1', subresource: '', ...more });

  it('is the same text as upstream', () => {
    expect(identity({})).toBe('{"manager":"m","operation":"Update","apiVersion":"v1"}');
    expect(identity({ manager: '', subresource: 'status' })).toBe(
      '{"operation":"Update","apiVersion":"v1","subresource":"status"}',
    );
    expect(identity({ manager: '<' })).toBe('{"manager":"\\u003c","operation":"Update","apiVersion":"v1"}');
  });

  it('has no version for operation Apply', () => {
    expect(identity({ operation: 'Apply' })).toBe(identity({ operation: 'Apply', apiVersion: 'v2' }));
    expect(identity({})).not.toBe(identity({ apiVersion: 'v2' }));
  });
});

describe('entries', () => {
  it('are sorted by operation, time, manager, version and subresource', () => {
    const sorted = [
      entry({ manager: 'z', operation: 'Apply' }),
      entry({ manager: 'b', operation: 'Apply', time: '2001-01-01T00:00:00Z' }),
      entry({ manager: 'a', operation: 'Apply', time: '2001-01-01T00:00:01Z' }),
      entry({ manager: 'a', time: '2001-01-01T00:00:00Z' }),
      entry({ manager: 'a', time: '2001-01-01T00:00:00Z', subresource: 'status' }),
      entry({ manager: 'a', apiVersion: 'v2', time: '2001-01-01T00:00:00Z' }),
      entry({ manager: 'b', time: '2001-01-01T00:00:00Z' }),
    ];
    expect(encodeManagedFields(decodeManagedFields([...sorted].reverse()))).toEqual(sorted);
  });

  it('have their fields in wire order, without empty ones', () => {
    const [written] = encodeManagedFields(decodeManagedFields([entry({ manager: '', subresource: '' })])) ?? [];
    expect(JSON.stringify(written)).toBe(
      '{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}',
    );
  });

  it('are undefined when there are no owners', () => {
    expect(encodeManagedFields(decodeManagedFields([]))).toBeUndefined();
  });

  const invalid: Record<string, [more: Partial<ManagedFieldsEntry>, message: string]> = {
    'no operation': [{ operation: undefined }, 'operation must be `Apply` or `Update`'],
    'no version': [{ apiVersion: '' }, 'apiVersion must not be empty'],
    'no fieldsType': [{ fieldsType: undefined }, 'missing fieldsType in managed fields entry 1'],
    'another fieldsType': [{ fieldsType: 'V2' }, 'invalid fieldsType "V2" in managed fields entry 1'],
    'other fields': [
      { fieldsV1: { a: {} } },
      'error decoding versioned set from "m": error decoding set: key must be 2 characters long:',
    ],
  };
  it.each(Object.entries(invalid))('with %s are invalid', (_, [more, message]) => {
    expect(() => decodeManagedFields([entry({}), entry(more)])).toThrow(expect.objectContaining({ message }));
  });
});

describe('capping', () => {
  const updaters = (
    count: number,
    more: (i: number) => Partial<ManagedFieldsEntry> = () => ({}),
  ): ManagedFieldsEntry[] =>
    Array.from({ length: count }, (_, i) =>
      entry({ manager: `m${i}`, time: `2001-01-01T00:00:${10 + i}Z`, fieldsV1: { [`f:${i}`]: {} }, ...more(i) }),
    );
  const capped = (entries: ManagedFieldsEntry[], max?: number): ManagedFieldsEntry[] =>
    encodeManagedFields(capUpdateManagers(decodeManagedFields(entries), max)) ?? [];

  it('keeps ten Update entries, and any number of Apply entries', () => {
    const entries = [...updaters(12, () => ({ operation: 'Apply' })), ...updaters(10)];
    expect(capped(entries)).toEqual(entries);
  });

  it('merges the oldest entries and keeps the latest of their times', () => {
    const entries = capped(updaters(12));
    expect(entries).toHaveLength(10);
    expect(entries[0]).toEqual(
      entry({
        manager: 'ancient-changes',
        time: '2001-01-01T00:00:12Z',
        fieldsV1: { 'f:0': {}, 'f:1': {}, 'f:2': {} },
      }),
    );
  });

  it('merges only entries of the same version', () => {
    const entries = capped(
      updaters(5, (i) => ({ apiVersion: i === 0 ? 'v2' : 'v1' })),
      3,
    );
    expect(entries.map(({ manager }) => manager)).toEqual(['m0', 'ancient-changes', 'm4']);
    expect(
      capped(
        updaters(3, (i) => ({ apiVersion: `v${i}` })),
        1,
      ),
    ).toHaveLength(3);
  });
});
