type Json = Readonly<Record<string, unknown>>;

const issuer = { url: 'https://issuer.example.com', audiences: ['kube'] };
const username = { claim: 'sub', prefix: '' };
const good = { issuer, claimMappings: { username } };
const authentication = (more: Json, version = 'v1'): Json => ({
  apiVersion: `apiserver.config.k8s.io/${version}`,
  kind: 'AuthenticationConfiguration',
  ...more,
});
const one = (jwt: Json): Json => authentication({ jwt: [{ ...good, ...jwt }] });
const ofIssuer = (more: Json): Json => one({ issuer: { ...issuer, ...more } });
const mapped = (more: Json): Json => one({ claimMappings: { username, ...more } });
const rules = (...claimValidationRules: Json[]): Json => one({ claimValidationRules });
const extra = (...mappings: Json[]): Json => mapped({ extra: mappings });

/** Contents of files for `--authentication-config`. */
export const authenticationDocuments: Readonly<Record<string, Json>> = {
  'nothing at all': authentication({}),
  'a good issuer': one({}),
  'an older version': authentication({ jwt: [good] }, 'v1beta1'),
  'the oldest version': authentication({ jwt: [good] }, 'v1alpha1'),
  'a version that nobody knows': authentication({}, 'v2'),
  'another kind': { ...authentication({}), kind: 'AuthorizationConfigurationX' },
  'no kind': { apiVersion: 'apiserver.config.k8s.io/v1' },
  'a field that nobody knows': ofIssuer({ bar: 2 }),
  'two of one issuer': authentication({ jwt: [good, good] }),
  'two that are described in one place': authentication({
    jwt: [
      { ...good, issuer: { ...issuer, discoveryURL: 'https://d' } },
      { ...good, issuer: { ...issuer, url: 'https://b', discoveryURL: 'https://d' } },
    ],
  }),
  'too many issuers': authentication({ jwt: Array.from({ length: 65 }, () => good) }),
  'no issuer': one({ issuer: {} }),
  'an issuer of service accounts': ofIssuer({ url: 'https://sa.example.com' }),
  'an issuer without https': ofIssuer({ url: 'http://x' }),
  'an issuer with everything that it must not have': ofIssuer({ url: 'ftp://a:b@x?q=1#f' }),
  'an issuer that is no URL': ofIssuer({ url: 'https://[x' }),
  'an issuer with an escape that is none': ofIssuer({ url: 'https://x/%zz' }),
  'a description where the issuer is': ofIssuer({ discoveryURL: 'https://issuer.example.com/' }),
  'a description without https': ofIssuer({ discoveryURL: 'http://x?' }),
  'no audience': ofIssuer({ audiences: [] }),
  'an empty audience': ofIssuer({ audiences: [''] }),
  'audiences without a policy': ofIssuer({ audiences: ['a', 'b', 'a'] }),
  'audiences with another policy': ofIssuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAll' }),
  'audiences with a policy': ofIssuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' }),
  'one audience with another policy': ofIssuer({ audienceMatchPolicy: 'MatchAll' }),
  'authorities that are none': ofIssuer({ certificateAuthority: 'x' }),
  'an egress selector': ofIssuer({ egressSelectorType: 'cluster' }),
  'another egress selector': ofIssuer({ egressSelectorType: 'etcd' }),
  'no user name': one({ claimMappings: {} }),
  'no mappings': authentication({ jwt: [{ issuer }] }),
  'a user name without a prefix': one({ claimMappings: { username: { claim: 'sub' } } }),
  'a user name of both': one({ claimMappings: { username: { claim: 'sub', expression: 'claims.sub' } } }),
  'a user name of an expression': one({ claimMappings: { username: { expression: 'claims.sub' } } }),
  'an expression with a prefix': one({ claimMappings: { username: { expression: 'claims.sub', prefix: '' } } }),
  'an expression that cannot be read': one({ claimMappings: { username: { expression: 'claims.' } } }),
  'an expression over something else': one({ claimMappings: { username: { expression: 'user.name + foo' } } }),
  'an address without a word of whether it is verified': one({
    claimMappings: { username: { expression: 'claims.email' } },
  }),
  'an optional address': one({ claimMappings: { username: { expression: "claims.?email.orValue('')" } } }),
  'an address in a list': one({ claimMappings: { username: { expression: '[claims.email].map(x, x)[0]' } } }),
  'an address with its verification': one({
    claimMappings: { username: { expression: "claims.email_verified ? claims.email : 'x'" } },
  }),
  'an address that a rule verifies': one({
    claimMappings: { username: { expression: 'claims.email' } },
    claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }],
  }),
  'an address that something more verifies': one({
    claimMappings: {
      username: { expression: 'claims.email' },
      extra: [{ key: 'example.org/v', valueExpression: 'string(claims.email_verified)' }],
    },
  }),
  'an address by its index': one({ claimMappings: { username: { expression: "claims['email']" } } }),
  'groups without a prefix': mapped({ groups: { claim: 'groups' } }),
  'groups of both': mapped({ groups: { claim: 'groups', expression: 'claims.groups' } }),
  'groups that cannot be read': mapped({ groups: { expression: '(' } }),
  'a uid of both': mapped({ uid: { claim: 'a', expression: 'claims.a' } }),
  'a uid that cannot be read': mapped({ uid: { expression: 'claims.a +' } }),
  'a good uid': mapped({ uid: { claim: 'a' } }),
  'a key without a domain': extra({ key: 'a', valueExpression: "'x'" }),
  'an empty key': extra({ key: '', valueExpression: "'x'" }),
  'a key in capitals': extra({ key: 'example.org/A', valueExpression: "'x'" }),
  'a key of Kubernetes': extra(
    { key: 'a.k8s.io/a', valueExpression: "'x'" },
    { key: 'kubernetes.io/a', valueExpression: "'x'" },
  ),
  'a key twice': extra({ key: 'a.io/a', valueExpression: "'x'" }, { key: 'a.io/a', valueExpression: "'x'" }),
  'a key without a value': extra({ key: 'a.io/a', valueExpression: '' }),
  'a value that cannot be read': extra({ key: 'a.io/a', valueExpression: 'x' }),
  'rules of all kinds': rules(
    { claim: 'a', requiredValue: 'x' },
    { claim: 'a', requiredValue: 'y', message: 'm' },
    { claim: 'b', expression: 'true' },
    {},
    { expression: 'true', requiredValue: 'x' },
    { expression: 'true' },
    { expression: 'claims.a' },
    { expression: "'a'" },
    { expression: "claims.a == 'x'", message: 'm' },
  ),
  'rules for users': one({
    userValidationRules: [
      { expression: '' },
      { expression: "user.username == 'x'" },
      { expression: "user.username == 'x'" },
      { expression: 'user.username' },
      { expression: "user.nothing == 'x'" },
      { expression: "user.extra['a'][0] == 'x' && 'g' in user.groups && user.uid != ''" },
    ],
  }),
  'anybody at some paths': authentication({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }),
  'nobody at some paths': authentication({
    anonymous: { enabled: false, conditions: [{ path: '/livez' }, { path: '/x' }] },
  }),
};

const authorization = (authorizers: readonly Json[], version = 'v1'): Json => ({
  apiVersion: `apiserver.config.k8s.io/${version}`,
  kind: 'AuthorizationConfiguration',
  authorizers,
});
const webhook = {
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/dev/null' },
};
const hook = (more: Json): Json => authorization([{ type: 'Webhook', name: 'hook', webhook: { ...webhook, ...more } }]);
const conditions = (...matchConditions: (string | undefined)[]): Json =>
  hook({
    matchConditionSubjectAccessReviewVersion: 'v1',
    matchConditions: matchConditions.map((expression) => (expression === undefined ? {} : { expression })),
  });

/** Contents of files for `--authorization-config`. The files of the webhooks do not exist, which is always the last error. */
export const authorizationDocuments: Readonly<Record<string, Json>> = {
  'nobody to ask': authorization([]),
  RBAC: authorization([{ type: 'RBAC', name: 'rbac' }]),
  'an older version': authorization([{ type: 'RBAC', name: 'rbac' }], 'v1beta1'),
  'the oldest version': authorization([{ type: 'RBAC', name: 'rbac' }], 'v1alpha1'),
  'another kind': { ...authorization([]), kind: 'Something' },
  'a field that nobody knows': authorization([{ type: 'RBAC', name: 'rbac', foo: 1 }]),
  'types that are none': authorization([{ name: 'a' }, { type: 'Foo', name: 'b' }, { type: 'rbac', name: 'c' }]),
  'a type twice': authorization([
    { type: 'RBAC', name: 'rbac' },
    { type: 'RBAC', name: 'rbac' },
  ]),
  'names that are not those of the types': authorization([
    { type: 'RBAC', name: 'r' },
    { type: 'Node', name: 'n' },
  ]),
  'names that are none': authorization([
    { type: 'RBAC', name: '' },
    { type: 'Node', name: 'No Name' },
    { type: 'AlwaysDeny', name: 'No Name' },
  ]),
  'RBAC with a webhook': authorization([{ type: 'RBAC', name: 'rbac', webhook }]),
  'a webhook without one': authorization([{ type: 'Webhook', name: 'hook' }]),
  'a webhook of nothing': authorization([{ type: 'Webhook', name: 'hook', webhook: {} }]),
  'a webhook in no file': hook({}),
  'a webhook that takes too long': hook({ timeout: '31s' }),
  'a webhook that takes less than no time': hook({ timeout: '-1s', authorizedTTL: '-1s', unauthorizedTTL: '-90s' }),
  'versions that are none': hook({
    subjectAccessReviewVersion: 'v2',
    matchConditionSubjectAccessReviewVersion: 'v1beta1',
  }),
  'a policy that is none': hook({ failurePolicy: 'Ignore' }),
  'a connection that is none': hook({ connectionInfo: { type: 'Pigeon' } }),
  'a connection of no type': hook({ connectionInfo: {} }),
  'a connection within the cluster, with a file': hook({
    connectionInfo: { type: 'InClusterConfig', kubeConfigFile: '/x' },
  }),
  'a connection without a file': hook({ connectionInfo: { type: 'KubeConfigFile' } }),
  'a connection with a file somewhere': hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } }),
  'a connection with a file that is not there': hook({
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/nowhere/x' },
  }),
  'conditions without a version': hook({ matchConditions: [{ expression: 'true' }] }),
  'too many conditions': conditions(...Array.from({ length: 65 }, (_, index) => `${index} == 1`)),
  'conditions of all kinds': conditions(
    undefined,
    ' ',
    'true',
    'true',
    'request.user',
    "request.user + 'x'",
    'request.nothing',
    'request.',
    "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'x'",
    "request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == 'x' && r.operator == 'In' && 'y' in r.values)",
    "request.?resourceAttributes.?labelSelector.?rawSelector.orValue('') == ''",
    "request.extra['a'].all(v, v == 'x') && 'g' in request.groups && request.uid == ''",
    "authorizer.group('x').resource('y').check('get').allowed()",
    'request.groups',
  ),
};
