import { systemEventLoop } from '@coxswain/apimachinery/turns';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { RequestState } from '../filters/request-state.ts';
import { infoOf, newController, noQuery, oneLevel, userOf } from './requests.test-data.ts';
import { withPriorityAndFairness } from './with-priority-and-fairness.ts';

const alice = userOf('alice');

/** Returns a filter around an endpoint whose responses the test triggers. */
function newServer() {
  const { clock, controller } = oneLevel({ serverSeats: 1 });
  const answers: { readonly url: string; answer(response: ApiResponse): void; fail(error: Error): void }[] = [];
  let seconds = 0;
  const filter = withPriorityAndFairness({
    controller,
    requestTimeoutMs: 60_000,
    now: () => new Date(seconds * 1000),
  });
  const handler = filter(
    ({ request }) =>
      new Promise((answer, fail) => {
        answers.push({ url: request.path, answer, fail });
      }),
  );
  const ask = (url: string, { method = 'GET', user = alice, signal = new AbortController().signal } = {}) => {
    const [path = '', search = ''] = url.split('?');
    const connection = { remoteAddress: '', protocol: 'in-process', clientCertificates: [] } as const;
    const request = { method, path, search, headers: {}, connection, signal, readBody: never, streamBody: never };
    const state = new RequestState(request, path, { uuid: () => 'id', eventLoop: systemEventLoop });
    state.user = user;
    return { state, response: handler(state) };
  };
  const level = (name: string) => controller.levels.find((one) => one.name === name)!;
  const tick = (): void => {
    seconds++;
  };
  return { clock, controller, answers, ask, level, tick };
}

const never = (): never => {
  throw new Error('the request body must not be read');
};
const ok: ApiResponse = { status: 200, headers: {}, body: Buffer.from('ok') };

/** Returns a streamed response, and a client that reads it. */
function streamed() {
  let close = (): void => {};
  const sink: ResponseSink = {
    write: () => true,
    pendingBytes: 0,
    onDrain: () => {},
    onClose: (callback) => {
      close = callback;
    },
    end: () => {},
    destroy: () => {},
  };
  const response: ApiResponse = { status: 200, headers: {}, body: { stream: () => {} } };
  const read = ({ body }: ApiResponse): void => {
    if (body && 'stream' in body) body.stream(sink);
  };
  return { response, read, close: () => close() };
}

const pods = '/api/v1/namespaces/a/pods';
const pod = `${pods}/x`;

describe('a request', () => {
  it('is executed at once when a seat is free, and releases it with the response', async () => {
    const { ask, answers, level } = newServer();
    const { state, response } = ask(pod);
    // Synchronously, without waiting.
    expect(answers).toHaveLength(1);
    expect(state.flow).toBe(level('one').queueSet.executing.first?.flow);
    answers[0]!.answer(ok);
    expect(await response).toBe(ok);
    expect(level('one').queueSet.seatsInUse).toBe(0);
  });

  it('releases its seat when it fails', async () => {
    const { ask, answers, level } = newServer();
    const { response } = ask(pod);
    answers[0]!.fail(new Error('no'));
    await expect(response).rejects.toThrow('no');
    expect(level('one').queueSet.isIdle).toBe(true);
  });

  it('waits for a seat no longer than a quarter of the request timeout', async () => {
    const { ask, answers, clock } = newServer();
    ask(pod);
    const { response } = ask(pod);
    clock.turn(14_999);
    expect(answers).toHaveLength(1);
    clock.turn(1);
    const { status, headers, body } = await response;
    expect([status, headers['retry-after'], String(body)]).toEqual([
      429,
      '1',
      'Too many requests, please try again later.\n',
    ]);
    expect(clock.pending).toBe(0);
  });

  it('is removed from the queue when its client disconnects', async () => {
    const { ask, answers, level } = newServer();
    ask(pod);
    const client = new AbortController();
    const { response } = ask(pod, { signal: client.signal });
    const gone = ask(pod, { signal: AbortSignal.abort() });
    expect(level('one').queueSet.waiting).toBe(1);
    client.abort();
    expect(level('one').queueSet.waiting).toBe(0);
    expect((await response).status).toBe(429);
    expect((await gone.response).status).toBe(429);
    expect(answers).toHaveLength(1);
  });

  it('gets a longer Retry-After the more requests are rejected', async () => {
    const { ask, controller, tick } = newServer();
    controller.configure({ levels: [], schemas: [] });
    ask(pod);
    const retryAfter: unknown[] = [];
    for (let second = 0; second < 8; second++) {
      tick();
      for (let i = 0; i < 20; i++) {
        const { headers } = await ask(pod).response;
        if (i === 19) retryAfter.push(headers['retry-after']);
      }
    }
    expect(retryAfter).toEqual(['1', '2', '2', '4', '4', '4', '4', '8']);
  });

  it('is not counted when it is long-running and no watch', async () => {
    const { ask, level } = newServer();
    for (const url of [`${pod}/log`, `${pod}/exec`, '/api/v1/proxy/nodes/n']) ask(url);
    expect(level('one').queueSet.isIdle).toBe(true);
  });
});

describe('a streamed response', () => {
  it('holds its seat until it is sent', async () => {
    const { ask, answers, level, clock } = newServer();
    const { response, read, close } = streamed();
    const asked = ask(pods);
    answers[0]!.answer(response);
    read(await asked.response);
    expect(level('one').queueSet.seatsInUse).toBe(1);
    close();
    expect(level('one').queueSet.seatsInUse).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['the body is not sent (HEAD)', { method: 'HEAD' }],
    ['the client has disconnected', { signal: AbortSignal.abort() }],
  ])('holds no seat when %s', async (_, some) => {
    const { ask, answers, level } = newServer();
    const asked = ask(pods, some);
    answers[0]!.answer(streamed().response);
    await asked.response;
    expect(level('one').queueSet.seatsInUse).toBe(0);
  });

  it('releases its seat after the request timeout when the body is never sent', async () => {
    const { ask, answers, level, clock } = newServer();
    const asked = ask(pods);
    answers[0]!.answer(streamed().response);
    await asked.response;
    clock.turn(60_000);
    expect(level('one').queueSet.seatsInUse).toBe(0);
  });
});

describe('a watch', () => {
  const interested = infoOf({ verb: 'update', namespace: 'a', name: 'x' });

  it('holds its seat until its initial events are sent, and is counted until it ends', async () => {
    const { ask, answers, level, controller, clock } = newServer();
    const { response, read, close } = streamed();
    const asked = ask(`${pods}?watch=1`);
    expect(controller.watches.interested(interested)).toBe(1);
    answers[0]!.answer(response);
    read(await asked.response);
    expect(level('one').queueSet.seatsInUse).toBe(1);
    asked.state.onWatchBegun?.();
    expect(level('one').queueSet.seatsInUse).toBe(0);
    expect(controller.watches.interested(interested)).toBe(1);
    close();
    expect(controller.watches.interested(interested)).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('of a slow client releases its seat after the request timeout', async () => {
    const { ask, answers, level, controller, clock } = newServer();
    const { response, read } = streamed();
    const asked = ask(`${pods}?watch=1`);
    answers[0]!.answer(response);
    read(await asked.response);
    clock.turn(60_000);
    expect(level('one').queueSet.seatsInUse).toBe(0);
    expect(controller.watches.interested(interested)).toBe(1);
  });

  it('that is refused is not counted', async () => {
    const { ask, answers, level, controller } = newServer();
    const asked = ask(`${pods}?watch=1`);
    answers[0]!.answer({ ...ok, status: 403 });
    await asked.response;
    expect(level('one').queueSet.isIdle).toBe(true);
    expect(controller.watches.interested(interested)).toBe(0);
  });

  it('is counted for writes to objects that it selects', () => {
    const { watches } = newController().controller;
    const watch = (some: Partial<ReturnType<typeof infoOf>>) => watches.register(infoOf({ verb: 'watch', ...some }));
    const stops = [
      watch({}),
      watch({ namespace: 'a' }),
      watch({ namespace: 'a', name: 'x' }),
      watch({ namespace: 'b' }),
      watch({ resource: 'secrets' }),
      watch({ apiGroup: 'metrics.k8s.io' }),
      watch({ fieldSelector: 'spec.nodeName=n1' }),
      watch({ fieldSelector: 'spec.nodeName=' }),
      watch({ fieldSelector: 'status.phase=Running' }),
    ];
    expect(watches.interested(interested)).toBe(5);
    expect(watches.interested(infoOf({ namespace: 'a' }))).toBe(4);
    expect(watches.interested(infoOf({ namespace: 'c', name: 'x' }))).toBe(3);
    for (const stop of stops) stop();
    expect(watches.interested(interested)).toBe(0);
  });

  it('increases the seats of writes when there are many', () => {
    const { controller } = newController();
    for (let i = 0; i < 25; i++) controller.watches.register(infoOf({ verb: 'watch' }));
    const request = controller.start(alice, interested, noQuery);
    expect(request).toMatchObject({ initialSeats: 1, finalSeats: 3, additionalLatencyMs: 5 });
  });
});
