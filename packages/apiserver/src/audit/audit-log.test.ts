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

/** Writes when it is told to. */
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
  it('makes requests wait until they are written, all that came meanwhile in one piece', async () => {
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

  it('writes what comes in answer to a write', async () => {
    const log = newLog();
    const both = log.record(event('1'))?.then(() => log.record(event('2')));
    await output.proceed();
    await output.proceed();
    await both;
    expect(output.written).toEqual(['1', '2']);
  });

  it('lets requests go on when it cannot write, and reports it', async () => {
    const log = newLog();
    const written = log.record(event('1'));
    await output.proceed(new Error('no room'));
    await expect(written).resolves.toBeUndefined();
    expect(reports).toEqual(['error "Failed to write audit events" err="no room" count=1']);
  });

  it('does not let them go on in strict mode', async () => {
    const log = newLog({ mode: 'blocking-strict' });
    const written = expect(log.record(event('1'))).rejects.toThrow('no room');
    await output.proceed(new Error('no room'));
    await written;
  });

  it('makes nobody wait in batch mode, drops what is too much, and tells how many', async () => {
    const log = newLog({ mode: 'batch', bufferSize: 2 });
    expect(log.record(event('1'))).toBeUndefined();
    for (const id of ['2', '3', '4', '5']) log.record(event(id));
    await output.proceed();
    await output.proceed();
    expect(output.written).toEqual(['1', '2', '3']);
    expect(reports).toEqual(['error "Audit events were dropped: more came than could be written" count=2']);
  });

  it('waits for more before it writes a batch, but not for ever', async () => {
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

  it('is complete when it is closed', async () => {
    const log = newLog({ mode: 'batch', batchMaxSize: 10, batchMaxWaitMs: 1e6 });
    log.record(event('1'));
    const closed = log.close();
    await output.proceed();
    await closed;
    expect([output.written, output.isClosed]).toEqual([['1'], true]);
  });

  it('leaves bodies out of events that are too large, and drops what is too large even so', async () => {
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

describe('a file that lines are appended to', () => {
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

  it('is readable by its owner alone, and goes on where it was', async () => {
    for (const line of ['a\n', 'b\n']) {
      const file = await open();
      await file.append(line);
      await file.close();
    }
    expect(await text('audit.log')).toBe('a\nb\n');
    expect((await stat(join(folder, 'logs', 'audit.log'))).mode & 0o777).toBe(0o600);
  });

  it('is set aside under the time when it would grow too large, never over another', async () => {
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

  it('never is with a size of nothing', async () => {
    const file = await open({ maxBytes: 0 });
    await file.append('12345678901234567890\n');
    await file.append('12345678901234567890\n');
    await file.close();
    expect(await names()).toEqual(['audit.log']);
  });

  it('keeps so many, and none that is too old, and touches no other file', async () => {
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

  it('makes what was set aside smaller', async () => {
    const file = await open({ compress: true });
    await file.append('first line\n');
    await file.append('second line\n');
    await file.close();
    const [backup] = await names();
    expect(backup).toBe('audit-2026-01-02T03-04-05.006.log.gz');
    expect(gunzipSync(await readFile(join(folder, 'logs', backup!))).toString()).toBe('first line\n');
  });
});
