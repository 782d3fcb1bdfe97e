import type { Node } from '@coxswain/api/core/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';
import { expect, it } from 'vitest';
import { ImageStates } from './cache/image-states.ts';
import { CycleState } from './framework/cycle-state.ts';
import { PodInfo } from './framework/pod-info.ts';
import { SliceIndex } from './plugins/dynamic-resources/allocator/slice-index.ts';
import { fakeHandle } from './plugins/fake-handle.test-data.ts';
import { taintToleration } from './plugins/taint-toleration/index.ts';

/** An int64 field as a client decodes it: above 2^53 it is a bigint at run time, although its type is number. */
const int64 = (digits: string): number => readJson(digits) as number;

it('converts the size of an image to a number, however large it is', () => {
  const images = [{ names: ['i'], sizeBytes: int64('9223372036854775807') }];
  const states = new ImageStates().add({ metadata: { name: 'n' }, status: { images } });
  expect(states.get('i')).toEqual({ size: 2 ** 63, nodes: 1 });
});

it('compares generations of a pool exactly', () => {
  const node: Node = { metadata: { name: 'n' } };
  const slices = ['9007199254740993', '9007199254740995', '7'].map(
    (generation): ResourceSlice => ({
      metadata: { name: generation },
      spec: {
        driver: 'd',
        pool: { name: 'p', generation: int64(generation), resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: `of-${generation}` }],
      },
    }),
  );
  const { devices } = new SliceIndex(slices).poolsOf(node);
  expect(devices.map(({ id }) => String(id))).toEqual([expect.stringContaining('of-9007199254740995')]);
});

it('distinguishes pods by tolerationSeconds exactly', () => {
  const plugin = taintToleration.create(undefined, fakeHandle());
  const signed = ['9007199254740993', '9007199254740995'].map((seconds) => {
    const tolerations = [{ key: 'a', tolerationSeconds: int64(seconds) }];
    const pod = new PodInfo({ metadata: {}, spec: { containers: [], tolerations } });
    return plugin.signPod?.(new CycleState(), pod);
  });
  expect(signed[0]).toContain('9007199254740993');
  expect(signed[0]).not.toBe(signed[1]);
});
