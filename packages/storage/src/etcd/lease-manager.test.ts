import { describe, expect, it } from 'vitest';
import { LeaseManager } from './lease-manager.ts';

function setUp() {
  const granted: number[] = [];
  const clock = { seconds: 0 };
  const leases = new LeaseManager(
    async (ttl) => BigInt(granted.push(ttl)),
    () => clock.seconds * 1000,
  );
  return { granted, clock, leases };
}

describe('leases', () => {
  it('are shared by keys of the same time to live for a twentieth of it, and last longer by that', async () => {
    const { granted, clock, leases } = setUp();
    for (const [seconds, ttl, lease] of [
      [0, 600, 1n],
      [29.9, 600, 1n],
      [30, 600, 2n],
      [30, 3600, 3n],
      [59.9, 600, 2n],
      [60, 600, 4n],
    ] as const) {
      clock.seconds = seconds;
      expect(await leases.lease(ttl)).toBe(lease);
    }
    expect(granted).toEqual([630, 630, 3660, 630]);
  });

  it('are shared for no more than a minute', async () => {
    const { granted, clock, leases } = setUp();
    await leases.lease(86_400);
    clock.seconds = 59.9;
    await leases.lease(86_400);
    clock.seconds = 60;
    await leases.lease(86_400);
    expect(granted).toEqual([86_460, 86_460]);
  });

  it('are not shared by keys with a short time to live', async () => {
    const { granted, leases } = setUp();
    await Promise.all([leases.lease(15), leases.lease(15), leases.lease(0.5)]);
    expect(granted).toEqual([15, 15, 1]);
  });

  it('are shared by concurrent requests, up to a thousand', async () => {
    const { granted, leases } = setUp();
    const ids = await Promise.all(Array.from({ length: 1_001 }, () => leases.lease(3600)));
    expect([ids[0], ids[999], ids[1_000]]).toEqual([1n, 1n, 2n]);
    expect(granted).toHaveLength(2);
  });

  it('are requested again when they could not be granted', async () => {
    let calls = 0;
    const leases = new LeaseManager(
      async () => {
        if (++calls === 1) throw new Error('no connection');
        return 7n;
      },
      () => 0,
    );
    await expect(Promise.all([leases.lease(3600), leases.lease(3600)])).rejects.toThrow('no connection');
    expect(await leases.lease(3600)).toBe(7n);
    expect(calls).toBe(2);
  });

  it('are not used again when etcd does not know them', async () => {
    const { leases } = setUp();
    expect(await leases.lease(3600)).toBe(1n);
    await leases.forget(3600, 9n);
    expect(await leases.lease(3600)).toBe(1n);
    await leases.forget(3600, 1n);
    expect(await leases.lease(3600)).toBe(2n);
  });

  it('are dropped when there are too many different times to live', async () => {
    const { granted, leases } = setUp();
    for (let ttl = 1_000; ttl < 1_065; ttl++) await leases.lease(ttl);
    await leases.lease(1_001);
    expect(granted).toHaveLength(65);
    await leases.lease(1_000);
    expect(granted).toHaveLength(66);
  });
});
