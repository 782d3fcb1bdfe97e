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
  ['undefined for a healthy component', answering(200), undefined],
  ['undefined for a redirect', answering(302), undefined],
  ['the status of an error response', answering(500), 'HTTP probe failed with statuscode: 500'],
  [
    'the reason why a component was not reached',
    refusing,
    'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
  ],
])('returns %s', async (_, dialer, problem) => {
  expect(await probeHealth(dialer, 10259)).toBe(problem);
});

it('connects to this machine, without a client certificate', async () => {
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
