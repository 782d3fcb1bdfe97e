import type { Container, EnvVar, Node, Pod, PodSpec, Service } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import type { ServiceSource } from '../network/service-source.ts';
import { envFileValue } from './env-file.ts';
import { type EnvironmentInput, environmentOf } from './environment.ts';

const source: EnvironmentInput['source'] = {
  configMap: async (_, name) =>
    name === 'settings' ? { metadata: {}, data: { COLOR: 'blue', 'a.b': 'c' } } : undefined,
  secret: async (_, name) =>
    name === 'key' ? { metadata: {}, data: { TOKEN: Buffer.from('hush').toString('base64') } } : undefined,
  claim: async () => undefined,
  runtimeClass: async () => undefined,
};

const service = (namespace: string, name: string, clusterIP: string): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [{ port: 80 }] },
});
const all = [service('default', 'kubernetes', '10.96.0.1'), service('ns', 'web', '10.96.0.2')];
const services: ServiceSource = {
  hasSynced: true,
  inNamespace: (namespace) => all.filter(({ metadata }) => metadata.namespace === namespace),
};

const container: Container = { name: 'c', resources: { requests: { cpu: '250m', memory: '100Mi' } } };
const node: Node = {
  metadata: {},
  status: { allocatable: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', 'hugepages-2Mi': '4Mi' } },
};

function inputOf(change: Partial<Container> = {}, spec: Partial<PodSpec> = {}): EnvironmentInput {
  const pod: Pod = {
    metadata: {
      name: 'p',
      namespace: 'ns',
      uid: '4711',
      labels: { app: 'web', 'x/y': 'z' },
      annotations: { note: 'n' },
    },
    spec: { nodeName: 'n1', serviceAccountName: 'sa', enableServiceLinks: true, containers: [container], ...spec },
  };
  const own = { ...container, ...change };
  const addresses = { podIPs: ['10.0.0.1', 'fd00::1'], hostIPs: ['192.0.2.1', '192.0.2.2'] };
  return { pod, container: own, source, node, ...addresses };
}

async function variables(env: readonly EnvVar[], spec: Partial<PodSpec> = {}): Promise<Record<string, string>> {
  return Object.fromEntries(await environmentOf(inputOf({ env: [...env] }, spec)));
}

const field = (fieldPath: string): EnvVar => ({ name: 'V', valueFrom: { fieldRef: { fieldPath } } });
const resource = (name: string, divisor?: string, containerName?: string): EnvVar => ({
  name: 'V',
  valueFrom: {
    resourceFieldRef: { resource: name, ...(divisor && { divisor }), ...(containerName && { containerName }) },
  },
});

it.each([
  ['metadata.name', 'p'],
  ['metadata.namespace', 'ns'],
  ['metadata.uid', '4711'],
  ["metadata.labels['app']", 'web'],
  ["metadata.labels['x/y']", 'z'],
  ["metadata.labels['none']", ''],
  ["metadata.annotations['note']", 'n'],
  ['metadata.labels', 'app="web"\nx/y="z"'],
  ['spec.nodeName', 'n1'],
  ['spec.serviceAccountName', 'sa'],
  ['status.hostIP', '192.0.2.1'],
  ['status.hostIPs', '192.0.2.1,192.0.2.2'],
  ['status.podIP', '10.0.0.1'],
  ['status.podIPs', '10.0.0.1,fd00::1'],
])('the field %s is %j', async (path, expected) => {
  expect(await variables([field(path)])).toEqual({ V: expected });
});

it.each([
  [resource('requests.cpu'), '1'],
  [resource('requests.cpu', '1m'), '250'],
  [resource('requests.memory', '1Mi'), '100'],
  [resource('requests.memory', '64Mi'), '2'],
  [resource('limits.cpu'), '4'],
  [resource('limits.memory', '1Gi'), '8'],
  [resource('limits.ephemeral-storage', '1Gi'), '10'],
  [resource('requests.ephemeral-storage'), '0'],
  [resource('limits.hugepages-2Mi'), '0'],
  [resource('requests.cpu', '1m', 'c'), '250'],
])('the resource %j is %j', async (env, expected) => {
  expect(await variables([env])).toEqual({ V: expected });
});

it('a container without limits may use what its pod may', async () => {
  const resources = { limits: { cpu: '2' } };
  expect(await variables([resource('limits.cpu')], { resources })).toEqual({ V: '2' });
  expect(await variables([resource('limits.memory', '1Gi')], { resources })).toEqual({ V: '8' });
});

describe('variables', () => {
  it('of config maps and secrets are overridden by those of the container', async () => {
    const envFrom = [
      { configMapRef: { name: 'settings' } },
      { prefix: 'P_', configMapRef: { name: 'settings' } },
      { secretRef: { name: 'key' } },
      { secretRef: { name: 'none', optional: true } },
    ];
    const env = [
      { name: 'COLOR', value: 'red' },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'TOKEN' } } },
      { name: 'NONE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'none', optional: true } } },
    ];
    expect(Object.fromEntries(await environmentOf(inputOf({ envFrom, env })))).toEqual({
      COLOR: 'red',
      'a.b': 'c',
      P_COLOR: 'blue',
      'P_a.b': 'c',
      TOKEN: 'hush',
      KEY: 'hush',
    });
  });

  it('may use those before them', async () => {
    const env = [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A) $(C) $$(A) $A' },
      { name: 'C', value: '$(B)' },
      { name: 'D' },
    ];
    expect(await variables(env)).toEqual({ A: 'a', B: 'a $(C) $(A) $A', C: 'a $(C) $(A) $A', D: '' });
  });

  it.each([
    [{ envFrom: [{ configMapRef: { name: 'none' } }] }, 'configmap "none" not found'],
    [{ env: [{ name: 'V', valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }] }, 'secret "none" not found'],
    [
      { env: [{ name: 'V', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }] },
      "couldn't find key k in Secret ns/key",
    ],
    [{ env: [field('spec.restartPolicy')] }, 'unsupported fieldPath: spec.restartPolicy'],
    [{ env: [resource('limits.example.com/gpu')] }, 'unsupported container resource : limits.example.com/gpu'],
    [{ env: [resource('limits.cpu', undefined, 'other')] }, 'container other not found'],
  ])('of what is not there are an error: %j', async (change, message) => {
    await expect(environmentOf(inputOf(change))).rejects.toThrow(message);
  });
});

describe('services', () => {
  it('are those that the container does not set itself, and can be referred to', async () => {
    const env = [
      { name: 'URL', value: 'http://$(WEB_SERVICE_HOST):$(WEB_SERVICE_PORT)' },
      { name: 'KUBERNETES_SERVICE_HOST', value: 'mine' },
    ];
    const found = Object.fromEntries(await environmentOf({ ...inputOf({ env }), services }));
    expect(found).toMatchObject({
      URL: 'http://10.96.0.2:80',
      KUBERNETES_SERVICE_HOST: 'mine',
      KUBERNETES_SERVICE_PORT: '80',
      WEB_SERVICE_HOST: '10.96.0.2',
    });
  });

  it('are only the API server for a pod without links', async () => {
    const found = await environmentOf({ ...inputOf({}, { enableServiceLinks: false }), services });
    expect([...found.keys()].every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
    expect(found.get('KUBERNETES_SERVICE_HOST')).toBe('10.96.0.1');
  });

  it('are waited for, but not by static pods', async () => {
    const input = { ...inputOf(), services: { hasSynced: false, inNamespace: () => [] } };
    const message = 'services have not yet been read at least once, cannot construct envvars';
    await expect(environmentOf(input)).rejects.toThrow(message);
    const annotations = { 'kubernetes.io/config.source': 'file' };
    const pod = { ...input.pod, metadata: { ...input.pod.metadata, annotations } };
    expect((await environmentOf({ ...input, pod })).size).toBe(0);
  });
});

describe('a variable of a file', () => {
  const ref = (key: string, optional = false): EnvVar => ({
    name: 'V',
    valueFrom: { fileKeyRef: { volumeName: 'vol', path: 'dir/env', key, optional } },
  });
  const ofFile = async (env: EnvVar, text: string) => {
    const files: string[] = [];
    const readFile = async (volume: string, path: string): Promise<string> => {
      files.push(`${volume}:${path}`);
      return text;
    };
    const found = Object.fromEntries(await environmentOf({ ...inputOf({ env: [env] }), readFile }));
    expect(files).toEqual(['vol:dir/env']);
    return found;
  };

  it('is there, or may be missing', async () => {
    expect(await ofFile(ref('A'), "A='a'\n")).toEqual({ V: 'a' });
    expect(await ofFile(ref('B', true), "A='a'\n")).toEqual({});
  });

  it.each([
    [ref('B'), "A='a'", 'environment variable key "B" not found in file "dir/env"'],
    [ref('A'), 'A=a', "couldn't parse env file"],
  ])('is an error otherwise', async (env, text, message) => {
    await expect(ofFile(env, text)).rejects.toThrow(message);
  });

  it.each([
    ["A='1'\nB='2'\n", 'B', '2'],
    ["  A='1' # comment\n\n# A='2'\n", 'A', '1'],
    ["A='one\ntwo\n' # comment\nB='3'", 'A', 'one\ntwo\n'],
    ["A='one\ntwo'\nB='3'", 'B', '3'],
    ["A= 'empty'\n", 'A', ''],
    ['A=\'$(B) \\n "x"\'\r\n', 'A', '$(B) \\n "x"'],
    ["A='1'\nbroken", 'A', '1'],
    ['', 'A', ''],
  ])('in %j, %s is %j', (text, key, expected) => {
    expect(envFileValue(text, key)).toBe(expected);
  });

  it.each([
    ['A', "at line 1: missing '='"],
    ["\n='a'", 'at line 2: empty variable name'],
    ["A ='a'", "at line 1: whitespace before '=' is not allowed"],
    ['A="a"', 'at line 1: value must be enclosed in single quotes'],
    ["A='a'b", 'at line 1: unexpected content after closing quote'],
    ["A='a\nb", 'starting at line 1: unclosed single quote'],
  ])('%j is invalid', (text, message) => {
    expect(() => envFileValue(text, 'Z')).toThrow(`invalid environment variable format ${message}`);
  });
});
