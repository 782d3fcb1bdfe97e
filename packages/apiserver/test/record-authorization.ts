/**
 * Records the decisions of a real kube-apiserver: `npx tsx packages/apiserver/test/record-authorization.ts` with
 * KUBE_APISERVER (its address), KUBE_TOKEN (of a member of system:masters) and USER_TOKEN (of alice: uid2, group dev)
 * set. The server must run with `--authorization-mode=Node,RBAC`. All created objects are deleted afterwards.
 */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { KubernetesObject, Status } from '@coxswain/apimachinery';
import { accessCases, escalationCases, fixtures, impersonationCases, namespace } from './authorization.cases.ts';

const server = process.env.KUBE_APISERVER ?? 'https://127.0.0.1:6443';

type Headers = Readonly<Record<string, string | readonly string[]>>;
interface Answer extends Status {
  metadata?: { resourceVersion?: string };
  [field: string]: unknown;
}

function send(method: string, path: string, body?: unknown, extra: Headers = {}, token = process.env.KUBE_TOKEN) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, [value].flat()]));
    const call = request(new URL(path, server), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      rejectUnauthorized: false,
    });
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function pathOf({ apiVersion = '', kind = '', metadata }: KubernetesObject): string {
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${prefix}${metadata?.namespace ? `/namespaces/${metadata.namespace}` : ''}/${kind.toLowerCase()}s`;
}

const statusOf = ({ code, reason, message, details }: Answer) => ({ code, reason, message, details });
const reviewPath = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const selfPath = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

for (const object of fixtures) {
  const { code, message } = await send('POST', pathOf(object), object);
  if (code && code !== 409) throw new Error(`${object.kind} ${object.metadata?.name}: ${message}`);
}
// Waits until the server's caches have the objects.
await new Promise((resolve) => setTimeout(resolve, 2000));

const recording: Record<'access' | 'escalation' | 'impersonation', Record<string, unknown>> = {
  access: {},
  escalation: {},
  impersonation: {},
};
for (const [sentence, { user, groups, about }] of Object.entries(accessCases)) {
  const spec = { user, groups, [`${'path' in about ? 'nonResource' : 'resource'}Attributes`]: about };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const answer = await send('POST', reviewPath, review);
  recording.access[sentence] = answer.kind === 'Status' ? statusOf(answer) : answer.status;
}
for (const [sentence, { as, groups = [], create }] of Object.entries(escalationCases)) {
  const headers = { 'impersonate-user': as, ...(groups.length > 0 && { 'impersonate-group': groups }) };
  const answer = await send('POST', `${pathOf(create)}?dryRun=All`, create, headers);
  recording.escalation[sentence] = answer.kind === 'Status' ? statusOf(answer) : 'created';
}
for (const [sentence, headers] of Object.entries(impersonationCases)) {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await send('POST', selfPath, body, headers, process.env.USER_TOKEN);
  recording.impersonation[sentence] =
    answer.kind === 'Status' ? statusOf(answer) : (answer.status as unknown as { userInfo: object }).userInfo;
}

for (const object of [...fixtures].reverse()) {
  const path = `${pathOf(object)}/${object.metadata?.name}`;
  await send('DELETE', `${path}?gracePeriodSeconds=0`);
  const left = await send('GET', path);
  if (left.kind === object.kind) await send('PUT', path, { ...left, metadata: { ...left.metadata, finalizers: [] } });
}
// Without a namespace controller, the namespace must be finalized here.
const left = await send('GET', `/api/v1/namespaces/${namespace}`);
await send('PUT', `/api/v1/namespaces/${namespace}/finalize`, { ...left, spec: { finalizers: [] } });
writeFileSync(new URL('recorded/authorization.json', import.meta.url), `${JSON.stringify(recording, undefined, 1)}\n`);
