import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { ControllerExpectations } from './controller-expectations.ts';
import { slowStartBatch } from './slow-start-batch.ts';
import { UIDTrackingControllerExpectations } from './uid-tracking-controller-expectations.ts';

const rs = 'default/web';

describe('ControllerExpectations', () => {
  it('is satisfied without expectations', () => {
    const expectations = new ControllerExpectations();
    expect(expectations.satisfied(rs)).toBe(true);
    expectations.creationObserved(rs);
    expect(expectations.get(rs)).toBeUndefined();
  });

  it.each<{ name: string; seen: string; satisfied: boolean }>([
    { name: 'one creation is missing', seen: 'c', satisfied: false },
    { name: 'only deletions were observed', seen: 'dd', satisfied: false },
    { name: 'both were observed', seen: 'cc', satisfied: true },
    { name: 'more than expected were observed', seen: 'ccc', satisfied: true },
  ])('with two expected creations: $name', ({ seen, satisfied }) => {
    const expectations = new ControllerExpectations();
    expectations.expectCreations(rs, 2);
    for (const one of seen) {
      if (one === 'c') expectations.creationObserved(rs);
      else expectations.deletionObserved(rs);
    }
    expect(expectations.satisfied(rs)).toBe(satisfied);
    expect(expectations.satisfied('default/other')).toBe(true);
  });

  it('waits for deletions as well', () => {
    const expectations = new ControllerExpectations();
    expectations.setExpectations(rs, 1, 1);
    expectations.creationObserved(rs);
    expect(expectations.satisfied(rs)).toBe(false);
    expectations.deletionObserved(rs);
    expect(expectations.satisfied(rs)).toBe(true);
  });

  it('can be lowered for failures, and raised', () => {
    const expectations = new ControllerExpectations();
    expectations.expectCreations(rs, 5);
    expectations.raiseExpectations(rs, 1, 2);
    expectations.lowerExpectations(rs, 6, 1);
    expect(expectations.get(rs)).toEqual({ creations: 0, deletions: 1 });
  });

  it('replaces earlier expectations', () => {
    const expectations = new ControllerExpectations();
    expectations.expectCreations(rs, 5);
    expectations.expectDeletions(rs, 1);
    expect(expectations.get(rs)).toEqual({ creations: 0, deletions: 1 });
  });

  it('is satisfied after five minutes, whatever was observed', async () => {
    const clock = new FakeClock();
    const expectations = new ControllerExpectations({ clock });
    expectations.expectCreations(rs, 1);
    await clock.advance(5 * 60_000);
    expect(expectations.satisfied(rs)).toBe(false);
    await clock.advance(1);
    expect(expectations.satisfied(rs)).toBe(true);
  });

  it('deletes expectations', () => {
    const expectations = new ControllerExpectations();
    expectations.expectCreations(rs, 1);
    expectations.deleteExpectations(rs);
    expect(expectations.get(rs)).toBeUndefined();
    expect(expectations.satisfied(rs)).toBe(true);
  });
});

describe('UIDTrackingControllerExpectations', () => {
  it('counts each expected deletion once, and no others', () => {
    const expectations = new UIDTrackingControllerExpectations();
    expectations.expectDeletions(rs, ['a', 'b', 'a']);
    for (const uid of ['a', 'a', 'x']) expectations.deletionObserved(rs, uid);
    expect([expectations.satisfied(rs), [...expectations.uids(rs)]]).toEqual([false, ['b']]);
    expectations.deletionObserved(rs, 'b');
    expect([expectations.satisfied(rs), expectations.uids(rs).size]).toEqual([true, 0]);
  });

  it('counts creations too, and deletes all expectations', () => {
    const expectations = new UIDTrackingControllerExpectations();
    expectations.expectCreations(rs, 1);
    expect(expectations.satisfied(rs)).toBe(false);
    expectations.creationObserved(rs);
    expect(expectations.satisfied(rs)).toBe(true);
    expectations.expectDeletions(rs, ['a']);
    expectations.deleteExpectations(rs);
    expect([expectations.satisfied(rs), expectations.uids(rs).size]).toEqual([true, 0]);
  });
});

describe('slowStartBatch', () => {
  const run = async (count: number, failAfter: number, initialBatchSize?: number) => {
    let calls = 0;
    let atOnce = 0;
    const batches: number[] = [];
    const result = await slowStartBatch(
      count,
      async () => {
        if (atOnce++ === 0) batches.push(0);
        batches[batches.length - 1]!++;
        const fails = ++calls > failAfter;
        await Promise.resolve();
        atOnce--;
        if (fails) throw new Error(`call ${calls}`);
      },
      initialBatchSize === undefined ? {} : { initialBatchSize },
    );
    return { ...result, batches };
  };

  it.each<{ name: string; args: [count: number, failAfter: number, initialBatchSize?: number]; batches: number[] }>([
    { name: 'doubles each batch, and ends with the remaining calls', args: [10, 99], batches: [1, 2, 4, 3] },
    { name: 'begins with the initial batch size', args: [7, 99, 4], batches: [4, 3] },
    { name: 'makes no call for none', args: [0, 99], batches: [] },
  ])('$name', async ({ args, batches }) => {
    expect(await run(...args)).toEqual({ successes: args[0], batches });
  });

  it('ends after the batch with a failure, and counts the successful calls', async () => {
    expect(await run(10, 5)).toEqual({ successes: 5, error: new Error('call 7'), batches: [1, 2, 4] });
  });

  it('treats a call that throws synchronously as a failure', async () => {
    const broken = new Error('broken');
    const result = await slowStartBatch(3, () => {
      throw broken;
    });
    expect(result).toEqual({ successes: 0, error: broken });
  });
});
