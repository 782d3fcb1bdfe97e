import { expect, it } from 'vitest';
import { authoritative, emptyReply } from '../chain/index.ts';
import { parseRecord, Rcode } from '../wire/index.ts';
import { handlerOf, testContext, testQuery } from './test-context.test-data.ts';

const reply = {
  ...emptyReply(Rcode.NOERROR, authoritative),
  answers: [parseRecord('www.example.org. 5 IN A 192.0.2.1')],
};

it('writes a line for each query in the format of CoreDNS', async () => {
  const context = testContext();
  const handler = await handlerOf('log', context, async () => {
    await context.clock.advance(1500);
    return reply;
  });
  await handler(testQuery('www.example.org.'));
  expect(context.log[0]?.replaceAll('\\"', '"')).toContain(
    '192.0.2.7:4000 - 1 "A IN www.example.org. udp 40 false 512" NOERROR qr,aa,rd 49 1.5s',
  );
});

it('writes only lines of its zone and class', async () => {
  const context = testContext();
  const handler = await handlerOf('log example.org {\n class denial\n}', context, ({ name }) =>
    name.startsWith('www') ? reply : emptyReply(Rcode.NXDOMAIN),
  );
  for (const name of ['www.example.org.', 'gone.example.org.', 'gone.example.com.']) await handler(testQuery(name));
  expect(context.log.map((line) => /IN (\S+)/.exec(line)?.[1])).toEqual(['gone.example.org.']);
});

it('sees each query: nothing is answered without it', async () => {
  const reuse = { epoch: { value: 0 }, value: 0 };
  const handler = await handlerOf('log', testContext(), () => ({ ...reply, reuse }));
  expect((await handler(testQuery('www.example.org.'))).reuse).toBeUndefined();
});
