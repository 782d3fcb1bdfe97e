import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { signed, text } from '../protobuf/field.ts';
import { struct } from '../protobuf/message.ts';
import { type Connection, connect, socketPath } from './client.ts';
import { InProcessConnection, inProcess } from './in-process.ts';
import { RpcError } from './rpc-error.ts';
import { type GrpcServer, listen, serve } from './server.ts';
import { type Calls, type Handlers, type ServeOptions, stream, unary } from './service.ts';

interface Word {
  readonly text: string;
  readonly times: number;
}
const Word = struct<Word>(() => ({ text: text(1), times: signed(2) }));
const echo = {
  name: 'test.v1.Echo',
  methods: {
    say: unary('Say', Word, Word),
    repeat: stream('Repeat', Word, Word),
    missing: unary('Missing', Word, Word),
  },
};
type EchoHandlers = Handlers<typeof echo.methods>;
type EchoCalls = Calls<typeof echo.methods>;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cox-grpc-'));
  ends.push(() => rm(directory, { recursive: true }));
  return directory;
}

const ways: Record<string, (handlers: EchoHandlers) => Promise<EchoCalls>> = {
  'in this process': async (handlers) => inProcess(echo, handlers),
  'over a socket': async (handlers) => {
    const endpoint = `unix://${join(await scratch(), 'echo.sock')}`;
    const server: GrpcServer = await listen(endpoint, [serve(echo, handlers)]);
    ends.push(() => server.close(0));
    const connection: Connection = await connect(endpoint);
    ends.push(() => connection.close());
    return connection.service(echo);
  },
};

const collect = async (words: AsyncIterable<Word>): Promise<string[]> => {
  const found: string[] = [];
  for await (const { text } of words) found.push(text);
  return found;
};
/** Resolves when the handler's signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe.each(Object.entries(ways))('a call %s', (_, start) => {
  it('has complete messages on both sides', async () => {
    let seen: Word | undefined;
    const calls = await start({
      say: async (word) => {
        seen = word;
        return { text: 'hello' };
      },
    });
    await expect(calls.say({ times: -2 })).resolves.toEqual({ text: 'hello', times: 0 });
    expect(seen).toEqual({ text: '', times: -2 });
  });

  it('streams responses, and aborts the handler’s signal when the reader stops', async () => {
    let left: Promise<void> | undefined;
    const calls = await start({
      repeat: async function* ({ text, times }, { signal }) {
        left = aborted(signal);
        for (let i = 0; i < times; i++) yield { text: `${text} ${i}` };
        if (times > 2) await left;
      },
    });
    await expect(collect(calls.repeat({ text: 'a', times: 2 }))).resolves.toEqual(['a 0', 'a 1']);
    for await (const { text } of calls.repeat({ text: 'b', times: 5 })) if (text === 'b 1') break;
    await left;
  });

  it('fails with the code and the message of its handler, in Go’s format', async () => {
    const calls = await start({
      say: async () => {
        throw new RpcError('NotFound', 'no such container');
      },
      repeat: async function* () {
        yield { text: 'first' };
        throw new Error('oops');
      },
    });
    await expect(calls.say({})).rejects.toMatchObject({
      code: 'NotFound',
      details: 'no such container',
      message: 'rpc error: code = NotFound desc = no such container',
    });
    await expect(collect(calls.repeat({}))).rejects.toMatchObject({ code: 'Unknown', details: 'oops' });
  });

  it('fails with Unimplemented when there is no handler', async () => {
    const calls = await start({});
    await expect(calls.missing({})).rejects.toMatchObject({ code: 'Unimplemented' });
    await expect(collect(calls.repeat({}))).rejects.toMatchObject({ code: 'Unimplemented' });
  });

  it('is cancelled on both sides by its signal, and rejects with the signal’s reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    let gone: Promise<void> | undefined;
    const calls = await start({
      say: async (_, { signal }) => {
        gone = aborted(signal);
        controller.abort(reason);
        return new Promise<Word>(() => {});
      },
      repeat: async function* (_, { signal }) {
        gone = aborted(signal);
        yield { text: 'once' };
        await gone;
      },
    });
    await expect(calls.say({}, { signal: controller.signal })).rejects.toBe(reason);
    await gone;
    await expect(calls.say({}, { signal: controller.signal })).rejects.toBe(reason);
    const second = new AbortController();
    const reading = (async () => {
      for await (const { text } of calls.repeat({}, { signal: second.signal }))
        if (text === 'once') second.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await gone;
  });

  it('ends at its deadline', async () => {
    const calls = await start({ say: () => new Promise<Word>(() => {}) });
    await expect(calls.say({}, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'DeadlineExceeded' });
  });
});

describe('calls in this process', () => {
  it('end when their connection is closed', async () => {
    const connection = new InProcessConnection();
    let gone: Promise<void> | undefined;
    const say = async (_: Word, { signal }: ServeOptions): Promise<Word> => {
      gone = aborted(signal);
      return new Promise<Word>(() => {});
    };
    const calls = inProcess(echo, { say }, systemClock, connection);
    const call = calls.say({});
    connection.close();
    await expect(call).rejects.toMatchObject({ code: 'Canceled' });
    await gone;
    await expect(calls.say({})).rejects.toMatchObject({ code: 'Canceled' });
  });
});

describe('a socket', () => {
  it('has mode 0600, is removed on close, and replaces the socket of a dead process', async () => {
    const path = join(await scratch(), 'deep', 'echo.sock');
    const left = createServer();
    const first = await listen(path, []);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(listen(path, [])).rejects.toThrow(`another process listens on ${path}`);
    await first.close(0);
    expect(existsSync(path)).toBe(false);
    left.close();
  });

  it('without a listener makes calls fail with Unavailable, unless waitForReady is set', async () => {
    const path = join(await scratch(), 'late.sock');
    const impatient = await connect(path);
    ends.push(() => impatient.close());
    await expect(impatient.service(echo).say({})).rejects.toMatchObject({ code: 'Unavailable' });
    const patient = await connect(path, { waitForReady: true });
    ends.push(() => patient.close());
    const said = patient.service(echo).say({});
    const server = await listen(path, [serve(echo, { say: async () => ({ text: 'now' }) })]);
    ends.push(() => server.close(0));
    await expect(said).resolves.toMatchObject({ text: 'now' });
  });

  it.each([
    ['unix:///run/a.sock', '/run/a.sock'],
    ['unix:/run/a.sock', '/run/a.sock'],
    ['/run/a.sock', '/run/a.sock'],
  ])('is named by %s', (endpoint, path) => expect(socketPath(endpoint)).toBe(path));

  it('is not named by an address', () => {
    expect(() => socketPath('tcp://127.0.0.1:1')).toThrow('"tcp://127.0.0.1:1" is not a Unix socket');
  });
});
