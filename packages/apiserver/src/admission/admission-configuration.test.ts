import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAdmissionConfiguration } from './admission-configuration.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'admission-'));
  await writeFile(join(directory, 'selectors.yaml'), 'podNodeSelectorPluginConfig:\n  a: b=c\n');
});
afterAll(() => rm(directory, { recursive: true }));

const load = async (text: string, ...plugins: string[]): Promise<unknown> => {
  const path = join(directory, 'config.yaml');
  await writeFile(path, text);
  try {
    return await loadAdmissionConfiguration(path, new Set(plugins));
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(directory, 'DIR') : error;
  }
};

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const limits = (configuration: string) => `${head}plugins: [{name: EventRateLimit, configuration: ${configuration}}]`;
const limitsKind = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration';
const tolerationsKind = 'apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration';
const unknownKind = (kind: string, version: string) =>
  `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`;
const init = (plugin: string, why: string) => `couldn't init admission plugin "${plugin}": ${why}`;
const rule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Messages as kube-apiserver's end. */
const cases: Record<string, [text: string, plugin: string, expected: unknown]> = {
  'a file without a kind': [
    'plugins: []\n',
    '',
    "failed to read plugin config: Object 'Kind' is missing in 'plugins: []\n'",
  ],
  'a file of another kind': [
    'apiVersion: apiserver.config.k8s.io/v1\nkind: Foo',
    '',
    `failed to read plugin config: ${unknownKind('Foo', 'apiserver.config.k8s.io/v1')}`,
  ],
  'a file of another version': [
    'apiVersion: apiserver.config.k8s.io/v9\nkind: AdmissionConfiguration',
    '',
    `failed to read plugin config: ${unknownKind('AdmissionConfiguration', 'apiserver.config.k8s.io/v9')}`,
  ],
  'unknown fields': [
    `${head}foo: bar\nplugins:\n- name: EventRateLimit\n  pathh: x`,
    '',
    'failed to read plugin config: strict decoding error: unknown field "foo", unknown field "plugins[0].pathh"',
  ],
  'a duplicate field': [
    `${head}plugins: []\nplugins: []\n`,
    '',
    'failed to read plugin config: strict decoding error: yaml: unmarshal errors:\n  line 4: key "plugins" already set in map',
  ],
  'a missing plug-in file': [
    `${head}plugins: [{name: PodNodeSelector, path: lost.yaml}]`,
    'PodNodeSelector',
    "Couldn't open admission plugin configuration DIR/lost.yaml: ENOENT: no such file or directory, open 'DIR/lost.yaml'",
  ],
  'a plug-in file with a relative path': [
    `${head}plugins: [{name: PodNodeSelector, path: selectors.yaml}]`,
    'PodNodeSelector',
    { PodNodeSelector: new Map([['a', 'b=c']]) },
  ],
  'a legacy file': [
    'podNodeSelectorPluginConfig: {a: b=c}',
    'PodNodeSelector',
    { PodNodeSelector: new Map([['a', 'b=c']]) },
  ],
  'the configuration of a disabled plug-in': [limits('{}'), 'PodNodeSelector', { PodNodeSelector: new Map() }],
  limits: [
    limits(`{${limitsKind}, limits: [{type: User, qps: 1, burst: 2}, {type: Server, qps: 3, burst: 4, cacheSize: 5}]}`),
    'EventRateLimit',
    {
      EventRateLimit: [
        { type: 'User', qps: 1, burst: 2, cacheSize: 4096 },
        { type: 'Server', qps: 3, burst: 4, cacheSize: 5 },
      ],
    },
  ],
  'no limits': [head, 'EventRateLimit', init('EventRateLimit', 'limits: Invalid value: null: must not be empty')],
  'limits of another kind': [
    limits('{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Foo}'),
    'EventRateLimit',
    init('EventRateLimit', unknownKind('Foo', 'eventratelimit.admission.k8s.io/v1alpha1')),
  ],
  'limits without a kind': [
    limits('{limits: []}'),
    'EventRateLimit',
    init('EventRateLimit', `Object 'Kind' is missing in '{"limits":[]}'`),
  ],
  'invalid limits': [
    limits(`{${limitsKind}, limits: [{type: Foo, qps: 0, burst: -1}, {type: User, qps: 1, burst: 1, cacheSize: -4}]}`),
    'EventRateLimit',
    init(
      'EventRateLimit',
      '[limits[0].type: Unsupported value: "Foo": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[1].cacheSize: Invalid value: -4: must not be negative]',
    ),
  ],
  'invalid tolerations': [
    `${head}plugins: [{name: PodTolerationRestriction, configuration: {${tolerationsKind}, default: [{key: a b, operator: Foo}]}}]`,
    'PodTolerationRestriction',
    init(
      'PodTolerationRestriction',
      `invalid config: [podtolerationrestriction.default[0].key: Invalid value: "a b": ${rule} podtolerationrestriction.default[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists"]`,
    ),
  ],
  'no configuration of ImagePolicyWebhook': [
    head,
    'ImagePolicyWebhook',
    init('ImagePolicyWebhook', 'no config specified'),
  ],
  'a TTL of ImagePolicyWebhook that is too long': [
    `${head}plugins: [{name: ImagePolicyWebhook, configuration: {imagePolicy: {allowTTL: 5000}}}]`,
    'ImagePolicyWebhook',
    init('ImagePolicyWebhook', 'valid value is between 1s and 30m0s, got 1h23m20s'),
  ],
};

describe('the configuration of admission plug-ins', () => {
  it.each(Object.entries(cases))('%s', async (_, [text, plugin, expected]) => {
    expect(await load(text, plugin)).toEqual(expected);
  });

  it('is optional', async () => {
    expect(await loadAdmissionConfiguration(undefined, new Set(['PodNodeSelector', 'NodeRestriction']))).toEqual({
      PodNodeSelector: new Map(),
    });
    await expect(loadAdmissionConfiguration(join(directory, 'lost'), new Set())).rejects.toThrow(
      'failed to read plugin config: unable to read admission control configuration from',
    );
  });
});
