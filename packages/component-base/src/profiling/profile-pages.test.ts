import { describe, expect, it } from 'vitest';
import { type HeapStack, heapDifference, heapSampler } from './heap-sampler.ts';
import { type ProfileRequest, profilePages } from './profile-pages.ts';
import { readProfile } from './read-profile.test-data.ts';

async function ask(path: string, { method = 'GET', signal = new AbortController().signal } = {}) {
  const [bare = '', search = ''] = path.split('?');
  const request: ProfileRequest = { path: bare, search, method, signal };
  const { status, headers, body } = await profilePages(request);
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  return { status, headers, bytes, text: Buffer.from(bytes).toString() };
}

/** Uses CPU time. */
function countsToAMillion(): number {
  let sum = 0;
  for (let i = 0; i < 1_000_000; i++) sum += Math.sqrt(i ^ sum);
  return sum;
}

describe('a CPU profile', () => {
  it('names the busy functions; only one is recorded at a time', async () => {
    const leaving = new AbortController();
    const profile = ask('/debug/pprof/profile?seconds=3600', { signal: leaving.signal });
    expect(await ask('/debug/pprof/profile')).toMatchObject({
      status: 500,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-go-pprof': '1' },
      text: 'Could not enable CPU profiling: cpu profiling already in use\n',
    });
    for (let i = 0; i < 60; i++) {
      countsToAMillion();
      await new Promise((resolve) => setImmediate(resolve));
    }
    leaving.abort();
    const { status, headers, bytes } = await profile;
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="profile"',
        'x-content-type-options': 'nosniff',
      },
    });
    const read = readProfile(bytes);
    expect(read).toMatchObject({ types: ['samples/count', 'cpu/nanoseconds'], periodType: 'cpu/nanoseconds' });
    expect(read.durationNanos).toBeGreaterThan(0);
    const busy = read.samples.filter(({ stack }) => stack[0] === 'countsToAMillion');
    expect(busy.length).toBeGreaterThan(0);
    for (const { values } of busy) expect(values[1]).toBe((values[0] ?? 0) * 10_000_000);
    const names = new Set(read.samples.flatMap(({ stack }) => stack));
    expect(names).not.toContain('(idle)');
    expect(names).not.toContain('(root)');
  });

  it('can be recorded again', async () => {
    const signal = AbortSignal.abort();
    expect((await ask('/debug/pprof/profile', { signal })).status).toBe(200);
    expect((await ask('/debug/pprof/profile?seconds=nonsense', { signal })).status).toBe(200);
  });
});

interface Link {
  readonly next: Link | undefined;
  readonly numbers: readonly number[];
}

function keepsALongList(): Link | undefined {
  let list: Link | undefined;
  for (let i = 0; i < 400_000; i++) list = { next: list, numbers: [i, i + 1, i + 2, i + 3] };
  return list;
}

describe('a profile of the heap', () => {
  it('names the functions that allocated live memory', async () => {
    await heapSampler.start();
    const kept = keepsALongList();
    const { headers, bytes } = await ask('/debug/pprof/heap');
    expect(headers['content-disposition']).toBe('attachment; filename="heap"');
    const read = readProfile(bytes);
    expect(read).toMatchObject({ types: ['inuse_space/bytes'], periodType: 'space/bytes' });
    const found = read.samples.filter(({ stack }) => stack.includes('keepsALongList'));
    const inUse = found.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
    expect(inUse).toBeGreaterThan(5_000_000);
    expect((await ask('/debug/pprof/heap?debug=1')).text).toMatch(
      /^#\tkeepsALongList\t.*profile-pages\.test\.ts:\d+$/m,
    );
    expect(kept?.numbers[0]).toBe(399_999);
  });

  it('can be the difference of two samples', () => {
    const stack = (functionName: string, bytes: number): HeapStack => ({
      frames: [{ functionName, url: 'file:///a.js', lineNumber: 1, columnNumber: 1 }],
      bytes,
    });
    const before = [stack('grows', 10), stack('goes', 20), stack('stays', 30)];
    const after = [stack('grows', 15), stack('stays', 30), stack('comes', 40)];
    expect(heapDifference(before, after)).toEqual([stack('grows', 5), stack('comes', 40), stack('goes', -20)]);
  });

  it.each<[string, string, string]>([
    ['an invalid duration', 'seconds=x', 'invalid value for "seconds" - must be a positive integer\n'],
    ['a zero duration', 'seconds=0', 'invalid value for "seconds" - must be a positive integer\n'],
    ['a difference as text', 'seconds=1&debug=1', 'seconds and debug params are incompatible\n'],
    ['a duration of days', 'seconds=86400', 'invalid value for "seconds" - must be at most 3600\n'],
  ])('is refused for %s', async (_, search, text) => {
    expect(await ask(`/debug/pprof/heap?${search}`)).toMatchObject({ status: 400, text });
  });

  it('over some time ends when the request is aborted', async () => {
    const answer = await ask('/debug/pprof/heap?seconds=3600', { signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ status: 500, text: 'context canceled\n' });
  });
});

describe('/debug/pprof/', () => {
  it('lists the profiles', async () => {
    expect(await ask('/debug/pprof')).toMatchObject({
      status: 302,
      headers: { location: '/debug/pprof/', 'content-type': 'text/html; charset=utf-8' },
      text: '<a href="/debug/pprof/">Found</a>.\n\n',
    });
    expect(await ask('/debug/pprof', { method: 'POST' })).toMatchObject({ status: 302, text: '' });
    const { headers, text } = await ask('/debug/pprof/');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const links = [...text.matchAll(/href='([^'?]+)/g)].map(([, name]) => name);
    expect(links).toEqual(['heap', 'profile', 'symbol']);
    for (const name of links)
      expect((await ask(`/debug/pprof/${name}`, { signal: AbortSignal.abort() })).status).toBe(200);
  });

  it.each(['allocs', 'goroutine', 'trace', 'block', 'mutex', 'cmdline', 'constructor'])('has no %s', async (name) => {
    expect(await ask(`/debug/pprof/${name}?debug=1`)).toMatchObject({
      status: 404,
      headers: { 'x-go-pprof': '1' },
      text: 'Unknown profile\n',
    });
  });
});
