import { issueKeyPair } from '@coxswain/client/x509';
import { CertificatePool, requestHeaderAuthenticator } from '@coxswain/component-base/authentication';
import type { RequestHeaders } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { fakeRequest } from './fake-objects.test-data.ts';
import { credentialRemover } from './without-credentials.ts';

const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };
const now = () => new Date('2026-06-01T00:00:00Z');
const ca = issueKeyPair({ commonName: 'front-proxy-ca', isCA: true, ...validity });
const proxy = issueKeyPair({ commonName: 'front-proxy-client', usages: ['clientAuth'], ...validity }, ca);
const other = issueKeyPair({ commonName: 'other', usages: ['clientAuth'], ...validity }, ca);
const stranger = issueKeyPair({ commonName: 'front-proxy-client', usages: ['clientAuth'], ...validity });

const names = {
  username: ['X-Remote-User', 'X-User'],
  uid: ['X-Remote-Uid'],
  group: ['X-Remote-Group', 'X-Group'],
  extraPrefixes: ['X-Remote-Extra-', 'X-More-'],
};

function authenticate(headers: RequestHeaders, pair = proxy, allowedNames = ['front-proxy-client']) {
  const pool = CertificatePool.fromPem(ca.certificatePem);
  const authenticator = requestHeaderAuthenticator({ pool, allowedNames, headers: names }, ['api'], now);
  return authenticator.authenticate(fakeRequest({ headers, certificates: [pair.certificate.x509.raw] }));
}

describe('a front proxy', () => {
  it('sets the user with its headers', async () => {
    const headers = {
      'x-remote-user': 'alice',
      'x-remote-uid': 'u1',
      'x-remote-group': ['dev', '', 'ops'],
      'x-group': 'more',
      'x-remote-extra-scopes': ['a', 'b'],
      'x-more-scopes': 'c',
      'x-remote-extra-example.com%2fkey': 'd',
      'x-remote-extra-bad%2': 'e',
      'x-remote-extra-__proto__': 'f',
    };
    const found = await authenticate(headers);
    expect(found).toMatchObject({
      user: { username: 'alice', uid: 'u1', groups: ['dev', 'ops', 'more'] },
      audiences: ['api'],
    });
    expect(Object.entries(found!.user.extra!)).toEqual([
      ['scopes', ['a', 'b', 'c']],
      ['example.com/key', ['d']],
      ['bad%2', ['e']],
      ['__proto__', ['f']],
    ]);
  });

  it.each<[sentence: string, headers: RequestHeaders, username: string | undefined]>([
    ['the first of the configured headers', { 'x-user': 'bob', 'x-remote-user': 'alice' }, 'alice'],
    ['the next header when that is empty', { 'x-user': 'bob', 'x-remote-user': '' }, 'bob'],
    ['the first value of a header', { 'x-remote-user': ['alice', 'bob'] }, 'alice'],
    ['no user without a header', { 'x-remote-group': 'system:masters' }, undefined],
  ])('takes from its headers %s', async (_, headers, username) => {
    expect((await authenticate(headers))?.user.username).toBe(username);
  });

  it('must have a certificate of the CA with an allowed name', async () => {
    const headers = { 'x-remote-user': 'alice' };
    await expect(authenticate(headers, stranger)).rejects.toThrow('x509: certificate signed by unknown authority');
    await expect(authenticate(headers, other)).rejects.toThrow(
      new Error('x509: subject with cn=other is not in the allowed list'),
    );
    expect((await authenticate(headers, other, []))?.user.username).toBe('alice');
  });
});

describe('credentialRemover', () => {
  it('removes the credentials from the headers', () => {
    const headers = {
      host: 'x',
      authorization: 'Bearer secret',
      'x-remote-user': 'alice',
      'x-remote-uid': 'u',
      'x-remote-group': ['a', 'b'],
      'x-remote-extra-a': 'b',
      'x-more-a': 'b',
      'x-user': 'c',
      'sec-websocket-protocol': 'v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0,v5',
    };
    expect(credentialRemover(names)(headers)).toEqual({ host: 'x', 'sec-websocket-protocol': 'v4.channel.k8s.io,v5' });
    expect(credentialRemover()(headers)).toHaveProperty('x-user', 'c');
  });

  it('returns the same object when there are no credentials', () => {
    const headers = { host: 'x', 'sec-websocket-protocol': 'v4.channel.k8s.io, v5' };
    expect(credentialRemover(names)(headers)).toBe(headers);
  });
});
