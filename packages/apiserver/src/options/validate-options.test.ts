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
  'disabling a plug-in that is not enabled': { memory: true, disableAdmissionPlugins: ['ServiceAccount'] },
  'enabling a plug-in that is enabled by default': {
    memory: true,
    enableAdmissionPlugins: ['NamespaceLifecycle', 'AlwaysAdmit'],
  },
  'feature gates with a component': { memory: true, featureGates: ['kube:AllAlpha=true,AllBeta=false'] },
  'an invalid audit log mode without an audit log': { memory: true, auditLogMode: 'x' },
  'an authorization webhook after other authorizers': {
    memory: true,
    authorizationMode: ['Node', 'RBAC', 'Webhook'],
    authorizationWebhookConfigFile: 'x',
  },
  'a file that configures authorization': { memory: true, authorizationConfig: 'x' },
  'allowed origins': { memory: true, corsAllowedOrigins: ['//example\\.com(:|$)', '^https://x$'] },
  'an issuer of tokens': { memory: true, oidcIssuerUrl: 'https://x', oidcClientId: 'y' },
};

describe('valid options', () => {
  it.each(Object.entries(good))('%s', (_, options) => {
    expect(problems(options)).toEqual([]);
  });
});

/** Validated with `memory`. Messages are upstream's where upstream has the same check. */
const bad: Record<string, [options: ApiServerOptions, problems: string[]]> = {
  'no store': [{ memory: false }, ['one of --data-dir, --etcd-servers and --memory must be specified']],
  'two stores': [
    { etcdServers: ['http://127.0.0.1:2379'] },
    ['--memory and --etcd-servers cannot both be given: objects are kept in one place'],
  ],
  'negative limits': [
    { maxRequestsInflight: -1, maxMutatingRequestsInflight: -1, requestTimeout: '-1s', minRequestTimeout: -5 },
    [
      '--max-requests-inflight can not be negative value',
      '--max-mutating-requests-inflight can not be negative value',
      '--request-timeout can not be negative value',
      '--min-request-timeout can not be negative value',
    ],
  ],
  'no seats for priority and fairness': [
    { maxRequestsInflight: 0, maxMutatingRequestsInflight: 0 },
    [
      'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive',
    ],
  ],
  'an invalid duration': [{ requestTimeout: '5' }, ['--request-timeout: time: missing unit in duration "5"']],
  'an invalid port': [
    { securePort: 70000 },
    ['--secure-port 70000 must be between 0 and 65535, inclusive. 0 takes a free port'],
  ],
  'origins that are no regular expressions, or match only a part of a host': [
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
  'an unknown version of TLS': [{ tlsMinVersion: 'VersionTLS09' }, ['unknown tls version "VersionTLS09"']],
  'a version of TLS that is too old': [
    { tlsMinVersion: 'VersionTLS11' },
    ['--tls-min-version VersionTLS11: versions before TLS 1.2 are not served; use VersionTLS12'],
  ],
  'an unknown cipher suite': [{ tlsCipherSuites: ['FOO'] }, ["Cipher suite FOO not supported or doesn't exist"]],
  'invalid issuers': [
    { serviceAccountIssuer: ['', 'https://a', 'https://a'] },
    ['service-account-issuer should not be an empty string', 'service-account-issuer "https://a" is already specified'],
  ],
  'a token expiration that is too short': [
    { serviceAccountMaxTokenExpiration: '5m' },
    ['the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'],
  ],
  'a JWKS URI without TLS': [
    { serviceAccountJwksUri: 'http://x' },
    ['service-account-jwks-uri requires https scheme, parsed as: http://x'],
  ],
  'invalid authorization modes': [
    { authorizationMode: ['Foo', 'RBAC', 'RBAC'] },
    [
      'authorization-mode "Foo" is not a valid mode',
      'authorization-mode ["Foo" "RBAC" "RBAC"] has mode specified more than once',
    ],
  ],
  'no authorization mode': [{ authorizationMode: [] }, ['at least one authorization-mode must be passed']],
  'an unsupported authorization mode': [
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
  'authorization by flags and by a file': [
    { authorizationConfig: 'x', authorizationMode: ['RBAC'] },
    [
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ],
  ],
  'an OIDC issuer without a client ID': [
    { oidcUsernameClaim: 'email' },
    ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'],
  ],
  'OIDC by flags and by a file': [
    { authenticationConfig: 'x', oidcIssuerUrl: 'https://x', oidcClientId: 'y' },
    ['authentication-config file and oidc-* flags are mutually exclusive'],
  ],
  'an unsupported version of token webhooks': [
    { authenticationTokenWebhookConfigFile: 'x', authenticationTokenWebhookVersion: 'v2' },
    ['unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"'],
  ],
  'an unknown feature gate': [{ featureGates: ['Foo=true'] }, ['--feature-gates: unrecognized feature gate: Foo']],
  'a feature gate without a value': [{ featureGates: ['Foo'] }, ['--feature-gates: missing bool value for Foo']],
  'a feature gate with an invalid value': [
    { featureGates: ['Foo=x'] },
    ['--feature-gates: invalid value of Foo=x, err: strconv.ParseBool: parsing "x": invalid syntax'],
  ],
  'an unknown component': [
    { featureGates: ['wardle:Foo=true'] },
    ['--feature-gates: component not registered: wardle'],
  ],
  'an invalid runtime-config key': [{ runtimeConfig: new Map([['a', '']]) }, ['runtime-config invalid key a']],
  'unknown plug-ins': [
    { enableAdmissionPlugins: ['Foo'], disableAdmissionPlugins: ['Foo', 'Bar'] },
    [
      'enable-admission-plugins plugin "Foo" is unknown',
      'disable-admission-plugins plugin "Foo" is unknown',
      'disable-admission-plugins plugin "Bar" is unknown',
      '[Foo] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
  ],
  'an invalid range': [{ serviceClusterIpRange: ['x'] }, ['service-cluster-ip-range[0] is not a valid cidr']],
  'two ranges of the same family': [
    { serviceClusterIpRange: ['10.0.0.0/24', '10.1.0.0/24'] },
    ['--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family'],
  ],
  'three ranges': [
    { serviceClusterIpRange: ['10.0.0.0/24', 'fd00::/112', 'fd01::/112'] },
    ['--service-cluster-ip-range must not contain more than two entries'],
  ],
  'an advertise address of another family than the services': [
    { advertiseAddress: '2001:db8::1' },
    ['service IP family "10.96.0.0/16" must match public address family "2001:db8::1"'],
  ],
  'an invalid node port': [
    { kubernetesServiceNodePort: 70000 },
    [
      '--kubernetes-service-node-port 70000 must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP',
      "kubernetes service node port range 30000-32767 doesn't contain 70000",
    ],
  ],
  'an invalid audit log': [
    { auditLogPath: '-', auditLogMode: 'x', auditLogFormat: 'y', auditLogMaxage: -1 },
    [
      'invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict"',
      'invalid audit log format y, allowed formats are "legacy,json"',
      "--audit-log-maxage -1 can't be a negative number",
    ],
  ],
};

describe('invalid options are refused', () => {
  it.each(Object.entries(bad))('%s', (_, [options, expected]) => {
    expect(problems({ memory: true, ...options })).toEqual(expected);
  });
});
