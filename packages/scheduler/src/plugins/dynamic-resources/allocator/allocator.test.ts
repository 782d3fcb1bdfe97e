import type { Node } from '@coxswain/api/core/v1';
import type { Device, DeviceConstraint, DeviceRequest, ResourceClaim, ResourceSlice } from '@coxswain/api/resource/v1';
import { DeviceSelectors } from '@coxswain/cel/device';
import { describe, expect, it } from 'vitest';
import recorded from '../../testdata/upstream-device-allocations.json' with { type: 'json' };
import { Allocator } from './allocator.ts';
import { DeviceMatches } from './device-matches.ts';
import { allocatedDevices, answer, type RecordedAllocation } from './recorded-allocations.test-data.ts';
import { SliceIndex } from './slice-index.ts';

const matches = new DeviceMatches(new DeviceSelectors(100));
const cases = recorded as unknown as readonly RecordedAllocation[];

describe('recorded allocations of upstream', () => {
  it('are reproduced with the same devices and messages', () => {
    const differing = cases.filter((each) => {
      const { result, error } = each;
      try {
        expect(answer(each, matches)).toEqual({ ...(result && { result }), ...(error && { error }) });
        return false;
      } catch {
        return true;
      }
    });
    expect(differing.map((each) => ({ theirs: each.result ?? each.error, ours: answer(each, matches) }))).toEqual([]);
    expect(cases.filter(({ result }) => result).length).toBeGreaterThan(100);
  });
});

describe('a search', () => {
  const node: Node = { metadata: { name: 'n' } };
  const slice = (...devices: Device[]): ResourceSlice => ({
    metadata: { name: 's' },
    spec: { driver: 'd', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices },
  });
  const numa = (name: string, int: number): Device => ({ name, attributes: { numa: { int } } });
  const request = (name: string, count: number): DeviceRequest => ({
    name,
    exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count },
  });
  const claim = (requests: DeviceRequest[], ...constraints: DeviceConstraint[]): ResourceClaim => ({
    metadata: { namespace: 'ns', name: 'claim' },
    spec: { devices: { requests, constraints } },
  });
  const chosen = (devices: Device[], wanted: ResourceClaim, onStep?: () => void): string[] | undefined => {
    const allocator = new Allocator({
      slices: new SliceIndex([slice(...devices)]),
      allocated: allocatedDevices({}),
      deviceClass: (name) => ({ metadata: { name }, spec: {} }),
      matches: () => true,
      newShareID: () => 'share',
      ...(onStep && { onStep }),
    });
    const [result] = allocator.allocate(node, [wanted])?.() ?? [];
    return result?.devices?.results?.map(({ device }) => device);
  };

  it('backtracks from a choice that cannot succeed', () => {
    const devices = [numa('a', 0), numa('b', 1), numa('c', 1)];
    expect(chosen(devices, claim([request('r', 2)], { matchAttribute: 'd/numa' }))).toEqual(['b', 'c']);
  });

  it('undoes rejected choices completely', () => {
    const devices = [numa('a', 0), numa('b', 1), numa('c', 0), numa('d', 1), numa('e', 1)];
    const wanted = claim([request('r', 1), request('s', 2)], { matchAttribute: 'd/numa' });
    expect(chosen(devices, wanted)).toEqual(['b', 'd', 'e']);
    expect(chosen(devices, claim([request('r', 4)], { matchAttribute: 'd/numa' }))).toBeUndefined();
  });

  it('takes no device twice', () => {
    expect(chosen([numa('a', 0), numa('b', 0)], claim([request('r', 1), request('s', 1)]))).toEqual(['a', 'b']);
    expect(chosen([numa('a', 0)], claim([request('r', 1), request('s', 1)]))).toBeUndefined();
  });

  it('can be aborted by onStep', () => {
    const devices = Array.from({ length: 30 }, (_, i) => numa(`d-${i}`, i % 7));
    let steps = 0;
    const stop = (): void => {
      if (++steps > 1000) throw new Error('enough');
    };
    expect(() => chosen(devices, claim([request('r', 10), request('s', 21)]), stop)).toThrow('enough');
  });
});
