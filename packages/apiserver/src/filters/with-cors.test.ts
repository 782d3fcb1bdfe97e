import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApiServer, startApiServer } from '../options/index.ts';

const page = 'https://app.example.com:8443';
const headers = {
  'access-control-allow-origin': page,
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

let server: RunningApiServer;
beforeAll(async () => {
  server = await startApiServer({ memory: true, corsAllowedOrigins: ['//app\\.example\\.com(:|$)'] });
});
afterAll(() => server.stop());

/** Sends a request without credentials, as a browser sends a preflight request. */
const ask = (method: string, url: string, origin?: string) =>
  server.transport()({ method, url, headers: { ...(origin && { origin }) } });

describe('requests from an allowed origin', () => {
  it('get a preflight response without credentials', async () => {
    const answer = await ask('OPTIONS', '/api/v1/namespaces/default/pods', page);
    expect(answer.status).toBe(204);
    expect(answer.body).toBeUndefined();
    expect(answer.headers).toEqual({ ...headers, 'audit-id': expect.any(String), 'cache-control': expect.any(String) });
  });

  it('get CORS headers in responses, also in errors', async () => {
    expect(await ask('GET', '/version', page)).toMatchObject({ status: 200, headers });
    expect(await ask('GET', '/api/v1/secrets', page)).toMatchObject({ status: 403, headers });
    const stranger = server.transport()({
      method: 'GET',
      url: '/version',
      headers: { origin: page, authorization: 'Bearer wrong' },
    });
    expect(await stranger).toMatchObject({ status: 401, headers });
  });
});

it.each([undefined, 'https://example.org', 'https://app.example.com.evil.org', 'null'])(
  'requests from origin %s get no CORS headers',
  async (origin) => {
    const answer = await ask('GET', '/version', origin);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await ask('OPTIONS', '/api/v1/pods', origin)).status).toBe(403);
  },
);
