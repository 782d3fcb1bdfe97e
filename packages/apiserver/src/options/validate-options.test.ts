import { withDefaults } from '@coxswain/component-base';
import { describe, expect, it } from 'vitest';
import { type ApiServerOptions, apiServerFlags } from './api-server-flags.ts';
import { validateOptions } from './validate-options.ts';

const problems = (options: ApiServerOptions): string[] => validateOptions(withDefaults(apiServerFlags, options));

const good: Record<string, ApiServerOptions> = {
  'a directory alone': { dataDir: 'x' },
  'memory alone': { memory: true },
  'etcd, and a directory for certificates': { etcdServers: ['http://127.0.0.1:2379'], dataDir: 'x' },
  'two ranges of different families': { memory: true, serviceClusterIpRange: ['10.0.0.0/24', 'fd00::/112'] },
  'a plug-in that is switched off and not there': { memory: true, disableAdmissionPlugins: ['ServiceAccount'] },
  'a plug-in that is on anyway': { memory: true, enableAdmissionPlugins: ['NamespaceLifecycle', 'AlwaysAdmit'] },
  'features of a component': { memory: true, featureGates: ['kube:AllAlpha=true,AllBeta=false'] },
  'an audit log mode that nobody uses': { memory: true, auditLogMode: 'x' },
  'a webhook that is asked last': {
    memory: true,
    authorizationMode: ['Node', 'RBAC', 'Webhook'],
    authorizationWebhookConfigFile: 'x',
  },
  'a file that says who is asked': { memory: true, authorizationConfig: 'x' },
  'origins of pages': { memory: true, corsAllowedOrigins: ['//example\\.com(:|$)', '^https://x$'] },
  'an issuer of tokens': { memory: true, oidcIssuerUrl: 'https://x', oidcClientId: 'y' },
};

describe('options that can work', () => {
  it.each(Object.entries(good))('%s', (_, options) => {
    expect(problems(options)).toEqual([]);
  });
});

/** With `memory`, where it matters. The words are upstream's wherever it has the same check. */
const bad: Record<string, [options: ApiServerOptions, problems: string[]]> = {
  'no place for objects': [{ memory: false }, ['one of --data-dir, --etcd-servers and --memory must be specified']],
  'two places for objects': [
    { etcdServers: ['http://127.0.0.1:2379'] },
    ['--memory and --etcd-servers cannot both be given: objects are kept in one place'],
  ],
  'limits below zero': [
    { maxRequestsInflight: -1, maxMutatingRequestsInflight: -1, requestTimeout: '-1s', minRequestTimeout: -5 },
    [
      '--max-requests-inflight can not be negative value',
      '--max-mutating-requests-inflight can not be negative value',
      '--request-timeout can not be negative value',
      '--min-request-timeout can not be negative value',
    ],
  ],
  'nothing to share among flows': [
    { maxRequestsInflight: 0, maxMutatingRequestsInflight: 0 },
    [
      'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
    ],
  ],
  'a duration that is none': [{ requestTimeout: '5' }, ['--request-timeout: time: missing unit in duration "5"']],
  'a port that is none': [
    { securePort: 70000 },
    ['--secure-port 70000 must be between 0 and 65535, inclusive. 0 takes a free port'],
  ],
  'origins that are no expressions, or match a part of a host': [
    { corsAllowedOrigins: ['', '//a[b(:|$)', 'example.com', '//example.com'] },
    [
      expect.stringMatching(/^empty value in --cors-allowed-origins, help: List of allowed origins/),
      expect.stringMatching(
        /^--cors-allowed-origins has an invalid regular expression: error parsing regexp: missing closing \]: `\[b\(:\|\$\)`, help: /,
      ),
      expect.stringMatching(
        /^--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start\/end of host in the origin header, help: /,
      ),
      expect.stringMatching(/does not pin to start\/end of host/),
    ],
  ],
  'a certificate without its key': [
    { tlsCertFile: 'x' },
    ['--tls-cert-file and --tls-private-key-file must be specified together'],
  ],
  'a version of TLS that nobody knows': [{ tlsMinVersion: 'VersionTLS09' }, ['unknown tls version "VersionTLS09"']],
  'a version of TLS that is too old': [
    { tlsMinVersion: 'VersionTLS11' },
    ['--tls-min-version VersionTLS11: versions before TLS 1.2 are not served; use VersionTLS12'],
  ],
  'a cipher suite that nobody knows': [
    { tlsCipherSuites: ['FOO'] },
    ["Cipher suite FOO not supported or doesn't exist"],
  ],
  'issuers that are none': [
    { serviceAccountIssuer: ['', 'https://a', 'https://a'] },
    ['service-account-issuer should not be an empty string', 'service-account-issuer "https://a" is already specified'],
  ],
  'tokens that are good for too short a time': [
    { serviceAccountMaxTokenExpiration: '5m' },
    ['the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
  ],
  'keys in the clear': [
    { serviceAccountJwksUri: 'http://x' },
    ['service-account-jwks-uri requires https scheme, parsed as: http://x'],
  ],
  'modes that are none': [
    { authorizationMode: ['Foo', 'RBAC', 'RBAC'] },
    [
      'authorization-mode "Foo" is not a valid mode',
      'authorization-mode ["Foo" "RBAC" "RBAC"] has mode specified more than once',
    ],
  ],
  'no mode': [{ authorizationMode: [] }, ['at least one authorization-mode must be passed']],
  'a mode that is not there': [
    { authorizationMode: ['ABAC'] },
    ['--authorization-mode: this server does not have ABAC; leave it out'],
  ],
  'a webhook without its file': [
    { authorizationMode: ['Webhook'] },
    ["authorization-mode Webhook's authorization config file not passed"],
  ],
  'the file of a webhook without the mode': [
    { authorizationWebhookConfigFile: 'x', authorizationWebhookVersion: 'v2' },
    [
      'cannot specify --authorization-webhook-config-file without mode Webhook',
      'unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"',
    ],
  ],
  'two ways to say who is asked': [
    { authorizationConfig: 'x', authorizationMode: ['RBAC'] },
    [
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ],
  ],
  'half an issuer': [
    { oidcUsernameClaim: 'email' },
    ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
  ],
  'two ways to say who issues tokens': [
    { authenticationConfig: 'x', oidcIssuerUrl: 'https://x', oidcClientId: 'y' },
    ['authentication-config file and oidc-* flags are mutually exclusive'],
  ],
  'a version that a token webhook cannot be asked in': [
    { authenticationTokenWebhookConfigFile: 'x', authenticationTokenWebhookVersion: 'v2' },
    ['unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"'],
  ],
  'a feature that nobody knows': [{ featureGates: ['Foo=true'] }, ['--feature-gates: unrecognized feature gate: Foo']],
  'a feature without a value': [{ featureGates: ['Foo'] }, ['--feature-gates: missing bool value for Foo']],
  'a feature with another value': [
    { featureGates: ['Foo=x'] },
    ['--feature-gates: invalid value of Foo=x, err: strconv.ParseBool: parsing "x": invalid syntax'],
  ],
  'a component that nobody knows': [
    { featureGates: ['wardle:Foo=true'] },
    ['--feature-gates: component not registered: wardle'],
  ],
  'a version that nobody knows': [{ runtimeConfig: new Map([['a', '']]) }, ['runtime-config invalid key a']],
  'plug-ins that nobody knows': [
    { enableAdmissionPlugins: ['Foo'], disableAdmissionPlugins: ['Foo', 'Bar'] },
    [
      'enable-admission-plugins plugin "Foo" is unknown',
      'disable-admission-plugins plugin "Foo" is unknown',
      'disable-admission-plugins plugin "Bar" is unknown',
      '[Foo] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
  ],
  'a range that is none': [{ serviceClusterIpRange: ['x'] }, ['service-cluster-ip-range[0] is not a valid cidr']],
  'two ranges of one family': [
    { serviceClusterIpRange: ['10.0.0.0/24', '10.1.0.0/24'] },
    ['--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family'],
  ],
  'three ranges': [
    { serviceClusterIpRange: ['10.0.0.0/24', 'fd00::/112', 'fd01::/112'] },
    ['--service-cluster-ip-range must not contain more than two entries'],
  ],
  'an address of another family than the services': [
    { advertiseAddress: '2001:db8::1' },
    ['service IP family "10.96.0.0/16" must match public address family "2001:db8::1"'],
  ],
  'a node port that is none': [
    { kubernetesServiceNodePort: 70000 },
    [
      '--kubernetes-service-node-port 70000 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP',
      "kubernetes service node port range 30000-32767 doesn't contain 70000",
    ],
  ],
  'an audit log that cannot be': [
    { auditLogPath: '-', auditLogMode: 'x', auditLogFormat: 'y', auditLogMaxage: -1 },
    [
      'invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict"',
      'invalid audit log format y, allowed formats are "legacy,json"',
      "--audit-log-maxage -1 can't be a negative number",
    ],
  ],
};

describe('options that cannot work are refused', () => {
  it.each(Object.entries(bad))('%s', (_, [options, expected]) => {
    expect(problems({ memory: true, ...options })).toEqual(expected);
  });
});
