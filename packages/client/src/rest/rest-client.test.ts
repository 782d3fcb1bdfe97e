import { FakeClock } from '@coxswain/apimachinery/clock';
import { isNotFound, isServiceUnavailable, isTooManyRequests } from '@coxswain/apimachinery/errors';
import { recordLogs } from '@coxswain/apimachinery/log';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { InProcessTransport } from '../transport/in-process-transport.ts';
import { bodyOf } from '../transport/response-body.ts';
import { type Transport, TransportError } from '../transport/transport.ts';
import { RESTClient, type RESTClientOptions } from './rest-client.ts';

type Answer = { status?: number; headers?: Record<string, string | string[]>; body?: string } | Error;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const encoder = new TextEncoder();
const json = { 'content-type': 'application/json' };
const object = (value: unknown = {}): Answer => ({ headers: json, body: JSON.stringify(value) });
const later = (status: number, seconds = '1'): Answer => ({
  status,
  headers: { ...json, 'retry-after': seconds },
  body: '',
});
const lost = (code = 'ECONNRESET'): Error => new TransportError('lost', { code });

/** A client of a server that returns these responses in turn, and then repeats the last. */
function clientOf(answers: readonly Answer[], options: RESTClientOptions = {}) {
  const seen: Seen[] = [];
  const clock = new FakeClock();
  const transport = new InProcessTransport(async ({ method, url, headers = {}, body }) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]!;
    seen.push({ method, url, headers: { ...headers }, body: new TextDecoder().decode(body) });
    if (answer instanceof Error) throw answer;
    return { status: answer.status ?? 200, headers: answer.headers ?? {}, body: encoder.encode(answer.body ?? '') };
  });
  return { rest: new RESTClient(transport, { clock, ...options }), seen, clock };
}

const get = { method: 'GET', path: '/api/v1/namespaces/x/pods/y' } as const;
/** Awaits a call while advancing the clock. */
async function whileTimePasses<T>(clock: FakeClock, call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  call.then(over, over);
  while (!isOver) await clock.advance(500);
  return await call;
}

describe('requests', () => {
  it('send JSON by default, and bytes and text as they are', async () => {
    const { rest, seen } = clientOf([object()]);
    await rest.request({ method: 'POST', path: '/a', body: { x: 1 } });
    await rest.request({ method: 'POST', path: '/a', body: encoder.encode('{"x":2}') });
    const yaml = { 'content-type': 'application/yaml', accept: 'application/yaml' };
    await rest.request({ method: 'POST', path: '/a', body: 'x: 3\n', headers: yaml });
    expect(seen.map(({ body }) => body)).toEqual(['{"x":1}', '{"x":2}', 'x: 3\n']);
    expect(seen.map(({ headers }) => [headers['content-type'], headers.accept])).toEqual([
      ['application/json', 'application/json'],
      ['application/json', 'application/json'],
      ['application/yaml', 'application/yaml'],
    ]);
  });

  it('have a query of the defined values, with repeated list items', async () => {
    const { rest, seen } = clientOf([object()]);
    await rest.request({
      ...get,
      query: { labelSelector: 'a=b,c', limit: 5, watch: false, none: undefined, dryRun: ['All'] },
    });
    expect(seen[0]!.url).toBe(`${get.path}?labelSelector=a%3Db%2Cc&limit=5&watch=false&dryRun=All`);
  });
});

describe('responses', () => {
  const notFound = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    message: 'no',
  };
  const pods = GroupResource.of('', 'pods');
  const cases: Record<string, { answer: Answer; error: object | RegExp }> = {
    'a failure Status becomes an ApiError': {
      answer: { status: 404, headers: json, body: JSON.stringify(notFound) },
      error: { code: 404, message: 'no' },
    },
    'a failure Status becomes an ApiError, whatever the HTTP status': {
      answer: object(notFound),
      error: { code: 404 },
    },
    'text is quoted': {
      answer: { status: 500, headers: { 'content-type': 'text/plain' }, body: ' broken\n' },
      error: /^an error on the server \("broken"\) has prevented the request from succeeding \(get pods y\)$/,
    },
    'other media types are not quoted': {
      answer: { status: 500, headers: { 'content-type': 'image/png' }, body: 'xyz' },
      error: /^an error on the server \("unknown"\)/,
    },
    'an empty body gives an error by the HTTP status': {
      answer: { status: 403 },
      error: { code: 403, reason: 'Forbidden' },
    },
    'a redirect is an error': { answer: { status: 302 }, error: /status code 302/ },
    'JSON other than a Status gives an error by the HTTP status': {
      answer: { ...object({ a: 1 }), status: 409 },
      error: { reason: 'Conflict' },
    },
    'a truncated Status gives an error by the HTTP status': {
      answer: { status: 404, headers: json, body: JSON.stringify(notFound).slice(0, 40) },
      error: { code: 404, reason: 'NotFound' },
    },
    'an empty success is an error': {
      answer: { headers: json },
      error: /^0-length response with status code: 200 and content type: application\/json$/,
    },
    'a successful HTML page is an error that quotes it': {
      answer: { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' },
      error: /200 with text\/html that is not JSON: <h1>Sign in/,
    },
    'a truncated object is an error that does not quote it': {
      answer: { headers: json, body: '{"data":{"password":"geheim' },
      error: /^the server answered 200 with application\/json that is not JSON$/,
    },
  };
  it.each(Object.entries(cases))('%s', async (_, { answer, error }) => {
    const { rest } = clientOf([answer]);
    const failed = rest.request({ ...get, resource: pods, name: 'y' });
    if (error instanceof RegExp) await expect(failed).rejects.toThrow(error);
    else await expect(failed).rejects.toMatchObject(error);
    await expect(failed).rejects.toSatisfy((thrown: unknown) => !JSON.stringify(thrown).includes('geheim'));
  });

  it('can be returned raw, also 304', async () => {
    const { rest } = clientOf([{ status: 304, headers: { etag: 'x' } }]);
    expect(await rest.raw(get)).toEqual({ status: 304, headers: { etag: 'x' }, bytes: new Uint8Array(0) });
  });

  it('can be discarded chunk by chunk, up to the last', async () => {
    let given = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (; given < 3; given++) yield encoder.encode('{');
    }
    const bytes = async (): Promise<never> => Promise.reject(new Error('bytes() must not be called'));
    const transport: Transport = {
      send: async () => ({ status: 200, headers: json, body: { chunks, bytes, cancel() {} } }),
      openWebSocket: () => Promise.reject(new Error('no')),
      close: async () => {},
    };
    await new RESTClient(transport).discard({ method: 'DELETE', path: '/api/v1/namespaces/x/pods' });
    expect(given).toBe(3);
  });

  it('may be omitted by the transport when discarded: their size is the content-length', async () => {
    const sizes: number[] = [];
    const metrics: Metrics = {
      ...noMetrics,
      histogram: ({ name }) => ({
        observe: (value) => void (name === 'rest_client_response_size_bytes' && sizes.push(value)),
      }),
    };
    const sent: (boolean | undefined)[] = [];
    const transport: Transport = {
      send: async ({ bodyUnwanted }) => {
        sent.push(bodyUnwanted);
        return { status: 200, headers: { ...json, 'content-length': '7' }, body: bodyOf(new Uint8Array(0)) };
      },
      openWebSocket: () => Promise.reject(new Error('no')),
      close: async () => {},
    };
    await new RESTClient(transport, { metrics }).discard({ method: 'DELETE', path: '/api/v1/x' });
    expect({ sizes, sent }).toEqual({ sizes: [7], sent: [true] });
  });

  it('are errors also when discarded', async () => {
    const { rest } = clientOf([{ status: 404, headers: json, body: '{}' }]);
    await expect(rest.discard({ method: 'DELETE', path: '/api/v1/x' })).rejects.toSatisfy(isNotFound);
  });
});

describe('retries', () => {
  const cases: Record<string, { answers: Answer[]; method?: string; requests: number; isAnswered: boolean }> = {
    'a 429 with Retry-After': { answers: [later(429), object()], requests: 2, isAnswered: true },
    'a 429 with Retry-After, for writes too': {
      answers: [later(429), object()],
      method: 'POST',
      requests: 2,
      isAnswered: true,
    },
    'a 503 with Retry-After 0': { answers: [later(503, '0'), object()], requests: 2, isAnswered: true },
    'not a 429 without Retry-After': { answers: [{ status: 429 }, object()], requests: 1, isAnswered: false },
    'not a Retry-After that is not a number': {
      answers: [later(503, 'tomorrow'), object()],
      requests: 1,
      isAnswered: false,
    },
    'not a 409 with Retry-After': { answers: [later(409), object()], requests: 1, isAnswered: false },
    'reads when the connection was reset': {
      answers: [lost(), lost('EPIPE'), object()],
      requests: 3,
      isAnswered: true,
    },
    'not writes when the connection was reset': {
      answers: [lost(), object()],
      method: 'PUT',
      requests: 1,
      isAnswered: false,
    },
    'not when the connection is refused': { answers: [lost('ECONNREFUSED'), object()], requests: 1, isAnswered: false },
    'ten times, not more': { answers: [later(503)], requests: 11, isAnswered: false },
  };
  it.each(Object.entries(cases))('%s', async (_, { answers, method = 'GET', requests, isAnswered }) => {
    const { rest, seen, clock } = clientOf(answers);
    const call = rest.request({ method, path: '/' }).then(
      () => true,
      () => false,
    );
    expect(await whileTimePasses(clock, call)).toBe(isAnswered);
    expect(seen.length).toBe(requests);
    expect(clock.pending).toBe(0);
  });

  it('wait for the time of Retry-After', async () => {
    const { rest, seen, clock } = clientOf([later(429, '7'), object()]);
    const call = rest.request(get);
    await clock.advance(6999);
    expect(seen.length).toBe(1);
    await clock.advance(1);
    await call;
    expect(seen.length).toBe(2);
  });

  it('end at once when the signal is aborted', async () => {
    const { rest, seen, clock } = clientOf([later(429, '60')]);
    const abort = new AbortController();
    const call = rest.request({ ...get, signal: abort.signal });
    await clock.whenWaiting();
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect([seen.length, clock.pending]).toEqual([1, 0]);
  });

  it('can be disabled', async () => {
    const { rest, seen } = clientOf([later(429)]);
    await expect(rest.get().absPath('x').maxRetries(0).do()).rejects.toSatisfy(isTooManyRequests);
    expect(seen.length).toBe(1);
  });

  it('are made for watches when the connection was reset or timed out, not for streams', async () => {
    const watched = clientOf([lost('ETIMEDOUT'), lost(), { headers: json }]);
    const watch = await whileTimePasses(watched.clock, watched.rest.watch(get));
    for await (const _ of watch) expect.unreachable();
    expect(await watch.ended).toEqual({ reason: 'closed' });
    const streamed = clientOf([lost(), object()]);
    await expect(streamed.rest.stream(get)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('timeouts', () => {
  it('span all attempts, have the last failure as cause, and are sent to the server', async () => {
    const { rest, seen, clock } = clientOf([later(503, '2')]);
    const failed = rest.request({ ...get, timeoutMs: 5000 });
    await expect(whileTimePasses(clock, failed)).rejects.toMatchObject({
      name: 'TransportError',
      code: 'ETIMEDOUT',
      message: 'the request was not answered within 5000 ms',
    });
    await expect(failed).rejects.toSatisfy(isServiceUnavailable);
    expect(seen.map(({ url }) => url)).toEqual(Array(3).fill(`${get.path}?timeout=5s`));
    expect(clock.pending).toBe(0);
  });

  it('include the body, and default to the client’s', async () => {
    const clock = new FakeClock();
    const transport = new InProcessTransport(async () => ({
      status: 200,
      headers: json,
      body: { stream: (sink) => void sink.write(encoder.encode('{')) },
    }));
    const rest = new RESTClient(transport, { clock, timeoutMs: 1000 });
    await expect(whileTimePasses(clock, rest.request(get))).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('of watches and streams only apply until they begin', async () => {
    const clock = new FakeClock();
    const transport = new InProcessTransport(async () => ({
      status: 200,
      headers: json,
      body: {
        stream(sink) {
          clock.setTimeout(() => {
            sink.write(encoder.encode('{"type":"ADDED","object":{}}\n'));
            sink.end();
          }, 60_000);
        },
      },
    }));
    const rest = new RESTClient(transport, { clock, timeoutMs: 1000 });
    const abort = new AbortController();
    const watch = await rest.watch({ ...get, timeoutMs: 1000, signal: abort.signal });
    expect((await whileTimePasses(clock, watch.nextBatch()))?.length).toBe(1);
  });

  it('abort a watch that does not begin', async () => {
    const clock = new FakeClock();
    const transport = new InProcessTransport(
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    );
    const rest = new RESTClient(transport, { clock, maxRetries: 0 });
    await expect(whileTimePasses(clock, rest.watch({ ...get, timeoutMs: 1000 }))).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    });
  });
});

describe('the rate limiter', () => {
  it('delays requests and retries, but not watches', async () => {
    const clock = new FakeClock();
    const rateLimiter = new TokenBucketRateLimiter({ qps: 1, burst: 1, clock });
    const { rest, seen } = clientOf([later(429, '0'), object()], { clock, rateLimiter });
    const call = rest.request(get);
    await clock.advance(999);
    expect(seen.length).toBe(1);
    await rest.watch(get);
    expect(seen.length).toBe(2);
    await clock.advance(1);
    await call;
    expect(seen.length).toBe(3);
  });

  it('of a config is 5 per second with bursts of 10, and off with 0', async () => {
    const clock = new FakeClock();
    const count = async (qps: number | undefined): Promise<number> => {
      let requests = 0;
      const transport = new InProcessTransport(async () => {
        requests++;
        return { status: 200, headers: json, body: encoder.encode('{}') };
      });
      const rest = RESTClient.forConfig(
        { server: 'https://x', clock, ...(qps !== undefined && { qps }) },
        { transport },
      );
      for (let i = 0; i < 50; i++) rest.request(get).catch(() => {});
      await clock.advance(0);
      const atOnce = requests;
      await clock.advance(1000);
      return atOnce * 1000 + (requests - atOnce);
    };
    expect(await count(undefined)).toBe(10_005);
    expect(await count(0)).toBe(50_000);
  });
});

describe('warnings', () => {
  const warning = '299 - "v1beta1 is old"';

  it('are logged once each, whatever the outcome of the request', async () => {
    const { logger, lines } = recordLogs();
    const headers = { ...json, warning: [warning, '299 - "other"'] };
    const { rest } = clientOf(
      [
        { headers, body: '{}' },
        { status: 404, headers, body: '' },
      ],
      { logger },
    );
    await rest.request(get);
    await expect(rest.request(get)).rejects.toSatisfy(isNotFound);
    expect(lines).toEqual(['warning "Warning: v1beta1 is old"', 'warning "Warning: other"']);
  });

  it('are passed to the given handler', async () => {
    const heard: unknown[] = [];
    const { rest } = clientOf([{ headers: { ...json, warning }, body: '{}' }], {
      warnings: (each) => heard.push(each),
    });
    await rest.request(get);
    await rest.request(get);
    expect(heard).toEqual(Array(2).fill({ code: 299, agent: '-', text: 'v1beta1 is old' }));
  });
});

it('has the metrics of client-go', async () => {
  const counts = new Map<string, number>();
  const add = (name: string, labels: readonly string[], value: number): void => {
    const key = [name, ...labels].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + value);
  };
  const metrics: Metrics = {
    counter: ({ name }) => ({ add: (value, ...labels) => add(name, labels, value) }),
    gauge: ({ name }) => ({ set: (value, ...labels) => add(name, labels, value) }),
    histogram: ({ name }) => ({ observe: (value, ...labels) => add(name, labels, value) }),
  };
  const { rest, clock } = clientOf([lost(), later(503, '2'), object({ a: 1 })], { metrics, host: 'api:6443' });
  await whileTimePasses(clock, rest.request({ ...get, body: 'xx' }));
  expect(Object.fromEntries(counts)).toEqual({
    'rest_client_requests_total <error> GET api:6443': 1,
    'rest_client_requests_total 503 GET api:6443': 1,
    'rest_client_requests_total 200 GET api:6443': 1,
    'rest_client_request_retries_total 503 GET api:6443': 1,
    'rest_client_request_retries_total 200 GET api:6443': 1,
    'rest_client_request_duration_seconds GET api:6443': 3,
    'rest_client_request_size_bytes GET api:6443': 2,
    'rest_client_response_size_bytes GET api:6443': 7,
  });
});
