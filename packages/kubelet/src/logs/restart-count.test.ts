import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { restartCountByLogs } from './restart-count.ts';

it.each<[readonly string[], number]>([
  [[], 0],
  [['0.log'], 1],
  [['0.log', '3.log', '1.log'], 4],
  [['2.log.20260101-000000.gz'], 3],
  [['x.log', '5.txt', '9.log/', '99999999999999999999.log'], 0],
])('after the logs %j there were %i starts', async (names, count) => {
  const directory = await mkdtemp(join(tmpdir(), 'cox-logs-'));
  try {
    for (const name of names) {
      if (name.endsWith('/')) await mkdir(join(directory, name));
      else await writeFile(join(directory, name), '');
    }
    expect(await restartCountByLogs(directory)).toBe(count);
    expect(await restartCountByLogs(join(directory, 'none'))).toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
