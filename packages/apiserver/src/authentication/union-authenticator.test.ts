import { issueKeyPair } from '@coxswain/client/x509';
import type { TokenAuthenticator } from '@coxswain/component-base/authentication';
import {
  type AuthenticationOptions,
  CertificatePool,
  standardRequestHeaders,
  UnionAuthenticator,
  unauthorized,
} from '@coxswain/component-base/authentication';
import { describe, expect, it } from 'vitest';
import { type FakeRequest, fakeRequest } from './fake-objects.test-data.ts';
import { StaticTokenAuthenticator } from './token-file.ts';
import { reviewToken } from './token-review.ts';

const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };
const authority = (commonName: string) => issueKeyPair({ commonName, isCA: true, ...validity });
const [clientCA, proxyCA] = [authority('ca'), authority('front-proxy-ca')];
const certificate = (commonName: string, issuer = clientCA): Uint8Array[] => [
  issueKeyPair({ commonName, usages: ['clientAuth'], ...validity }, issuer).certificate.x509.raw,
];

const failing: TokenAuthenticator = {
  async authenticateToken(token) {
    if (token.startsWith('bad')) throw new Error(`${token} is bad`);
    return undefined;
  },
};

const newAuthenticator = (options: Partial<AuthenticationOptions> = {}): UnionAuthenticator =>
  new UnionAuthenticator({
    apiAudiences: ['api'],
    clientCA: CertificatePool.fromPem(clientCA.certificatePem),
    requestHeader: {
      pool: CertificatePool.fromPem(proxyCA.certificatePem),
      allowedNames: [],
      headers: standardRequestHeaders,
    },
    tokens: [
      failing,
      new StaticTokenAuthenticator([
        ['alice-token', { username: 'alice', groups: ['dev'] }],
        ['known', { username: 'known', groups: ['system:authenticated'] }],
        ['anonymous', { username: 'system:anonymous' }],
      ]),
    ],
    anonymous: true,
    now: () => new Date('2026-06-01T00:00:00Z'),
    ...options,
  });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const webSocket = (...protocols: string[]) => ({
  connection: 'keep-alive, Upgrade',
  upgrade: 'WebSocket',
  'sec-websocket-protocol': protocols.join(', '),
});
const encoded = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;

describe('UnionAuthenticator', () => {
  it.each<[sentence: string, request: FakeRequest, username: string, groups: string[]]>([
    ['no credentials', {}, 'system:anonymous', ['system:unauthenticated']],
    ['a bearer token', { headers: bearer('alice-token') }, 'alice', ['dev', 'system:authenticated']],
    [
      'a bearer token with the scheme in capitals',
      { headers: { authorization: ' BEARER alice-token x ' } },
      'alice',
      ['dev', 'system:authenticated'],
    ],
    [
      'a bearer token of a user in system:authenticated',
      { headers: bearer('known') },
      'known',
      ['system:authenticated'],
    ],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 'system:anonymous', ['system:unauthenticated']],
    ['an empty token', { headers: { authorization: 'Bearer ' } }, 'system:anonymous', ['system:unauthenticated']],
    [
      'a bearer token in a WebSocket subprotocol',
      { headers: webSocket('v4.channel.k8s.io', encoded('alice-token')) },
      'alice',
      ['dev', 'system:authenticated'],
    ],
    [
      'a subprotocol without WebSocket',
      { headers: { 'sec-websocket-protocol': encoded('nope') } },
      'system:anonymous',
      ['system:unauthenticated'],
    ],
    ['a client certificate', { certificates: certificate('carol') }, 'carol', ['system:authenticated']],
    [
      'a certificate rather than a token',
      { certificates: certificate('carol'), headers: bearer('nope') },
      'carol',
      ['system:authenticated'],
    ],
    [
      'a token after an invalid certificate',
      { certificates: certificate('carol', authority('ca')), headers: bearer('alice-token') },
      'alice',
      ['dev', 'system:authenticated'],
    ],
    [
      'a front proxy before all others',
      {
        certificates: certificate('proxy', proxyCA),
        headers: { 'x-remote-user': 'eve', 'x-remote-group': 'g', ...bearer('alice-token') },
      },
      'eve',
      ['g', 'system:authenticated'],
    ],
    [
      'a client certificate with headers of a front proxy',
      { certificates: certificate('carol'), headers: { 'x-remote-user': 'eve', 'x-remote-group': 'system:masters' } },
      'carol',
      ['system:authenticated'],
    ],
    [
      'an in-process request',
      { user: { username: 'system:apiserver', groups: ['system:masters'] }, headers: bearer('nope') },
      'system:apiserver',
      ['system:masters', 'system:authenticated'],
    ],
  ])('authenticates %s', async (_, request, username, groups) => {
    const found = await newAuthenticator().authenticate(fakeRequest(request));
    expect([found?.user.username, found?.user.groups]).toEqual([username, groups]);
  });

  it.each<[sentence: string, request: FakeRequest, message: string]>([
    ['an unknown token', { headers: bearer('nope') }, 'invalid bearer token'],
    ['a bad token', { headers: bearer('bad1') }, 'bad1 is bad'],
    [
      'two tokens by WebSocket',
      { headers: webSocket('v4', encoded('alice-token'), encoded('alice-token')) },
      'multiple base64.bearer.authorization tokens specified',
    ],
    [
      'a token that is not base64',
      { headers: webSocket('v4', 'base64url.bearer.authorization.k8s.io.*') },
      'invalid base64.bearer.authorization token encoding',
    ],
    [
      'a token that is not UTF-8',
      { headers: webSocket('v4', 'base64url.bearer.authorization.k8s.io._w') },
      'invalid base64.bearer.authorization token',
    ],
    ['a token alone by WebSocket', { headers: webSocket(encoded('alice-token')) }, 'missing additional subprotocol'],
    ['an unknown token by WebSocket', { headers: webSocket('v4', encoded('nope')) }, 'invalid bearer token'],
    [
      'different bad tokens in two headers',
      { headers: { ...webSocket('v4', encoded('bad2')), ...bearer('bad1') } },
      '[bad1 is bad, bad2 is bad]',
    ],
  ])('rejects %s instead of treating the request as anonymous', async (_, request, message) => {
    await expect(newAuthenticator().authenticate(fakeRequest(request))).rejects.toMatchObject({ message });
  });

  it('does not authenticate requests without credentials when anonymous is off, or limited to other paths', async () => {
    expect(await newAuthenticator({ anonymous: false }).authenticate(fakeRequest())).toBeUndefined();
    const some = newAuthenticator({ anonymous: { paths: ['/livez'] } });
    expect(await some.authenticate(fakeRequest())).toBeUndefined();
    expect((await some.authenticate(fakeRequest({ path: '/livez' })))?.user.username).toBe('system:anonymous');
  });

  it('warns of an extra space before the token', async () => {
    const found = await newAuthenticator().authenticate(fakeRequest({ headers: bearer(' alice-token') }));
    expect(found?.user.username).toBe('system:anonymous');
    expect(found?.warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  it('returns the same object for the same credential', async () => {
    const authenticator = newAuthenticator();
    const user = { username: 'x', groups: [] };
    for (const request of [
      fakeRequest({ headers: bearer('alice-token') }),
      fakeRequest({ certificates: certificate('carol') }),
      fakeRequest({ user }),
      fakeRequest(),
    ])
      expect(await authenticator.authenticate(request)).toBe(await authenticator.authenticate(request));
  });

  it('does not send the reason to the client', () => {
    const cause = new Error('bad1 is bad');
    const error = unauthorized(cause);
    expect(error.status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
    expect(error.cause).toBe(cause);
  });
});

describe('reviewToken', () => {
  const review = (token: string, audiences?: string[], apiAudiences = ['api']) =>
    reviewToken({ token, ...(audiences && { audiences }) }, newAuthenticator({ apiAudiences }), apiAudiences);

  it.each([
    ['alice-token', undefined, { username: 'alice', groups: ['dev', 'system:authenticated'] }],
    ['alice-token', ['x', 'api'], { username: 'alice', groups: ['dev', 'system:authenticated'] }],
    ['alice-token x', undefined, { username: 'alice', groups: ['dev', 'system:authenticated'] }],
    ['anonymous', undefined, { username: 'system:anonymous' }],
  ])('authenticates %j for %j', async (token, audiences, user) => {
    expect(await review(token, audiences)).toEqual({ authenticated: true, user, audiences: ['api'] });
  });

  it.each([
    ['nope', undefined, 'invalid bearer token'],
    ['alice-token', ['x'], 'invalid bearer token'],
    ['alice-token\nx', undefined, 'invalid bearer token'],
    [' alice-token', undefined, 'invalid bearer token'],
    ['bad1', undefined, '[invalid bearer token, bad1 is bad]'],
  ])('does not authenticate %j for %j', async (token, audiences, error) => {
    expect(await review(token, audiences)).toEqual({ user: {}, error });
  });

  it('returns no audiences when the server has none', async () => {
    expect(await review('alice-token', undefined, [])).toEqual({
      authenticated: true,
      user: { username: 'alice', groups: ['dev', 'system:authenticated'] },
    });
  });

  it('requires a token', async () => {
    await expect(review('')).rejects.toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });
});
