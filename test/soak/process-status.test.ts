import { expect, test } from 'vitest';
import { parseStatus, processStatus } from './process-status.ts';

test('sizes of a process are read in bytes', () =>
  expect(parseStatus('Name:\tnode\nVmRSS:\t   84120 kB\nRssAnon:\t   40000 kB\nRssFile:\t   44120 kB\n')).toEqual({
    rss: 84120 * 1024,
    rssAnon: 40000 * 1024,
    rssFile: 44120 * 1024,
  }));

test.runIf(process.platform === 'linux')('this process has memory and open files', () => {
  const { rss, rssAnon, rssFile, fileDescriptors } = processStatus(process.pid);
  for (const value of [rss, rssAnon, rssFile, fileDescriptors]) expect(value).toBeGreaterThan(0);
});
