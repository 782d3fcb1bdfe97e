import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { Node, Pod, Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { type SigningKey, signJwt, toSigningKey } from '@coxswain/client/jwt';
import { UnionAuthenticator } from '@coxswain/component-base/authentication';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeLister } from './fake-objects.test-data.ts';
import { serviceAccountTokenAuthenticators } from './service-account-token.ts';
import { reviewToken } from './token-review.ts';

const newKey = (): SigningKey => toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const [key, oldKey, foreignKey] = [newKey(), newKey(), newKey()];

const now = new Date('2026-11-15T11:39:24Z');
const seconds = now.getTime() / 1000;
const issuer = 'https://kubernetes.default.svc';
const meta = (name: string, namespace?: string) => ({ name, uid: `${name}-uid`, ...(namespace && { namespace }) });
const dying = { deletionTimestamp: '2026-11-15T11:38:23Z' };
const dyingWithinLeeway = { deletionTimestamp: '2026-11-15T11:38:25Z' };

let objects: {
  serviceAccounts: ReturnType<typeof fakeLister<ServiceAccount>>;
  secrets: ReturnType<typeof fakeLister<Secret>>;
  pods: ReturnType<typeof fakeLister<Pod>>;
  nodes: ReturnType<typeof fakeLister<Node>>;
};
let labelled: unknown[];

function newAuthenticator(lookup?: boolean): UnionAuthenticator {
  return new UnionAuthenticator({
    apiAudiences: [issuer, 'api'],
    tokens: serviceAccountTokenAuthenticators({
      issuers: [issuer, 'https://old-issuer'],
      keys: [key, oldKey],
      apiAudiences: [issuer, 'api'],
      objects,
      ...(lookup !== undefined && { lookup }),
      now: () => now,
      label: async (secret, labels) => {
        labelled.push([secret.metadata.name, labels]);
      },
    }),
    anonymous: false,
    now: () => now,
  });
}

beforeEach(() => {
  labelled = [];
  objects = {
    serviceAccounts: fakeLister({ metadata: meta('sa1', 'ns') }),
    secrets: fakeLister({ metadata: meta('s1', 'ns') }),
    pods: fakeLister({ metadata: meta('p1', 'ns') }),
    nodes: fakeLister({ metadata: meta('n1') }),
  };
});

type Json = Record<string, unknown>;
const reference = (name: string, uid = `${name}-uid`) => ({ name, uid });
const claims: Json = {
  aud: [issuer],
  exp: seconds + 3600,
  iat: seconds,
  iss: issuer,
  jti: 'an-id',
  nbf: seconds,
  sub: 'system:serviceaccount:ns:sa1',
};
const kubernetes: Json = { namespace: 'ns', serviceaccount: reference('sa1') };
const token = (more: Json = {}, more8s: Json = {}, by: SigningKey = key): string =>
  signJwt({ ...claims, 'kubernetes.io': { ...kubernetes, ...more8s }, ...more }, by);

const review = (bearer: string, audiences?: string[], lookup?: boolean) =>
  reviewToken({ token: bearer, ...(audiences && { audiences }) }, newAuthenticator(lookup), [issuer, 'api']);

const user = (extra: Json = {}) => ({
  username: 'system:serviceaccount:ns:sa1',
  uid: 'sa1-uid',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/credential-id': ['JTI=an-id'], ...extra },
});
const extra = (values: Record<string, string>): Json =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`authentication.kubernetes.io/${name}`, [value]]));

describe('a service account token is accepted', () => {
  it.each<[sentence: string, bearer: () => string, extra: Json]>([
    ['bound to nothing', () => token(), {}],
    ['bound to a secret', () => token({}, { secret: reference('s1') }), {}],
    ['bound to a pod', () => token({}, { pod: reference('p1') }), extra({ 'pod-name': 'p1', 'pod-uid': 'p1-uid' })],
    [
      'bound to a pod on a node that no longer exists',
      () => token({}, { pod: reference('p1'), node: reference('gone') }),
      extra({ 'pod-name': 'p1', 'pod-uid': 'p1-uid', 'node-name': 'gone', 'node-uid': 'gone-uid' }),
    ],
    [
      'bound to a pod on a node without uid',
      () => token({}, { pod: reference('p1'), node: { name: 'gone' } }),
      extra({ 'pod-name': 'p1', 'pod-uid': 'p1-uid', 'node-name': 'gone' }),
    ],
    ['bound to a node', () => token({}, { node: reference('n1') }), extra({ 'node-name': 'n1', 'node-uid': 'n1-uid' })],
    ['of an earlier key', () => token({}, {}, oldKey), {}],
    ['of an earlier issuer', () => token({ iss: 'https://old-issuer' }), {}],
    ['after it expired, within the leeway', () => token({ exp: seconds - 60 }), {}],
    ['before its nbf and iat times, within the leeway', () => token({ nbf: seconds + 60, iat: seconds + 60 }), {}],
    ['that never expires', () => token({ exp: undefined }), {}],
    ['whose expiration has a fraction of a second', () => token({ exp: seconds + 100.5 }), {}],
    ['whose audience is a string', () => token({ aud: issuer }), {}],
    ['with another subject', () => token({ sub: 'whoever' }), {}],
  ])('%s', async (_, bearer, more) => {
    expect(await review(bearer())).toEqual({ authenticated: true, user: user(more), audiences: [issuer] });
  });

  it('for the audiences that are both requested and in the token', async () => {
    const both = token({ aud: ['api', 'vault', issuer] });
    expect((await review(both)).audiences).toEqual([issuer, 'api']);
    expect((await review(both, ['other', 'vault', 'api'])).audiences).toEqual(['vault', 'api']);
    expect((await review(token({ aud: undefined }))).audiences).toEqual([issuer, 'api']);
  });

  it('while its objects are being deleted, within the leeway', async () => {
    Object.assign(objects.serviceAccounts.objects[0]!.metadata, dyingWithinLeeway);
    Object.assign(objects.pods.objects[0]!.metadata, dyingWithinLeeway);
    expect((await review(token({}, { pod: reference('p1') }))).authenticated).toBe(true);
  });

  it('after its warnafter time, with an audit annotation', async () => {
    const found = await newAuthenticator().authenticateToken(token({}, { warnafter: seconds - 5 }), []);
    expect(found?.annotations).toEqual({
      'authentication.k8s.io/stale-token': 'subject: system:serviceaccount:ns:sa1, seconds after warning threshold: 5',
    });
    const fresh = await newAuthenticator().authenticateToken(token({}, { warnafter: seconds + 5 }), []);
    expect(fresh).not.toHaveProperty('annotations');
  });
});

describe('a service account token is refused', () => {
  const invalidated = 'service account token has been invalidated';
  const crypto = 'go-jose/go-jose: error in cryptographic primitive';
  const unsigned = (header: Json, signature: (input: string) => string): string => {
    const [, payload] = token().split('.');
    const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
    return `${input}.${signature(input)}`;
  };
  it.each<[sentence: string, bearer: () => string, problem: string]>([
    ['that has expired', () => token({ exp: seconds - 61 }), 'service account token has expired'],
    ['before its nbf time', () => token({ nbf: seconds + 61 }), 'service account token is not valid yet'],
    ['issued in the future', () => token({ iat: seconds + 61 }), 'service account token is issued in the future'],
    ['of a foreign key with a known key ID', () => token({}, {}, { ...foreignKey, keyId: key.keyId }), crypto],
    ['of an unknown key', () => token({}, {}, foreignKey), 'invalid signature, no keys found'],
    [
      'whose claims were changed',
      () => {
        const [header, , signature] = token().split('.');
        return [header, token({ sub: 'x' }).split('.')[1], signature].join('.');
      },
      crypto,
    ],
    ['without a signature', () => unsigned({ alg: 'none', kid: key.keyId }, () => ''), crypto],
    [
      'without a signature or key ID, with the error of all keys once',
      () => unsigned({ alg: 'none' }, () => ''),
      crypto,
    ],
    [
      'signed by HMAC with the public key',
      () => {
        const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
        const hmac = (input: string) => createHmac('sha256', secret).update(input).digest('base64url');
        return unsigned({ alg: 'HS256', kid: key.keyId }, hmac);
      },
      crypto,
    ],
    [
      'for other audiences',
      () => token({ aud: ['a', 'b'] }),
      `token audiences ["a" "b"] is invalid for the target audiences ["${issuer}" "api"]`,
    ],
    [
      'with an invalid audience',
      () => token({ aud: 5 }),
      'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience',
    ],
    [
      'with an invalid time',
      () => token({ exp: '5' }),
      'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate',
    ],
    ['without a service account', () => token({ 'kubernetes.io': undefined }), 'resource name may not be empty'],
    [
      'of a deleted service account',
      () => token({}, { serviceaccount: reference('gone') }),
      'serviceaccounts "gone" not found',
    ],
    [
      'of an earlier service account of that name',
      () => token({}, { serviceaccount: reference('sa1', 'x') }),
      'service account UID (sa1-uid) does not match claim (x)',
    ],
    ['bound to a deleted pod', () => token({}, { pod: reference('gone') }), invalidated],
    [
      'bound to an earlier pod of that name',
      () => token({}, { pod: reference('p1', 'x') }),
      'pod UID (p1-uid) does not match service account pod ref claim (x)',
    ],
    ['bound to a deleted secret', () => token({}, { secret: reference('gone') }), invalidated],
    [
      'bound to an earlier secret of that name',
      () => token({}, { secret: reference('s1', 'x') }),
      'secret UID (s1-uid) does not match service account secret ref claim (x)',
    ],
    ['bound to a deleted node', () => token({}, { node: reference('gone') }), invalidated],
    [
      'bound to an earlier node of that name',
      () => token({}, { node: reference('n1', 'x') }),
      'node UID (n1-uid) does not match service account node ref claim (x)',
    ],
  ])('%s', async (_, bearer, problem) => {
    expect(await review(bearer())).toEqual({ user: {}, error: `[invalid bearer token, ${problem}]` });
  });

  it.each([
    ['of another issuer', () => token({ iss: 'https://elsewhere' })],
    ['of an issuer that is not a string', () => token({ iss: [issuer] })],
    ['that is not a JWT', () => 'a.b.c'],
  ])('%s: as unknown', async (_, bearer) => {
    expect(await review(bearer())).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it.each(['serviceAccounts', 'pods', 'secrets', 'nodes'] as const)('past the leeway of deleted %s', async (what) => {
    Object.assign(objects[what].objects[0]!.metadata, dying);
    const bearer = {
      serviceAccounts: token(),
      pods: token({}, { pod: reference('p1') }),
      secrets: token({}, { secret: reference('s1') }),
      nodes: token({}, { node: reference('n1') }),
    }[what];
    const problem = what === 'serviceAccounts' ? 'service account ns/sa1 has been deleted' : invalidated;
    expect((await review(bearer)).error).toBe(`[invalid bearer token, ${problem}]`);
  });
});

describe('a token in a Secret', () => {
  const prefix = 'kubernetes.io/serviceaccount/';
  const legacyClaims: Json = {
    iss: 'kubernetes/serviceaccount',
    [`${prefix}namespace`]: 'ns',
    [`${prefix}secret.name`]: 'legacy',
    [`${prefix}service-account.name`]: 'sa1',
    [`${prefix}service-account.uid`]: 'sa1-uid',
    sub: 'system:serviceaccount:ns:sa1',
  };
  const legacy = signJwt(legacyClaims, key);
  let secret: Secret;
  beforeEach(() => {
    secret = { metadata: meta('legacy', 'ns'), data: { token: Buffer.from(legacy).toString('base64') } };
    objects.secrets.objects.push(secret);
  });

  it('is accepted for the audiences of the API server only, and its use is recorded', async () => {
    const { extra: _, ...plain } = user();
    expect(await review(legacy)).toEqual({ authenticated: true, user: plain, audiences: [issuer, 'api'] });
    expect(labelled).toEqual([['legacy', { 'kubernetes.io/legacy-token-last-used': '2026-11-15' }]]);
    expect((await review(legacy, ['x'])).error).toBe(
      `[invalid bearer token, token audiences ["${issuer}" "api"] is invalid for the target audiences ["x"]]`,
    );
  });

  it('has its use recorded once a day', async () => {
    for (const lastUsed of ['2026-11-15', '2026-11-16', '2026-11-14']) {
      secret.metadata.labels = { 'kubernetes.io/legacy-token-last-used': lastUsed };
      await review(legacy);
    }
    expect(labelled).toHaveLength(1);
  });

  it('is annotated as manual or, when the service account lists its Secret, as auto-generated', async () => {
    const byHand = await newAuthenticator().authenticateToken(legacy, []);
    expect(byHand?.annotations).toEqual({
      'authentication.k8s.io/legacy-token-manual-secret': 'legacy',
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:sa1',
    });
    expect(byHand).not.toHaveProperty('warnings');
    objects.serviceAccounts.objects[0]!.secrets = [{ name: 'legacy' }];
    const generated = await newAuthenticator().authenticateToken(legacy, []);
    expect(generated?.annotations).toHaveProperty(
      ['authentication.k8s.io/legacy-token-autogenerated-secret'],
      'legacy',
    );
    expect(generated?.warnings).toEqual([
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ]);
  });

  it.each<[sentence: string, change: () => void, problem: string]>([
    ['without its secret', () => objects.secrets.objects.pop(), 'Token has been invalidated'],
    [
      'with a secret that is being deleted',
      () => Object.assign(secret.metadata, dyingWithinLeeway),
      'Token has been invalidated',
    ],
    [
      'with another token in its secret',
      () => {
        secret.data = { token: Buffer.from(token()).toString('base64') };
      },
      "Token does not match server's copy",
    ],
    ['with no data in its secret', () => delete secret.data, "Token does not match server's copy"],
    ['without its service account', () => objects.serviceAccounts.objects.pop(), 'serviceaccounts "sa1" not found'],
    [
      'with a service account that is being deleted',
      () => Object.assign(objects.serviceAccounts.objects[0]!.metadata, dyingWithinLeeway),
      'ServiceAccount ns/sa1 has been deleted',
    ],
    [
      'with a service account that was created again',
      () => Object.assign(objects.serviceAccounts.objects[0]!.metadata, { uid: 'new' }),
      'ServiceAccount UID (new) does not match claim (sa1-uid)',
    ],
    [
      'marked as invalid',
      () => {
        secret.metadata.labels = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
      },
      "the token in secret ns/legacy for service account ns/sa1 has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    ],
  ])('is refused %s', async (_, change, problem) => {
    change();
    expect(await review(legacy)).toEqual({ user: {}, error: `[invalid bearer token, ${problem}]` });
  });

  it.each([
    ['sub', 'sub claim is missing'],
    [`${prefix}namespace`, 'namespace claim is missing'],
    [`${prefix}secret.name`, 'secretName claim is missing'],
    [`${prefix}service-account.name`, 'serviceAccountName claim is missing'],
    [`${prefix}service-account.uid`, 'serviceAccountUID claim is missing'],
  ])('is refused without %s', async (claim, problem) => {
    const { error } = await review(signJwt({ ...legacyClaims, [claim]: undefined }, key));
    expect(error).toBe(`[invalid bearer token, ${problem}]`);
  });

  it.each(['system:serviceaccount:x:sa1', 'system:serviceaccount:ns:sa1:x', 'sa1', 'system:serviceaccount:ns:SA1'])(
    'is refused for the subject %s',
    async (sub) => {
      const { error } = await review(signJwt({ ...legacyClaims, sub }, key));
      expect(error).toBe('[invalid bearer token, sub claim is invalid]');
    },
  );

  it('needs only a valid signature without lookup', async () => {
    objects.secrets.objects = [];
    objects.serviceAccounts.objects = [];
    expect((await review(legacy, undefined, false)).authenticated).toBe(true);
    expect((await review(token(), undefined, false)).error).toContain('not found');
  });
});
