import type { StorageVersionMigration } from '@coxswain/api/storagemigration/v1beta1';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions, type MigrationCondition, schedule, withCondition } from './migration.ts';

const migration = (name: string, age: number, ...conditions: MigrationCondition[]): StorageVersionMigration => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${9 - age}Z` },
  spec: { resource: { group: '', resource: 'pods' } },
  status: {
    conditions: conditions.map((type) => ({
      type,
      status: 'True',
      reason: 'r',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  },
});

describe('schedule', () => {
  const cases: Record<string, [StorageVersionMigration[], finished: string[], next?: string]> = {
    'selects nothing without migrations': [[], []],
    'selects the oldest': [[migration('a', 1), migration('b', 3), migration('c', 2)], [], 'b'],
    'selects by name at the same age': [[migration('b', 1), migration('a', 1)], [], 'a'],
    'selects nothing while one is running': [[migration('a', 2), migration('b', 1, 'Running')], []],
    'selects the next when one has succeeded': [
      [migration('a', 2, 'Running', 'Succeeded'), migration('b', 1)],
      ['a'],
      'b',
    ],
    'selects the next when one has failed': [[migration('a', 2, 'Running', 'Failed'), migration('b', 1)], ['a'], 'b'],
    'does not select finished ones': [[migration('a', 2, 'Succeeded'), migration('b', 1, 'Failed')], []],
  };
  it.each(Object.entries(cases))('%s', (_, [migrations, finished, next]) => {
    const turn = schedule(migrations);
    expect([turn.finished.map(({ metadata }) => metadata.name), turn.next?.metadata.name]).toEqual([finished, next]);
  });
});

it('withCondition adds a condition once', () => {
  const at = { reason: 'x', message: 'y', nowMs: 0 };
  const running = withCondition(migration('a', 1), 'Running', at);
  expect(running.status?.conditions).toEqual([
    { type: 'Running', status: 'True', reason: 'x', message: 'y', lastTransitionTime: '1970-01-01T00:00:00Z' },
  ]);
  expect(withCondition(running, 'Running', { ...at, reason: 'z' })).toBe(running);
});

it('compareResourceVersions compares numbers of any length', () => {
  expect(compareResourceVersions('9', '10')).toBeLessThan(0);
  expect(compareResourceVersions('123456789012345678901', '123456789012345678900')).toBeGreaterThan(0);
  expect(compareResourceVersions('7', '7')).toBe(0);
  for (const bad of ['', '0', '01', '1a', '-1']) {
    expect(() => compareResourceVersions('1', bad)).toThrow(`resource version is not well formed: ${bad}`);
  }
});
