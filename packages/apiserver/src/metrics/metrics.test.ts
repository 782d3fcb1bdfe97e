import { CounterFamily, goFloat } from '@coxswain/component-base/metrics';
import { describe, expect, it } from 'vitest';
import { bytesOf, contextFor } from '../discovery/request-context.test-data.ts';
import { type RequestLabels, requestLabels, ServerMetrics } from './index.ts';
import { LabelTree } from './label-tree.ts';

const newMetrics = (canReset = true): ServerMetrics =>
  new ServerMetrics({ now: () => new Date('2026-01-01T00:00:00Z'), canReset });
const scrape = async (metrics: ServerMetrics, path = '/metrics'): Promise<string> =>
  bytesOf(await metrics.handler(contextFor(path))).toString();
const linesOf = async (metrics: ServerMetrics, name: string): Promise<string[]> =>
  (await scrape(metrics)).split('\n').filter((line) => line.startsWith(name));

const getDeployment: RequestLabels = {
  verb: 'GET',
  dryRun: '',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  scope: 'resource',
};
const printed =
  'component="apiserver",group="apps",resource="deployments",scope="resource",subresource="",verb="GET",version="v1"';

describe('metrics', () => {
  it('count requests like upstream', async () => {
    const metrics = newMetrics();
    metrics.request(getDeployment).record(200, 0.03, 1500);
    metrics.request({ ...getDeployment }).record(200, 0.005, 10);
    metrics.request(getDeployment).record(404, 70, 10);
    expect(await linesOf(metrics, 'apiserver_request_total{')).toEqual([
      `apiserver_request_total{code="200",${printed.replace('group', 'dry_run="",group')}} 2`,
      `apiserver_request_total{code="404",${printed.replace('group', 'dry_run="",group')}} 1`,
    ]);
    const durations = await linesOf(metrics, 'apiserver_request_duration_seconds_');
    const bounds = durations.map((line) => /le="([^"]*)"/.exec(line)?.[1]).filter((bound) => bound !== undefined);
    expect(bounds.join(' ')).toBe('0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60 +Inf');
    expect(durations[1]).toMatch(/le="0.025"} 1$/);
    expect(durations[2]).toMatch(/le="0.05"} 2$/);
    expect(durations[23]).toMatch(/le="\+Inf"} 3$/);
    expect(durations.at(-1)).toMatch(/^apiserver_request_duration_seconds_count{.*} 3$/);
    expect(await linesOf(metrics, `apiserver_response_sizes_bucket{${printed},le="1e+06"}`)).toEqual([
      `apiserver_response_sizes_bucket{${printed},le="1e+06"} 3`,
    ]);
  });

  it('omit dry runs from SLI durations, and writes from response sizes, like upstream', async () => {
    const metrics = newMetrics();
    metrics.request({ ...getDeployment, verb: 'PUT', dryRun: 'All' }).record(200, 1, 1);
    expect(await linesOf(metrics, 'apiserver_request_sli_duration_seconds')).toEqual([]);
    expect(await linesOf(metrics, 'apiserver_response_sizes')).toEqual([]);
    expect(await linesOf(metrics, 'apiserver_request_total{')).toEqual([expect.stringContaining('dry_run="All"')]);
  });

  it('count running, terminated and aborted requests', async () => {
    const metrics = newMetrics();
    const watch = metrics.request({ ...getDeployment, verb: 'WATCH', scope: 'namespace' });
    watch.longRunning.inc();
    watch.longRunning.inc();
    watch.longRunning.dec();
    watch.terminated(429);
    watch.aborted();
    metrics.inflight('mutating').inc();
    expect(await linesOf(metrics, 'apiserver_longrunning_requests')).toEqual([
      `apiserver_longrunning_requests{${printed.replace('"resource"', '"namespace"').replace('GET', 'WATCH')}} 1`,
    ]);
    expect(await linesOf(metrics, 'apiserver_request_terminations_total')).toHaveLength(1);
    expect(await linesOf(metrics, 'apiserver_request_aborts_total')).toEqual([
      expect.not.stringContaining('component'),
    ]);
    expect(await linesOf(metrics, 'apiserver_current_inflight_requests')).toEqual([
      'apiserver_current_inflight_requests{request_kind="mutating"} 1',
    ]);
  });

  it('include watches, lists, the cache and the store', async () => {
    const metrics = newMetrics();
    metrics.watchEvents('', 'v1', 'pods')(1500);
    metrics.cacheLists('', 'pods')(10, 3);
    metrics.cacheWaits('', 'pods')(0.01);
    metrics.bodySizes('', 'pods', 'create')(60_000);
    metrics.storeRequests('create', 'apps', 'deployments')(0.001, false);
    metrics.setObjects('apps', 'deployments', 7, 2_500_000);
    metrics.setStoreBytes(4096);
    metrics.tlsErrors.inc();
    const text = await scrape(metrics);
    for (const line of [
      'apiserver_watch_events_total{group="",resource="pods",version="v1"} 1',
      'apiserver_watch_events_sizes_bucket{group="",resource="pods",version="v1",le="2048"} 1',
      'apiserver_cache_list_fetched_objects_total{group="",index="",resource="pods"} 10',
      'apiserver_cache_list_returned_objects_total{group="",resource="pods"} 3',
      'apiserver_watch_cache_read_wait_seconds_bucket{group="",resource="pods",le="3"} 1',
      'apiserver_request_body_size_bytes_bucket{group="",resource="pods",verb="create",le="1.05e+06"} 1',
      'etcd_request_duration_seconds_count{group="apps",operation="create",resource="deployments"} 1',
      'etcd_request_errors_total{group="apps",operation="create",resource="deployments"} 1',
      'apiserver_resource_objects{group="apps",resource="deployments"} 7',
      'apiserver_storage_objects{resource="deployments.apps"} 7',
      'apiserver_resource_size_estimate_bytes{group="apps",resource="deployments"} 2.5e+06',
      'apiserver_storage_size_bytes{storage_cluster_id=""} 4096',
      'apiserver_tls_handshake_errors_total 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toMatch(/^kubernetes_build_info{.*git_version="v1\.36\.4".*} 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  it('call collectors before each scrape', async () => {
    const metrics = newMetrics();
    let objects = 0;
    const stop = metrics.onCollect(() => metrics.setObjects('', 'pods', ++objects));
    await scrape(metrics);
    expect(await linesOf(metrics, 'apiserver_resource_objects{')).toEqual([
      'apiserver_resource_objects{group="",resource="pods"} 2',
    ]);
    stop();
    await scrape(metrics);
    expect(objects).toBe(2);
  });

  it('have the content type of the Prometheus text format', async () => {
    const response = await newMetrics().handler(contextFor('/metrics', { headers: { accept: 'text/html' } }));
    expect(response).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
        'process-start-time-unix': expect.stringMatching(/^\d+$/),
      },
    });
    expect((await newMetrics().handler(contextFor('/metrics/cadvisor'))).status).toBe(404);
  });

  it('are reset by DELETE, except for gauges of running requests', async () => {
    const metrics = newMetrics();
    metrics.request(getDeployment).record(200, 1, 1);
    metrics.request(getDeployment).longRunning.inc();
    const response = await metrics.handler(contextFor('/metrics', { method: 'DELETE' }));
    expect(bytesOf(response).toString()).toBe('metrics reset\n');
    expect((await linesOf(metrics, 'apiserver_request_total{'))[0]).toMatch(/ 0$/);
    expect((await linesOf(metrics, 'apiserver_request_duration_seconds_sum'))[0]).toMatch(/ 0$/);
    expect((await linesOf(metrics, 'apiserver_longrunning_requests'))[0]).toMatch(/ 1$/);
  });

  it('of health checks are reset by DELETE, too', async () => {
    const metrics = newMetrics();
    metrics.healthResult('etcd', 'livez', undefined);
    const response = await metrics.handler(contextFor('/metrics/slis', { method: 'DELETE' }));
    expect(bytesOf(response).toString()).toBe('metrics reset\n');
    expect(await scrape(metrics, '/metrics/slis')).toContain('status="success",type="livez"} 0\n');
  });

  it('are not reset by DELETE when profiling is off', async () => {
    const metrics = newMetrics(false);
    metrics.request(getDeployment).record(200, 1, 1);
    const response = await metrics.handler(contextFor('/metrics', { method: 'DELETE' }));
    expect(bytesOf(response).toString()).toMatch(/^apiserver_request_total{.* 1$/m);
  });

  it('have the outcomes of health checks at /metrics/slis', async () => {
    const metrics = newMetrics();
    metrics.healthResult('etcd', 'livez', new Error('down'));
    metrics.healthResult('etcd', 'livez', undefined);
    const text = await scrape(metrics, '/metrics/slis');
    expect(text).toContain('kubernetes_healthcheck{name="etcd",type="livez"} 1\n');
    expect(text).toContain('kubernetes_healthchecks_total{name="etcd",status="error",type="livez"} 1\n');
    expect(await scrape(metrics)).not.toContain('kubernetes_healthcheck');
  });
});

describe('the labels of a request', () => {
  const pods = { isResourceRequest: true, apiVersion: 'v1', resource: 'pods', namespace: 'a' };
  const cases: readonly [string, Parameters<typeof contextFor>, Partial<RequestLabels>][] = [
    ['a read', ['/', { info: { ...pods, verb: 'get', name: 'b' } }], { verb: 'GET', scope: 'resource' }],
    ['a list', ['/', { info: { ...pods, verb: 'list' } }], { verb: 'LIST', scope: 'namespace' }],
    [
      'a list of everything',
      ['/', { info: { ...pods, verb: 'list', namespace: '' } }],
      { verb: 'LIST', scope: 'cluster' },
    ],
    ['a watch', ['/?watch=1', { info: { ...pods, verb: 'watch' } }], { verb: 'WATCH', scope: 'namespace' }],
    ['no watch', ['/?watch=False', { info: { ...pods, verb: 'list' } }], { verb: 'LIST' }],
    ['a watch by its legacy path', ['/', { info: { ...pods, verb: 'watch', name: 'b' } }], { verb: 'WATCH' }],
    ['a creation', ['/', { method: 'POST', info: { ...pods, verb: 'create' } }], { verb: 'POST', scope: 'resource' }],
    [
      'an apply',
      [
        '/?dryRun=All&dryRun=All',
        { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' }, info: pods },
      ],
      { verb: 'APPLY', dryRun: 'All' },
    ],
    ['an invalid dry run', ['/?dryRun=Some', { method: 'PUT', info: pods }], { verb: 'PUT', dryRun: 'invalid' }],
    [
      'a connection',
      ['/', { method: 'POST', info: { ...pods, name: 'b', subresource: 'exec', verb: 'create' } }],
      { verb: 'CONNECT', subresource: 'exec' },
    ],
    [
      'deletion of many',
      ['/', { method: 'DELETE', info: { ...pods, verb: 'deletecollection' } }],
      { verb: 'DELETE', scope: 'namespace' },
    ],
    [
      'a path that is not a resource',
      ['/healthz', { method: 'HEAD' }],
      { verb: 'GET', scope: '', group: '', resource: '', subresource: '/healthz' },
    ],
    ['a made-up method', ['/healthz', { method: 'BREW' }], { verb: 'other' }],
  ];
  it.each(cases)('are right for %s', (_, context, labels) => {
    expect(requestLabels(contextFor(...context))).toMatchObject(labels);
  });
});

describe('the text format', () => {
  it.each([
    [0, '0'],
    [0.005, '0.005'],
    [0.00001, '1e-05'],
    [0.0001, '0.0001'],
    [999_999, '999999'],
    [1e6, '1e+06'],
    [1_050_000, '1.05e+06'],
    [35_881_911_739, '3.5881911739e+10'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ])('formats %d like Go', (value, text) => {
    expect(goFloat(value)).toBe(text);
  });

  it('escapes label values', () => {
    const family = new CounterFamily({ name: 'a', help: 'a', labels: ['path'] });
    family.with('a"b\\c\nd').inc();
    expect([...family.samples()]).toEqual([{ suffix: '', labels: 'path="a\\"b\\\\c\\nd"', value: 1 }]);
  });

  it('has a limited number of series', () => {
    const family = new CounterFamily({ name: 'a', help: 'a', labels: ['path'] });
    for (let i = 0; i < 10_500; i++) family.with(String(i)).inc();
    expect([...family.samples()]).toHaveLength(10_000);
    const tree = new LabelTree<{ readonly key: string }>(2);
    const [first, , third] = ['a', 'b', 'c'].map((key) => tree.getOrCreate([key, 'x'], () => ({ key })));
    expect(tree.getOrCreate(['a', 'x'], () => ({ key: 'new' }))).toBe(first);
    expect(tree.getOrCreate(['c', 'x'], () => ({ key: 'new' }))).not.toBe(third);
    // Deleting makes room for new values.
    tree.delete('a');
    const fourth = tree.getOrCreate(['d', 'x'], () => ({ key: 'd' }));
    expect(tree.getOrCreate(['d', 'x'], () => ({ key: 'new' }))).toBe(fourth);
  });

  it('deletes series by some of their labels', () => {
    const family = new CounterFamily({ name: 'a', help: 'a', labels: ['verb', 'group', 'resource'] });
    for (const verb of ['GET', 'PUT']) for (const group of ['a.dev', 'b.dev']) family.with(verb, group, 'things').inc();
    family.forget(['resource', 'group'], (resource, group) => resource === 'things' && group === 'a.dev');
    expect([...family.samples()].map(({ labels }) => labels)).toEqual([
      'group="b.dev",resource="things",verb="GET"',
      'group="b.dev",resource="things",verb="PUT"',
    ]);
    family.forget(['name'], () => true);
    expect([...family.samples()]).toHaveLength(2);
  });
});
