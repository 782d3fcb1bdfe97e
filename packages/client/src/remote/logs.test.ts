import type { ServerResponse } from 'node:http';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { isNotFound } from '@coxswain/apimachinery/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESTClient } from '../rest/rest-client.ts';
import { TransportError } from '../transport/index.ts';
import { type Cluster, startCluster } from './fake-kubelet.test-data.ts';
import { followLogs } from './follow-logs.ts';
import { linesOf } from './lines.ts';
import { podLogLines, podLogs } from './logs.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const one = { namespace: 'default', pod: 'one' };

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** A client whose log connections break after these numbers of bytes, one after another. */
function breaking(after: number[]): RESTClient {
  const { transport } = cluster;
  return new RESTClient({
    openWebSocket: (request) => transport.openWebSocket(request),
    close: () => transport.close(),
    send: async (request) => {
      const response = await transport.send(request);
      const left = request.url.includes('/log') ? after.shift() : undefined;
      if (left === undefined) return response;
      const chunks = async function* () {
        const bytes = await response.body.bytes();
        yield bytes.subarray(0, left);
        throw new TransportError('broken');
      };
      return { ...response, body: { ...response.body, chunks } };
    },
  });
}

describe('podLogs', () => {
  it('sends its options and returns the bytes unchanged', async () => {
    let asked = '';
    cluster.kubelet.log = (query, response, path) => {
      asked = `${path}?${query}`;
      response.end(Buffer.of(1, 2, 255));
    };
    const options = { ...one, pod: 'two', tailLines: 5, timestamps: true, sinceTime: '2026-01-01T00:00:00Z' };
    expect(Buffer.concat(await all(podLogs(cluster.client, options)))).toEqual(Buffer.of(1, 2, 255));
    expect(asked).toBe(
      '/containerLogs/default/two/second?sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=5&timestamps=true',
    );
  });

  it('returns lines', async () => {
    cluster.kubelet.log = (_, response) => response.end('one\n\ntwo\nhalf');
    expect(await all(podLogLines(cluster.client, one))).toEqual(['one', '', 'two', 'half']);
  });

  it('throws an ApiError when the pod does not exist', async () => {
    await expect(all(podLogs(cluster.client, { ...one, pod: 'none' }))).rejects.toSatisfy(isNotFound);
  });

  it('throws a TransportError when the connection breaks', async () => {
    cluster.kubelet.log = (_, response) => response.end('one\ntwo\n');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const line of podLogLines(breaking([5]), { ...one, follow: true })) seen.push(line);
    })();
    await expect(reading).rejects.toBeInstanceOf(TransportError);
    expect(seen).toEqual(['one']);
  });

  it('ends the request when the reader stops or the signal is aborted', async () => {
    let closed = 0;
    cluster.kubelet.log = (_, response) => {
      response.on('close', () => closed++);
      response.write('one\n');
    };
    for await (const _ of podLogLines(cluster.client, { ...one, follow: true })) break;
    const controller = new AbortController();
    const enough = new Error('enough');
    const reading = (async () => {
      for await (const _ of podLogLines(cluster.client, { ...one, follow: true, signal: controller.signal })) {
        controller.abort(enough);
      }
    })();
    await expect(reading).rejects.toBe(enough);
    await expect.poll(() => closed).toBe(2);
  });
});

describe('linesOf', () => {
  it('returns the same lines for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '').replaceAll('\ufeff', ''))),
        fc.array(fc.nat(20)),
        async (lines, cuts) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const pieces = async function* () {
            let at = 0;
            for (const cut of cuts) {
              yield bytes.subarray(at, at + cut);
              at += cut;
            }
            yield bytes.subarray(at);
          };
          expect((await all(linesOf(pieces()))).map(({ text }) => text)).toEqual(lines);
        },
      ),
    );
  });

  it('splits an endless line', async () => {
    const endless = async function* () {
      for (let count = 0; count < 5; count++) yield new Uint8Array(512 * 1024).fill(0x61);
    };
    const lengths = (await all(linesOf(endless()))).map(({ text, isWhole }) => [text.length, isWhole]);
    expect(lengths).toEqual([
      [1024 * 1024, false],
      [1024 * 1024, false],
      [512 * 1024, false],
    ]);
  });
});

describe('followLogs', () => {
  /** The log of the container, with timestamps. */
  const written = [
    '2026-01-01T00:00:01.000000001Z a',
    '2026-01-01T00:00:01.000000002Z b',
    '2026-01-01T00:00:01.000000002Z b',
    '2026-01-01T00:00:01.000000002Z c',
    '2026-01-01T00:00:02.500000000Z d',
    '2026-01-01T00:00:02.600000000Z e',
  ];
  const texts = written.map((line) => line.split(' ')[1]);

  async function setRunning(isRunning: boolean): Promise<void> {
    const state = isRunning ? { running: {} } : { terminated: { exitCode: 0 } };
    await cluster.client.request({
      method: 'PATCH',
      path: '/api/v1/namespaces/default/pods/one/status',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: {
        status: {
          containerStatuses: [{ name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0, state }],
        },
      },
    });
  }

  /** Serves requests in turn: `count` lines from the requested time, then the given end. */
  function serve(...answers: [count: number, end: 'cut' | 'end' | 500][]): string[] {
    const asked: string[] = [];
    cluster.kubelet.log = (query, response: ServerResponse) => {
      asked.push(String(query));
      const [count, end] = answers.shift() ?? [Number.POSITIVE_INFINITY, 'end'];
      const since = query.get('sinceTime')?.slice(0, 19) ?? '';
      const from = written.findIndex((line) => line.slice(0, 19) >= since);
      if (end === 500) {
        response.writeHead(500).end('not now');
        return;
      }
      for (const line of written.slice(from, from + count)) response.write(`${line}\n`);
      if (end === 'end') response.end();
      // An incomplete line must not be returned.
      else response.write('2026-01-01T00:00:03.0000', () => response.destroy());
    };
    return asked;
  }

  /** Follows the log until its last line. */
  async function follow(client = cluster.client): Promise<{ seen: string[]; retries: unknown[] }> {
    await setRunning(true);
    const clock = new FakeClock();
    const retries: unknown[] = [];
    const seen: string[] = [];
    const onRetry = (reason: unknown) => {
      retries.push(reason);
      void clock.advance(30_000);
    };
    for await (const { text } of followLogs(client, { ...one, tailLines: 100, clock, random: () => 0, onRetry })) {
      seen.push(text);
      if (text === 'e') await setRunning(false);
    }
    return { seen, retries };
  }

  it('returns lines with timestamps until the container ends', async () => {
    await setRunning(false);
    const asked = serve();
    const lines = await all(followLogs(cluster.client, { ...one, tailLines: 100 }));
    expect(lines.map(({ timestamp, text }) => `${timestamp} ${text}`)).toEqual(written);
    expect(asked).toEqual(['follow=true&tailLines=100&timestamps=true']);
  });

  const again = (count: number) => `follow=true&sinceTime=2026-01-01T00%3A00%3A0${count < 5 ? 1 : 2}Z&timestamps=true`;

  it.each([1, 2, 3, 4, 5])(
    'resumes after the connection to the node was lost after line %j, without losing or repeating any',
    async (count) => {
      const asked = serve([count, 'cut']);
      expect(await follow()).toEqual({ seen: texts, retries: [undefined] });
      expect(asked[1]).toBe(again(count));
    },
  );

  it.each([1, 2, 3, 4, 5])('resumes after the connection broke after line %j', async (count) => {
    const asked = serve();
    const bytes = written.slice(0, count).join('\n').length + 10;
    expect(await follow(breaking([bytes]))).toEqual({ seen: texts, retries: [expect.any(TransportError)] });
    expect(asked[1]).toBe(again(count));
  });

  it('resumes after several broken connections, server errors and early ends', async () => {
    serve([2, 'cut'], [0, 500], [3, 'cut'], [3, 'cut'], [4, 'end'], [1, 'end']);
    const { seen, retries } = await follow();
    expect(seen).toEqual(texts);
    expect(retries.length).toBeGreaterThanOrEqual(5);
  });

  it('returns the last line even without a newline', async () => {
    await setRunning(false);
    cluster.kubelet.log = (_, response) => response.end(`${written[0]}\n${written[1]}`);
    expect((await all(followLogs(cluster.client, one))).map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('backs off after each failure', async () => {
    await setRunning(false);
    serve([0, 500], [0, 500], [0, 500], [0, 500], [0, 500], [0, 500], [0, 500]);
    const clock = new FakeClock();
    const waits: (number | undefined)[] = [];
    const following = all(followLogs(cluster.client, { ...one, clock, random: () => 0 }));
    for (let count = 0; count < 7; count++) {
      await expect.poll(() => clock.pending).toBe(1);
      waits.push(clock.nextInMs);
      await clock.advance(clock.nextInMs!);
    }
    expect((await following).length).toBe(written.length);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  });

  it('throws when the pod does not exist, and the signal’s reason during a delay', async () => {
    await expect(all(followLogs(cluster.client, { ...one, pod: 'none' }))).rejects.toSatisfy(isNotFound);
    serve([0, 500]);
    const controller = new AbortController();
    const enough = new Error('enough');
    const clock = new FakeClock();
    const following = all(followLogs(cluster.client, { ...one, clock, signal: controller.signal }));
    await expect.poll(() => clock.pending).toBe(1);
    controller.abort(enough);
    await expect(following).rejects.toBe(enough);
    expect(clock.pending).toBe(0);
  });
});
