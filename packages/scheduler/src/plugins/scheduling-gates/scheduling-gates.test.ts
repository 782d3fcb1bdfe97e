import type { Pod } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { schedulingGates } from './index.ts';

const plugin = schedulingGates.create(undefined, fakeHandle());
const pod = (uid: string, ...gates: string[]): Pod => ({
  metadata: { name: uid, uid },
  spec: { containers: [], schedulingGates: gates.map((name) => ({ name })) },
});

it('a pod with gates is rejected with their names', () => {
  const status = plugin.preEnqueue?.(pod('a', 'example.com/one', 'two'));
  expect(status?.code).toBe('UnschedulableAndUnresolvable');
  expect(status?.message).toBe('waiting for scheduling gates: [example.com/one two]');
});

it('a pod without gates is accepted', () => {
  expect(plugin.preEnqueue?.(pod('a'))).toBeUndefined();
  expect(plugin.preEnqueue?.({ metadata: { name: 'a' } })).toBeUndefined();
});

it('a pod is queued when its own last gate is removed', () => {
  const [registered] = plugin.eventsToRegister?.() ?? [];
  expect(registered?.hint?.(pod('a', 'x'), pod('a', 'x'), pod('a'))).toBe('Queue');
  expect(registered?.hint?.(pod('a', 'x'), pod('b', 'x'), pod('b'))).toBe('Skip');
});
