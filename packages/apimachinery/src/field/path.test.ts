import { expect, it } from 'vitest';
import { Path } from './path.ts';

it.each<[text: string, path: Path]>([
  ['spec', Path.of('spec')],
  ['spec.template.spec', Path.of('spec', 'template', 'spec')],
  [
    'spec.containers[0].env[10].name',
    Path.of('spec').child('containers').index(0).child('env').index(10).child('name'),
  ],
  ['metadata.annotations[a.b/c]', Path.of('metadata', 'annotations').key('a.b/c')],
  ['metadata.labels[0]', Path.of('metadata', 'labels').key('0')],
  ['spec.a.b.c', Path.of('spec').child('a', 'b', 'c')],
  ['name', Path.of('').child('name')],
  ['[3].name', Path.of('').index(3).child('name')],
  ['', Path.of('')],
])('%s', (text, path) => {
  expect(path.toString()).toBe(text);
});

it('is not changed by creating paths from it', () => {
  const spec = Path.of('spec');
  const volumes = spec.child('volumes');
  expect([volumes.index(1), volumes.index(2).child('name'), spec].map(String)).toEqual([
    'spec.volumes[1]',
    'spec.volumes[2].name',
    'spec',
  ]);
});

it('has a root', () => {
  expect(Path.of('spec', 'volumes').index(1).child('name').root().toString()).toBe('spec');
});
