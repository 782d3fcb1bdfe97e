import { describe, expect, it } from 'vitest';
import { nameOfCgroup, newCgroupName, pathOfCgroup, sliceOf } from './cgroup-name.ts';
import { cpuSharesOf, cpuWeightOf } from './cpu-weight.ts';
import { hugePageUnit } from './huge-page-limits.ts';

const pod = ['kubepods', 'burstable', 'pod1234-abcd-5678-efgh'];
const slices = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_abcd_5678_efgh.slice';

describe('names of cgroups', () => {
  it.each([
    ['cgroupfs', pod, '/kubepods/burstable/pod1234-abcd-5678-efgh'],
    ['cgroupfs', [], '/'],
    ['systemd', pod, slices],
    ['systemd', ['kubepods'], '/kubepods.slice'],
    ['systemd', [], '/'],
    ['systemd', ['sub-root', 'kubepods'], '/sub_root.slice/sub_root-kubepods.slice'],
  ] as const)('with driver %s, %j is %s, and back', (driver, name, path) => {
    expect(pathOfCgroup(name, driver)).toBe(path);
    expect(nameOfCgroup(path, driver)).toEqual(name);
  });

  it('a slice knows the unit that it is in', () => {
    expect(sliceOf(pod)).toMatchObject({
      unit: 'kubepods-burstable-pod1234_abcd_5678_efgh.slice',
      parent: 'kubepods-burstable.slice',
    });
    expect(sliceOf(['kubepods']).parent).toBe('-.slice');
  });

  it.each(['', '.', '..', 'a/b', 'a_b', '/', 'a\0'])('refuse %j', (component) => {
    expect(() => newCgroupName(['kubepods'], component)).toThrow('invalid character in component');
    expect(() => pathOfCgroup(['kubepods', component], 'cgroupfs')).toThrow('invalid character in component');
  });
});

it.each([
  [0, 1],
  [2, 1],
  [102, 4],
  [1024, 39],
  [2048, 79],
  [262144, 10000],
  [999999, 10000],
])('%i shares are the weight %i', (shares, weight) => {
  expect(cpuWeightOf(shares)).toBe(weight);
});

it('a weight is shares again', () => {
  expect([1, 39, 10000].map(cpuSharesOf)).toEqual([2, 998, 262144]);
});

it.each([
  [64 * 1024, '64KB'],
  [2 ** 21, '2MB'],
  [2 ** 30, '1GB'],
  [16 * 2 ** 30, '16GB'],
])('pages of %i bytes are %s', (bytes, unit) => {
  expect(hugePageUnit(bytes)).toBe(unit);
});
