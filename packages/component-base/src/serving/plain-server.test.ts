import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, expect, it } from 'vitest';
import { ComponentHealth, type HealthEndpoints } from '../health/index.ts';
import { MetricsRegistry } from '../metrics/index.ts';
import { type ComponentServer, startComponentServer } from './component-server.ts';
import { programPages } from './program-pages.ts';

const servers: ComponentServer[] = [];
const { logger, lines: logged, clear } = recordLogs();
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  clear();
});

/** Starts a program with a plain port. Returns a function that sends a GET. */
async function start(endpoints: HealthEndpoints, metrics = new MetricsRegistry(() => new Date())) {
  const health = new ComponentHealth({ endpoints, hasSubpaths: true });
  const handler = programPages({ health, metrics });
  const server = await startComponentServer({ plain: { bindAddress: '127.0.0.1', port: 0 }, handler, logger });
  servers.push(server);
  return async (path: string): Promise<{ status: number; text: string; type: string | null }> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };
}

it('serves the result of all checks of an endpoint, or of one check by name', async () => {
  let isSynced = false;
  const caches = {
    name: 'caches',
    check: () => {
      if (!isSynced) throw new Error('not synced');
    },
  };
  const ask = await start({ healthz: [], readyz: [caches] });
  expect(await ask('/healthz')).toMatchObject({ status: 200, text: 'ok' });
  expect(await ask('/readyz')).toMatchObject({
    status: 500,
    text: '[-]caches failed: reason withheld\nreadyz check failed\n',
  });
  expect(await ask('/readyz/caches')).toMatchObject({ status: 500, text: 'internal server error: not synced\n' });
  isSynced = true;
  expect(await ask('/readyz?verbose')).toMatchObject({ status: 200, text: '[+]caches ok\nreadyz check passed\n' });
  expect(await ask('/livez')).toMatchObject({ status: 404 });
});

it('serves the metrics of the program, without those of Kubernetes components', async () => {
  const metrics = new MetricsRegistry(() => new Date());
  metrics.counter({ name: 'widgets_total', help: 'Widgets.', labels: ['color'] }).add(2, 'red');
  const ask = await start({ healthz: [] }, metrics);
  const { status, text, type } = await ask('/metrics');
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores']);
  expect(text).toMatch(/^widgets_total{color="red"} 2$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  expect(text).not.toContain('kubernetes');
  expect((await ask('/configz')).status).toBe(404);
});

it('answers with an error, and logs it, when a page fails', async () => {
  const handler = async (): Promise<never> => {
    throw new Error('a page is broken');
  };
  const server = await startComponentServer({ plain: { bindAddress: '127.0.0.1', port: 0 }, handler, logger });
  servers.push(server);
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(500);
  expect(logged).toEqual(['error "Failed to answer a request" err="a page is broken"']);
});

it('rejects when the port is in use', async () => {
  const first = await startComponentServer({
    plain: { bindAddress: '127.0.0.1', port: 0 },
    handler: async () => ({ status: 200, headers: {} }),
    logger,
  });
  servers.push(first);
  const plain = { bindAddress: '127.0.0.1', port: first.port };
  const handler = async (): Promise<never> => Promise.reject(new Error('never asked'));
  await expect(startComponentServer({ plain, handler, logger })).rejects.toThrow('EADDRINUSE');
});
