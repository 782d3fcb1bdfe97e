import { ClientSet, FakeClock, InProcessTransport, RESTClient } from '@coxswain/client';
import { expect, it } from 'vitest';
import { CachedConfigSource } from './config-source.ts';

it('what pods refer to is remembered for a minute, and then forgotten', async () => {
  const clock = new FakeClock();
  const asked: string[] = [];
  const transport = new InProcessTransport(async ({ url }) => {
    asked.push(url);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"metadata":{}}') };
  });
  const source = new CachedConfigSource(new ClientSet(new RESTClient(transport)), clock);
  for (let i = 0; i < 2; i++) await source.configMap('a', 'kube-root-ca.crt');
  expect(asked).toHaveLength(1);
  for (let i = 0; i < 20; i++) await source.configMap(`gone-${i}`, 'kube-root-ca.crt');
  await source.secret('a', 's');
  expect(source.size).toBe(22);
  await clock.advance(60_000);
  await source.configMap('a', 'kube-root-ca.crt');
  expect(asked).toHaveLength(23);
  // That, and the secret: none of its kind was asked for since.
  expect(source.size).toBe(2);
});
