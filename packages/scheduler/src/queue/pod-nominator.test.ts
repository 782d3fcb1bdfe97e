import { expect, it } from 'vitest';
import { PodInfo } from '../framework/pod-info.ts';
import { PodNominator } from './pod-nominator.ts';
import { newPod, type PodOptions } from './queue.test-data.ts';

const info = (name: string, options?: PodOptions): PodInfo => new PodInfo(newPod(name, options));
const names = (nominator: PodNominator, node: string): string[] =>
  nominator.nominatedPods(node).map(({ pod }) => pod.metadata.name ?? '');

it('promises a pod one place: the one it is told, or the pod’s own', () => {
  const nominator = new PodNominator(() => true);
  nominator.addNominatedPod(info('a', { nominated: 'n1' }));
  nominator.addNominatedPod(info('b'), 'n1');
  nominator.addNominatedPod(info('c'));
  const read = nominator.nominatedPods('n1');
  expect(names(nominator, 'n1')).toEqual(['a', 'b']);
  nominator.addNominatedPod(info('a', { nominated: 'n1' }), 'n2');
  expect([names(nominator, 'n1'), names(nominator, 'n2')]).toEqual([['b'], ['a']]);
  // Who reads a list may go on reading it.
  expect(read).toHaveLength(2);
  nominator.addNominatedPod(info('b'), '');
  nominator.deleteNominatedPod(newPod('a'));
  nominator.deleteNominatedPod(newPod('unknown'));
  expect([names(nominator, 'n1'), names(nominator, 'n2')]).toEqual([[], []]);
});

it('promises nothing to a pod that does not wait any more', () => {
  const nominator = new PodNominator((pod) => pod.metadata.name !== 'gone');
  nominator.addNominatedPod(info('gone'), 'n1');
  expect(names(nominator, 'n1')).toEqual([]);
});

it.each<[string, PodOptions, PodOptions, string | undefined]>([
  ['keeps a promise of which the API server does not know yet', {}, {}, 'n1'],
  ['takes over what the pod says first', {}, { nominated: 'n2' }, 'n2'],
  ['takes over what the pod says now', { nominated: 'n1' }, { nominated: 'n2' }, 'n2'],
  ['takes back what the pod does not say any more', { nominated: 'n1' }, {}, undefined],
])('after an update it %s', (_, before, after, expected) => {
  const nominator = new PodNominator(() => true);
  nominator.addNominatedPod(info('a', before), 'n1');
  const updated = info('a', { ...after, labels: { new: 'yes' } });
  nominator.updateNominatedPod(newPod('a', before), updated);
  for (const node of ['n1', 'n2']) expect(nominator.nominatedPods(node)).toEqual(node === expected ? [updated] : []);
});
