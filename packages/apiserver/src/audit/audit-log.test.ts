import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuditEvent, legacyLine } from './audit-event.ts';
import { AuditLog, type AuditLogOptions } from './audit-log.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';

const event = (auditID: string): AuditEvent => ({
  level: 'Request',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces?limit=1',
  verb: 'list',
  user: { username: 'alice', groups: ['a', 'b'] },
  sourceIPs: ['192.0.2.1'],
  userAgent: 'kubectl',
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2026-01-02T03:04:05.600000Z',
  stageTimestamp: '2026-01-02T03:04:05.700000Z',
  annotations: new Map(),
});

/** Finishes an append only when `proceed` is called. */
class SlowOutput {
  readonly written: string[] = [];
  readonly #waiting: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  isClosed = false;

  append(text: string): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ text, resolve, reject }));
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async proceed(error?: Error): Promise<void> {
    const next = this.#waiting.shift();
    if (error) next?.reject(error);
    else if (next) {
      this.written.push(...next.text.split('\n').flatMap((line) => (line ? JSON.parse(line).auditID : [])));
      next.resolve();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

let output: SlowOutput;
const { logger, lines: reports, clear } = recordLogs();

function newLog(options: Partial<AuditLogOptions> = {}): AuditLog {
  output = new SlowOutput();
  clear();
  return new AuditLog({
    clock: systemClock,
    output,
    format: 'json',
    mode: 'blocking',
    bufferSize: 100,
    batchMaxSize: 1,
    batchMaxWaitMs: 0,
    logger,
    ...options,
  });
}

describe('the audit log', () => {
  it('resolves when an event is written, and writes all events that arrived meanwhile in one append', async () => {
    const log = newLog();
    const done: string[] = [];
    for (const id of ['1', '2', '3']) void log.record(event(id))?.then(() => done.push(id));
    await output.proceed();
    expect([output.written, done]).toEqual([['1'], ['1']]);
    await output.proceed();
    expect([output.written, done]).toEqual([
      ['1', '2', '3'],
      ['1', '2', '3'],
    ]);
  });

  it('writes an event that is recorded when an earlier write resolves', async () => {
    const log = newLog();
    const both = log.record(event('1'))?.then(() => log.record(event('2')));
    await output.proceed();
    await output.proceed();
    await both;
    expect(output.written).toEqual(['1', '2']);
  });

  it('resolves when a write fails in blocking mode, and logs the failure', async () => {
    const log = newLog();
    const written = log.record(event('1'));
    await output.proceed(new Error('no room'));
    await expect(written).resolves.toBeUndefined();
    expect(reports).toEqual(['error "Failed to write audit events" err="no room" count=1']);
  });

  it('rejects when a write fails in strict mode', async () => {
    const log = newLog({ mode: 'blocking-strict' });
    const written = expect(log.record(event('1'))).rejects.toThrow('no room');
    await output.proceed(new Error('no room'));
    await written;
  });

  it('returns no promise in batch mode, drops events beyond the buffer, and logs their number', async () => {
    const log = newLog({ mode: 'batch', bufferSize: 2 });
    expect(log.record(event('1'))).toBeUndefined();
    for (const id of ['2', '3', '4', '5']) log.record(event(id));
    await output.proceed();
    await output.proceed();
    expect(output.written).toEqual(['1', '2', '3']);
    expect(reports).toEqual(['error "Audit events were dropped: the buffer was full" count=2']);
  });

  it('writes a batch when it is full or batchMaxWaitMs has passed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const log = newLog({ mode: 'batch', batchMaxSize: 3, batchMaxWaitMs: 1000 });
      log.record(event('1'));
      vi.advanceTimersByTime(999);
      log.record(event('2'));
      await output.proceed();
      expect(output.written).toEqual([]);
      vi.advanceTimersByTime(1);
      await output.proceed();
      expect(output.written).toEqual(['1', '2']);
      for (const id of ['3', '4', '5']) log.record(event(id));
      await output.proceed();
      expect(output.written).toEqual(['1', '2', '3', '4', '5']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('writes all waiting events when it is closed', async () => {
    const log = newLog({ mode: 'batch', batchMaxSize: 10, batchMaxWaitMs: 1e6 });
    log.record(event('1'));
    const closed = log.close();
    await output.proceed();
    await closed;
    expect([output.written, output.isClosed]).toEqual([['1'], true]);
  });

  it('omits the objects of events that are too large, and drops events that are still too large', async () => {
    const lines: string[] = [];
    const log = newLog({
      maxEventBytes: 600,
      output: { append: async (text) => void lines.push(text), close: async () => {} },
    });
    await log.record({ ...event('1'), requestObject: JSON.stringify('x'.repeat(600)), responseObject: '{}' });
    await log.record({ ...event('2'), userAgent: 'x'.repeat(600) });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { auditID: '1', annotations: { 'audit.k8s.io/truncated': 'true' } },
    ]);
    expect(lines[0]).not.toContain('Object"');
    expect(reports).toEqual(['error "Audit event is dropped: it is too large even after truncating" auditID="2"']);
  });
});

it('the legacy format is one line of text', () => {
  expect(legacyLine({ ...event('id'), impersonatedUser: { username: 'bob' } })).toBe(
    '2026-01-02T03:04:05.6Z AUDIT: id="id" stage="ResponseComplete" ip="192.0.2.1" method="list" user="alice" groups="\\"a\\",\\"b\\"" as="bob" asgroups="<lookup>" user-agent="kubectl" namespace="<none>" uri="/api/v1/namespaces?limit=1" response="200"\n',
  );
});

describe('a rotating file', () => {
  let folder: string;
  let now: Date;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-'));
    now = new Date('2026-01-02T03:04:05.006Z');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (options: Partial<RotatingFileOptions> = {}): Promise<RotatingFile> =>
    RotatingFile.open({
      path: join(folder, 'logs', 'audit.log'),
      maxBytes: 10,
      maxBackups: 0,
      maxAgeDays: 0,
      compress: false,
      now: () => now,
      logger: recordLogs({ onLine: (line) => expect.unreachable(line) }).logger,
      ...options,
    });
  const names = async (): Promise<string[]> => (await readdir(join(folder, 'logs'))).toSorted();
  const text = (name: string): Promise<string> => readFile(join(folder, 'logs', name), 'utf8');

  it('has mode 0600, and is appended to when it is opened again', async () => {
    for (const line of ['a\n', 'b\n']) {
      const file = await open();
      await file.append(line);
      await file.close();
    }
    expect(await text('audit.log')).toBe('a\nb\n');
    expect((await stat(join(folder, 'logs', 'audit.log'))).mode & 0o777).toBe(0o600);
  });

  it('is renamed with the time when it would grow too large, without overwriting another backup', async () => {
    const file = await open();
    for (const line of ['12345678\n', 'second\n', 'third and long\n']) await file.append(line);
    await file.close();
    expect(await names()).toEqual([
      'audit-2026-01-02T03-04-05.006.log',
      'audit-2026-01-02T03-04-05.007.log',
      'audit.log',
    ]);
    expect(await text('audit-2026-01-02T03-04-05.006.log')).toBe('12345678\n');
    expect(await text('audit.log')).toBe('third and long\n');
  });

  it('is never rotated with maxBytes 0', async () => {
    const file = await open({ maxBytes: 0 });
    await file.append('12345678901234567890\n');
    await file.append('12345678901234567890\n');
    await file.close();
    expect(await names()).toEqual(['audit.log']);
  });

  it('keeps at most maxBackups backups, removes old ones, and leaves other files alone', async () => {
    const file = await open({ maxBackups: 3, maxAgeDays: 2 });
    await writeFile(join(folder, 'logs', 'audit-of-somebody.log'), '');
    await writeFile(join(folder, 'logs', 'audit-2025-12-01T00-00-00.000.log.gz'), '');
    for (let i = 0; i < 5; i++) {
      await file.append(`line of ${i}\n`);
      now = new Date(now.getTime() + 1000);
    }
    await file.close();
    expect(await names()).toEqual([
      'audit-2026-01-02T03-04-07.006.log',
      'audit-2026-01-02T03-04-08.006.log',
      'audit-2026-01-02T03-04-09.006.log',
      'audit-of-somebody.log',
      'audit.log',
    ]);
  });

  it('compresses backups', async () => {
    const file = await open({ compress: true });
    await file.append('first line\n');
    await file.append('second line\n');
    await file.close();
    const [backup] = await names();
    expect(backup).toBe('audit-2026-01-02T03-04-05.006.log.gz');
    expect(gunzipSync(await readFile(join(folder, 'logs', backup!))).toString()).toBe('first line\n');
  });
});
