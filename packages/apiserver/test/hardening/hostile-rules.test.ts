import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { asAdmin } from './clients.ts';

/** Validation rules and objects that are expensive to evaluate must not block the server. */
let running: TestServer;
beforeAll(async () => {
  running = await startTestServer();
});
afterAll(() => running.server.stop());

interface Answer {
  readonly status: number;
  readonly message: string;
}

async function call(method: string, url: string, body?: object): Promise<Answer> {
  const bytes = body && Buffer.from(JSON.stringify(body));
  const request = { method, url, headers: asAdmin, ...(bytes && { body: bytes }) };
  const { status, body: chunks } = await inProcessCaller(running.server.transport())(
    request,
    new AbortController().signal,
  );
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return { status, message: text.startsWith('{') ? ((JSON.parse(text) as { message?: string }).message ?? '') : text };
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const kindOf = (plural: string): string => plural.charAt(0).toUpperCase() + plural.slice(1);

const definition = (plural: string, spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural, singular: plural, kind: kindOf(plural), listKind: `${kindOf(plural)}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } } } },
      },
    ],
  },
});
const object = (plural: string, spec: object, name = 'x') => ({
  apiVersion: 'example.com/v1',
  kind: kindOf(plural),
  metadata: { name },
  spec,
});
const rules = (...texts: readonly string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });

/** Counts the other requests that complete before this one. */
async function whileWaiting(hostile: Promise<Answer>): Promise<{ readonly answer: Answer; readonly others: number }> {
  let others = 0;
  let answer: Answer | undefined;
  const done = hostile.then((received) => {
    answer = received;
  });
  while (!answer) {
    expect((await call('GET', '/api/v1/namespaces/default')).status).toBe(200);
    if (!answer) others++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return { answer, others };
}

describe('hostile objects', () => {
  const pairs = (limit: number) => `self.list.all(x, self.list.all(y, x <= y || y <= x || x > ${limit}))`;
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

  it('are validated concurrently with other requests, and only up to the cost limits', async () => {
    const list = { type: 'array', maxItems: 500, items: { type: 'integer' } };
    const made = definition('pairs', { properties: { list }, ...rules(...[1, 2, 3, 4].map(pairs)) });
    expect(await call('POST', crds, made)).toMatchObject({ status: 201 });
    const things = '/apis/example.com/v1/pairs';
    const small = await whileWaiting(call('POST', things, object('pairs', { list: numbers(250) })));
    expect(small.answer.status).toBe(201);
    expect(small.others).toBeGreaterThan(3);
    const large = await whileWaiting(call('POST', things, object('pairs', { list: numbers(500) }, 'y')));
    expect(large.answer).toMatchObject({
      status: 422,
      message: expect.stringContaining(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule",
      ),
    });
    expect(large.others).toBeGreaterThan(1);
  });

  it('may have a rule for each of very many items', async () => {
    const items = { type: 'integer', ...rules('self > 5') };
    const made = definition('items', { properties: { list: { type: 'array', items } } });
    expect(await call('POST', crds, made)).toMatchObject({ status: 201 });
    const { answer, others } = await whileWaiting(
      call('POST', '/apis/example.com/v1/items', object('items', { list: numbers(100_000) })),
    );
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining('spec.list[0]: Invalid value: 0') });
    expect(others).toBeGreaterThan(3);
  });
});

describe('hostile definitions', () => {
  it.each<[string, string, number, string]>([
    ['very long rules', Array(3000).fill('self.a > 1').join('&&'), 201, ''],
    ['very deep rules', `${'('.repeat(3000)}true${')'.repeat(3000)}`, 422, 'recursion limit exceeded'],
    ['very many macros', Array(600).fill('[1,2].all(x, x > self.a)').join('||'), 201, ''],
    [
      'rules that square themselves',
      `${'[1,2,3,4,5,6,7,8,9].all(x, '.repeat(9)}true${')'.repeat(9)}`,
      422,
      'exceeds budget',
    ],
    ['patterns that backtrack', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('^(a+)+$x')", 201, ''],
  ])('have %s', async (_, rule, status, message) => {
    const made = definition('tries', { properties: { a: { type: 'integer' } }, ...rules(rule) });
    const { answer } = await whileWaiting(call('POST', `${crds}?dryRun=All`, made));
    expect(answer).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it('have expensive rules that defaults must satisfy', async () => {
    const list = {
      type: 'array',
      maxItems: 1000,
      items: { type: 'integer' },
      default: Array.from({ length: 1000 }, (_, i) => i),
      ...rules('self.all(x, self.all(y, x <= y || y <= x))'),
    };
    const made = definition('defaults', { properties: { list } });
    const { answer, others } = await whileWaiting(call('POST', `${crds}?dryRun=All`, made));
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining('actual cost limit exceeded') });
    expect(others).toBeGreaterThan(1);
  });
});
