import { verbosity } from '@coxswain/apimachinery/log';
import { afterEach, expect, it } from 'vitest';
import { startTestServer } from '../../test/test-server.ts';
import type { ApiServer } from './api-server.ts';
import type { ApiServerConfig } from './api-server-config.ts';

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(overrides: Partial<ApiServerConfig>) {
  const { server } = await startTestServer({ listen: false }, overrides);
  servers.push(server);
  return async (path: string, groups: readonly string[] = ['system:masters'], method = 'GET', body?: Uint8Array) => {
    const transport = server.transport({ username: 'jane', groups: [...groups, 'system:authenticated'] });
    const { status, body: answer } = await transport({ method, url: path, headers: {}, ...(body && { body }) });
    return { status, text: answer instanceof Uint8Array ? Buffer.from(answer).toString() : '' };
  };
}

it('profiles need the permission to get their path', async () => {
  const ask = await start({ profiling: true, authorizationModes: ['RBAC'] });
  expect((await ask('/debug/pprof/')).text).toContain("<a href='profile'>");
  expect((await ask('/debug/pprof/heap?debug=1')).text).toMatch(/^heap profile: /);
  const refused = await ask('/debug/pprof/heap', []);
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.text)).toMatchObject({
    message: 'forbidden: User "jane" cannot get path "/debug/pprof/heap"',
  });
  expect((await ask('/debug/api_priority_and_fairness/dump_queues')).text).toMatch(/^PriorityLevelName,/);
  expect(JSON.parse((await ask('/')).text).paths).not.toContain('/debug/pprof');
  expect((await ask('/metrics', ['system:masters'], 'DELETE')).text).toBe('metrics reset\n');
});

it('setting the log verbosity needs permission, and profiling', async () => {
  const level = verbosity(0);
  const ask = await start({ profiling: true, verbosity: level, authorizationModes: ['RBAC'] });
  const put = (groups?: readonly string[]) => ask('/debug/flags/v', groups, 'PUT', Buffer.from('4'));
  expect((await put([])).status).toBe(403);
  expect(level.of('')).toBe(0);
  expect(await put()).toEqual({ status: 200, text: 'successfully set klog.logging.verbosity to 4\n' });
  expect(level.of('')).toBe(4);
});

it('profiles and resetting metrics are off without --profiling', async () => {
  const ask = await start({ profiling: false, authorizationModes: ['RBAC'] });
  expect(await ask('/debug/pprof/')).toEqual({ status: 404, text: '404 page not found\n' });
  expect((await ask('/metrics', ['system:masters'], 'DELETE')).text).toContain('# HELP ');
});
