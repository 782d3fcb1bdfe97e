import { expect, it } from 'vitest';
import { run } from './main.ts';

it('converts from typed to generic and back, and copies deeply', () => {
  expect(run()).toEqual([
    'typed: image nginx:1.29',
    'generic: /v1, Kind=Pod, name=web, containers=1',
    'typed again: image nginx:1.29',
    'the same object all along: true',
    'nothing lost: true',
    'changes to a deep copy:',
    '  metadata.labels.app: "web" -> "db"',
    '  spec.containers[1]: + {"name":"sidecar","image":"busybox:1.37"}',
    'the original is as it was: true',
  ]);
});
