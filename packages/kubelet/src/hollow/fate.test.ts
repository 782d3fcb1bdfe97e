import type { Pod } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fate, fateOf, fateProblems, type ProbeScript, probeAt } from './fate.ts';
import { IpPool } from './ip-pool.ts';

const podWith = (script: Readonly<Record<string, string>>): Pod => ({
  metadata: {
    name: 'p',
    annotations: Object.fromEntries(
      Object.entries(script).map(([key, value]) => [`hollow.coxswain.dev/${key}`, value]),
    ),
  },
  spec: { containers: [{ name: 'web' }, { name: 'db' }] },
});

describe('annotations', () => {
  it.each<[Readonly<Record<string, string>>, Fate]>([
    [{}, {}],
    [
      { 'run-for': '1m30s', 'exit-code': '2' },
      { runForMs: 90_000, exitCode: 2 },
    ],
    [{ 'exit-code': '2', 'web.exit-code': '3', 'db.exit-code': '4' }, { exitCode: 3 }],
    [
      { 'web.logs': '', 'exit-times': '2' },
      { logs: '', exitTimes: 2 },
    ],
    [{ 'stop-delay': 'forever' }, { stopDelayMs: Number.POSITIVE_INFINITY }],
    [{ readiness: '10s' }, { readiness: { passes: 'after', ms: 10_000 } }],
    [
      { liveness: 'until 1s', startup: 'never' },
      { liveness: { passes: 'until', ms: 1000 }, startup: { passes: 'never' } },
    ],
    [{ 'image-pull': 'error' }, { imagePull: { failsForMs: undefined } }],
    [{ 'image-pull': 'error 5s' }, { imagePull: { failsForMs: 5000 } }],
    [{ 'image-pull': '2s' }, { imagePull: { takesMs: 2000 } }],
    [
      { cpu: '250m', memory: '1Mi' },
      { cpuNanoCores: 250e6, memoryBytes: 2 ** 20 },
    ],
    [{ 'exit-code': 'many', 'run-for': '1s' }, { runForMs: 1000 }],
  ])('%j', (script, fate) => {
    expect(fateOf(podWith(script).metadata.annotations, 'web')).toEqual(fate);
  });

  it.each([
    [{ 'exit-code': '256' }, '"256" is not valid: it must be a whole number from 0 to 255'],
    [{ 'web.run-for': '-1s' }, '"-1s" is not valid: it must not be negative'],
    [{ readiness: 'sometimes' }, '"sometimes" is not valid: time: invalid duration "sometimes"'],
    [{ 'post-start': 'hang' }, '"hang" is not valid: it must be fail'],
    [{ 'cache.logs': 'x' }, 'the pod has no such container'],
  ])('%j is reported as a problem', (script, problem) => {
    expect(fateProblems(podWith(script))).toEqual([`hollow.coxswain.dev/${Object.keys(script)[0]}: ${problem}`]);
  });
});

it('the result of a scripted probe stays the same for holdsForMs and changes then', () => {
  const script = fc.oneof(
    fc.record({ passes: fc.constantFrom('always' as const, 'never' as const) }),
    fc.record({
      passes: fc.constantFrom('after' as const, 'until' as const, 'flapping' as const),
      ms: fc.integer({ min: 1, max: 1e6 }),
    }),
  );
  fc.assert(
    fc.property(script, fc.nat(1e7), fc.nat(1e7), (of: ProbeScript, ageMs, laterMs) => {
      const { passes, holdsForMs } = probeAt(of, ageMs);
      expect(holdsForMs).toBeGreaterThan(0);
      if (laterMs < holdsForMs) expect(probeAt(of, ageMs + laterMs).passes).toBe(passes);
      if (holdsForMs !== Number.POSITIVE_INFINITY) expect(probeAt(of, ageMs + holdsForMs).passes).toBe(!passes);
    }),
  );
});

describe('a pool of IP addresses', () => {
  it('allocates each address once, and again only after it was released', () => {
    const pool = new IpPool('10.0.0.0/29');
    expect(Array.from({ length: 5 }, () => pool.allocate())).toEqual([2, 3, 4, 5, 6].map((i) => `10.0.0.${i}`));
    expect(() => pool.allocate()).toThrow('no IP addresses available in range set: 10.0.0.0/29');
    pool.release('10.0.0.4');
    pool.release('192.168.0.4');
    expect(pool.allocate()).toBe('10.0.0.4');
  });

  it('may have an IPv6 range', () => expect(new IpPool('fd00::/64').allocate()).toBe('fd00::2'));
  it('must have a range in CIDR notation', () =>
    expect(() => new IpPool('10.0.0.0')).toThrow('"10.0.0.0" is not a CIDR'));
});
