import { expect, it } from 'vitest';
import { run } from './main.ts';

it('finds pods by namespace and by node', () => {
  expect(run()).toEqual([
    'in default: a, b',
    'on node2: b, c',
    'keys on node2: default/b, kube-system/c',
    'nodes with pods: node1, node2',
    'on node1, after b moved there: a, b',
    'nodes with pods, after c is gone: node1',
  ]);
});
