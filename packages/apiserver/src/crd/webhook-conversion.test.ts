import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authority, base64, TestServer } from '../webhook/tls-server.test-data.ts';
import { atsUrl, definitionOf, definitionsUrl, type Json, TestApi, versionOf } from './custom-resources.test-data.ts';

interface ConversionReview extends Json {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: (Json & { apiVersion: string; metadata: Json; spec: Record<string, string> })[];
  };
}

interface Answer {
  kind: string;
  apiVersion: string;
  response?: Json & { uid: string; result: Json; convertedObjects: (Json & { metadata?: Json })[] };
}

/** Converts between v1 with host and port, and v2 with hostPort. */
function convert(review: ConversionReview): Answer {
  const { uid, desiredAPIVersion, objects } = review.request;
  const convertedObjects = objects.map((object) => {
    const { host, port, hostPort = '' } = object.spec;
    const [left, right] = hostPort.split(':');
    const spec = object.apiVersion.endsWith('v1') ? { hostPort: `${host}:${port}` } : { host: left, port: right };
    return { ...object, apiVersion: desiredAPIVersion, spec };
  });
  return {
    kind: 'ConversionReview',
    apiVersion: review.apiVersion,
    response: { uid, result: { status: 'Success' }, convertedObjects },
  };
}

let api: TestApi;
let hook: TestServer;
let reviews: ConversionReview[] = [];
let spoil: (answer: Answer) => Answer | string = (answer) => answer;
let groups = 0;

beforeAll(async () => {
  api = await TestApi.start();
  hook = await TestServer.https((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const review = JSON.parse(body) as ConversionReview;
      reviews.push(review);
      const answer = spoil(convert(review));
      response.setHeader('content-type', 'application/json');
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  }).start();
});
afterAll(async () => {
  await api.server.stop();
  await hook.close();
});
beforeEach(() => {
  reviews = [];
  spoil = (answer) => answer;
});

async function define(reviewVersions = ['v1', 'v1beta1'], storage = 'v1'): Promise<string> {
  const group = `hook-${++groups}.dev`;
  const versions = [
    versionOf('v1', storage === 'v1', 'host', 'port'),
    { ...versionOf('v2', storage === 'v2', 'hostPort'), selectableFields: [{ jsonPath: '.spec.hostPort' }] },
  ];
  const clientConfig = { url: `https://127.0.0.1:${hook.port}/convert`, caBundle: base64(authority.certificatePem) };
  const webhook = { conversionReviewVersions: reviewVersions, clientConfig };
  await api.define(definitionOf(group, versions, { conversion: { strategy: 'Webhook', webhook } }));
  return group;
}

const v1 = (group: string, name: string, host = 'h'): object => ({
  apiVersion: `${group}/v1`,
  kind: 'At',
  metadata: { name },
  spec: { host, port: '1' },
});
const v2 = (group: string, name: string): object => ({
  apiVersion: `${group}/v2`,
  kind: 'At',
  metadata: { name },
  spec: { hostPort: 'h:1' },
});

describe('objects in another version than the stored one', () => {
  it('are created, read, updated and deleted', async () => {
    const group = await define();
    const [created, object] = await api.send('POST', atsUrl(group, 'v2'), v2(group, 'a'));
    expect([created, object.apiVersion, object.spec]).toEqual([201, `${group}/v2`, { hostPort: 'h:1' }]);
    const [, stored] = await api.send('GET', atsUrl(group, 'v1', 'a'));
    expect(stored.spec).toEqual({ host: 'h', port: '1' });
    expect(stored.metadata).toEqual(object.metadata);
    const patched = await api.send(
      'PATCH',
      atsUrl(group, 'v2', 'a'),
      { spec: { hostPort: 'h:2' } },
      'application/merge-patch+json',
    );
    expect(patched).toMatchObject([200, { spec: { hostPort: 'h:2' }, metadata: { generation: 2 } }]);
    expect(await api.send('PUT', atsUrl(group, 'v2', 'a'), { ...patched[1], spec: { hostPort: 'i:3' } })).toMatchObject(
      [200, { spec: { hostPort: 'i:3' } }],
    );
    expect(await api.send('DELETE', atsUrl(group, 'v2', 'a'))).toMatchObject([200, { status: 'Success' }]);
    expect(await api.send('GET', atsUrl(group, 'v1', 'a'))).toMatchObject([404, {}]);
  });

  it('are converted once, in one review, and only to another version', async () => {
    const group = await define();
    for (const name of ['a', 'b', 'c']) await api.send('POST', atsUrl(group, 'v1'), v1(group, name));
    expect(reviews).toEqual([]);
    const [, list] = await api.send('GET', atsUrl(group, 'v2'));
    expect(list).toMatchObject({ kind: 'AtList', apiVersion: `${group}/v2` });
    expect(list.items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual(
      Array(3).fill([`${group}/v2`, { hostPort: 'h:1' }]),
    );
    await api.send('GET', atsUrl(group, 'v2', 'a'));
    expect(reviews.map(({ kind, apiVersion, request }) => [kind, apiVersion, request.objects.length])).toEqual([
      ['ConversionReview', 'apiextensions.k8s.io/v1', 3],
    ]);
    expect(reviews[0]?.request).toMatchObject({
      desiredAPIVersion: `${group}/v2`,
      objects: [v1(group, 'a'), v1(group, 'b'), v1(group, 'c')],
    });
  });

  it('are selected by their converted labels and fields', async () => {
    const group = await define();
    for (const name of ['a', 'b']) await api.send('POST', atsUrl(group, 'v1'), v1(group, name, name));
    spoil = (answer) => {
      for (const object of answer.response!.convertedObjects)
        object.metadata = { ...object.metadata, labels: { converted: 'yes' }, finalizers: ['a.b/c'] };
      return answer;
    };
    const names = async (query: string, version = 'v2'): Promise<unknown> =>
      (await api.send('GET', `${atsUrl(group, version)}?${query}`))[1].items?.map(({ metadata }) => metadata.name);
    expect(await names('labelSelector=converted%3Dyes')).toEqual(['a', 'b']);
    expect(await names('labelSelector=converted%3Dyes', 'v1')).toEqual([]);
    expect(await names('fieldSelector=spec.hostPort%3Db:1')).toEqual(['b']);
    const [, shown] = await api.send('GET', atsUrl(group, 'v2', 'a'));
    // A converter may change only the labels and annotations of the metadata.
    expect(shown.metadata).toMatchObject({ labels: { converted: 'yes' } });
    expect(shown.metadata).not.toHaveProperty('finalizers');
  });

  it('are watched in the order of their changes', async () => {
    const group = await define();
    const next = await api.watch(atsUrl(group, 'v2'));
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'a'));
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'b'));
    await api.send('DELETE', atsUrl(group, 'v1', 'a'));
    const events = [await next(), await next(), await next()];
    expect(events).toMatchObject([
      { type: 'ADDED', object: { ...v2(group, 'a'), metadata: { name: 'a' } } },
      { type: 'ADDED', object: { ...v2(group, 'b'), metadata: { name: 'b' } } },
      { type: 'DELETED', object: { ...v2(group, 'a'), metadata: { name: 'a' } } },
    ]);
  });

  it('have field managers from applies in any version', async () => {
    const group = await define();
    const apply = (version: string, manager: string, body: object): ReturnType<TestApi['send']> =>
      api.send('PATCH', `${atsUrl(group, version, 'a')}?fieldManager=${manager}`, body, 'application/apply-patch+yaml');
    expect(await apply('v2', 'one', v2(group, 'a'))).toMatchObject([201, {}]);
    // As upstream's message.
    expect(await apply('v1', 'two', v1(group, 'a', 'other'))).toMatchObject([
      409,
      { message: 'Apply failed with 1 conflict: conflict with "one": .spec.hostPort' },
    ]);
    const [status, forced] = await apply('v1', 'two&force=true', v1(group, 'a', 'other'));
    expect([status, forced.spec]).toEqual([200, { host: 'other', port: '1' }]);
  });

  it('are converted with the review version that the definition lists', async () => {
    const group = await define(['v1beta1']);
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'a'));
    spoil = (answer) => ({ ...answer, response: { ...answer.response!, uid: 'whatever' } });
    expect(await api.send('GET', atsUrl(group, 'v2', 'a'))).toMatchObject([200, { spec: { hostPort: 'h:1' } }]);
    expect(reviews.map(({ apiVersion }) => apiVersion)).toEqual(['apiextensions.k8s.io/v1beta1']);
  });

  it('keep their stored version after a change of the storage version until they are written', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'a'));
    const url = `${definitionsUrl}/ats.${group}`;
    const [, definition] = await api.send('GET', url);
    const versions = (definition.spec.versions as Json[]).map((version) => ({
      ...version,
      storage: version.name === 'v2',
    }));
    const [, changed] = await api.send('PUT', url, { ...definition, spec: { ...definition.spec, versions } });
    expect(changed.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const [, object] = await api.send('GET', atsUrl(group, 'v1', 'a'));
    expect(reviews).toEqual([]);
    // An update without changes stores the object in the new storage version.
    const [, written] = await api.send('PUT', atsUrl(group, 'v1', 'a'), object);
    expect(written.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    const [, again] = await api.send('PUT', atsUrl(group, 'v1', 'a'), written);
    expect(again.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
    const { entry } = await api.server.config.store.get(`/registry/${group}/ats/default/a`);
    expect(JSON.parse(Buffer.from(entry!.value).toString())).toMatchObject(v2(group, 'a'));
  });
});

describe('an invalid conversion response causes the error of upstream', () => {
  const inResponse =
    (change: (response: NonNullable<Answer['response']>) => void) =>
    (answer: Answer): Answer => {
      change(answer.response!);
      return answer;
    };
  const inObject = (change: (object: Json & { metadata?: Json }) => void): typeof spoil =>
    inResponse(({ convertedObjects }) => change(convertedObjects[0]!));

  it.each<[sentence: string, spoiled: typeof spoil, message: string]>([
    [
      'of another request',
      inResponse((response) => Object.assign(response, { uid: 'x' })),
      'failed: expected response.uid="UID", got "x"',
    ],
    [
      'with too few objects',
      inResponse((response) => Object.assign(response, { convertedObjects: [] })),
      'returned 0 objects, expected 1',
    ],
    [
      'in another version',
      inObject((object) => Object.assign(object, { apiVersion: 'g/v9' })),
      'returned invalid object at index 0: invalid groupVersion (expected GROUP/v2, received g/v9)',
    ],
    [
      'of another kind',
      inObject((object) => Object.assign(object, { kind: 'Foo' })),
      'returned invalid object at index 0: invalid kind (expected At, received Foo)',
    ],
    [
      'with another name',
      inObject((object) => Object.assign(object, { metadata: { ...object.metadata, name: 'z' } })),
      'returned invalid object: must have the same name: a != z',
    ],
    [
      'with invalid labels',
      inObject((object) => Object.assign(object, { metadata: { ...object.metadata, labels: { a: 5 } } })),
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      'without metadata',
      inObject((object) => Reflect.deleteProperty(object, 'metadata')),
      'returned invalid object: must have the same name: a != ',
    ],
    [
      'with a failure message',
      inResponse((response) => Object.assign(response, { result: { status: 'Failure', message: 'i will not' } })),
      'failed: i will not',
    ],
    [
      'with a failure without a message',
      inResponse((response) => Object.assign(response, { result: { status: 'Failed' } })),
      "failed: response.result.status was 'Failed', not 'Success'",
    ],
    ['without a response', ({ response: _, ...answer }) => answer, 'failed: no response provided'],
    [
      'of another kind of review',
      (answer) => ({ ...answer, kind: 'Foo' }),
      'failed: no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('%s', async (_, spoiled, message) => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'a'));
    spoil = spoiled;
    const [status, answer] = await api.send('GET', atsUrl(group, 'v2', 'a'));
    const text = message.replace('UID', reviews[0]?.request.uid ?? '').replace('GROUP', group);
    expect([status, answer.message]).toEqual([500, `conversion webhook for ${group}/v1, Kind=At ${text}`]);
    // The webhook is called again: failures are not cached.
    spoil = (good) => good;
    expect(await api.send('GET', atsUrl(group, 'v2', 'a'))).toMatchObject([200, {}]);
  });

  it('and writes, lists and deletes fail', async () => {
    const group = await define();
    await api.send('POST', atsUrl(group, 'v1'), v1(group, 'a'));
    spoil = inResponse((response) => Object.assign(response, { result: { status: 'Failure', message: 'no' } }));
    const refused = (version: string): unknown => [
      500,
      { message: `conversion webhook for ${group}/${version}, Kind=At failed: no` },
    ];
    expect(await api.send('POST', atsUrl(group, 'v2'), v2(group, 'b'))).toMatchObject(refused('v2') as object);
    expect(await api.send('GET', atsUrl(group, 'v2'))).toMatchObject(refused('v1') as object);
    expect(await api.send('DELETE', atsUrl(group, 'v2', 'a'))).toMatchObject(refused('v1') as object);
    const [, list] = await api.send('GET', atsUrl(group, 'v1'));
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});
