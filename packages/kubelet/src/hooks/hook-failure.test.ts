import type { LifecycleHandler } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { hookFailure } from './hook-failure.ts';

const cases: Record<string, [LifecycleHandler, string]> = {
  'a command': [
    { exec: { command: ['register', '--now'] } },
    'Exec lifecycle hook ([register --now]) for Container "web" in Pod "p_default(u)" failed - error: no, message: ""',
  ],
  'a request': [
    { httpGet: { path: '/hook', port: 80 } },
    'HTTP lifecycle hook (/hook) for Container "web" in Pod "p_default(u)" failed - error: no',
  ],
  'a sleep': [
    { sleep: { seconds: 3 } },
    'Sleep lifecycle hook (3) for Container "web" in Pod "p_default(u)" failed - error: no',
  ],
};

it.each(Object.entries(cases))('of %s', (_, [handler, message]) => {
  const pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' } };
  expect(hookFailure(handler, pod, { name: 'web' }, new Error('no'))).toBe(message);
});
