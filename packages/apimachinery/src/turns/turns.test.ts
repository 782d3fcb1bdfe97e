import { describe, expect, it } from 'vitest';
import { CountingEventLoop } from './counting-event-loop.ts';
import { type EventLoop, systemEventLoop } from './event-loop.ts';
import { fairTurn } from './fair-turn.ts';
import { Turns } from './turns.ts';

/** An event loop whose work takes the time that the test sets. */
class SlowLoop implements EventLoop {
  ms = 0;
  workedMs = (): number => this.ms;
  onNextTurn = systemEventLoop.onNextTurn;
}

it('lets other work run between steps after two milliseconds', async () => {
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

it('continues at once before that', async () => {
  const loop = new SlowLoop();
  let another = false;
  loop.onNextTurn(() => {
    another = true;
  });
  await new Turns(loop).next();
  expect(another).toBe(false);
});

describe('CountingEventLoop', () => {
  it('lets other work run after the same number of steps each time, by the given onNextTurn', async () => {
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

describe('fairTurn', () => {
  it('returns a promise when calls have followed each other for more than five milliseconds', async () => {
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
