import { newInternalError } from '@coxswain/apimachinery';
import { systemClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { WebhookCallError } from '../webhook/index.ts';
import { WebhookOutput } from './webhook-output.ts';

const line = (id: string): string => `{"kind":"Event","auditID":"${id}"}\n`;

/** A webhook whose calls fail with the given errors, one after the other, and then succeed. */
function server(...failures: Error[]) {
  const received: string[][] = [];
  const pauses: number[] = [];
  const output = new WebhookOutput({
    webhook: {
      call: async (body) => {
        const failure = failures.shift();
        if (failure) throw failure;
        const { kind, apiVersion, items } = body as { kind: string; apiVersion: string; items: { auditID: string }[] };
        expect([kind, apiVersion]).toEqual(['EventList', 'audit.k8s.io/v1']);
        received.push(items.map(({ auditID }) => auditID));
        return {};
      },
      close: () => {},
    },
    clock: systemClock,
    initialBackoffMs: 1000,
    maxEvents: 3,
    maxBytes: 1000,
    pause: async (ms) => void pauses.push(ms),
  });
  return { output, received, pauses };
}

describe('events for the audit webhook', () => {
  it('are sent in lists of at most maxEvents', async () => {
    const { output, received } = server();
    await output.append(['a', 'b', 'c', 'd'].map(line).join(''));
    expect(received).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('are sent in lists of at most maxBytes, and a larger event alone', async () => {
    const { output, received } = server();
    const long = 'l'.repeat(2000);
    await output.append(['a', long, 'b'].map(line).join(''));
    expect(received).toEqual([['a'], [long], ['b']]);
  });

  it('are sent again with increasing delays while the server is unreachable or fails', async () => {
    const away = new WebhookCallError('connect: connection refused', 'network');
    const failing = new WebhookCallError('broken', 'status', { status: newInternalError(new Error('broken')) });
    const { output, received, pauses } = server(away, failing, away);
    await output.append(line('a'));
    expect(received).toEqual([['a']]);
    expect(pauses).toEqual([1000, 1500, 2250]);
  });

  it('are dropped after five attempts, and the next list is still sent', async () => {
    const away = new WebhookCallError('connect: connection refused', 'network');
    const { output, received } = server(away, away, away, away, away);
    await expect(output.append(['a', 'b', 'c', 'd'].map(line).join(''))).rejects.toBe(away);
    expect(received).toEqual([['d']]);
  });

  it('count as delivered when the response cannot be parsed', async () => {
    const { output } = server(new WebhookCallError('0-length response', 'answer'));
    await output.append(line('a'));
  });
});
