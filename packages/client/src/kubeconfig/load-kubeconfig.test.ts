import { delimiter, join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { loadKubeConfig } from './load-kubeconfig.ts';
import { kubeconfigText, tempDir } from './temp-dir.test-data.ts';

const notStruct = String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal KIND into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
const field = (kind: string, path: string, type: string): string =>
  `json: cannot unmarshal ${kind} into Go struct field ${path} of type ${type}`;

describe('a file that is not a kubeconfig', () => {
  // clientcmd's messages, without the source location after "is registered" and without lists that contain secrets.
  it.each<[sentence: string, text: string, message: string]>([
    ['is not YAML', 'a: [b', "yaml: line 1: did not find expected ',' or ']'"],
    ['is a string', 'hello', notStruct.replace('KIND', 'string')],
    ['is a list', '[]', notStruct.replace('KIND', 'array')],
    ['is of another kind', 'apiVersion: v1\nkind: Pod\n', 'no kind "Pod" is registered for version "v1"'],
    ['is of another version', 'apiVersion: v2\nkind: Config\n', 'no kind "Config" is registered for version "v2"'],
    [
      'has a number for a string',
      kubeconfigText('', '', '5'),
      field('number', 'Cluster.clusters.cluster.server', 'string'),
    ],
    [
      'has a string for a boolean',
      kubeconfigText('insecure-skip-tls-verify: "yes"'),
      field('string', 'Cluster.clusters.cluster.insecure-skip-tls-verify', 'bool'),
    ],
    ['has an object for a list', 'clusters: {}', field('object', 'Config.clusters', '[]v1.NamedCluster')],
    [
      'has a string for an object',
      'users: [{name: k, user: x}]',
      field('string', 'NamedAuthInfo.users.user', 'v1.AuthInfo'),
    ],
    [
      'has a string for a list of strings',
      kubeconfigText('', 'exec: {command: x, args: b}'),
      field('string', 'ExecConfig.users.user.exec.args', '[]string'),
    ],
    [
      'has a string in a map of lists',
      kubeconfigText('', 'as-user-extra: {a: b}'),
      field('string', 'AuthInfo.users.user.as-user-extra', '[]string'),
    ],
    [
      'has data that is not base64',
      kubeconfigText('certificate-authority-data: "a b"'),
      'illegal base64 data at input byte 1',
    ],
    [
      'has only padding as base64',
      kubeconfigText('certificate-authority-data: "===="'),
      'illegal base64 data at input byte 0',
    ],
    [
      'has one name twice',
      'users: [{name: k, user: {token: secret}}, {name: k, user: {token: secret}}]',
      'error converting *[]NamedAuthInfo into *map[string]*api.AuthInfo: duplicate name "k" in list',
    ],
  ])('%s', async (_, text, message) => {
    const dir = await tempDir({ config: text });
    const path = join(dir, 'config');
    await expect(loadKubeConfig({ path })).rejects.toThrow(
      new Error(`error loading config file "${path}": ${message}`),
    );
  });

  it('is a directory', async () => {
    const dir = await tempDir();
    await expect(loadKubeConfig({ path: dir })).rejects.toThrow(`"${dir}": read ${dir}: is a directory`);
  });

  it('does not exist, although it was given by its path', async () => {
    const path = join(await tempDir(), 'x');
    await expect(loadKubeConfig({ path })).rejects.toThrow(new Error(`stat ${path}: no such file or directory`));
  });

  it('is one of several', async () => {
    const dir = await tempDir({ a: '[', b: 'kind: X\n' });
    const env = { KUBECONFIG: [join(dir, 'a'), join(dir, 'b')].join(delimiter) };
    await expect(loadKubeConfig({ env })).rejects.toThrow(
      `[error loading config file "${join(dir, 'a')}": yaml: line 1: did not find expected node content, error loading config file "${join(dir, 'b')}": no kind "X" is registered for version "v1"]`,
    );
  });
});

describe('loadKubeConfig', () => {
  it('takes each entry from the first file that has it, and the first current context', async () => {
    const dir = await tempDir({
      a: 'current-context: ""\nclusters: [{name: k, cluster: {server: https://first}}]\n',
      'b/c': `${kubeconfigText()}extensions: []\n`,
      d: '{"current-context":"other","contexts":[{"name":"other","context":{"cluster":"k"}}]}',
    });
    const files = ['missing', 'a', 'b/c', 'a', 'd'].map((name) => join(dir, name));
    const config = await loadKubeConfig({ env: { KUBECONFIG: [...files, ''].join(delimiter) } });
    expect(config.currentContext).toBe('c');
    expect(config.clusters.get('k')).toEqual({ server: 'https://first' });
    expect([...config.users.keys()]).toEqual(['u']);
    expect(config.contexts).toEqual(
      new Map([
        ['c', { cluster: 'k', user: 'u' }],
        ['other', { cluster: 'k' }],
      ]),
    );
  });

  it('reads .kube/config in the home directory when KUBECONFIG is empty', async () => {
    const homeDir = await tempDir({ '.kube/config': kubeconfigText() });
    expect((await loadKubeConfig({ homeDir, env: { KUBECONFIG: '' } })).currentContext).toBe('c');
    expect((await loadKubeConfig({ env: { HOME: homeDir } })).currentContext).toBe('c');
  });

  it('is empty when there are no files, and logs that only if KUBECONFIG names them', async () => {
    const { logger, lines } = recordLogs();
    const dir = await tempDir();
    const config = await loadKubeConfig({ env: { KUBECONFIG: join(dir, 'x') }, logger });
    expect([config.clusters.size, config.users.size, config.contexts.size, config.currentContext]).toEqual([
      0,
      0,
      0,
      '',
    ]);
    await loadKubeConfig({ env: {}, homeDir: dir, logger });
    expect(lines).toEqual([`info "Config not found" files=["${join(dir, 'x')}"]`]);
  });

  it('resolves paths relative to the file that contains them', async () => {
    const user = 'client-certificate: sub/c.crt\nclient-key: /abs/k\ntokenFile: ../t\nexec: {command: ./plugin}';
    const dir = await tempDir({
      'x/a': kubeconfigText('certificate-authority: ca.crt', user),
      b: 'users: [{name: v, user: {tokenFile: t, exec: {command: plugin}}}]\n',
    });
    const config = await loadKubeConfig({ env: { KUBECONFIG: [join(dir, 'x/a'), join(dir, 'b')].join(delimiter) } });
    expect(config.clusters.get('k')?.['certificate-authority']).toBe(join(dir, 'x/ca.crt'));
    expect(config.users.get('u')).toEqual({
      'unknown-field': 1,
      'client-certificate': join(dir, 'x/sub/c.crt'),
      'client-key': '/abs/k',
      tokenFile: join(dir, 't'),
      exec: { command: join(dir, 'x/plugin') },
    });
    expect(config.users.get('v')).toEqual({ tokenFile: join(dir, 't'), exec: { command: 'plugin' } });
  });

  it('accepts null as absent, base64 with line breaks, and names such as __proto__', async () => {
    const path = join(
      await tempDir({
        a: 'current-context: null\nclusters:\n- name: __proto__\n  cluster: {server: null, certificate-authority-data: "aGVs\\nbG8="}\n- name: constructor\n',
      }),
      'a',
    );
    const { clusters, currentContext } = await loadKubeConfig({ path });
    expect(currentContext).toBe('');
    expect(clusters.get('__proto__')).toEqual({ 'certificate-authority-data': 'aGVsbG8=' });
    expect(clusters.get('constructor')).toEqual({});
  });
});
