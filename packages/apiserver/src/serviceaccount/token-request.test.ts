import { generateKeyPairSync } from 'node:crypto';
import type { TokenRequest, TokenRequestSpec } from '@coxswain/api/authentication/v1';
import { type ApiError, GroupResource, newNotFound, type ObjectMeta } from '@coxswain/apimachinery';
import { parseJwt } from '@coxswain/apimachinery/jwt';
import { toSigningKey } from '@coxswain/client/jwt';
import { describe, expect, it } from 'vitest';
import type { InternalClient } from '../registry/lister.ts';
import { TokenIssuer } from './token-issuer.ts';
import { createTokenRequest, type TokenRequestOptions } from './token-request.ts';

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const now = () => new Date('2026-11-15T11:39:24.500Z');
const seconds = Math.floor(now().getTime() / 1000);
const issuer = 'https://kubernetes.default.svc';

const objects: Record<string, object> = {
  'serviceaccounts/ns/sa1': { metadata: { name: 'sa1', namespace: 'ns', uid: 'sa1-uid' } },
  'serviceaccounts/ns/sa2': { metadata: { name: 'sa2', namespace: 'ns', uid: 'sa2-uid' } },
  'pods/ns/p1': { metadata: { name: 'p1', namespace: 'ns', uid: 'p1-uid' }, spec: { serviceAccountName: 'sa1' } },
  'pods/ns/p2': {
    metadata: { name: 'p2', namespace: 'ns', uid: 'p2-uid' },
    spec: { serviceAccountName: 'sa1', nodeName: 'n1' },
  },
  'pods/ns/p3': {
    metadata: { name: 'p3', namespace: 'ns', uid: 'p3-uid' },
    spec: { serviceAccountName: 'sa1', nodeName: 'gone' },
  },
  'secrets/ns/s1': { metadata: { name: 's1', namespace: 'ns', uid: 's1-uid' } },
  'nodes//n1': { metadata: { name: 'n1', uid: 'n1-uid' } },
};

const client: Pick<InternalClient, 'get'> = {
  async get<T>(group: string, resource: string, namespace: string, name: string) {
    const found = objects[`${resource}/${namespace}/${name}`];
    if (!found) throw newNotFound(GroupResource.of(group, resource), name);
    return found as T;
  },
};

interface Asked {
  readonly spec?: TokenRequestSpec;
  readonly metadata?: ObjectMeta;
  readonly name?: string;
  readonly options?: Partial<TokenRequestOptions>;
  readonly admit?: (request: TokenRequest) => Promise<void>;
}

async function ask({ spec = {}, metadata = {}, name = 'sa1', options = {}, admit }: Asked) {
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const answer = await createTokenRequest(
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata,
      spec: { expirationSeconds: 3600, ...spec },
    },
    {
      namespace: 'ns',
      name,
      warn: (text) => warnings.push(text),
      annotate: (annotation, value) => {
        annotations[annotation] = value;
      },
      ...(admit && { admit }),
    },
    {
      issuer: new TokenIssuer({ issuer, key, now, newId: () => 'an-id' }),
      client,
      apiAudiences: [issuer],
      now,
      ...options,
    },
  );
  const claims = Buffer.from(answer.status!.token!.split('.')[1]!, 'base64url').toString();
  return { answer, claims, header: parseJwt(answer.status!.token!)!.header, warnings, annotations };
}

const bound = (kind: string, name: string, uid?: string, apiVersion = 'v1'): TokenRequestSpec => ({
  boundObjectRef: { kind, apiVersion, name, ...(uid && { uid }) },
});

/** Returns the claims exactly as upstream encodes them. */
const claimsWith = (more: { aud?: string; exp?: number; objects?: string; warnafter?: string } = {}): string => {
  const { aud = issuer, exp = seconds + 3600, objects: named = '', warnafter = '' } = more;
  return `{"aud":["${aud}"],"exp":${exp},"iat":${seconds},"iss":"${issuer}","jti":"an-id","kubernetes.io":{"namespace":"ns",${named}"serviceaccount":{"name":"sa1","uid":"sa1-uid"}${warnafter}},"nbf":${seconds},"sub":"system:serviceaccount:ns:sa1"}`;
};

describe('POST serviceaccounts/NAME/token', () => {
  it('returns the completed request', async () => {
    const { answer, header, annotations, warnings } = await ask({
      metadata: { labels: { a: 'b' } },
      spec: { audiences: [] },
    });
    expect(answer).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {
        name: 'sa1',
        namespace: 'ns',
        uid: 'sa1-uid',
        creationTimestamp: '2026-11-15T11:39:24Z',
        labels: { a: 'b' },
      },
      spec: { audiences: [issuer], expirationSeconds: 3600 },
      status: { token: expect.any(String), expirationTimestamp: '2026-11-15T12:39:24Z' },
    });
    expect(header).toEqual({ alg: 'ES256', kid: key.keyId });
    expect(annotations).toEqual({ 'authentication.kubernetes.io/issued-credential-id': 'JTI=an-id' });
    expect(warnings).toEqual([]);
  });

  const pod = (name: string): string => `"pod":{"name":"${name}","uid":"${name}-uid"},`;
  const year = 365 * 24 * 60 * 60;
  it.each<[sentence: string, asked: Asked, claims: string]>([
    ['to nothing', {}, claimsWith()],
    ['to nothing, by its own uid', { metadata: { name: 'sa1', uid: 'sa1-uid' } }, claimsWith()],
    ['to a pod', { spec: bound('Pod', 'p1') }, claimsWith({ objects: pod('p1') })],
    ['to a pod with the right uid', { spec: bound('Pod', 'p1', 'p1-uid') }, claimsWith({ objects: pod('p1') })],
    [
      'to a pod by an unusual apiVersion',
      { spec: bound('Pod', 'p1', '', 'a/b/c') },
      claimsWith({ objects: pod('p1') }),
    ],
    [
      'to a pod on a node',
      { spec: bound('Pod', 'p2') },
      claimsWith({ objects: `"node":{"name":"n1","uid":"n1-uid"},${pod('p2')}` }),
    ],
    [
      'to a pod on a node that is gone',
      { spec: bound('Pod', 'p3') },
      claimsWith({ objects: `"node":{"name":"gone"},${pod('p3')}` }),
    ],
    ['to a node', { spec: bound('Node', 'n1') }, claimsWith({ objects: '"node":{"name":"n1","uid":"n1-uid"},' })],
    ['to a secret', { spec: bound('Secret', 's1') }, claimsWith({ objects: '"secret":{"name":"s1","uid":"s1-uid"},' })],
    [
      'to a pod, with an extended expiration',
      { spec: { ...bound('Pod', 'p1'), expirationSeconds: 3607 } },
      claimsWith({ objects: pod('p1'), exp: seconds + year, warnafter: `,"warnafter":${seconds + 3607}` }),
    ],
    [
      'to a pod, without an extended expiration when that is off',
      { spec: { ...bound('Pod', 'p1'), expirationSeconds: 3607 }, options: { extendExpiration: false } },
      claimsWith({ objects: pod('p1'), exp: seconds + 3607 }),
    ],
    [
      'to a pod, without an extended expiration for other audiences',
      { spec: { ...bound('Pod', 'p1'), expirationSeconds: 3607, audiences: ['x'] } },
      claimsWith({ objects: pod('p1'), exp: seconds + 3607, aud: 'x' }),
    ],
    [
      'to nothing, without an extended expiration',
      { spec: { expirationSeconds: 3607 } },
      claimsWith({ exp: seconds + 3607 }),
    ],
  ])('gives a token that is bound %s', async (_, asked, claims) => {
    expect((await ask(asked)).claims).toBe(claims);
  });

  it('shortens an expiration that is too long, with a warning', async () => {
    const { answer, claims, warnings } = await ask({
      spec: { expirationSeconds: 7201 },
      options: { maxExpirationSeconds: 7200 },
    });
    expect(warnings).toEqual(['requested expiration of 7201 seconds shortened to 7200 seconds']);
    expect(answer.spec?.expirationSeconds).toBe(7200);
    expect(answer.status?.expirationTimestamp).toBe('2026-11-15T13:39:24Z');
    expect(claims).toBe(claimsWith({ exp: seconds + 7200 }));
  });

  it.each<[asked: Asked, code: number, message: string]>([
    [{ name: 'nope' }, 404, 'serviceaccounts "nope" not found'],
    [{ spec: bound('Pod', 'nope') }, 404, 'pods "nope" not found'],
    [{ spec: bound('Secret', 'nope') }, 404, 'secrets "nope" not found'],
    [
      { spec: bound('Pod', 'p1'), name: 'sa2' },
      400,
      'cannot bind token for serviceaccount "sa2" to pod running with different serviceaccount name.',
    ],
    [{ spec: bound('ConfigMap', 'x') }, 400, 'cannot bind token to object of type /v1, Kind=ConfigMap'],
    [{ spec: bound('Pod', 'p1', '', 'apps/v1') }, 400, 'cannot bind token to object of type apps/v1, Kind=Pod'],
    [{ spec: bound('constructor', 'x') }, 400, 'cannot bind token to object of type /v1, Kind=constructor'],
    [{ spec: { boundObjectRef: {} } }, 400, 'cannot bind token to object of type /, Kind='],
    [
      { spec: bound('Node', 'n1', 'u') },
      409,
      'Operation cannot be fulfilled on Node "n1": the UID in the bound object reference (u) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { metadata: { uid: 'x' } },
      409,
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa1": the UID in the token request (x) does not match the UID of the service account (sa1-uid)',
    ],
    [
      { metadata: { name: 'x' } },
      422,
      'TokenRequest.authentication.k8s.io "sa1" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      { spec: { expirationSeconds: 1 } },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    ],
  ])('refuses %j', async (asked, code, message) => {
    const error: ApiError = await ask(asked).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect([error.code, error.message]).toEqual([code, message]);
  });

  it('calls admission with the completed request, before it looks up the bound object', async () => {
    const seen: unknown[] = [];
    const admit = async ({ spec, status }: TokenRequest) => {
      seen.push(spec?.audiences, status);
      throw new Error('no');
    };
    await expect(ask({ spec: bound('Pod', 'nope'), admit })).rejects.toThrow('no');
    expect(seen).toEqual([[issuer], undefined]);
  });

  it('never binds a token to two objects', () => {
    const tokens = new TokenIssuer({ issuer, key, now });
    const named = { metadata: { name: 'x', uid: 'u' } };
    expect(() =>
      tokens.createToken({ serviceAccount: named, pod: named, secret: named, audiences: [], expirationSeconds: 600 }),
    ).toThrow('internal error, token can only be bound to one object type');
  });
});
