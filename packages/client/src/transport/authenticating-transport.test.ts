import { describe, expect, it } from 'vitest';
import type { Credential, RestConfig } from '../config/rest-config.ts';
import { AuthenticatingTransport } from './authenticating-transport.ts';
import { newTransport } from './new-transport.ts';
import { bodyOf } from './response-body.ts';
import { type Transport, type TransportRequest, type TransportResponse, UpgradeRefusedError } from './transport.ts';

/** Responds with these status codes in turn, and then repeats the last. */
function recorder(...codes: number[]): Transport & { seen: Pick<TransportRequest, 'headers' | 'clientCertificate'>[] } {
  const seen: Pick<TransportRequest, 'headers' | 'clientCertificate'>[] = [];
  const answer = (): TransportResponse => {
    const status = codes[Math.min(seen.length, codes.length) - 1] ?? 200;
    return { status, headers: {}, body: bodyOf(new Uint8Array(0)) };
  };
  return {
    seen,
    async send(request) {
      seen.push(request);
      return answer();
    },
    async openWebSocket(request) {
      seen.push(request);
      throw new UpgradeRefusedError(answer());
    },
    async close() {},
  };
}

const get = { method: 'GET', url: '/', headers: {} } as const;
const credentials = (credential: Credential, isReplaceable = false): NonNullable<RestConfig['credentials']> => ({
  current: async () => credential,
  refused: () => isReplaceable,
});

describe('AuthenticatingTransport', () => {
  const cases: Record<string, { config: Partial<RestConfig>; headers?: TransportRequest['headers']; sent: object }> = {
    'a token': { config: { credentials: credentials({ token: 'abc' }) }, sent: { authorization: 'Bearer abc' } },
    'a user name and password with any characters': {
      config: { credentials: credentials({ basic: { username: 'jürgen', password: 'a:b' } }) },
      sent: { authorization: `Basic ${Buffer.from('jürgen:a:b').toString('base64')}` },
    },
    'the headers of the request itself': {
      config: { credentials: credentials({ token: 'abc' }), userAgent: 'x' },
      headers: { authorization: 'Bearer own' },
      sent: { authorization: 'Bearer own', 'user-agent': 'x' },
    },
    'impersonation headers': {
      config: {
        impersonate: { userName: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'example.com/A%': ['1', '2'] } },
      },
      sent: {
        'impersonate-user': 'jane',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-example.com%2FA%25': ['1', '2'],
      },
    },
    'no headers for an empty impersonation': { config: { impersonate: { groups: [] } }, sent: {} },
  };
  it.each(Object.entries(cases))('sends %s', async (_, { config, headers = {}, sent }) => {
    const inner = recorder();
    await new AuthenticatingTransport(inner, config).send({ ...get, headers });
    expect(inner.seen[0]!.headers).toEqual(sent);
  });

  it('sends the current headers with the current credential', async () => {
    const inner = recorder();
    let token = 'first';
    const current = async (): Promise<Credential> => ({ token });
    const transport = new AuthenticatingTransport(inner, { credentials: { current, refused: () => false } });
    const changing: Record<string, string> = { 'impersonate-user': 'jane' };
    const fixed = Object.freeze({ accept: 'x' });
    await transport.send({ ...get, headers: changing });
    await transport.send({ ...get, headers: fixed });
    changing['impersonate-user'] = 'joe';
    await transport.send({ ...get, headers: changing });
    await transport.send({ ...get, headers: fixed });
    token = 'second';
    await transport.send({ ...get, headers: fixed });
    expect(inner.seen.map(({ headers }) => headers)).toEqual([
      { authorization: 'Bearer first', 'impersonate-user': 'jane' },
      { authorization: 'Bearer first', accept: 'x' },
      { authorization: 'Bearer first', 'impersonate-user': 'joe' },
      { authorization: 'Bearer first', accept: 'x' },
      { authorization: 'Bearer second', accept: 'x' },
    ]);
    expect(inner.seen[3]!.headers).toBe(inner.seen[1]!.headers);
  });

  it('sends a new token even if it is in the same object', async () => {
    const inner = recorder();
    const credential = { token: 'first' };
    const transport = new AuthenticatingTransport(inner, { credentials: credentials(credential) });
    const headers = Object.freeze({ accept: 'x' });
    await transport.send({ ...get, headers });
    credential.token = 'second';
    await transport.send({ ...get, headers });
    expect(inner.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  it('passes the client certificate on', async () => {
    const inner = recorder();
    const clientCertificate = { certificate: 'c', key: 'k' };
    await new AuthenticatingTransport(inner, { credentials: credentials({ clientCertificate }) }).send(get);
    expect(inner.seen[0]).toMatchObject({ clientCertificate, headers: {} });
  });

  it.each([
    { codes: [401, 200], isReplaceable: true, requests: 2, status: 200 },
    { codes: [401, 401, 200], isReplaceable: true, requests: 2, status: 401 },
    { codes: [401, 200], isReplaceable: false, requests: 1, status: 401 },
    { codes: [403, 200], isReplaceable: true, requests: 1, status: 403 },
  ])('retries with another credential only after a 401, once, if there may be one: %j', async (each) => {
    const config = { credentials: credentials({ token: 'a' }, each.isReplaceable) };
    const inner = recorder(...each.codes);
    expect((await new AuthenticatingTransport(inner, config).send(get)).status).toBe(each.status);
    expect(inner.seen.length).toBe(each.requests);
    const sockets = recorder(...each.codes);
    await new AuthenticatingTransport(sockets, config).openWebSocket({ ...get, protocols: [] }).catch(() => {});
    expect(sockets.seen.length).toBe(each.requests);
  });

  it('sends a default user agent with program and platform', async () => {
    const inner = recorder();
    await newTransport({ server: 'https://x' }, inner).send(get);
    expect(inner.seen[0]!.headers['user-agent']).toMatch(/^[^\s()/]+\/\S+ \([a-z]+\/[a-z0-9]+\) coxswain$/);
  });
});
