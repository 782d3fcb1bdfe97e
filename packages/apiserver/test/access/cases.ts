import type { TokenOptions } from './test-issuer.ts';

export interface TokenCase extends TokenOptions {
  /** The path of the issuer. */
  readonly path?: string;
  /** Claims that replace those of a valid token; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** A token that is sent as it is, instead of a generated one. */
  readonly token?: string;
  readonly audiences?: readonly string[];
  /** Retry until the issuer of distributed claims is initialized, whatever the issuer of the token. */
  readonly patient?: boolean;
}

const now = Math.floor(Date.now() / 1000);
const hour = 3600;
const distributed = (endpoint: string, accessToken?: string) => ({
  _claim_names: { groups: 'there' },
  _claim_sources: { there: { endpoint, ...(accessToken !== undefined && { access_token: accessToken }) } },
});

/** TokenReviews. */
export const tokenCases: Readonly<Record<string, TokenCase>> = {
  'a good token': { claims: { groups: ['a', 'b'], jti: 'id' } },
  RS384: { alg: 'RS384' },
  RS512: { alg: 'RS512' },
  PS256: { alg: 'PS256' },
  PS384: { alg: 'PS384' },
  PS512: { alg: 'PS512' },
  ES256: { alg: 'ES256', key: 'p256' },
  ES384: { alg: 'ES384', key: 'p384' },
  ES512: { alg: 'ES512', key: 'p521' },
  'an algorithm for another curve': { alg: 'ES256', key: 'p384' },
  'an elliptic algorithm with the id of an RSA key': { alg: 'ES256', key: 'p256', kid: 'rsa' },
  EdDSA: { alg: 'EdDSA', key: 'ed25519' },
  'no signature': { alg: 'none' },
  'the public key for a secret': { alg: 'HS256' },
  'no algorithm': { header: { alg: undefined } },
  'an algorithm that is a number': { header: { alg: 5 } },
  'no key id': { kid: null },
  'an empty key id': { kid: '' },
  'a key id that nobody knows': { kid: 'nobody' },
  'the key of a stranger': { key: 'stranger' },
  'the key of a stranger under a known id': { key: 'stranger', kid: 'rsa' },
  'an extension that must be understood': { header: { crit: ['x'], x: 1 } },
  'a header that is no JSON': { rawHeader: 'bm8' },
  expired: { claims: { exp: now - hour } },
  'without an end': { claims: { exp: undefined } },
  'an end that is a text': { claims: { exp: 'tomorrow' } },
  'an end with a fraction': { claims: { exp: now + hour + 0.5 } },
  'not yet good': { claims: { nbf: now + hour } },
  'good in half a minute': { claims: { nbf: now + 30 } },
  'for somebody else': { claims: { aud: 'other' } },
  'for several': { claims: { aud: ['other', 'kube'] } },
  'for nobody': { claims: { aud: undefined } },
  'for a number': { claims: { aud: 5 } },
  'of an issuer that nobody knows': { claims: { iss: 'https://nobody' } },
  'without an issuer': { claims: { iss: undefined } },
  'of an issuer that is a number': { claims: { iss: 5 } },
  'without a subject': { claims: { sub: undefined } },
  'a subject that is a number': { claims: { sub: 5 } },
  'a subject that is null': { claims: { sub: null } },
  'an empty subject': { claims: { sub: '' } },
  'one group': { claims: { groups: 'one' } },
  'groups that are null': { claims: { groups: null } },
  'an empty list of groups': { claims: { groups: [] } },
  'groups that are numbers': { claims: { groups: [1, 2] } },
  'groups that are an object': { claims: { groups: {} } },
  'groups with null in them': { claims: { groups: ['a', null] } },
  'a token id that is a number': { claims: { jti: 5 } },
  'names of prototypes': { claims: { __proto__x: 1, constructor: 2, groups: ['__proto__'] } },
  nonsense: { token: 'nonsense' },
  'three parts of nonsense': { token: 'a.b.c' },
  'four parts': { token: 'a.b.c.d' },
  'an object': { token: '{"payload":"x"}' },
  'a verified address': { path: '/email', claims: { email: 'jane@example.com', email_verified: true } },
  'an address that nobody speaks of': { path: '/email', claims: { email: 'jane@example.com' } },
  'an unverified address': { path: '/email', claims: { email: 'jane@example.com', email_verified: false } },
  'an address verified in words': { path: '/email', claims: { email: 'jane@example.com', email_verified: 'true' } },
  'no address': { path: '/email' },
  'the required claim': { path: '/strict', claims: { hd: 'example.com' } },
  'no required claim': { path: '/strict' },
  'another required claim': { path: '/strict', claims: { hd: 'example.org' } },
  'a required claim that is a list': { path: '/strict', claims: { hd: ['example.com'] } },
  'one of several audiences': { path: '/several', claims: { aud: ['x', 'b'] } },
  'none of several audiences': { path: '/several', claims: { aud: ['x', 'y'] } },
  'an issuer that is described elsewhere': { path: '/moved' },
  'an issuer that says to be another': { path: '/impostor' },
  'an issuer that does not answer': { path: '/silent' },
  'an issuer without keys': { path: '/keyless' },
  'an issuer with keys of no kind': { path: '/badkeys' },
  'a uid': { path: '/uid', claims: { oid: 'u-1' } },
  'no uid': { path: '/uid' },
  'groups from elsewhere': { claims: distributed('URL/groups', 'open sesame'), patient: true },
  'groups from elsewhere without the right to them': { claims: distributed('URL/groups') },
  'groups from elsewhere where there are none': { claims: distributed('URL/nogroups'), patient: true },
  'groups from elsewhere that are nonsense': { claims: distributed('URL/nonsense') },
  'groups from elsewhere that have expired': { claims: distributed('URL/expired'), patient: true },
  'groups from a place that is not there': { claims: distributed('URL/nowhere') },
  'groups from elsewhere, but here as well': { claims: { ...distributed('URL/nowhere'), groups: ['here'] } },
  'groups from nowhere': { claims: { _claim_names: { groups: 'there' } } },
  'groups from another place than those that are named': {
    claims: { _claim_names: { groups: 'there' }, _claim_sources: { elsewhere: { endpoint: 'URL/groups' } } },
  },
  'other claims from elsewhere': {
    claims: { _claim_names: { other: 'there' }, _claim_sources: { there: { endpoint: 'URL/groups' } } },
  },
  'a claim without a source': { claims: { _claim_names: { groups: '' }, _claim_sources: {} } },
  'names of claims that are a list': { claims: { _claim_names: [], _claim_sources: {} } },
  'aggregated groups': { claims: { _claim_names: { groups: 'a' }, _claim_sources: { a: { JWT: 'x.y.z' } } } },
  expressions: {
    path: '/cel',
    claims: { name: 'jane', roles: ['r', '', 's'], oid: 'u', level: 3, teams: ['x', 'y'], deep: { 'a.b': 'x' } },
  },
  'expressions of little': { path: '/cel', claims: { name: 'jane' } },
  'an expression that fails': { path: '/cel' },
  'an expression of the wrong type': { path: '/cel', claims: { name: 5 } },
  'a fraction': { path: '/cel', claims: { name: 'jane', level: 2.5 } },
  'a large number': { path: '/cel', claims: { name: 'jane', level: 1e21 } },
  'one role': { path: '/cel', claims: { name: 'jane', roles: 'r' } },
  'roles that are null': { path: '/cel', claims: { name: 'jane', roles: null } },
  'roles that are numbers': { path: '/cel', claims: { name: 'jane', roles: ['a', 1] } },
  'roles that are an object': { path: '/cel', claims: { name: 'jane', roles: {} } },
  'a uid that is a number': { path: '/cel', claims: { name: 'jane', oid: 5 } },
  'teams that are a number': { path: '/cel', claims: { name: 'jane', teams: 5 } },
  'another tenant': { path: '/cel', claims: { name: 'jane', tenant: 'u' } },
  'a nested claim that is another': { path: '/cel', claims: { name: 'jane', deep: { 'a.b': 'y' } } },
  'a nested claim that is not there': { path: '/cel', claims: { name: 'jane', deep: {} } },
  'a name that is reserved': { path: '/cel', claims: { name: 'system:x' } },
  'a group that is reserved': { path: '/cel', claims: { name: 'jane', roles: ['admins'] } },
  'an empty name': { path: '/anyname', claims: { name: '', roles: 'a' } },
  'a name that is a list': { path: '/anyname', claims: { name: ['x'], roles: 'a' } },
  'roles to be split': { path: '/anyname', claims: { name: 'x', roles: 'a,b,' } },
  'other audiences than those of the server': { audiences: ['other'] },
  'an audience of the server': { audiences: ['other', 'kube'] },
  'what the webhook knows': { token: 'good' },
  'what the webhook knows for others': { token: 'elsewhere' },
  'what the webhook knows for several': { token: 'named' },
  'what the webhook knows for those that are asked for': { token: 'named', audiences: ['x', 'other'] },
  'what the webhook does not know': { token: 'who' },
  'what the webhook says no to': { token: 'bad' },
  'what the webhook fails for': { token: 'refused' },
};

const pods = { verb: 'list', resource: 'pods', namespace: 'ns', version: 'v1' };

/** SubjectAccessReviews, by their spec. */
export const reviewCases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'allowed by the webhook': { user: 'allowed', resourceAttributes: pods },
  'denied by the webhook': { user: 'denied', resourceAttributes: pods },
  'both allowed and denied': { user: 'both', resourceAttributes: pods },
  'unknown to the webhook': { user: 'unknown', resourceAttributes: pods },
  'a webhook that is a teapot': { user: 'teapot', resourceAttributes: pods },
  'a webhook that refuses': { user: 'refused', resourceAttributes: pods },
  'a webhook that is down': { user: 'lost', resourceAttributes: pods },
  'a webhook that is down, where that is a refusal': { user: 'doomed', resourceAttributes: pods },
  'a condition that fails': { user: 'confused', resourceAttributes: pods },
  'the older version': { user: 'older', groups: ['g'], extra: { k: ['v'] }, uid: 'u', resourceAttributes: pods },
  'somebody that no condition lets through': { user: 'system:x', resourceAttributes: pods },
  'a path': { user: 'allowed', nonResourceAttributes: { path: '/x', verb: 'get' } },
  'a path that a condition leaves out': { user: 'allowed', nonResourceAttributes: { path: '/skipped', verb: 'get' } },
  everything: {
    user: 'everything',
    uid: 'u',
    groups: ['a', 'b'],
    extra: { 'example.org/k': ['1', '2'] },
    resourceAttributes: {
      ...pods,
      group: 'g',
      subresource: 's',
      name: 'n',
      fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['x'] }] },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'b', operator: 'NotIn', values: ['2'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
        ],
      },
    },
  },
};

/** Requests with bearer tokens. */
export const requestCases: Readonly<Record<string, { readonly token?: string; readonly url: string }>> = {
  'somebody whom the webhook allows': { token: 'allowed', url: '/api/v1/namespaces/none/pods' },
  'somebody whom the webhook denies': { token: 'denied', url: '/api/v1/namespaces/none/pods' },
  'somebody whom it does not know': { token: 'unknown', url: '/api/v1/namespaces/none/pods' },
  'somebody about whom it cannot decide': { token: 'both', url: '/api/v1/namespaces/none/pods' },
  'somebody for whom it is down': { token: 'lost', url: '/api/v1/namespaces/none/pods?limit=5' },
  'somebody for whom it is down and that counts': { token: 'doomed', url: '/api/v1/namespaces/none/pods' },
  selectors: {
    token: 'allowed',
    url: '/api/v1/namespaces/none/pods?fieldSelector=spec.nodeName%3Dn,status.phase!%3DRunning&labelSelector=a%3D1,b!%3D2,c,!d,e%20in%20(x),f%20notin%20(y)',
  },
  'selectors that are none': { token: 'allowed', url: '/api/v1/namespaces/none/pods?fieldSelector=a&labelSelector=((' },
  'nobody at a path for all': { url: '/livez' },
  'nobody anywhere else': { url: '/readyz' },
};
