import { describe, expect, it } from 'vitest';
import { ambientUses, checkAmbient, type Exception } from './check-ambient.ts';

const path = 'packages/a/src/file.ts';
const kindsIn = (text: string): string[] => [...ambientUses(text).keys()];

describe('what a file takes from the process', () => {
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
    ['the machine’s clock where no other can be handed in', 'wait(systemClock);', ['machine']],
  ])('may be %s', (_, text, kinds) => expect(kindsIn(text)).toEqual(kinds));

  it.each([
    ['a clock’s timer', 'clock.setTimeout(() => {}, 5); this.#clock.setTimeout(done, 5);'],
    ['a clock of one’s own', 'class Mine {\n  setTimeout(callback: () => void, delayMs: number) {}\n}'],
    [
      'the machine’s clock by default',
      'function f({ clock = systemClock }) {}\nconst c = options.clock ?? systemClock;',
    ],
    ['the name of it in an import', "import { type Clock, systemClock } from '@coxswain/apimachinery/clock';"],
    ['what a comment says', '/** As `Date.now()` has it. */\n// Not Math.random().\n'],
    ['a date of something', 'const at = new Date(clock.now());'],
  ])('is not %s', (_, text) => expect(kindsIn(text)).toEqual([]));
});

describe('the check', () => {
  const exception: Exception = { path: 'packages/a/src/', kinds: ['time'], reason: 'sockets' };
  const timely = { path, text: 'setTimeout(done, 5);' };

  it('tells the file, the words and the kind', () => {
    expect(checkAmbient([timely], [])).toEqual([
      `${path}: setTimeout( is not a parameter (time, scripts/ambient.json)`,
    ]);
  });

  it('leaves tests and exceptions alone', () => {
    const test = { path: 'packages/b/src/file.test.ts', text: 'Math.random()' };
    expect(checkAmbient([timely, test], [exception])).toEqual([]);
  });

  it('lets an exception be one for what it names only', () => {
    const two = { path, text: 'setTimeout(done, Math.random());' };
    expect(checkAmbient([two], [exception])).toEqual([
      `${path}: Math.random is not a parameter (random, scripts/ambient.json)`,
    ]);
  });

  it('wants exceptions that something needs, with a reason', () => {
    expect(checkAmbient([], [{ ...exception, reason: '' }])).toEqual([
      'ambient.json gives no reason for packages/a/src/',
      'ambient.json lets packages/a/src/ take time, and it takes none',
    ]);
  });
});
