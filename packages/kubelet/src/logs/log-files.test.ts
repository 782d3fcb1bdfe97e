import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogOptions } from './container-logs.ts';
import { LogFiles } from './log-files.ts';
import { criLine, LogScratch, ScriptedRuntime } from './scripted-runtime.test-data.ts';

let scratch: LogScratch;
let runtime: ScriptedRuntime;
let logs: LogFiles;
const recorded = recordLogs();

beforeEach(() => {
  scratch = new LogScratch();
  runtime = new ScriptedRuntime();
  recorded.clear();
  const { clock, cri } = runtime;
  logs = new LogFiles({ service: cri.runtime, root: scratch.root, clock, logger: recorded.logger });
  runtime.container('c1', { logPath: scratch.path });
});
afterEach(() => scratch.dispose());

const write = (content: string | Uint8Array): void => writeFileSync(scratch.path, content);
const append = (content: string | Uint8Array): void => appendFileSync(scratch.path, content);
const container = () => ({ id: 'c1', logPath: scratch.path });

async function text(options: LogOptions = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of logs.read(container(), options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A reader that takes what comes at once. */
class Follower {
  text = '';
  hasEnded = false;
  readonly ended: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(options: LogOptions = {}) {
    this.ended = this.#read(logs.read(container(), { ...options, follow: true }));
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Like `until`, but does not need to hear of the change. */
  async asTimePasses(isDone: () => boolean): Promise<void> {
    while (!isDone()) await runtime.clock.advance(1000);
    if (this.hasEnded) await this.ended;
  }

  async #read(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      this.text += Buffer.from(chunk).toString();
      for (const notify of this.#waiting.splice(0)) notify();
    }
    this.hasEnded = true;
  }
}

/** The container ends, and the follower asks for it sooner or later. */
async function end(follower: Follower, state: 'CONTAINER_EXITED' | 'gone' = 'CONTAINER_EXITED'): Promise<void> {
  if (state === 'gone') runtime.containers.delete('c1');
  else runtime.container('c1', { state, logPath: scratch.path });
  await follower.asTimePasses(() => follower.hasEnded);
}

describe('a log of a CRI runtime', () => {
  it('is joined from parts of lines, without what the runtime adds', async () => {
    write([criLine('one, ', { tag: 'P' }), criLine('two'), criLine(''), criLine('three', { tag: 'F:more' })].join(''));
    expect(await text()).toBe('one, two\n\nthree\n');
  });

  it('has bytes that are no text as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).filter((byte) => byte !== 0x0a);
    write(Buffer.concat([Buffer.from(criLine('').trimEnd()), Buffer.from(' '), bytes, Buffer.from('\n')]));
    const chunks: Uint8Array[] = [];
    for await (const chunk of logs.read(container(), {})) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat([bytes, Buffer.from('\n')]));
  });

  it('can be read for one stream only', async () => {
    write(criLine('out') + criLine('err', { stream: 'stderr' }));
    expect(await text({ stream: 'stderr' })).toBe('err\n');
    expect(await text({ stream: 'stdout' })).toBe('out\n');
    expect(await text()).toBe('out\nerr\n');
  });

  it('has timestamps with nine digits where lines begin', async () => {
    write(
      criLine('a', { tag: 'P' }) +
        criLine('b') +
        criLine('c', { time: '2026-01-02T03:04:05+02:00' }) +
        criLine('d', { time: '2026-01-02T03:04:05.5-00:00' }) +
        criLine('e', { time: '2026-01-02T03:04:05.12345678987Z' }),
    );
    expect(await text({ timestamps: true })).toBe(
      [
        '2026-01-02T03:04:05.123456789Z ab',
        '2026-01-02T03:04:05.000000000+02:00 c',
        '2026-01-02T03:04:05.500000000Z d',
        '2026-01-02T03:04:05.123456789Z e',
        '',
      ].join('\n'),
    );
  });

  it('can be read from a time on', async () => {
    const times = [
      '2024-02-29T23:59:59.999Z',
      '2024-03-01T00:00:00Z',
      '2024-03-01T01:00:00+01:00',
      '2024-03-01T00:00:00.001Z',
    ];
    write(times.map((time) => criLine(time, { time })).join(''));
    expect(await text({ sinceMs: Date.UTC(2024, 2, 1) })).toBe(`${times.slice(1).join('\n')}\n`);
    expect(await text({ sinceMs: Date.UTC(2024, 2, 1) + 1 })).toBe(`${times[3]}\n`);
  });

  it('ends after as many bytes as are wanted, timestamps included', async () => {
    write(criLine('x'.repeat(100)) + criLine('y'));
    expect(await text({ limitBytes: 101 })).toBe(`${'x'.repeat(100)}\n`);
    expect(await text({ limitBytes: 12, timestamps: true })).toBe('2026-01-02T0');
    expect(await text({ limitBytes: 3, stream: 'stderr' })).toBe('');
    expect(await text({ limitBytes: 0 })).toBe('');
  });

  it('has its last lines at its end, wherever blocks end', async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} ${'.'.repeat(i % 97)}`);
    write(lines.map((line) => criLine(line)).join(''));
    for (const tailLines of [1, 2, 1999, 4999]) {
      expect(await text({ tailLines })).toBe(`${lines.slice(-tailLines).join('\n')}\n`);
    }
    for (const tailLines of [5000, 5001]) expect(await text({ tailLines })).toBe(`${lines.join('\n')}\n`);
    expect(await text({ tailLines: 0 })).toBe('');
  });

  it('counts parts of lines, lines of other streams and not an incomplete one among the last lines', async () => {
    write(criLine('a') + criLine('b', { tag: 'P' }) + criLine('c', { stream: 'stderr' }) + criLine('d').trimEnd());
    expect(await text({ tailLines: 2 })).toBe('bc\n');
    expect(await text({ tailLines: 2, stream: 'stdout' })).toBe('b');
    expect(await text()).toBe('a\nbc\nd');
  });

  it('is read without malformed lines, of which the first is reported', async () => {
    const malformed = [
      '',
      'no log',
      '2026-01-02T03:04:05Z stdin F a',
      '2026-01-02T03:04:05Z stdout F',
      '2026-01-02 03:04:05Z stdout F a',
      '2026-13-02T03:04:05Z stdout F a',
      '2026-02-29T03:04:05Z stdout F a',
      '2026-01-02T24:04:05Z stdout F a',
      '2026-01-02T03:04:05.Z stdout F a',
      '2026-01-02T03:04:05 stdout F a',
      '2026-01-02T03:04:05+1:00 stdout F a',
      ` ${'x'.repeat(300_000)}`,
    ];
    write(criLine('first') + malformed.map((line) => `${line}\n`).join('') + criLine('last'));
    expect(await text()).toBe('first\nlast\n');
    expect(recorded.lines).toEqual([
      `warning "A log has malformed lines" containerID="c1" path="${scratch.path}" line=""`,
    ]);
  });

  it('may have lines of any length, which come in small pieces', async () => {
    const content = Buffer.alloc(100_000_000, 'abcdefg');
    const header = criLine('').trimEnd();
    write(Buffer.concat([Buffer.from(`${header} `), content, Buffer.from(`\n${criLine('after')}`)]));
    let length = 0;
    let isSame = true;
    for await (const chunk of logs.read(container(), {})) {
      expect(chunk.length).toBeLessThanOrEqual(64 * 1024);
      const expected = content.subarray(length, length + chunk.length);
      isSame &&= Buffer.compare(expected, chunk.subarray(0, expected.length)) === 0;
      length += chunk.length;
    }
    expect(isSame).toBe(true);
    expect(length).toBe(content.length + '\nafter\n'.length);
    expect(await text({ tailLines: 1 })).toBe('after\n');
  });
});

describe("a log of Docker's", () => {
  const line = (log: string, stream = 'stdout'): string =>
    `${JSON.stringify({ log, stream, time: '2016-10-20T18:39:20.57606443Z' })}\n`;

  it('is read', async () => {
    write(line('one, ') + line('two\n') + line('three\n', 'stderr'));
    expect(await text()).toBe('one, two\nthree\n');
    const time = '2016-10-20T18:39:20.576064430Z';
    expect(await text({ timestamps: true })).toBe(`${time} one, two\n${time} three\n`);
  });

  it('is read without malformed lines', async () => {
    const malformed = [
      '{',
      '[]',
      'null',
      '{"log":1}',
      '{"log":"a","stream":"stdin"}',
      line('x'.repeat(200_000)).trimEnd(),
    ];
    write(line('first\n') + malformed.map((each) => `${each}\n`).join('') + line('last\n'));
    expect(await text()).toBe('first\nlast\n');
  });
});

describe('reading fails', () => {
  it('if there is no log', async () => {
    const { path } = scratch;
    await expect(text()).rejects.toThrow(
      `failed to try resolving symlinks in path "${path}": lstat ${path}: no such file or directory`,
    );
  });

  it('if the first line has no known format', async () => {
    write('hello\nworld\n');
    await expect(text()).rejects.toThrow('failed to get parse function: unsupported log format: "hello"');
    write('x'.repeat(1_000_000));
    await expect(text()).rejects.toThrow(/unsupported log format: "x{128}"$/);
  });

  it('if the log is not below the directory of all logs', async () => {
    const outside = { id: 'c1', logPath: join(scratch.root, '..', 'outside.log') };
    await expect(logs.read(outside, {})[Symbol.asyncIterator]().next()).rejects.toThrow('is not below');
  });

  it('if a symlink leads elsewhere, also one of a directory above', async () => {
    const secret = join(scratch.root, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, '0.log'), criLine('secret'));
    symlinkSync(join(secret, '0.log'), scratch.path);
    await expect(text()).rejects.toThrow('ELOOP');
    rmSync(dirname(scratch.path), { recursive: true });
    symlinkSync(secret, dirname(scratch.path));
    await expect(text()).rejects.toThrow(/leads to .*secret\/0\.log by a symlink/);
  });

  it('if the log is a FIFO, without waiting for its writer', async () => {
    execFileSync('mkfifo', [scratch.path]);
    await expect(text()).rejects.toThrow('is not a regular file');
  });
});

it('a container without a log file has an empty log', async () => {
  for await (const _ of logs.read({ id: 'c1', logPath: '' }, {})) expect.unreachable();
});

describe('a follower', () => {
  it('gets lines as soon as they are complete, and ends with the container', async () => {
    write(criLine('one'));
    const follower = new Follower();
    await follower.until('one\n');
    append(criLine('two'));
    await follower.until('two\n');
    const three = criLine('three');
    append(three.slice(0, -2));
    append(`${three.slice(-2)}${criLine('four')}`);
    await follower.until('four\n');
    await end(follower);
    expect(follower.text).toBe('one\ntwo\nthree\nfour\n');
  });

  it('can begin at the end', async () => {
    write(criLine('one'));
    const follower = new Follower({ tailLines: 0 });
    await runtime.clock.whenWaiting();
    append(criLine('two') + criLine('three'));
    await follower.until('three\n');
    await end(follower);
    expect(follower.text).toBe('two\nthree\n');
  });

  it('of a container that has ended gets everything and ends at once', async () => {
    runtime.container('c1', { state: 'CONTAINER_EXITED', logPath: scratch.path });
    write(criLine('all'));
    expect(await text({ follow: true })).toBe('all\n');
  });

  it('reads on while the runtime does not answer, and ends when the container is gone', async () => {
    runtime.failing.set('containerStatus', 'Unavailable');
    write(criLine('one'));
    const follower = new Follower();
    await follower.until('one\n');
    await runtime.clock.advance(10_000);
    append(criLine('two'));
    await follower.until('two\n');
    runtime.failing.clear();
    await end(follower, 'gone');
  });

  it('ends with as many bytes as are wanted', async () => {
    write(criLine('one'));
    const follower = new Follower({ limitBytes: 6 });
    await follower.until('one\n');
    append(criLine('two'));
    await follower.ended;
    expect(follower.text).toBe('one\ntw');
  });

  it('ends with its signal and leaves nothing behind', async () => {
    write(criLine('one'));
    const stop = new AbortController();
    const follower = new Follower({ signal: stop.signal });
    await follower.until('one\n');
    await runtime.clock.whenWaiting();
    stop.abort();
    await follower.ended;
    expect(runtime.clock.pending).toBe(0);
  });

  it('looks into the file also if it hears of no change', async () => {
    // A directory that was removed can't be watched.
    write(criLine('one'));
    const follower = new Follower();
    await follower.until('one\n');
    await runtime.clock.whenWaiting();
    const moved = join(scratch.root, 'moved');
    renameSync(dirname(scratch.path), moved);
    mkdirSync(dirname(scratch.path));
    write(criLine('two'));
    await follower.asTimePasses(() => follower.text.includes('two\n'));
    await end(follower);
  });

  const rotateTo = (rotated: string): void => renameSync(scratch.path, `${scratch.path}.${rotated}`);

  it('reads the renamed file to its end before the new one', async () => {
    write(criLine('one'));
    const follower = new Follower();
    await follower.until('one\n');
    rotateTo('20260102-030405');
    appendFileSync(`${scratch.path}.20260102-030405`, criLine('two'));
    await follower.until('two\n');
    write('');
    // The follower asks once a second, after it has looked for a new file.
    const asked = runtime.statusCalls;
    await follower.asTimePasses(() => runtime.statusCalls > asked + 2);
    appendFileSync(`${scratch.path}.20260102-030405`, criLine('three'));
    append(criLine('four'));
    await follower.until('four\n');
    await end(follower);
    expect(follower.text).toBe('one\ntwo\nthree\nfour\n');
  });

  it('that is slow reads the files of all rotations, compressed ones too', async () => {
    write(criLine('one'));
    const chunks = logs.read(container(), { follow: true })[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe('one\n');
    append(criLine('two'));
    const contents = [criLine('one') + criLine('two'), criLine('three'), criLine('four'), criLine('five')];
    for (const [i, content] of contents.entries()) {
      write(content);
      rotateTo(`20260102-03040${i}`);
    }
    for (const i of [0, 1]) {
      const rotated = `${scratch.path}.20260102-03040${i}`;
      writeFileSync(`${rotated}.gz`, gzipSync(contents[i]!));
      rmSync(rotated);
    }
    write(criLine('six'));
    runtime.container('c1', { state: 'CONTAINER_EXITED', logPath: scratch.path });
    let rest = '';
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest += Buffer.from(next.value);
    expect(rest).toBe('two\nthree\nfour\nfive\nsix\n');
  });

  it('that is so slow that files were removed goes on with the oldest one that is left', async () => {
    write(criLine('one'));
    const chunks = logs.read(container(), { follow: true })[Symbol.asyncIterator]();
    await chunks.next();
    writeFileSync(`${scratch.path}.20260102-030406.gz`, gzipSync(criLine('three')));
    rmSync(scratch.path);
    write(criLine('four'));
    runtime.container('c1', { state: 'CONTAINER_EXITED', logPath: scratch.path });
    let rest = '';
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest += Buffer.from(next.value);
    expect(rest).toBe('three\nfour\n');
  });
});

it('a log is read no faster than it is consumed', async () => {
  write(criLine('x'.repeat(1000)).repeat(10_000));
  const chunks = logs.read(container(), {})[Symbol.asyncIterator]();
  await chunks.next();
  // What was not read yet is not there any more.
  truncateSync(scratch.path, 0);
  let rest = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest += next.value.length;
  expect(rest).toBeLessThan(200_000);
});
