import { describe, expect, it } from 'vitest';
import { InOrder } from './in-order.ts';

describe('InOrder', () => {
  it('runs at once when nothing is pending', () => {
    const done: string[] = [];
    new InOrder().run(
      undefined,
      () => done.push('a'),
      () => {},
    );
    expect(done).toEqual(['a']);
  });

  it('runs later calls after earlier ones that are pending', async () => {
    const inOrder = new InOrder();
    const done: string[] = [];
    let settle = (): void => {};
    const pending = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const last = new Promise<void>((resolve) => {
      inOrder.run(
        pending,
        () => done.push('a'),
        () => {},
      );
      inOrder.run(
        Promise.resolve(),
        () => done.push('b'),
        () => {},
      );
      inOrder.run(
        undefined,
        () => resolve(void done.push('c')),
        () => {},
      );
    });
    expect(done).toEqual([]);
    settle();
    await last;
    expect(done).toEqual(['a', 'b', 'c']);
    await Promise.resolve().then(() => {});
    inOrder.run(
      undefined,
      () => done.push('d'),
      () => {},
    );
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reports a failure in order, and goes on', async () => {
    const inOrder = new InOrder();
    const done: unknown[] = [];
    await new Promise<void>((resolve) => {
      inOrder.run(
        Promise.resolve(),
        () => done.push('a'),
        () => {},
      );
      inOrder.run(
        Promise.reject(new Error('no')),
        () => done.push('b'),
        (error) => done.push(error),
      );
      inOrder.run(
        undefined,
        () => resolve(void done.push('c')),
        () => {},
      );
    });
    expect(done).toEqual(['a', new Error('no'), 'c']);
  });

  it('fails calls beyond the limit of waiting ones', () => {
    const inOrder = new InOrder();
    let failures = 0;
    const never = new Promise<void>(() => {});
    for (let i = 0; i < 1010; i++)
      inOrder.run(
        never,
        () => {},
        () => failures++,
      );
    expect(failures).toBe(10);
  });
});
