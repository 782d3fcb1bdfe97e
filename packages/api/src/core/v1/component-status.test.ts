import { expect, it } from 'vitest';
import type { ComponentStatus } from '../../generated/core/v1.ts';
import { componentStatusStrategy } from './component-status.ts';

it.each([
  ['a healthy component', { type: 'Healthy', status: 'True', message: 'ok' }, ['c', 'Healthy', 'ok', '']],
  ['an unhealthy component', { type: 'Healthy', status: 'False', error: 'refused' }, ['c', 'Unhealthy', '', 'refused']],
  ['a component without a Healthy condition', { type: 'Other', status: 'True' }, ['c', 'Unknown', '', '']],
])('%s is printed', (_, condition, cells) => {
  const component: ComponentStatus = { metadata: { name: 'c' }, conditions: [condition] };
  expect(componentStatusStrategy.table!.row(component, { now: new Date(0) })).toEqual(cells);
});
