import { describe, expect, it } from 'vitest';
import { ambientUses, checkAmbient, type Exception } from './check-ambient.ts';

const path = 'packages/a/src/file.ts';
const kindsIn = (text: string): string[] => [...ambientUses(text).keys()];

describe('direct use of the process’s time, randomness or event loop', () => {
  it.each([
    ['the date', 'const at = new Date();', ['time']],
    ['the time', 'const at = Date.now();', ['time']],
    ['how long something took', 'const began = performance.now();', ['time']],
    ['a timer', 'setTimeout(() => {}, 5);', ['time']],
    ['a timer to wait for', "import { setTimeout as delay } from 'node:timers/promises';", ['time']],
    ['a signal by a timer', 'fetch(url, { signal: AbortSignal.timeout(5) });', ['time']],
    ['a turn of the event loop', 'setImmediate(resolve);', ['turns']],
    ['a fraction', 'const random = options.random ?? Math.random;', ['random']],
    ['a UUID', 'const id = crypto.randomUUID();', ['random']],
    ['the system clock where it is not a default', 'wait(systemClock);', ['machine']],
  ])('is found: %s', (_, text, kinds) => expect(kindsIn(text)).toEqual(kinds));

  it.each([
    ['a clock’s timer', 'clock.setTimeout(() => {}, 5); this.#clock.setTimeout(done, 5);'],
    ['a class that implements a clock', 'class Mine {\n  setTimeout(callback: () => void, delayMs: number) {}\n}'],
    [
      'the system clock as a default',
      'function f({ clock = systemClock }) {}\nconst c = options.clock ?? systemClock;',
    ],
    ['an import of the system clock', "import { type Clock, systemClock } from '@coxswain/apimachinery/clock';"],
    ['a comment', '/** As `Date.now()` has it. */\n// Not Math.random().\n'],
    ['a date of a given time', 'const at = new Date(clock.now());'],
  ])('is not found in %s', (_, text) => expect(kindsIn(text)).toEqual([]));
});

describe('the check', () => {
  const exception: Exception = { path: 'packages/a/src/', kinds: ['time'], reason: 'sockets' };
  const timely = { path, text: 'setTimeout(done, 5);' };

  it('reports the file, the code and the kind', () => {
    expect(checkAmbient([timely], [])).toEqual([
      `${path}: setTimeout( must be a parameter (time, scripts/ambient.json)`,
    ]);
  });

  it('ignores tests and exceptions', () => {
    const test = { path: 'packages/b/src/file.test.ts', text: 'Math.random()' };
    expect(checkAmbient([timely, test], [exception])).toEqual([]);
  });

  it('applies an exception only to its kinds', () => {
    const two = { path, text: 'setTimeout(done, Math.random());' };
    expect(checkAmbient([two], [exception])).toEqual([
      `${path}: Math.random must be a parameter (random, scripts/ambient.json)`,
    ]);
  });

  it('reports exceptions that are not needed or have no reason', () => {
    expect(checkAmbient([], [{ ...exception, reason: '' }])).toEqual([
      'ambient.json has no reason for packages/a/src/',
      'ambient.json has an exception for time in packages/a/src/ that is not needed',
    ]);
  });
});
