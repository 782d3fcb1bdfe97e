import type { Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { volumeHandle } from '../../volumes/volume-handle.test-data.ts';
import { volumeRestrictions } from './index.ts';

const user = (name: string, namespace = 'x'): PodInfo => {
  const pod: Pod = {
    metadata: { name, namespace, uid: `${namespace}/${name}` },
    spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
  };
  return new PodInfo(pod);
};

describe('a ReadWriteOncePod claim', () => {
  const node = new NodeInfo({ metadata: { name: 'n' } });
  node.addPod(user('other'));
  const claim = {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'x' },
    spec: { accessModes: ['ReadWriteOncePod'] },
  };
  const plugin = volumeRestrictions.create(undefined, volumeHandle([node], [claim]).handle);
  const begun = () => {
    const state = new CycleState();
    expect(plugin.preFilter?.(state, user('new'), [node])).toBeUndefined();
    return state;
  };
  const isFree = (state: CycleState) => plugin.filter?.(state, user('new'), node) === undefined;

  it('is available only in a trial without the other pod', () => {
    const state = begun();
    const trial = state.clone();
    plugin.removePod?.(trial, user('new'), user('other'), node);
    expect(isFree(trial)).toBe(true);
    expect(isFree(state)).toBe(false);
    plugin.addPod?.(trial, user('new'), user('other'), node);
    expect(isFree(trial)).toBe(false);
  });

  it('is not the same as one of that name in another namespace', () => {
    const trial = begun().clone();
    plugin.removePod?.(trial, user('new'), user('other', 'y'), node);
    expect(isFree(trial)).toBe(false);
  });
});
