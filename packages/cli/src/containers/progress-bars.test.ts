import { expect, it } from 'vitest';
import { ProgressBars, sizeText } from './progress-bars.ts';

const written = (isTerminal: boolean) => {
  let text = '';
  const bars = new ProgressBars({ err: (part) => (text += part) }, isTerminal);
  return { bars, text: () => text };
};

it('without a terminal, a line tells each change of state', () => {
  const { bars, text } = written(false);
  bars.show({ name: 'a', state: 'downloading', bytes: 0, total: 100 });
  bars.show({ name: 'a', state: 'downloading', bytes: 50, total: 100 });
  bars.show({ name: 'a', state: 'done', bytes: 100, total: 100 });
  expect(text()).toBe('a downloading\na done\n');
});

it('on a terminal, each part has a bar that is written again', () => {
  const { bars, text } = written(true);
  bars.show({ name: 'a', state: 'downloading', bytes: 50e6, total: 100e6 });
  bars.show({ name: 'b', state: 'waiting', bytes: 0, total: 0 });
  bars.show({ name: 'a', state: 'done', bytes: 100e6, total: 100e6 });
  const clear = '\u001b[2K';
  const half = `${clear}a downloading [${'='.repeat(15)}${' '.repeat(15)}] 50MB / 100MB\n`;
  const waiting = `${clear}b waiting     [${' '.repeat(30)}]\n`;
  const done = `${clear}a done        [${'='.repeat(30)}] 100MB / 100MB\n`;
  expect(text()).toBe(`${half}\u001b[1A${half}${waiting}\u001b[2A${done}${waiting}`);
});

it.each([
  [0, '0B'],
  [999, '999B'],
  [77_800_000, '77.8MB'],
  [2_132_480, '2.13MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
