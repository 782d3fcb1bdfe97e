import type { Pod } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { schedulingGates } from './index.ts';

const plugin = schedulingGates.create(undefined, fakeHandle());
const pod = (uid: string, ...gates: string[]): Pod => ({
  metadata: { name: uid, uid },
  spec: { containers: [], schedulingGates: gates.map((name) => ({ name })) },
});

it('a pod with gates waits outside, and says for which', () => {
  const status = plugin.preEnqueue?.(pod('a', 'example.com/one', 'two'));
  expect(status?.code).toBe('UnschedulableAndUnresolvable');
  expect(status?.message).toBe('waiting for scheduling gates: [example.com/one two]');
});

it('a pod without gates comes in', () => {
  expect(plugin.preEnqueue?.(pod('a'))).toBeUndefined();
  expect(plugin.preEnqueue?.({ metadata: { name: 'a' } })).toBeUndefined();
});

it('a pod is worth a try when its own last gate goes', () => {
  const [registered] = plugin.eventsToRegister?.() ?? [];
  expect(registered?.hint?.(pod('a', 'x'), pod('a', 'x'), pod('a'))).toBe('Queue');
  expect(registered?.hint?.(pod('a', 'x'), pod('b', 'x'), pod('b'))).toBe('Skip');
});
