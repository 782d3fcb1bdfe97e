import type { Secret } from '@coxswain/api/core/v1';
import { recordLogs, silentLogger } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { secretLabeller } from './legacy-token.ts';

const secret: Secret = { metadata: { name: 's', namespace: 'ns', resourceVersion: '7', labels: { a: 'b' } }, data: {} };

it('secretLabeller adds labels without modifying the cached secret', async () => {
  const updates: unknown[] = [];
  const client = {
    async update<T>(...args: [string, string, T, object?]) {
      updates.push(args);
      return args[2];
    },
  };
  await secretLabeller(client, silentLogger)(secret, { c: 'd' });
  const labelled = { ...secret, metadata: { ...secret.metadata, labels: { a: 'b', c: 'd' } } };
  expect(updates).toEqual([['', 'secrets', labelled]]);
  expect(secret.metadata.labels).toEqual({ a: 'b' });
});

it('secretLabeller only logs errors', async () => {
  const { logger, lines } = recordLogs();
  const client = {
    async update(): Promise<never> {
      throw new Error('conflict');
    },
  };
  await secretLabeller(client, logger)(secret, {});
  expect(lines).toEqual([
    'error "Failed to label legacy service account token secret with last-used date" err="conflict" secret="ns/s"',
  ]);
});
