import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import { authority, base64, WebhookServer } from './webhook-server.ts';

let webhooks: WebhookServer;
let made: TestServer;

const never = new AbortController().signal;
const admissionregistration = '/apis/admissionregistration.k8s.io/v1';
const inNamespace = '/api/v1/namespaces/gone';
const rules = [
  {
    operations: ['CREATE', 'CONNECT'],
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: ['pods/*', 'services/proxy', 'nodes/proxy', 'bindings', 'serviceaccounts/token', 'tokenreviews'],
  },
];

/** Requests with admission that do not store an object. */
const requests: readonly [request: string, body?: object][] = [
  [`POST ${inNamespace}/pods/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }],
  [`POST ${inNamespace}/bindings`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }],
  [`POST ${inNamespace}/pods/p/eviction`, { metadata: { name: 'p' } }],
  [`POST ${inNamespace}/serviceaccounts/s/token`, { spec: {} }],
  [`POST ${inNamespace}/pods/p/exec?command=ls&container=c`],
  [`POST ${inNamespace}/pods/p/attach`],
  [`POST ${inNamespace}/pods/p/portforward?ports=1`],
  [`GET ${inNamespace}/pods/p/proxy/x`],
  [`GET ${inNamespace}/services/s/proxy/x`],
  ['GET /api/v1/nodes/n/proxy/x'],
];
const review = ['POST /apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }] as const;

async function send(request: string, body?: object, signal = never): Promise<{ status: number; message: string }> {
  const [method = '', url = ''] = request.split(' ');
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' };
  const bytes = body && Buffer.from(JSON.stringify(body));
  const call = inProcessCaller(made.server.transport());
  const received = await call({ method, url, headers, ...(bytes && { body: bytes }) }, signal);
  let text = '';
  for await (const chunk of received.body) text += Buffer.from(chunk).toString();
  return { status: received.status, message: (JSON.parse(text) as { message?: string }).message ?? '' };
}

async function created(path: string, body: object): Promise<void> {
  expect(await send(`POST ${path}`, body)).toMatchObject({ status: 201 });
}

beforeAll(async () => {
  webhooks = await new WebhookServer().start();
  made = await startTestServer();
  await created('/api/v1/namespaces', { metadata: { name: 'gone' } });
  await created(`${inNamespace}/serviceaccounts`, { metadata: { name: 's' } });
  await created(`${inNamespace}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
});

afterAll(async () => {
  await made.server.stop();
  await webhooks.close();
});

describe('a client that disconnects', () => {
  it.each(['mutating', 'validating'])('aborts the calls of %s webhooks', async (type) => {
    const path = `${admissionregistration}/${type}webhookconfigurations`;
    const url = `https://127.0.0.1:${webhooks.port}/silent`;
    await created(path, {
      metadata: { name: type },
      webhooks: [
        {
          name: `${type}.example.com`,
          clientConfig: { url, caBundle: base64(authority.certificatePem) },
          rules,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 30,
        },
      ],
    });
    for (const [request, body] of [...requests, review]) {
      const client = new AbortController();
      const closed = new Promise<void>((resolve) => {
        webhooks.behaviours = {
          silent: (_, response) => {
            response.once('close', resolve);
            client.abort();
          },
        };
      });
      const { message } = await send(request, body, client.signal);
      expect([request, message]).toEqual([request, expect.stringMatching(/context canceled$/)]);
      await closed;
    }
    expect(await send(`DELETE ${path}/${type}`)).toMatchObject({ status: 200 });
  });

  it('ends the evaluation of policies', async () => {
    const metadata = { name: 'policy.example.com' };
    await created(`${admissionregistration}/validatingadmissionpolicies`, {
      metadata,
      spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] },
    });
    await created(`${admissionregistration}/validatingadmissionpolicybindings`, {
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    });
    for (const [request, body] of requests) {
      const { message } = await send(request, body, AbortSignal.abort());
      expect([request, message]).toEqual([request, 'Timeout: request did not complete within requested timeout']);
    }
  });
});
