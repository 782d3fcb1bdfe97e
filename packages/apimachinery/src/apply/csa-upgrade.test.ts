import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../meta/index.ts';
import { findFieldsOwners, upgradeManagedFields, upgradeManagedFieldsPatch } from './csa-upgrade.ts';
import { FieldSet } from './field-set.ts';

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fieldsV1: ManagedFieldsEntry['fieldsV1'],
  more: ManagedFieldsEntry = {},
): ManagedFieldsEntry => ({ manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more });

const time = '2020-01-01T00:00:00Z';
const applied = entry('kubectl', 'Apply', { 'f:metadata': { 'f:labels': { 'f:a': {} } } });
const csa = entry('csa', 'Update', { 'f:data': { 'f:k': {} } }, { time });
const csaOfOtherVersion = entry('csa', 'Update', { 'f:data': { 'f:old': {} } }, { apiVersion: 'v2' });
const csaOfStatus = entry('csa', 'Update', { 'f:status': {} }, { subresource: 'status' });
const other = entry('other', 'Update', { 'f:data': { 'f:z': {} } });
const all = [applied, csa, csaOfOtherVersion, csaOfStatus, other];

// The expectations are the results of upstream's helper for the same entries.
describe('an upgrade from client-side to server-side apply', () => {
  const names = { csaManagers: ['csa'], ssaManager: 'kubectl' };
  const both = { 'f:data': { 'f:k': {} }, 'f:metadata': { 'f:labels': { 'f:a': {} } } };
  const cases: Record<
    string,
    [entries: ManagedFieldsEntry[] | undefined, subresource: string, upgraded: ManagedFieldsEntry[] | undefined]
  > = {
    'merges into an existing Apply entry': [all, '', [{ ...applied, fieldsV1: both }, csaOfStatus, other]],
    'turns the Update entry into an Apply entry': [
      all.slice(1),
      '',
      [{ ...csa, manager: 'kubectl', operation: 'Apply' }, csaOfStatus, other],
    ],
    'of a subresource leaves other entries unchanged': [
      [csa, csaOfStatus, other],
      'status',
      [csa, { ...csaOfStatus, manager: 'kubectl', operation: 'Apply' }, other],
    ],
    'of entries without one of client-side apply changes nothing': [[other], '', [other]],
    'of undefined is undefined': [undefined, '', undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [entries, subresource, upgraded]) => {
    expect(upgradeManagedFields(entries, { ...names, subresource })).toEqual(upgraded);
  });

  it('can be made by a JSON patch, which is undefined when there is nothing to upgrade', () => {
    const patch = upgradeManagedFieldsPatch({ metadata: { managedFields: [csa], resourceVersion: '7' } }, names);
    expect(patch).toEqual([
      { op: 'replace', path: '/metadata/managedFields', value: [{ ...csa, manager: 'kubectl', operation: 'Apply' }] },
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    ]);
    expect(upgradeManagedFieldsPatch({ metadata: { managedFields: [other] } }, names)).toBeUndefined();
  });
});

it('finds the owners of all given fields', () => {
  const unreadable = entry('x', 'Update', { nonsense: {} });
  const fields = FieldSet.of(['f:data', 'f:k']);
  expect(findFieldsOwners([unreadable, ...all], 'Update', fields)).toEqual([csa]);
  expect(findFieldsOwners(all, 'Apply', fields)).toEqual([]);
});
