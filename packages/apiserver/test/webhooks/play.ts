import type { Caller } from '../requests/caller.ts';
import type { Outcome, Scenario, Step } from './scenario.ts';
import { authority, base64, type WebhookServer } from './webhook-server.ts';

export interface Stage {
  readonly call: Caller;
  readonly token: (user?: string) => string;
  readonly webhooks: WebhookServer;
  readonly namespace: string;
  /** Waits until webhook configurations take effect. */
  readonly settle: () => Promise<void>;
  /** Returns the audit annotations of a request. */
  readonly annotations: (auditId: string) => Promise<Readonly<Record<string, string>>>;
}

const configurations = '/apis/admissionregistration.k8s.io/v1';

/** Plays a scenario and returns its outcome, normalized so that it is the same on every server. */
export async function play(scenario: Scenario, stage: Stage): Promise<Outcome> {
  const { webhooks, namespace } = stage;
  webhooks.asked.length = 0;
  webhooks.behaviours = scenario.behaviours ?? {};
  const labels = { team: 'blue' };
  await send(stage, { method: 'POST', url: '/api/v1/namespaces', body: { metadata: { name: namespace, labels } } });
  for (const step of scenario.steps.filter(({ before }) => before)) await send(stage, step);
  const made = [
    await configure(stage, 'Mutating', scenario.mutating),
    await configure(stage, 'Validating', scenario.validating),
  ];
  await stage.settle();
  const answers: Outcome['answers'][number][] = [];
  try {
    for (const step of scenario.steps.filter(({ before }) => !before)) answers.push(await send(stage, step));
  } finally {
    for (const url of made) if (url) await send(stage, { method: 'DELETE', url });
    await stage.settle();
  }
  const judges = Object.keys(scenario.validating ?? {});
  // Validating webhooks are called concurrently, so their requests are sorted.
  const order = ({ webhook }: { webhook: string }): number => judges.indexOf(webhook);
  const asked = [...webhooks.asked]
    .sort((a, b) => order(a) - order(b))
    .map(({ webhook, url, headers, review }, index) => ({
      webhook,
      url: url.replace(/timeout=(30|29)s/, 'timeout=30s'),
      ...(index === 0 && {
        headers: {
          ...headers,
          'accept-encoding': undefined,
          host: undefined,
          'content-length': undefined,
          connection: undefined,
        },
      }),
      review,
    }));
  return normalized({ answers, asked }, stage);
}

async function configure(stage: Stage, sort: string, hooks: Scenario['mutating']): Promise<string | undefined> {
  if (!hooks) return undefined;
  const { namespace, webhooks } = stage;
  const url = `${configurations}/${sort.toLowerCase()}webhookconfigurations`;
  const name = `${namespace}-${sort.toLowerCase()}`;
  const body = {
    metadata: { name },
    webhooks: Object.entries(hooks).map(([short, fields]) => ({
      name: `${short}.example.com`,
      clientConfig: { url: `https://127.0.0.1:${webhooks.port}/${short}`, caBundle: base64(authority.certificatePem) },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 30,
      ...fields,
    })),
  };
  const text = JSON.stringify(body)
    .replaceAll('{{webhooks}}', `127.0.0.1:${webhooks.port}`)
    .replaceAll('"{{port}}"', String(webhooks.port))
    .replaceAll('{{port}}', String(webhooks.port))
    .replaceAll('{{ca}}', base64(authority.certificatePem));
  const { status, body: answer } = await send(stage, { method: 'POST', url, body: text });
  if (status !== 201) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return `${url}/${name}`;
}

async function send(stage: Stage, { method, url, body, type, user }: Step): Promise<Outcome['answers'][number]> {
  const here = (text: string): string => text.replaceAll('{{ns}}', stage.namespace);
  const text = body === undefined ? undefined : here(typeof body === 'string' ? body : JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${stage.token(user)}`,
    'user-agent': 'test',
    ...(text !== undefined && { 'content-type': type ?? 'application/json' }),
  };
  const sent = { method, url: here(url), headers, ...(text !== undefined && { body: Buffer.from(text) }) };
  const received = await stage.call(sent, new AbortController().signal);
  let answer = '';
  for await (const chunk of received.body) answer += Buffer.from(chunk).toString();
  const { warning = [], 'audit-id': auditId = '' } = received.headers;
  const warnings = typeof warning === 'string' ? [warning] : warning;
  const annotations = await stage.annotations(String(auditId));
  return {
    status: received.status,
    body: answer.startsWith('{') ? JSON.parse(answer) : answer,
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

const uuids = /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;
const times = /\b202\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;

function normalized(outcome: Outcome, { namespace, webhooks }: Stage): Outcome {
  const text = JSON.stringify(sorted(outcome))
    .replaceAll(namespace, '{{ns}}')
    .replaceAll(`127.0.0.1:${webhooks.port}`, '{{webhooks}}')
    .replaceAll(`:${webhooks.port}`, ':{{port}}')
    .replace(/"g-[a-z0-9]{5}"/g, '"g-{{suffix}}"')
    .replace(uuids, '{{uid}}')
    .replace(times, '{{time}}')
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"{{rv}}"')
    .replace(/"(hostIP|podIP|clusterIP|ip)":"[^"]*"/g, '"$1":"{{ip}}"');
  return JSON.parse(text) as Outcome;
}

/** Sorts managedFields, whose order is not defined. */
function sorted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted(item));
    return key === 'managedFields' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sorted(item, name)]));
}
