import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../proxy/certificates.test-data.ts';
import { AdmissionChain } from '../admission.ts';
import { attributesOf, creates, newContext, pod, type TestWrite } from '../plugin-runner.test-data.ts';
import { imagePolicyWebhook } from './image-policy-webhook.ts';

let directory: string;
let server: Server;
/** The requests to the webhook, and its next responses. */
const asked: unknown[] = [];
let answers: [code: number, body: object][] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'image-policy-'));
  const { ca, server: pair } = await makeCertificates();
  server = createServer(pair, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(JSON.parse(text));
    const [code, body] = answers.shift() ?? [500, {}];
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = {
    server: `https://127.0.0.1:${port}/images`,
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
  };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(join(directory, 'kubeconfig'), JSON.stringify(kubeconfig));
});
afterEach(() => {
  asked.length = 0;
  answers = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

const judged = (status: object): [number, object] => [
  200,
  { apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', status },
];
const failure: [number, object] = [
  500,
  { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'InternalError', message: 'it is broken', code: 500 },
];

function start(defaultAllow = false) {
  const clock = { now: 0 };
  const plugin = imagePolicyWebhook(newContext([], { now: () => new Date(clock.now) }), {
    kubeConfigFile: join(directory, 'kubeconfig'),
    allowTtlMs: 300,
    denyTtlMs: 30,
    retryBackoffMs: 1,
    defaultAllow,
  });
  const chain = new AdmissionChain([plugin]);
  const judge = async (write: TestWrite) => {
    const annotations = new Map<string, string>();
    const attributes = attributesOf(write, annotations);
    const problem = await chain.validate(attributes).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { problem, annotations, pod: attributes.object };
  };
  return { clock, judge, close: () => chain.close() };
}

const noted = pod(
  { initContainers: [{ name: 'i', image: 'first' }] },
  { annotations: { 'team.image-policy.k8s.io/ticket': '7', other: 'x' } },
);

describe('ImagePolicyWebhook', () => {
  it('sends the images of a pod, and caches the result', async () => {
    const { clock, judge, close } = start();
    answers = [judged({ allowed: true, auditAnnotations: { by: 'me' } }), judged({ allowed: false, reason: 'old' })];
    const first = await judge(creates(noted));
    expect(first.problem).toBeUndefined();
    expect([...first.annotations]).toEqual([['imagepolicywebhook.image-policy.k8s.io/by', 'me']]);
    expect(asked).toMatchObject([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        spec: {
          containers: [{ image: 'i' }, { image: 'first' }],
          annotations: { 'team.image-policy.k8s.io/ticket': '7' },
          namespace: 'ns',
        },
      },
    ]);
    expect(JSON.stringify(asked)).not.toContain('other');
    clock.now = 299;
    await judge(creates(noted));
    expect(asked).toHaveLength(1);
    clock.now = 300;
    expect((await judge(creates(noted))).problem).toBe(
      'pods "p" is forbidden: image policy webhook backend denied one or more images: old',
    );
    close();
  });

  it('checks ephemeral containers when they are added', async () => {
    const { judge, close } = start();
    answers = [judged({ allowed: false })];
    const object = pod({ ephemeralContainers: [{ name: 'e', image: 'late' }] });
    const { problem } = await judge({ send: 'UPDATE v1 pods/ephemeralcontainers Pod', object, oldObject: pod() });
    expect(problem).toBe('pods "p" is forbidden: one or more images rejected by webhook backend');
    expect(asked).toMatchObject([{ spec: { containers: [{ image: 'late' }] } }]);
    close();
  });

  it('retries when the webhook fails, and then rejects the pod', async () => {
    const { judge, close } = start();
    answers = [failure, judged({ allowed: true })];
    expect((await judge(creates(pod()))).problem).toBeUndefined();
    answers = Array(5).fill(failure);
    const { problem } = await judge(creates(pod({ containers: [{ name: 'c', image: 'other' }] })));
    expect(problem).toContain('pods "p" is forbidden: ');
    expect(asked).toHaveLength(7);
    close();
  });

  it('allows pods with defaultAllow when the webhook fails', async () => {
    const { judge, close } = start(true);
    answers = Array(5).fill(failure);
    const { problem, annotations, pod: admitted } = await judge(creates(pod()));
    expect(problem).toBeUndefined();
    expect(annotations.get('imagepolicywebhook.image-policy.k8s.io/failed-open')).toBe('true');
    expect(admitted?.metadata?.annotations).toEqual({ 'alpha.image-policy.k8s.io/failed-open': 'true' });
    close();
  });
});
