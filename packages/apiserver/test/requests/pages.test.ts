import { datedBy } from '@coxswain/apimachinery/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import paths from '../recorded/index-of-paths.json' with { type: 'json' };
import { inProcessCaller } from './caller.ts';

/** Paths that are not resources. */
describe('a server with default options', () => {
  let running: Awaited<ReturnType<typeof startApiServer>>;
  beforeAll(async () => {
    running = await startApiServer(
      { memory: true, corsAllowedOrigins: ['//localhost$'] },
      { clock: datedBy({ now: () => Date.UTC(2030, 0, 1) }) },
    );
  });
  afterAll(() => running.stop());

  async function get(url: string, accept = '*/*'): Promise<{ status: number; text: string }> {
    const call = inProcessCaller(running.transport({ username: 'admin', groups: ['system:masters'] }));
    const { status, body } = await call({ method: 'GET', url, headers: { accept } }, new AbortController().signal);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return { status, text };
  }

  it('lists the same paths as kube-apiserver, without disabled versions', async () => {
    const { text } = await get('/');
    const isOff = (path: string): boolean => /\/v\d+(alpha|beta)\d+$|\/internal\.apiserver\./.test(path);
    expect(JSON.parse(text).paths).toEqual(paths.filter((path) => !isOff(path)));
  });

  it('passes all health checks of kube-apiserver', async () => {
    for (const path of paths.filter((each) => /^\/(healthz|livez|readyz)\//.test(each)))
      expect([path, await get(path)]).toEqual([path, { status: 200, text: 'ok' }]);
  });

  it('serves /flagz', async () => {
    const { status, text } = await get('/flagz');
    expect(status).toBe(200);
    expect(text).toMatch(/^\napiserver flagz\nWarning: This endpoint is not meant to be machine parseable/);
    expect(text).toContain('\ncors-allowed-origins: [//localhost$]\n');
    expect((await get('/flagz', 'image/png')).status).toBe(406);
    expect((await get('/flagz/more')).status).toBe(404);
  });

  it('has the configured version', async () => {
    const vendors = await startApiServer({ memory: true }, { gitVersion: 'v1.36.4-vendor.1' });
    const rest = inProcessCaller(vendors.transport());
    const { body } = await rest({ method: 'GET', url: '/version', headers: {} }, new AbortController().signal);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    expect(JSON.parse(text)).toMatchObject({ gitVersion: 'v1.36.4-vendor.1', minor: '36' });
    await vendors.stop();
  });

  it('serves /statusz', async () => {
    const { text } = await get('/statusz');
    expect(text).toMatch(/^\napiserver statusz\nWarning: /);
    expect(text).toMatch(/\nBinary version {2}1\.36\.4\nEmulation version {2}1\.36\n/);
    expect(text).toContain('\nPaths  /flagz /healthz /livez /metrics /readyz /statusz /version\n');
  });
});
