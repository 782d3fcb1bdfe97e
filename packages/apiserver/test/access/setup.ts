import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signToken, type TestIssuer } from './test-issuer.ts';

const mapping = (claim: string, prefix = '') => ({ claim, prefix });
const published = ['rsa', 'p256', 'p384', 'p521', 'ed25519'] as const;

/** Returns an AuthenticationConfiguration with the issuers. */
export function authenticationConfiguration(issuer: TestIssuer): unknown {
  const jwt = (
    path: string,
    more: Readonly<Record<string, unknown>>,
    ofIssuer: Readonly<Record<string, unknown>> = {},
  ) => ({
    issuer: { url: issuer.url + path, audiences: ['kube'], certificateAuthority: issuer.ca, ...ofIssuer },
    claimMappings: { username: mapping('sub', 'p:'), groups: mapping('groups', 'g:') },
    ...more,
  });
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    jwt: [
      jwt('/plain', {}),
      jwt('/email', { claimMappings: { username: mapping('email') } }),
      jwt('/strict', { claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }] }),
      jwt('/several', {}, { audiences: ['b', 'a'], audienceMatchPolicy: 'MatchAny' }),
      jwt('/moved', {}, { discoveryURL: `${issuer.url}/elsewhere` }),
      jwt('/impostor', {}),
      jwt('/silent', {}),
      jwt('/keyless', {}),
      jwt('/badkeys', {}),
      jwt('/uid', { claimMappings: { username: mapping('sub'), uid: { claim: 'oid' } } }),
      jwt('/cel', {
        claimValidationRules: [
          { expression: "claims.?tenant.orValue('t') == 't'", message: 'the tenant must be t' },
          { expression: "!has(claims.deep) || claims.deep.a__dot__b == 'x'" },
        ],
        claimMappings: {
          username: { expression: "'cel:' + claims.name" },
          groups: { expression: 'claims.?roles.orValue([])' },
          uid: { expression: "claims.?oid.orValue('')" },
          extra: [
            { key: 'example.org/level', valueExpression: "has(claims.level) ? string(claims.level) : ''" },
            { key: 'example.org/teams', valueExpression: 'claims.?teams.orValue([])' },
          ],
        },
        userValidationRules: [
          { expression: "!user.username.startsWith('cel:system:')", message: 'that name is reserved' },
          { expression: "!('admins' in user.groups)" },
        ],
      }),
      jwt('/anyname', {
        claimMappings: { username: { expression: 'claims.name' }, groups: { expression: "claims.roles.split(',')" } },
      }),
    ],
  };
}

/** Publishes the discovery documents and keys of the issuers. */
export function publish(issuer: TestIssuer): void {
  for (const path of ['/plain', '/email', '/strict', '/several', '/uid', '/cel', '/anyname'])
    issuer.issue(path, published);
  issuer.issue('/moved', published);
  issuer.json('/elsewhere', { issuer: `${issuer.url}/moved`, jwks_uri: `${issuer.url}/moved/keys` });
  issuer.json('/moved/.well-known/openid-configuration', {}, 500);
  issuer.issue('/impostor', published, { issuer: 'https://somebody.else' });
  issuer.json('/silent/.well-known/openid-configuration', { error: 'not now' }, 503);
  issuer.issue('/keyless', []);
  issuer.json('/keyless/keys', { error: 'gone' }, 410);
  issuer.issue('/badkeys', []);
  issuer.json('/badkeys/keys', { keys: [{ kty: 'weird', kid: 'rsa' }] });
  issuer.issue('/claims', published);
  const claimToken = (claims: unknown) =>
    signToken({ iss: `${issuer.url}/claims`, aud: 'kube', exp: 4e9, ...(claims as object) });
  issuer.on('/groups', (response, { headers }) =>
    headers.authorization === 'Bearer open sesame'
      ? response.end(claimToken({ groups: ['far', 'away'] }))
      : response.writeHead(401).end('who are you?'),
  );
  issuer.on('/nogroups', (response) => response.end(claimToken({ other: 'x' })));
  issuer.on('/nonsense', (response) => response.end('nonsense'));
  issuer.on('/expired', (response) => response.end(claimToken({ groups: 'x', exp: 1 })));
}

/** Defines the responses of the webhooks, by user or token. */
export function answerReviews(issuer: TestIssuer): void {
  issuer.on('/authorize', (response, { body }) => {
    const { apiVersion, kind, spec } = JSON.parse(body) as {
      apiVersion: string;
      kind: string;
      spec: { user?: string };
    };
    const review = (status: unknown, more: object = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ apiVersion, kind, status, ...more }));
    switch (spec.user) {
      case 'allowed':
        return void review({ allowed: true, reason: 'because' });
      case 'denied':
        return void review({ allowed: false, denied: true, reason: 'never' });
      case 'both':
        return void review({ allowed: true, denied: true, reason: 'maybe' });
      case 'unknown':
        return void review({ allowed: false, reason: 'who?' });
      case 'teapot':
        return void response.writeHead(418, { 'content-type': 'text/plain' }).end('short and stout');
      case 'refused':
        return void response.writeHead(403, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            message: 'go away',
            reason: 'Forbidden',
            code: 403,
          }),
        );
      default:
        return void review({ allowed: false });
    }
  });
  issuer.on('/authenticate', (response, { body }) => {
    const { apiVersion, kind, spec } = JSON.parse(body) as {
      apiVersion: string;
      kind: string;
      spec: { token: string };
    };
    const review = (status: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ apiVersion, kind, status }));
    const user = { username: 'hooked', uid: '7', groups: ['a', 'b'], extra: { 'example.org/k': ['1', '2'] } };
    switch (spec.token) {
      case 'good':
        return void review({ authenticated: true, user });
      case 'named':
        return void review({ authenticated: true, user: { username: 'named' }, audiences: ['other', 'kube'] });
      case 'elsewhere':
        return void review({ authenticated: true, user, audiences: ['other'] });
      case 'bad':
        return void review({ authenticated: false, error: 'no such token' });
      case 'refused':
        return void response.writeHead(401, { 'content-type': 'text/plain' }).end('no');
      default:
        return void review({ authenticated: false });
    }
  });
}

const kubeconfig = (server: string, ca: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'hook', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
  users: [{ name: 'me', user: { token: 'server' } }],
  contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'me' } }],
  'current-context': 'hook',
});

export interface AccessFiles {
  readonly authenticationConfig: string;
  readonly authorizationConfig: string;
  readonly tokenWebhook: string;
  readonly tokens: string;
}

/** Writes all configuration files of a server. */
export async function writeFiles(directory: string, issuer: TestIssuer): Promise<AccessFiles> {
  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const kubeConfigFile = await file('authorize.kubeconfig', kubeconfig(`${issuer.url}/authorize`, issuer.ca));
  const down = await file('down.kubeconfig', kubeconfig('https://127.0.0.1:1/authorize', issuer.ca));
  const webhook = (name: string, file: string, more: Readonly<Record<string, unknown>>) => ({
    type: 'Webhook',
    name,
    webhook: {
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'NoOpinion',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file },
      ...more,
    },
  });
  return {
    authenticationConfig: await file('authentication.yaml', authenticationConfiguration(issuer)),
    authorizationConfig: await file('authorization.yaml', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [
        webhook('first.example.org', kubeConfigFile, {
          matchConditions: [
            { expression: "!(request.user in ['lost', 'doomed', 'older'])" },
            { expression: "!request.user.startsWith('system:')" },
            { expression: "has(request.resourceAttributes) || request.nonResourceAttributes.path != '/skipped'" },
          ],
        }),
        webhook('down.example.org', down, { matchConditions: [{ expression: "request.user == 'lost'" }] }),
        webhook('deny.example.org', down, {
          failurePolicy: 'Deny',
          matchConditions: [{ expression: "request.user == 'doomed'" }],
        }),
        webhook('broken.example.org', kubeConfigFile, {
          matchConditions: [
            { expression: "request.user != 'confused' || request.extra['nothing'][0] == 'x'" },
            { expression: "request.user == 'confused'" },
          ],
        }),
        webhook('older.example.org', kubeConfigFile, {
          subjectAccessReviewVersion: 'v1beta1',
          matchConditions: [{ expression: "request.user == 'older'" }],
        }),
        { type: 'RBAC', name: 'rbac' },
      ],
    }),
    tokenWebhook: await file('authenticate.kubeconfig', kubeconfig(`${issuer.url}/authenticate`, issuer.ca)),
    tokens: await file(
      'tokens.csv',
      'admin,admin,1,system:masters\nallowed,allowed,2\ndenied,denied,3\nlost,lost,4,"dev"\nboth,both,5\ndoomed,doomed,6\nunknown,unknown,7\n',
    ),
  };
}
