import { describe, expect, it } from 'vitest';
import type { Event } from '../../../generated/core/v1.ts';
import { eventStrategy } from './strategy.ts';

const event: Event = {
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', name: 'web' },
  reportingComponent: 'controller',
  reason: 'Started',
};
const select = (label: string, object: Event): string => eventStrategy.selectableFields![label]!(object);

describe('an event can be selected', () => {
  it.each([
    ['involvedObject.kind', 'Pod'],
    ['involvedObject.uid', ''],
    ['reason', 'Started'],
    ['reportingComponent', 'controller'],
    ['source', 'controller'],
    ['type', ''],
  ])('by %s', (label, value) => {
    expect(select(label, event)).toBe(value);
  });

  it('by its source, which precedes reportingComponent', () => {
    expect(select('source', { ...event, source: { component: 'kubelet' } })).toBe('kubelet');
  });
});
