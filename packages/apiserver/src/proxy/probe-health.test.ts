import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { DialError, type Dialer, type DialTarget } from './dialer.ts';
import { probeHealth } from './probe-health.ts';

const answering = (status: number): Dialer => ({
  dial: async () => ({ status, headers: {}, body: Readable.from([]) }),
});
const refusing: Dialer = {
  dial: async () => {
    throw new DialError('dial tcp 127.0.0.1:10259: connect: connection refused', false);
  },
};

it.each<[what: string, dialer: Dialer, problem: string | undefined]>([
  ['nothing of a component that is well', answering(200), undefined],
  ['nothing of one that points elsewhere', answering(302), undefined],
  ['the status of one that is not', answering(500), 'HTTP probe failed with statuscode: 500'],
  [
    'why one could not be asked',
    refusing,
    'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
  ],
])('says %s', async (_, dialer, problem) => {
  expect(await probeHealth(dialer, 10259)).toBe(problem);
});

it('asks on this machine, and shows no certificate', async () => {
  const asked: [DialTarget, string][] = [];
  const dialer: Dialer = {
    dial: (target, request) => {
      asked.push([target, `${request.method} ${request.path}`]);
      return answering(200).dial(target, request);
    },
  };
  await probeHealth(dialer, 10257);
  expect(asked).toEqual([[{ scheme: 'https', host: '127.0.0.1', port: '10257', trust: 'none' }, 'GET /healthz']]);
});
