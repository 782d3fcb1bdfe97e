import { expect, it } from 'vitest';
import { stopSignals } from './this-process.ts';

it.each<[platform: NodeJS.Platform, signals: string[]]>([
  ['linux', ['SIGINT', 'SIGTERM']],
  ['darwin', ['SIGINT', 'SIGTERM']],
  ['win32', ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']],
])('on %s a server stops on %j', (platform, signals) => {
  expect(stopSignals(platform)).toEqual(signals);
});
