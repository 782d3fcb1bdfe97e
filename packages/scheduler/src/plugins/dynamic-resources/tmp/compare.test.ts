import { readFileSync } from 'node:fs';
import { DeviceSelectors } from '@coxswain/cel/device';
import { it } from 'vitest';
import { DeviceMatches } from '/work/main/packages/scheduler/src/plugins/dynamic-resources/allocator/device-matches.ts';
import { answer } from '/work/main/packages/scheduler/src/plugins/dynamic-resources/allocator/recorded-allocations.test-data.ts';

it('x', () => {
  const matches = new DeviceMatches(new DeviceSelectors(100));
  let n = 0,
    bad = 0;
  const sort = (v: unknown): unknown =>
    Array.isArray(v)
      ? v.map(sort)
      : v && typeof v === 'object'
        ? Object.fromEntries(
            Object.entries(v)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, x]) => [k, sort(x)]),
          )
        : v;
  const start = process.cpuUsage().user;
  for (const line of readFileSync('/tmp/s6go/cases.jsonl', 'utf8').split('\n')) {
    if (!line) continue;
    const c = JSON.parse(line);
    const mine = JSON.stringify(sort(answer(c, matches)));
    const theirs = JSON.stringify(sort({ ...(c.result && { result: c.result }), ...(c.error && { error: c.error }) }));
    n++;
    if (mine !== theirs) {
      bad++;
      if (bad < 8) console.log(n, '\nOURS  ', mine.slice(0, 1500), '\nTHEIRS', theirs.slice(0, 1500));
    }
  }
  console.log(n, 'cases', bad, 'differ', (process.cpuUsage().user - start) / 1000, 'ms');
}, 600000);
