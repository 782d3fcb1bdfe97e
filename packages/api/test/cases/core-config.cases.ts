import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const base = (kind: string, name: string, rest: object = {}, metadata: object = {}): Base => ({
  object: { apiVersion: 'v1', kind, metadata: { name, ...metadata }, ...rest },
});
const base64 = (text: string): string => btoa(text);
const mebibyte = 1024 * 1024;
const mountable = 'kubernetes.io/enforce-mountable-secrets';

const of =
  (name: string) =>
  (changes: Record<string, unknown>): Case => ({ create: name, change: edit(changes) });
const [configMap, secret, account] = [of('configMap'), of('secret'), of('account')];
const update = (name: string, changes: Record<string, unknown>): Case => ({ update: name, change: edit(changes) });
const typed = (type: string, data: Record<string, string>): Case =>
  secret({
    type: `kubernetes.io/${type}`,
    data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64(v)])),
  });

const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBbzCCARWgAwIBAgIUVYmWTFoVyAG5NE9ZVAeevkPqttcwCgYIKoZIzj0EAwIw',
  'DDEKMAgGA1UEAwwBZTAgFw0yNjExMTUwOTM1MzBaGA8yMTI2MTAyMjA5MzUzMFow',
  'DDEKMAgGA1UEAwwBZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIbXzmlL8jN+',
  'aRj9c/7lMAObxQI42WMDa78gBevKqAAiWvkvMXZG6046hOBllnOHp6MhGF6Hzkx+',
  'Kx5gqSTs30WjUzBRMB0GA1UdDgQWBBS+ZhWWI9qou/2WoN2YkUPy40kedDAfBgNV',
  'HSMEGDAWgBS+ZhWWI9qou/2WoN2YkUPy40kedDAPBgNVHRMBAf8EBTADAQH/MAoG',
  'CCqGSM49BAMCA0gAMEUCIDW1weyE8iPwryvnwSMDuPlRqRDu6yvGHSXuanIkQtPT',
  'AiEAsQ0t38lOcIa4dsKDn3h0rV0yBwXC0SWKlnmSMbZpdHM=',
  '-----END CERTIFICATE-----',
].join('\n');
const key = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MHcCAQEEID7YoXmizpDlnEluI3Qn5ebdHrnOtIbj9qjlDdPVzXWloAoGCCqGSM49',
  'AwEHoUQDQgAEhtfOaUvyM35pGP1z/uUwA5vFAjjZYwNrvyAF68qoACJa+S8xdkbr',
  'TjqE4GWWc4enoyEYXofOTH4rHmCpJOzfRQ==',
  '-----END EC PRIVATE KEY-----',
].join('\n');
const otherKey = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MHcCAQEEIMkEkHPiJ+uppiaf9owowSz5rCqD3SPjP9+0NTTcv+vmoAoGCCqGSM49',
  'AwEHoUQDQgAEfTGesHS7+qwmYt1EXAY+X9X/UAawLEcdtnMnFeUHybPlEmA/nPax',
  '50wuYnicpMokZb2NBlmlOKhrG0jkKFrqzA==',
  '-----END EC PRIVATE KEY-----',
].join('\n');
const edKey = [
  '-----BEGIN PRIVATE KEY-----',
  'MC4CAQAwBQYDK2VwBCIEIOJ7gFwTOqdpneJzV0R48zD09nvNBjPszocL8AHTxWv/',
  '-----END PRIVATE KEY-----',
].join('\n');

export const suite: CaseSuite = {
  bases: {
    configMap: base('ConfigMap', 'settings', { data: { a: '1' }, binaryData: { b: base64('2') } }),
    fixedConfigMap: base('ConfigMap', 'fixed', { data: { a: '1' }, immutable: true }),
    secret: base('Secret', 'keys', { data: { a: base64('1') } }),
    fixedSecret: base('Secret', 'fixed', { data: { a: base64('1') }, immutable: true }),
    account: base('ServiceAccount', 'robot'),
    annotatedAccount: base('ServiceAccount', 'annotated', {}, { annotations: { [mountable]: 'true' } }),
  },
  cases: {
    'a config map is stored': configMap({}),
    'a config map may be empty': configMap({ data: undefined, binaryData: undefined }),
    'a key of a config map has a form': configMap({ data: { 'a/b': '1' } }),
    'a key of binary data has a form': configMap({ binaryData: { '..': 'MQ==' } }),
    'a key is in one of the two': configMap({ data: { b: '1' } }),
    'a config map has a name': configMap({ 'metadata.name': 'Not_A_Name' }),
    'a config map is not too large': configMap({ data: { a: 'é'.repeat(mebibyte / 2) } }),
    'a config map may be as large as this': configMap({ data: { a: 'x'.repeat(10) }, binaryData: undefined }),
    'a config map can be changed': update('configMap', { data: { z: '26' } }),
    'a config map can be made immutable': update('configMap', { immutable: true }),
    'an immutable config map stays': update('fixedConfigMap', {
      immutable: false,
      data: { a: '2' },
      binaryData: { c: 'MQ==' },
    }),
    'an immutable config map cannot lose its data': update('fixedConfigMap', { immutable: undefined, data: undefined }),
    'metadata of an immutable config map can be changed': update('fixedConfigMap', { 'metadata.labels': { a: 'b' } }),
    'labels of a config map are judged': update('configMap', { 'metadata.labels': { a: '-' }, data: { '..': '' } }),
    'a config map is printed': { table: 'configMap' },

    'a secret is opaque': secret({}),
    'text becomes data': secret({ stringData: { a: 'new', b: 'héllo' } }),
    'a key of a secret has a form': secret({ data: { 'a b': '' } }),
    'a secret is not too large': secret({ stringData: { a: 'x'.repeat(mebibyte + 1) }, data: undefined }),
    'a token needs an account': secret({ type: 'kubernetes.io/service-account-token' }),
    'a token has an account': secret({
      type: 'kubernetes.io/service-account-token',
      'metadata.annotations': { 'kubernetes.io/service-account.name': 'robot' },
    }),
    'a docker configuration is required': typed('dockercfg', {}),
    'a docker configuration is JSON': typed('dockercfg', { '.dockercfg': 'auths: {}' }),
    'a docker configuration is an object': typed('dockercfg', { '.dockercfg': '{"a":1}' }),
    'a docker configuration is no list': typed('dockercfg', { '.dockercfg': '[1]' }),
    'a docker configuration is no text': typed('dockercfg', { '.dockercfg': '"x"' }),
    'a docker configuration may be null': typed('dockercfg', { '.dockercfg': 'null' }),
    'a docker configuration is not empty': typed('dockercfg', { '.dockercfg': '' }),
    'a docker config.json is required': typed('dockerconfigjson', {}),
    'a docker config.json is JSON': typed('dockerconfigjson', { '.dockerconfigjson': '{"auths":}' }),
    'a docker config.json is no boolean': typed('dockerconfigjson', { '.dockerconfigjson': 'true' }),
    'basic authentication needs something': typed('basic-auth', {}),
    'basic authentication needs one of the two': typed('basic-auth', { password: '' }),
    'a private key is required': typed('ssh-auth', {}),
    'a private key is not empty': typed('ssh-auth', { 'ssh-privatekey': '' }),
    'a private key is anything else': typed('ssh-auth', { 'ssh-privatekey': 'x' }),
    'a certificate and its key are required': typed('tls', {}),
    'a certificate without PEM causes a warning': typed('tls', { 'tls.crt': 'x', 'tls.key': 'y' }),
    'a key in place of a certificate causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN RSA PRIVATE KEY-----\nMQ==\n-----END RSA PRIVATE KEY-----\n',
      'tls.key': '',
    }),
    'something else in place of a certificate causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN A-----\nMQ==\n-----END A-----\n-----BEGIN B C-----\nMQ==\n-----END B C-----\n',
      'tls.key': '',
    }),
    'a missing key causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n',
      'tls.key': '',
    }),
    'a certificate in place of a key causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n',
      'tls.key': '-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n',
    }),
    'something else in place of a key causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n',
      'tls.key': '-----BEGIN A-----\nMQ==\n-----END A-----\n',
    }),
    'a malformed certificate causes a warning': typed('tls', {
      'tls.crt': '-----BEGIN CERTIFICATE-----\nMQ==\n-----END CERTIFICATE-----\n',
      'tls.key': '-----BEGIN PRIVATE KEY-----\nMQ==\n-----END PRIVATE KEY-----\n',
    }),
    'a certificate and its key cause no warning': typed('tls', { 'tls.crt': certificate, 'tls.key': key }),
    'text around a key pair causes no warning': typed('tls', {
      'tls.crt': `x\n${certificate}\ny`,
      'tls.key': `${key}\n`,
    }),
    'a key of another certificate causes a warning': typed('tls', { 'tls.crt': certificate, 'tls.key': otherKey }),
    'a key of another algorithm causes a warning': typed('tls', { 'tls.crt': certificate, 'tls.key': edKey }),
    'a malformed key causes a warning': typed('tls', {
      'tls.crt': certificate,
      'tls.key': '-----BEGIN PRIVATE KEY-----\nMQ==\n-----END PRIVATE KEY-----\n',
    }),
    'a type that nobody knows asks for nothing': secret({ type: 'example.com/x' }),
    'a secret can be changed': update('secret', { stringData: { a: '2' } }),
    'the type of a secret stays': update('secret', { type: 'example.com/x' }),
    'an immutable secret stays': update('fixedSecret', { immutable: undefined, data: { b: 'MQ==' } }),
    'the same secret may be sent again': update('fixedSecret', { data: { a: 'MQ==' } }),
    'labels of a secret are judged': update('secret', { 'metadata.labels': { a: '-' }, data: { '..': '' } }),
    'a secret is printed': { table: 'secret' },

    'an account is stored': account({}),
    'an account keeps the names of secrets only': account({
      secrets: [{ name: 'a', namespace: 'other', kind: 'Secret', apiVersion: 'v1' }, {}],
      imagePullSecrets: [{ name: 'pull' }],
      automountServiceAccountToken: false,
    }),
    'mountable secrets are deprecated': account({ [`metadata.annotations[${mountable}]`]: 'true' }),
    'mountable secrets are deprecated on update too': update('account', {
      [`metadata.annotations[${mountable}]`]: 'true',
    }),
    'mountable secrets are deprecated but once': update('annotatedAccount', { 'metadata.labels': { a: 'b' } }),
    'an account cleans up on update': update('account', { secrets: [{ name: 'a', namespace: 'x' }] }),
    'an account has a name': account({ 'metadata.name': 'a_b' }),
    'labels of an account are judged': update('account', { 'metadata.labels': { a: '-' } }),
    'an account is printed': { table: 'account' },
  },
};
