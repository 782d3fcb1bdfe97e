import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../meta/index.ts';
import { fieldPath } from './path-element.ts';
import { ScaleHandler } from './scale-handler.ts';

const time = '2020-01-01T00:00:00Z';
const entry = (text: string, ...fields: string[]): ManagedFieldsEntry => {
  const [manager, operation, apiVersion, subresource] = text.split(' ');
  return {
    manager,
    operation: operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion,
    ...(text.includes('timed') ? { time } : {}),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) },
    ...(subresource === 'scale' ? { subresource } : {}),
  };
};

// The expectations are the results of upstream's handler for the same entries.
describe('managedFields of a scaled object', () => {
  const handler = new ScaleHandler(
    [
      entry('a Apply apps/v1 timed', 'paused', 'replicas'),
      entry('u Update apps/v1 timed', 'replicas', 'selector'),
      entry('s Update apps/v1 scale', 'replicas'),
      entry('old Update extensions/v1', 'replicas'),
      entry('cr Update apps/v0', 'replicas'),
    ],
    'apps/v1',
    new Map([
      ['apps/v1', fieldPath('spec', 'replicas')],
      ['apps/v0', null],
    ]),
  );
  const subresource = [
    entry('a Apply autoscaling/v1 timed', 'replicas'),
    entry('s Update autoscaling/v1 scale', 'replicas'),
    entry('u Update autoscaling/v1 timed', 'replicas'),
  ];

  it('become entries of the owners of the replicas', () => {
    expect(handler.toSubresource()).toEqual(subresource);
  });

  const added = entry('new Update autoscaling/v1 scale', 'replicas');
  const cases: Record<string, [scale: ManagedFieldsEntry[], parent: ManagedFieldsEntry[]]> = {
    'when all owners keep the replicas': [
      subresource,
      [
        entry('a Apply apps/v1 timed', 'paused', 'replicas'),
        entry('cr Update apps/v0', 'replicas'),
        entry('new Update apps/v1 scale', 'replicas'),
        entry('s Update apps/v1 scale', 'replicas'),
        // Upstream splits an updater's entry, because its identity in the Scale has another version.
        entry('u Update apps/v1', 'replicas'),
        entry('u Update apps/v1 timed', 'selector'),
      ],
    ],
    'when only an Apply entry keeps the replicas': [
      subresource.slice(0, 1),
      [
        entry('a Apply apps/v1 timed', 'paused', 'replicas'),
        entry('cr Update apps/v0', 'replicas'),
        entry('new Update apps/v1 scale', 'replicas'),
        entry('u Update apps/v1 timed', 'selector'),
      ],
    ],
    'when no owner keeps the replicas': [
      [],
      [
        entry('a Apply apps/v1 timed', 'paused'),
        entry('cr Update apps/v0', 'replicas'),
        entry('new Update apps/v1 scale', 'replicas'),
        entry('u Update apps/v1 timed', 'selector'),
      ],
    ],
  };
  it.each(Object.entries(cases))('are translated back %s', (_, [scale, parent]) => {
    expect(handler.toParent([...scale, added])).toEqual(parent);
  });
});
