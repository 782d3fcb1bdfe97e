import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import { asAdmin, connectSocket, readToEnd } from './clients.ts';

/** Bodies that are expensive to read must not block other requests. */
let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({ listen: true });
});
afterAll(() => running.server.stop());

const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(',');
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, rest: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},${rest}}`;

async function call(
  method: string,
  url: string,
  contentType: string,
  text: string | Uint8Array,
): Promise<{ status: number; message: string; turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  const headers = { ...asAdmin, 'content-type': contentType };
  const answered = running.server.transport()({ method, url, headers, body: Buffer.from(text) });
  setImmediate(count);
  const { status, body } = await answered;
  isDone = true;
  const answer = JSON.parse(Buffer.from(body as Uint8Array).toString()) as { message?: string };
  return { status, message: answer.message ?? '', turns };
}

const json = 'application/json';
const tooLarge = { status: 413, message: 'Request entity too large: limit is 262144' };
const tooManyParts = { status: 413, message: 'Request entity too large: the request has too many parts' };

describe('a body that is limited to a small size', () => {
  const filler = `"x":"${'x'.repeat(256 * 1024)}"`;
  it.each([
    ['a review', 'POST', reviews],
    ['a request for a token', 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
    ['a binding', 'POST', '/api/v1/namespaces/default/pods/x/binding'],
    ['an eviction', 'POST', '/api/v1/namespaces/default/pods/x/eviction'],
    ['a scale', 'PUT', '/apis/apps/v1/namespaces/default/deployments/x/scale'],
    ['options of a deletion', 'DELETE', `${configMaps}/x`],
    ['options of a deletion of a collection', 'DELETE', configMaps],
  ])('is refused when it is large: %s', async (_, method, path) => {
    expect(await call(method, path, json, `{${filler}}`)).toMatchObject(tooLarge);
  });
});

describe('a body with very many parts', () => {
  it.each([
    ['in JSON', 'POST', configMaps, json, configMap('x', `"a":[${many(250_000, () => '1')}]`)],
    ['in an object', 'POST', configMaps, json, configMap('x', `"data":{${many(80_000, (i) => `"k${i}":""`)}}`)],
    ['in a JSON patch', 'PATCH', `${configMaps}/x`, 'application/json-patch+json', `[${many(250_000, () => '{}')}]`],
    [
      'in a merge patch',
      'PATCH',
      `${configMaps}/x`,
      'application/merge-patch+json',
      `{"a":[${many(250_000, () => '1')}]}`,
    ],
    [
      'in an applied configuration',
      'PATCH',
      `${configMaps}/x?fieldManager=m`,
      'application/apply-patch+yaml',
      `{"a":[${many(250_000, () => '1')}]}`,
    ],
  ])('is refused: %s', async (_, method, path, contentType, body) => {
    expect(await call(method, path, contentType, body)).toMatchObject(tooManyParts);
  });

  it('is refused in protobuf', async () => {
    const containers = Buffer.alloc(500_000, Buffer.from([0x12, 0x00]));
    const type = Buffer.from('\x0a\x09\x0a\x02v1\x12\x03Pod', 'latin1');
    const pod = Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), type, lengthDelimited(lengthDelimited(containers))]);
    const answer = await call('POST', '/api/v1/namespaces/default/pods', 'application/vnd.kubernetes.protobuf', pod);
    expect(answer).toMatchObject({
      status: 400,
      message: expect.stringContaining('proto: the message has too many parts'),
    });
  });

  it('can be changed when it is stored already, whatever its managedFields', async () => {
    const data = `"data":{${many(60_000, (i) => `"k${i}":""`)}}`;
    expect(await call('POST', configMaps, json, configMap('many', data))).toMatchObject({ status: 201 });
    const label = '{"metadata":{"labels":{"a":"b"}}}';
    const changed = await call('PATCH', `${configMaps}/many`, 'application/merge-patch+json', label);
    expect(changed).toMatchObject({ status: 200 });
  });
});

const lengthDelimited = (bytes: Uint8Array): Buffer => {
  const head = [0x12];
  let left = bytes.length;
  for (; left > 127; left >>>= 7) head.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([...head, left]), bytes]);
};

describe('a large body', () => {
  it.each<[string, method: string, path: string, contentType: string, body: string, status: number]>([
    ['YAML', 'POST', reviews, 'application/yaml', `a: [${many(100_000, () => '1')}]`, 400],
    ['an object', 'POST', configMaps, json, configMap('y', `"data":{${many(60_000, (i) => `"k${i}":""`)}}`), 201],
    [
      'an applied configuration',
      'PATCH',
      `${configMaps}/z?fieldManager=m`,
      'application/apply-patch+yaml',
      `a: [${many(100_000, () => '1')}]`,
      400,
    ],
  ])('is processed concurrently with other requests: %s', async (_, method, path, contentType, body, status) => {
    const answer = await call(method, path, contentType, body);
    expect(answer.status).toBe(status);
    expect(answer.turns).toBeGreaterThan(3);
  });
});

describe('a large write may yield to the event loop after every step', () => {
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const apply = 'application/apply-patch+yaml';
  const data = (count: number, value = 'xxxxxxxxxx', from = 0): string =>
    `"data":{${many(count, (i) => `"k${i + from}":"${value}"`)}}`;
  const owners = (count: number): string => many(count, (i) => `"example.com/finalizer-${i}"`);
  const definition = JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Foo', plural: 'foos', singular: 'foo', listKind: 'FooList' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', description: 'x'.repeat(20_000) } },
        },
      ],
    },
  });
  const applied = (count: number, from = 0, value = 'xxxxxxxxxx'): string =>
    configMap('applied', data(count, value, from));

  beforeAll(async () => {
    for (const name of ['there', 'applied']) {
      const created = await call('PATCH', `${configMaps}/${name}?fieldManager=one`, apply, configMap(name, data(1000)));
      expect(created.status).toBe(201);
    }
  });

  // The fake time makes it yield at every step.
  beforeEach(() => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 2;
      return now;
    });
  });
  afterEach(() => vi.restoreAllMocks());

  const dryRun = 'dryRun=All&fieldManager';
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  it.each<[string, method: string, path: string, contentType: string, body: string, status: number, turns: number]>([
    ['a create', 'POST', `${configMaps}?dryRun=All`, json, configMap('z', data(1000)), 201, 17],
    ['an update', 'PUT', `${configMaps}/there?dryRun=All`, json, configMap('there', data(1000, 'yyyyyyyyyy')), 200, 20],
    ['a merge patch', 'PATCH', `${configMaps}/there?dryRun=All`, merge, `{${data(5000, '')}}`, 200, 20],
    ['a strategic merge patch', 'PATCH', `${configMaps}/there?dryRun=All`, strategic, `{${data(5000, '')}}`, 200, 20],
    [
      'an order of elements',
      'PATCH',
      `${configMaps}/there?dryRun=All`,
      strategic,
      `{"metadata":{"$setElementOrder/finalizers":[${owners(1000)}],"finalizers":[${owners(1000)}]}}`,
      200,
      22,
    ],
    ['an apply of something new', 'PATCH', `${configMaps}/z?${dryRun}=one`, apply, configMap('z', data(1000)), 201, 16],
    ['an apply', 'PATCH', `${configMaps}/applied?${dryRun}=one`, apply, applied(1000, 0, 'y'), 200, 16],
    [
      'an apply that gives up fields',
      'PATCH',
      `${configMaps}/applied?${dryRun}=one`,
      apply,
      applied(1000, 500),
      200,
      30,
    ],
    ['an apply with conflicts', 'PATCH', `${configMaps}/applied?${dryRun}=two`, apply, applied(1000, 0, 'y'), 409, 8],
    ['a definition', 'POST', `${definitions}?dryRun=All`, json, definition, 201, 22],
    ['many parts', 'POST', `${configMaps}?dryRun=All`, json, configMap('z', data(25_000, '')), 201, 30],
  ])('%s', async (_, method, path, contentType, body, status, turns) => {
    const answer = await call(method, path, contentType, body);
    expect(answer.status).toBe(status);
    expect(answer.turns).toBeGreaterThanOrEqual(turns);
  });
});

it.each([
  ['401', 'nobody-knows-it'],
  ['403', tokens.alice],
])('a %s is sent before the body is received', async (status, token) => {
  const socket = await connectSocket(running.port);
  const answer = readToEnd(socket);
  const head = [`POST ${configMaps} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
  socket.write(`${[...head, 'Content-Type: application/json', 'Content-Length: 3000000'].join('\r\n')}\r\n\r\n`);
  expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});
