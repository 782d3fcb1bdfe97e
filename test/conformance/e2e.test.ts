import { expect, it } from 'vitest';
import { focusOn, ProgressCount } from './e2e.ts';
import { readTiers } from './tiers.ts';

it('a focus matches exactly the given tests', () => {
  const names = readTiers().map(({ name }) => name);
  const wanted = names.filter((_, index) => index % 7 === 0);
  const focus = new RegExp(focusOn(wanted));
  // Ginkgo matches against the suite's name and the test's, with a space between.
  expect(names.filter((name) => focus.test(`Kubernetes e2e suite ${name}`))).toEqual(wanted);
});

it('progress is counted from dots, however the output is split', () => {
  const output =
    '••\n---\n• [FAILED] [2.4 seconds]\n[sig-apps] Job\n  a • of a test\n---\n•••\n• [SLOW] [70 seconds]\n';
  for (const size of [1, 2, 5, 1000]) {
    const told: string[] = [];
    const count = new ProgressCount((ended, failed) => told.push(`${ended} ${failed}`));
    for (let at = 0; at < output.length; at += size) count.read(output.slice(at, at + size));
    expect(told.at(-1)).toBe('7 1');
  }
});
