import { expect, it } from 'vitest';
import { frozen } from './kinds.test-data.ts';
import { keepTimesOfNoop } from './noop-times.ts';

const object = (time: string | undefined, replicas = 1, manager = 'm') =>
  frozen({
    metadata: {
      name: 'x',
      managedFields: [
        {
          manager,
          operation: 'Apply' as const,
          ...(time ? { time } : {}),
          fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        },
      ],
    },
    spec: { replicas },
  });

it('restores the old times when only the times changed', () => {
  expect(keepTimesOfNoop(object('2001-01-02T00:00:00Z'), object('2001-01-01T00:00:00Z'))).toEqual(
    object('2001-01-01T00:00:00Z'),
  );
});

it('keeps the new times otherwise', () => {
  const old = object('2001-01-01T00:00:00Z');
  const changed = [
    object('2001-01-02T00:00:00Z', 2),
    object('2001-01-02T00:00:00Z', 1, 'other'),
    object('2001-01-01T00:00:00Z', 2),
    { metadata: { name: 'x' }, spec: { replicas: 1 } },
  ];
  for (const next of changed) expect(keepTimesOfNoop(next, old)).toBe(next);
});
