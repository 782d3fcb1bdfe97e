import { verbosity } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { ComponentHealth, type ComponentHealthOptions } from '../health/index.ts';
import { fakeRequest } from '../http/fake-request.test-data.ts';
import { HealthMetrics, MetricsRegistry } from '../metrics/index.ts';
import { componentPages } from './component-pages.ts';

const start = Date.parse('2026-11-15T20:47:05Z');

function pages(health: Partial<ComponentHealthOptions> = {}, atMs = start, profiling = true) {
  const healthMetrics = new HealthMetrics();
  const handler = componentPages({
    component: 'kube-example',
    health: new ComponentHealth({
      endpoints: { healthz: [] },
      hasSubpaths: false,
      onResult: healthMetrics.record,
      ...health,
    }),
    healthMetrics,
    metrics: new MetricsRegistry(() => new Date(start), 0),
    configuration: { 'example.config.k8s.io': { kind: 'Example' } },
    flags: { 'secure-port': 10257, controllers: ['*', '-ttl'], kubeconfig: undefined, 'leader-elect': true },
    features: { ComponentFlagz: true, ComponentStatusz: true },
    profiling,
    verbosity: verbosity(0),
    now: () => new Date(atMs),
  });
  return async (path: string, options: { method?: string; accept?: string } = {}) => {
    const { method = 'GET', accept } = options;
    const [bare = '', search = ''] = path.split('?');
    const request = { ...fakeRequest({ path: bare, headers: { ...(accept && { accept }) } }), method, search };
    const { status, body, headers } = await handler(request);
    return { status, headers, text: Buffer.from(body as Uint8Array).toString() };
  };
}

const well = (name: string) => ({ name, check: () => {} });
const sick = (name: string) => ({
  name,
  check: () => {
    throw new Error('no lease');
  },
});

describe('health', () => {
  it.each<[string, string, number, string]>([
    ['is ok', '/healthz', 200, 'ok'],
    ['lists the checks for ?verbose', '/healthz?verbose', 200, '[+]a ok\n[+]b ok\nhealthz check passed\n'],
    ['skips excluded checks', '/healthz?exclude=a&verbose', 200, '[+]a excluded: ok\n[+]b ok\nhealthz check passed\n'],
    [
      'warns about unknown excluded checks',
      '/healthz?exclude=foo&verbose',
      200,
      '[+]a ok\n[+]b ok\nwarn: some health checks cannot be excluded: no matches for "foo"\nhealthz check passed\n',
    ],
    ['has no other endpoints', '/livez', 404, '404 page not found\n'],
    ['has no paths for single checks', '/healthz/a', 404, '404 page not found\n'],
  ])('of the controller manager %s', async (_, path, status, text) => {
    expect(await pages({ endpoints: { healthz: [well('a'), well('b')] } })(path)).toMatchObject({ status, text });
  });

  it('that fails lists the checks, but not the reason', async () => {
    const ask = pages({ endpoints: { healthz: [well('a'), sick('leaderElection')] } });
    expect(await ask('/healthz')).toMatchObject({
      status: 500,
      text: '[+]a ok\n[-]leaderElection failed: reason withheld\nhealthz check failed\n',
    });
    const slis = (await ask('/metrics/slis')).text;
    expect(slis).toContain('kubernetes_healthcheck{name="leaderElection",type="healthz"} 0\n');
    expect(slis).toContain('kubernetes_healthchecks_total{name="leaderElection",status="error",type="healthz"} 1\n');
    expect((await ask('/metrics/slis', { method: 'DELETE' })).text).toBe('metrics reset\n');
    expect((await ask('/metrics/slis')).text).toContain('status="error",type="healthz"} 0\n');
  });

  it('of a scheduler has three endpoints, with a path for each check', async () => {
    const ask = pages({ endpoints: { healthz: [], livez: [], readyz: [sick('shutdown')] }, hasSubpaths: true });
    expect((await ask('/livez?verbose')).text).toBe('[+]ping ok\nlivez check passed\n');
    expect((await ask('/livez/ping')).text).toBe('ok');
    expect((await ask('/readyz')).text).toBe('[-]shutdown failed: reason withheld\nreadyz check failed\n');
    expect(await ask('/readyz/shutdown')).toMatchObject({ status: 500, text: 'internal server error: no lease\n' });
    expect((await ask('/readyz/nothing')).status).toBe(404);
  });
});

describe('profiles', () => {
  it('are served with profiling only', async () => {
    expect((await pages()('/debug/pprof/')).text).toContain("<a href='heap?debug=1'>");
    expect((await pages()('/debug/pprof')).status).toBe(302);
    expect((await pages({}, start, false)('/debug/pprof/')).status).toBe(404);
  });
});

it('the verbosity of the log can be set with profiling only', async () => {
  const set = (profiling: boolean) => pages({}, start, profiling)('/debug/flags/v', { method: 'GET' });
  expect(await set(true)).toMatchObject({ status: 406, text: 'unsupported http method\n' });
  expect((await set(false)).status).toBe(404);
});

describe('pages for people', () => {
  const warning =
    'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

  it('list the flags at /flagz', async () => {
    expect((await pages()('/flagz')).text).toBe(
      `\nkube-example flagz\n${warning}\ncontrollers: [*,-ttl]\nkubeconfig: \nleader-elect: true\nsecure-port: 10257\n`,
    );
  });

  it('show version and uptime at /statusz', async () => {
    const { text } = await pages({}, start + 3_669_000)('/statusz', { accept: 'text/html, text/plain;q=0.5' });
    expect(text.split('\n').slice(0, 6)).toEqual([
      '',
      'kube-example statusz',
      warning,
      '',
      'Started  Sun Nov 15 20:47:05 UTC 2026',
      'Up  1 hr 01 min 09 sec',
    ]);
    expect(text.split('\n').slice(7)).toEqual([
      'Binary version  1.36.4',
      'Emulation version  1.36',
      'Paths  /configz /flagz /healthz /metrics',
      '',
    ]);
  });

  it('are served as plain text only', async () => {
    const { status, text } = await pages()('/statusz', { accept: 'application/json' });
    expect(status).toBe(406);
    expect(JSON.parse(text)).toMatchObject({
      message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
      reason: 'NotAcceptable',
    });
  });
});
