import { describe, expect, it } from 'vitest';
import { bytesOf, contextFor } from '../discovery/request-context.test-data.ts';
import { HealthChecks } from './index.ts';

const broken = {
  name: 'etcd',
  check: () => {
    throw new Error('the password was hunter2');
  },
};

const ask = async (checks: HealthChecks, url: string) => {
  const response = await checks.handler(contextFor(url));
  return { status: response.status, text: bytesOf(response).toString(), headers: response.headers };
};
const newChecks = (): HealthChecks => new HealthChecks({ now: () => new Date(0) });

describe('health', () => {
  it('is just ok when all checks pass', async () => {
    expect(await ask(newChecks(), '/livez')).toEqual({
      status: 200,
      text: 'ok',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  });

  it.each([
    ['/healthz?verbose', '[+]ping ok\n[+]log ok\nhealthz check passed\n'],
    ['/readyz?verbose=0', '[+]ping ok\n[+]log ok\n[+]shutdown ok\nreadyz check passed\n'],
    ['/livez?verbose&exclude=log', '[+]ping ok\n[+]log excluded: ok\nlivez check passed\n'],
    [
      '/livez?verbose&exclude=x%22y&exclude=nope&exclude=ping',
      '[+]ping excluded: ok\n[+]log ok\nwarn: some health checks cannot be excluded: no matches for "nope","x\\"y"\nlivez check passed\n',
    ],
  ])('%s lists the checks', async (url, text) => {
    const checks = newChecks();
    checks.add({ name: 'log', check: async () => {} });
    expect(await ask(checks, url)).toMatchObject({ status: 200, text });
  });

  it('names failed checks, but shows the reason only at the path of the check', async () => {
    const checks = newChecks();
    checks.add(broken);
    expect(await ask(checks, '/livez')).toMatchObject({
      status: 500,
      text: '[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n',
    });
    expect(await ask(checks, '/livez/etcd')).toMatchObject({
      status: 500,
      text: 'internal server error: the password was hunter2\n',
    });
    expect(await ask(checks, '/livez?exclude=etcd')).toMatchObject({ status: 200, text: 'ok' });
  });

  it('has a path for each check, and no others', async () => {
    expect(await ask(newChecks(), '/readyz/shutdown')).toEqual({
      status: 200,
      text: 'ok',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect(await ask(newChecks(), '/livez/shutdown')).toMatchObject({ status: 404, text: '404 page not found\n' });
    expect(await ask(newChecks(), '/livez/')).toMatchObject({ status: 404 });
    expect(newChecks().paths()).toEqual([
      '/healthz',
      '/healthz/ping',
      '/livez',
      '/livez/ping',
      '/readyz',
      '/readyz/ping',
      '/readyz/shutdown',
    ]);
  });

  it('is not ready but still alive during shutdown', async () => {
    const checks = newChecks();
    checks.beginShutdown();
    expect(await ask(checks, '/readyz')).toMatchObject({
      status: 500,
      text: '[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    });
    expect(await ask(checks, '/readyz/shutdown')).toMatchObject({
      text: 'internal server error: process is shutting down\n',
    });
    expect((await ask(checks, '/livez')).status).toBe(200);
  });

  it('fails until start hooks are done, liveness only after the grace period', async () => {
    let now = new Date(0);
    const checks = new HealthChecks({ now: () => now });
    const hook = checks.addStartHook('rbac/bootstrap-roles', { livezGracePeriodMs: 1000 });
    const statuses = async () =>
      Promise.all(['/healthz', '/livez', '/readyz'].map(async (path) => (await ask(checks, path)).status));
    expect(await statuses()).toEqual([500, 200, 500]);
    expect(await ask(checks, '/readyz/poststarthook/rbac/bootstrap-roles')).toMatchObject({
      text: 'internal server error: not finished\n',
    });
    now = new Date(1001);
    expect(await statuses()).toEqual([500, 500, 500]);
    hook.done();
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it('refuses a second check of the same name', () => {
    expect(() => newChecks().add({ name: 'ping', check: () => {} })).toThrow(
      'there is already a check ping of healthz',
    );
    expect(() => newChecks().addTo('readyz', { name: 'shutdown', check: () => {} })).toThrow(/shutdown/);
  });

  it('reports the outcome of every check', async () => {
    const seen: unknown[] = [];
    const checks = new HealthChecks({
      now: () => new Date(0),
      onResult: (check, endpoint, error) => seen.push([check, endpoint, error instanceof Error]),
    });
    checks.addTo('livez', broken);
    await ask(checks, '/livez');
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(['ping', 'livez', false]);
    expect(seen).toContainEqual(['etcd', 'livez', true]);
  });
});
