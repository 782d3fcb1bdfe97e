import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadKubeConfig } from '../load-kubeconfig.ts';
import { restConfigFor } from '../rest-config-for.ts';
import { kubeconfigText, tempDir } from '../temp-dir.test-data.ts';
import { OidcCredentials } from './oidc-credentials.ts';

const now = Date.UTC(2026, 0, 1);
const idToken = (expiresInSeconds: number): string =>
  `h.${Buffer.from(JSON.stringify({ exp: now / 1000 + expiresInSeconds })).toString('base64url')}.s`;

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** An OIDC provider that answers token requests with a function and records the requests. */
async function provider(answer: (form: URLSearchParams, request: IncomingMessage) => Answer) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      response.end(JSON.stringify({ token_endpoint: `${url}/token` }));
      return;
    }
    const body = await text(request);
    asked.push(`${request.headers.authorization ?? ''} ${body}`);
    const { status = 200, body: answered } = answer(new URLSearchParams(body), request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

const config = (url: string, token = idToken(-1)) => ({
  'idp-issuer-url': `${url}/`,
  'client-id': 'me',
  'client-secret': 'secret',
  'id-token': token,
  'refresh-token': 'r1',
});

describe('OidcCredentials', () => {
  it('uses a token until shortly before it expires', async () => {
    const { url, asked } = await provider(() => ({ body: { id_token: idToken(7200) } }));
    const clock = new FakeClock(now);
    const credentials = new OidcCredentials(config(url, idToken(3600)), { clock });
    const first = await credentials.current();
    expect(first.token).toBe(idToken(3600));
    await clock.advance(3_589_999);
    expect(await credentials.current()).toBe(first);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect((await credentials.current()).token).toBe(idToken(7200));
    expect(asked).toHaveLength(1);
  });

  it('refreshes once for concurrent callers, and stores the new tokens in the kubeconfig', async () => {
    const { url, asked } = await provider(() => ({ body: { id_token: idToken(60), refresh_token: 'r2' } }));
    const provided = Object.entries(config(url)).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const dir = await tempDir({
      a: kubeconfigText('', `auth-provider: {name: oidc, config: {${provided.join(', ')}}}`),
    });
    const location = { path: join(dir, 'a') };
    const { credentials } = await restConfigFor(await loadKubeConfig(location), {
      location,
      clock: new FakeClock(now),
    });
    const [one, two] = await Promise.all([credentials!.current(), credentials!.current()]);
    expect(one?.token).toBe(idToken(60));
    expect(two).toBe(one);
    const login = Buffer.from('me:secret').toString('base64');
    expect(asked).toEqual([`Basic ${login} grant_type=refresh_token&refresh_token=r1`]);
    expect((await loadKubeConfig(location)).users.get('u')).toEqual({
      'unknown-field': 1,
      'auth-provider': { name: 'oidc', config: { ...config(url, idToken(60)), 'refresh-token': 'r2' } },
    });
  });

  it('authenticates in the body if the provider rejects the header', async () => {
    const { url } = await provider((form, { headers }) =>
      headers.authorization ? { status: 401, body: {} } : { body: { id_token: form.get('client_secret') } },
    );
    const credentials = new OidcCredentials(config(url), { clock: new FakeClock(now) });
    expect((await credentials.current()).token).toBe('secret');
  });

  it.each<[sentence: string, answer: Answer, message: string]>([
    [
      'refuses',
      { status: 400, body: { error: 'invalid_grant', error_description: 'old' } },
      'failed to refresh token: oauth2: "invalid_grant" "old"',
    ],
    [
      'fails',
      { status: 500, body: 'oops' },
      'failed to refresh token: oauth2: cannot fetch token: 500 Internal Server Error',
    ],
    [
      'gives no token',
      { body: {} },
      'token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response',
    ],
  ])('reports an error when the provider %s', async (_, answer, message) => {
    const { url } = await provider(() => answer);
    await expect(new OidcCredentials(config(url), { clock: new FakeClock(now) }).current()).rejects.toThrow(
      new Error(message),
    );
  });

  it('reports an error when there is no refresh token, or the ID token is not a JWT', async () => {
    const { 'refresh-token': _, ...without } = config('http://x');
    const clock = new FakeClock(now);
    await expect(new OidcCredentials(without, { clock }).current()).rejects.toThrow(
      'No valid id-token, and cannot refresh without refresh-token',
    );
    await expect(new OidcCredentials(config('http://x', 'opaque')).current()).rejects.toThrow(
      'ID Token is not a valid JWT',
    );
  });

  it('does not use tokens that it could not persist', async () => {
    const { url } = await provider(() => ({ body: { id_token: idToken(60) } }));
    const persist = async (): Promise<void> => {
      throw new Error('disk full');
    };
    const credentials = new OidcCredentials(config(url), { clock: new FakeClock(now), persist });
    await expect(credentials.current()).rejects.toThrow('could not persist new tokens: disk full');
  });
});
