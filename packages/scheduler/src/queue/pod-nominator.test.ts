import { expect, it } from 'vitest';
import { PodInfo } from '../framework/pod-info.ts';
import { PodNominator } from './pod-nominator.ts';
import { newPod, type PodOptions } from './queue.test-data.ts';

const info = (name: string, options?: PodOptions): PodInfo => new PodInfo(newPod(name, options));
const names = (nominator: PodNominator, node: string): string[] =>
  nominator.nominatedPods(node).map(({ pod }) => pod.metadata.name ?? '');

it('nominates a pod to one node: the given one, or the pod’s own', () => {
  const nominator = new PodNominator(() => true);
  nominator.addNominatedPod(info('a', { nominated: 'n1' }));
  nominator.addNominatedPod(info('b'), 'n1');
  nominator.addNominatedPod(info('c'));
  const read = nominator.nominatedPods('n1');
  expect(names(nominator, 'n1')).toEqual(['a', 'b']);
  nominator.addNominatedPod(info('a', { nominated: 'n1' }), 'n2');
  expect([names(nominator, 'n1'), names(nominator, 'n2')]).toEqual([['b'], ['a']]);
  // A list that was read before does not change.
  expect(read).toHaveLength(2);
  nominator.addNominatedPod(info('b'), '');
  nominator.deleteNominatedPod(newPod('a'));
  nominator.deleteNominatedPod(newPod('unknown'));
  expect([names(nominator, 'n1'), names(nominator, 'n2')]).toEqual([[], []]);
});

it('does not nominate a pod that does not wait any more', () => {
  const nominator = new PodNominator((pod) => pod.metadata.name !== 'gone');
  nominator.addNominatedPod(info('gone'), 'n1');
  expect(names(nominator, 'n1')).toEqual([]);
});

it.each<[string, PodOptions, PodOptions, string | undefined]>([
  ['keeps a nomination that is not in the pod’s status yet', {}, {}, 'n1'],
  ['uses a nomination that the status adds', {}, { nominated: 'n2' }, 'n2'],
  ['uses a nomination that the status changes', { nominated: 'n1' }, { nominated: 'n2' }, 'n2'],
  ['removes a nomination that the status removes', { nominated: 'n1' }, {}, undefined],
])('after an update it %s', (_, before, after, expected) => {
  const nominator = new PodNominator(() => true);
  nominator.addNominatedPod(info('a', before), 'n1');
  const updated = info('a', { ...after, labels: { new: 'yes' } });
  nominator.updateNominatedPod(newPod('a', before), updated);
  for (const node of ['n1', 'n2']) expect(nominator.nominatedPods(node)).toEqual(node === expected ? [updated] : []);
});
