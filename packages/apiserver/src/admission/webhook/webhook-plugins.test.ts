import type { MutatingWebhook } from '@coxswain/api/admissionregistration/v1';
import { type ApiError, GroupVersionKind, GroupVersionResource, type KubernetesObject } from '@coxswain/apimachinery';
import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { WebhookCallError, type WebhookCallOptions, type WebhookClient } from '../../webhook/index.ts';
import { newAdmissionContext, newAttributes, type Parts } from '../admission.test-data.ts';
import { AdmissionChain, type AdmissionObjects, type AdmissionPlugin } from '../admission.ts';
import { mutatingAdmissionWebhook, validatingAdmissionWebhook, WebhookMetrics } from './index.ts';

type Answer = (request: Record<string, unknown>, options: WebhookCallOptions) => unknown;

interface Setup {
  readonly type?: 'mutating' | 'validating';
  readonly webhooks: Readonly<Record<string, Partial<MutatingWebhook>>>;
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** A plug-in whose webhooks are functions by name, which allow by default. */
function newPlugin({ type = 'validating', webhooks, answers = {} }: Setup) {
  const calls: { name: string; timeoutMs: number; request: Record<string, unknown> }[] = [];
  const { logger, lines: reported } = recordLogs();
  const client: WebhookClient = {
    async call(_, body, options) {
      const { name = '', timeoutMs } = options;
      const { request, apiVersion } = body as { request: Record<string, unknown>; apiVersion: string };
      calls.push({ name, timeoutMs, request });
      const response = (await answers[name]?.(request, options)) ?? {};
      return { kind: 'AdmissionReview', apiVersion, response: { uid: request.uid, allowed: true, ...response } };
    },
  };
  const configuration = {
    metadata: { name: 'c' },
    webhooks: Object.entries(webhooks).map(([name, fields]) => ({
      name,
      clientConfig: { url: 'https://127.0.0.1/' },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 10,
      ...fields,
    })),
  };
  const metrics = new WebhookMetrics();
  const options = {
    context: newAdmissionContext({
      [`${type}webhookconfigurations.admissionregistration.k8s.io`]: [configuration],
      namespaces: [{ metadata: { name: 'n', labels: { in: 'n' } } }],
    }),
    client,
    metrics,
    compileConditions: () => async () => [],
    uuid: () => 'uid',
    logger,
  };
  const plugin = type === 'mutating' ? mutatingAdmissionWebhook(options) : validatingAdmissionWebhook(options);
  const scraped = (name: string): string[] =>
    metrics.families
      .filter((family) => family.name.endsWith(name))
      .flatMap((family) => [...family.samples()].map(({ labels, suffix, value }) => `${suffix}{${labels}} ${value}`));
  return { plugin, calls, reported, scraped };
}

const write = (parts: Parts = {}) =>
  newAttributes({ resource: 'v1/configmaps', kind: 'ConfigMap', object: { metadata: { name: 'a' } }, ...parts });

const outcome = async (plugin: AdmissionPlugin, attributes = write()): Promise<ApiError | undefined> => {
  const chain = new AdmissionChain([plugin]);
  try {
    await chain.admit(attributes);
    await chain.validate(attributes);
    return undefined;
  } catch (error) {
    return error as ApiError;
  }
};

describe('the timeout', () => {
  it('is that of the webhook, or the remaining time of the request', async () => {
    const { plugin, calls } = newPlugin({ webhooks: { a: {}, b: { timeoutSeconds: 1 } } });
    await outcome(plugin, write({ deadline: performance.now() + 5_000 }));
    const [a, b] = calls;
    expect(a!.timeoutMs).toBeGreaterThan(1_000);
    expect(a!.timeoutMs).toBeLessThanOrEqual(5_000);
    expect(b!.timeoutMs).toBe(1_000);
  });

  it('is checked before webhooks are called', async () => {
    const { plugin, calls } = newPlugin({ webhooks: { a: {} } });
    const error = await outcome(plugin, write({ deadline: performance.now() - 1 }));
    expect(error?.message).toBe('Timeout: request did not complete within requested timeout');
    expect(error?.code).toBe(504);
    expect(calls).toEqual([]);
  });

  it('is checked after an ignored failure', async () => {
    const gone = new AbortController();
    const { plugin, calls } = newPlugin({
      type: 'mutating',
      webhooks: { a: { failurePolicy: 'Ignore' }, b: {} },
      answers: {
        a: () => {
          gone.abort();
          throw new WebhookCallError('context canceled', 'canceled');
        },
      },
    });
    const error = await outcome(plugin, write({ signal: gone.signal }));
    expect(error?.message).toBe('Timeout: request did not complete within requested timeout');
    expect(calls.map(({ name }) => name)).toEqual(['a']);
  });
});

describe('validating webhooks', () => {
  it('are called concurrently, and the first rejection in order is reported', async () => {
    let first: (value: unknown) => void = () => {};
    const { plugin } = newPlugin({
      webhooks: { a: {}, b: {} },
      answers: {
        a: () => new Promise((resolve) => (first = resolve)),
        b: () => {
          first({ allowed: false, status: { message: 'one' } });
          return { allowed: false, status: { message: 'two' } };
        },
      },
    });
    expect((await outcome(plugin))?.message).toBe('admission webhook "a" denied the request: one');
  });
});

describe('metrics', () => {
  it('count calls, rejections and failures', async () => {
    const { plugin, scraped, reported } = newPlugin({
      webhooks: { open: { failurePolicy: 'Ignore' }, no: {}, broken: {} },
      answers: {
        open: () => {
          throw new WebhookCallError('gone', 'network');
        },
        no: () => ({ allowed: false, status: { code: 403 } }),
        broken: () => ({ uid: 'other' }),
      },
    });
    await outcome(plugin);
    expect(scraped('fail_open_count')).toEqual(['{name="open",type="validating"} 1']);
    expect(scraped('rejection_count')).toEqual([
      '{error_type="calling_webhook_error",name="broken",operation="CREATE",rejection_code="503",type="validating"} 1',
      '{error_type="no_error",name="no",operation="CREATE",rejection_code="403",type="validating"} 1',
    ]);
    expect(scraped('request_total')).toEqual([
      '{code="403",name="no",operation="CREATE",rejected="true",type="validating"} 1',
      '{code="503",name="broken",operation="CREATE",rejected="true",type="validating"} 1',
      '{code="503",name="open",operation="CREATE",rejected="false",type="validating"} 1',
    ]);
    expect(reported).toEqual([
      'warning "Failed calling webhook, failing open" webhook="open" err="failed calling webhook \\"open\\": failed to call webhook: gone"',
    ]);
  });
});

describe('equivalent resources', () => {
  const kinds = { one: GroupVersionKind.of('g', 'v1', 'Thing'), two: GroupVersionKind.of('g', 'v2', 'Thing') };
  const objects: AdmissionObjects = {
    equivalents: () => [
      { resource: GroupVersionResource.of('g', 'v1', 'things'), kind: kinds.one },
      { resource: GroupVersionResource.of('g', 'v2', 'things'), kind: kinds.two },
    ],
    toKind: async (object, { apiVersion }) => ({ ...object, apiVersion }),
    toHub: async (object) => ({ ...object, apiVersion: 'g/v1' }),
    read: (value) => value as KubernetesObject,
    schema: () => undefined,
    withDefaults: (object) => object,
  };
  const thing = (): Parts & { resource: string; kind: string } => ({
    resource: 'g/v1/things',
    kind: 'Thing',
    object: { apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'a' } },
    objects,
  });
  const onlyV2 = {
    rules: [{ operations: ['*' as const], apiGroups: ['g'], apiVersions: ['v2'], resources: ['things'] }],
  };
  const label = (name: string): Answer => {
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { by: name } }]));
    return () => ({ patchType: 'JSONPatch', patch: patch.toString('base64') });
  };

  it('are sent in the version of the rule, and changes are converted back', async () => {
    const { plugin, calls } = newPlugin({
      type: 'mutating',
      webhooks: { a: onlyV2, b: {} },
      answers: { a: label('a') },
    });
    const attributes = newAttributes(thing());
    const { object } = attributes;
    expect(await outcome(plugin, attributes)).toBeUndefined();
    expect(calls.map(({ request }) => request)).toMatchObject([
      { kind: { version: 'v2' }, requestKind: { version: 'v1' }, object: { apiVersion: 'g/v2' } },
      {
        kind: { version: 'v1' },
        requestKind: { version: 'v1' },
        object: { apiVersion: 'g/v1', metadata: { labels: { by: 'a' } } },
      },
    ]);
    expect(attributes.object).toBe(object);
    expect(object).toEqual({ apiVersion: 'g/v1', kind: 'Thing', metadata: { name: 'a', labels: { by: 'a' } } });
  });

  it('are not matched with Exact', async () => {
    const { plugin, calls } = newPlugin({ webhooks: { a: { ...onlyV2, matchPolicy: 'Exact' } } });
    await outcome(plugin, newAttributes(thing()));
    expect(calls).toEqual([]);
  });

  it('that cannot be converted cause an internal error', async () => {
    const { plugin } = newPlugin({ webhooks: { a: onlyV2 } });
    const broken = { ...objects, toKind: () => Promise.reject(new Error('no way')) };
    const error = await outcome(plugin, newAttributes({ ...thing(), objects: broken }));
    expect(error?.message).toBe('Internal error occurred: no way');
  });
});

describe('missing namespaces', () => {
  it('cause an error only for webhooks whose rules match', async () => {
    const selector = { namespaceSelector: { matchLabels: { in: 'n' } } };
    const gone = write({ namespace: 'gone' });
    const concerned = newPlugin({ webhooks: { a: selector } });
    expect((await outcome(concerned.plugin, gone))?.message).toBe('namespaces "gone" not found');
    const elsewhere = newPlugin({ webhooks: { a: { ...selector, rules: [] } } });
    expect(await outcome(elsewhere.plugin, gone)).toBeUndefined();
  });
});

describe('keys of inherited properties', () => {
  it('are treated as data in a patch', async () => {
    const patch = Buffer.from('[{"op":"add","path":"/data","value":{"__proto__":"x","constructor":"y"}}]');
    const { plugin } = newPlugin({
      type: 'mutating',
      webhooks: { a: {} },
      answers: { a: () => ({ patchType: 'JSONPatch', patch: patch.toString('base64') }) },
    });
    const attributes = write();
    expect(await outcome(plugin, attributes)).toBeUndefined();
    expect(JSON.stringify(attributes.object)).toBe(
      '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}',
    );
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
