import { describe, expect, it } from 'vitest';
import { CountingEventLoop } from './counting-event-loop.ts';
import { type EventLoop, systemEventLoop } from './event-loop.ts';
import { fairTurn } from './fair-turn.ts';
import { Turns } from './turns.ts';

/** Work takes as long as the test says. */
class SlowLoop implements EventLoop {
  ms = 0;
  workedMs = (): number => this.ms;
  onNextTurn = systemEventLoop.onNextTurn;
}

it('lets others run between steps when two milliseconds are over', async () => {
  const loop = new SlowLoop();
  const turns = new Turns(loop);
  const order: string[] = [];
  loop.onNextTurn(() => order.push('another'));
  const result = await turns.complete(
    (function* () {
      order.push('first');
      loop.ms += 1;
      yield;
      order.push('second');
      loop.ms += 1;
      yield;
      order.push('third');
      return 'done';
    })(),
  );
  expect(result).toBe('done');
  expect(order).toEqual(['first', 'second', 'another', 'third']);
});

it('goes on at once before that', async () => {
  const loop = new SlowLoop();
  let another = false;
  loop.onNextTurn(() => {
    another = true;
  });
  await new Turns(loop).next();
  expect(another).toBe(false);
});

describe('a loop that counts', () => {
  it('lets others run after the same number of steps each time, and calls back by whom it is told', async () => {
    const yieldedAt = async (): Promise<number[]> => {
      const yields: number[] = [];
      let step = 0;
      const loop = new CountingEventLoop({
        msPerLook: 0.5,
        onNextTurn(callback) {
          yields.push(step);
          queueMicrotask(callback);
        },
      });
      const turns = new Turns(loop);
      for (; step < 12; step++) await turns.next();
      return yields;
    };
    const first = await yieldedAt();
    expect(first).toEqual([3, 7, 11]);
    expect(await yieldedAt()).toEqual(first);
  });
});

describe('a fair turn', () => {
  it('is waited for when calls have followed each other for more than five milliseconds', async () => {
    const loop = new SlowLoop();
    expect(fairTurn(loop)).toBeUndefined();
    loop.ms += 5;
    expect(fairTurn(loop)).toBeUndefined();
    loop.ms += 1;
    let another = false;
    loop.onNextTurn(() => {
      another = true;
    });
    await fairTurn(loop);
    expect(another).toBe(true);
    expect(fairTurn(loop)).toBeUndefined();
  });
});
