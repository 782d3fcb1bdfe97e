import { expect, it } from 'vitest';
import { failure } from '../chain/index.ts';
import { handlerOf, setUp, testContext, testQuery } from './test-context.test-data.ts';

it('logs why a query failed', async () => {
  const context = testContext();
  const handler = await handlerOf('errors', context, () =>
    failure('forward', new Error('read udp 192.0.2.1:53: i/o timeout')),
  );
  await handler(testQuery('www.example.org.', 'AAAA'));
  expect(context.log[0]).toMatch(/Query failed.*www\.example\.org\..*AAAA.*i\/o timeout/);
});

it('counts errors that are alike, and writes what is left at the end', async () => {
  const context = testContext();
  const { plugin } = await setUp('errors {\n consolidate 1m timeout$ warning show_first\n}', context);
  const handler = plugin.handler?.(() => failure('forward', new Error('i/o timeout')));
  const stop = new AbortController();
  await plugin.start?.(stop.signal);
  for (let index = 0; index < 5; index++) await handler?.(testQuery('www.example.org.'));
  expect(context.log).toHaveLength(1);
  await context.clock.advance(60_000);
  expect(context.log[1]).toMatch(/Queries failed alike.*5.*timeout.*1m0s/);
  await handler?.(testQuery('www.example.org.'));
  await handler?.(testQuery('www.example.org.'));
  stop.abort();
  expect(context.log[3]).toMatch(/Queries failed alike.*2/);
});
