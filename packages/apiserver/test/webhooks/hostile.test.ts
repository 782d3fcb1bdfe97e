import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import { authority, type Behaviour, base64, patch, say, WebhookServer } from './webhook-server.ts';

let webhooks: WebhookServer;
let made: TestServer;

beforeAll(async () => {
  webhooks = await new WebhookServer().start();
  made = await startTestServer();
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'quiet' } });
});

afterAll(async () => {
  await made.server.stop();
  await webhooks.close();
});

async function send(method: string, url: string, body?: unknown): Promise<{ status: number; message: string }> {
  const call = inProcessCaller(made.server.transport());
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
  const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const received = await call({ method, url, headers, ...bytes }, new AbortController().signal);
  let text = '';
  for await (const chunk of received.body) text += Buffer.from(chunk).toString();
  const { message = '' } = JSON.parse(text) as { message?: string };
  return { status: received.status, message };
}

/** Registers a webhook with this behaviour for one namespace. */
async function hostile(name: string, behaviour: Behaviour): Promise<void> {
  webhooks.behaviours = { ...webhooks.behaviours, [name]: behaviour };
  await send('POST', '/api/v1/namespaces', { metadata: { name } });
  const { status } = await send('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `https://127.0.0.1:${webhooks.port}/${name}`, caBundle: base64(authority.certificatePem) },
        rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: name === 'silent' ? 1 : 30,
      },
    ],
  });
  expect(status).toBe(201);
}

const create = (namespace: string, name: string, data: Record<string, string> = {}) =>
  send('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name }, data });

const endless: Behaviour = (_, response) => {
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(1 << 16)));
  };
  response.on('drain', more);
  more();
};

const bigValue = 'x'.repeat(2_000_000);
const operations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ op: 'add', path: `/data/k${index}`, value: 'v' }));
let depth = '"x"';
for (let i = 0; i < 2_000; i++) depth = `{"a":${depth}}`;

describe('a misbehaving webhook causes an error for its own requests, and does not affect others', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['silent', () => {}, /\/silent\?timeout=1s": context deadline exceeded$/],
    ['endless', endless, /Original error: the answer is longer than 8388608 bytes$/],
    ['deep', say(`{"kind":${'['.repeat(100_000)}`), /couldn't get version\/kind; json parse error: /],
    ['hanging-up', (_, response) => response.socket?.destroy(), /\/hanging-up\?timeout=30s": EOF$/],
    ['redirecting', say('', 308, { location: 'https://169.254.169.254/' }), /status code 308 but did not return more/],
    ['growing', patch([{ op: 'add', path: '/data', value: { big: bigValue } }]), /Too long|too large|exceeds/i],
    ['long-winded', patch(operations(20_000)), /The allowed maximum operations in a JSON patch is 10000, got 20000$/],
    ['nesting', patch(JSON.parse(`[{"op":"add","path":"/data","value":${depth}}]`)), /Internal error occurred: /],
    [
      'lying',
      say({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'x', allowed: true } }),
      /expected response\.uid=/,
    ],
  ])('%s', async (name, behaviour, message) => {
    await hostile(name, behaviour);
    const suffering = Promise.all(Array.from({ length: 5 }, (_, index) => create(name, `a${index}`)));
    expect(await create('quiet', name)).toMatchObject({ status: 201 });
    expect(await send('GET', '/api/v1/configmaps')).toMatchObject({ status: 200 });
    for (const { status, message: told } of await suffering) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(told).toMatch(message);
    }
    expect(webhooks.sockets.size).toBeLessThanOrEqual(100);
    expect(await create('quiet', `${name}-after`)).toMatchObject({ status: 201 });
  });
});
