import { expect, it } from 'vitest';
import { CycleState, StateKey } from './cycle-state.ts';

const shared = new StateKey<string[]>('shared');
const copied = new StateKey<string[]>('copied', (value) => [...value]);
const added = new StateKey<string>('added');

it('a write to a state or its copy does not affect the other', () => {
  const state = new CycleState();
  state.set(shared, ['s']);
  state.set(copied, ['c']);
  const copy = state.clone();
  const copyOfCopy = copy.clone();
  copy.get(copied).push('in the copy');
  copy.set(added, 'to the copy');
  state.set(added, 'to the state');
  state.delete(shared);
  expect([state, copy, copyOfCopy].map((each) => [each.find(shared), each.get(copied), each.find(added)])).toEqual([
    [undefined, ['c'], 'to the state'],
    [['s'], ['c', 'in the copy'], 'to the copy'],
    [['s'], ['c'], undefined],
  ]);
  expect(copyOfCopy.get(shared)).toBe(copy.get(shared));
});

it('a copy of a state without cloned values is just as independent', () => {
  const state = new CycleState();
  state.set(shared, ['s']);
  const copies = [state.clone(), state.clone()];
  copies[0]!.delete(shared);
  state.set(added, 'a');
  expect([state, ...copies].map((each) => [each.find(shared), each.find(added)])).toEqual([
    [['s'], 'a'],
    [undefined, undefined],
    [['s'], undefined],
  ]);
  expect(() => copies[0]!.get(shared)).toThrow('reading "shared" from cycleState: not found');
});
