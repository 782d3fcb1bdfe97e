import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@coxswain/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from './main.ts';

async function cox(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const status = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cox-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const deployment = (replicas: unknown) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`;

describe('cox validate', () => {
  it('accepts valid objects', async () => {
    const path = file(
      'good.yaml',
      `# a comment\n---\n${deployment(2)}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n`,
    );
    expect(await cox('validate', '-f', path)).toEqual({
      status: 0,
      out: 'deployment.apps/web is valid\nnamespace/ns is valid\n',
      err: '',
    });
  });

  it('reports upstream’s message, and continues with the next object', async () => {
    const path = file('bad.yaml', `${deployment(-1)}---\n${deployment(1)}`);
    expect(await cox('validate', '-f', path)).toEqual({
      status: 1,
      out: 'deployment.apps/web is valid\n',
      err: `${path}: Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n`,
    });
  });

  it('refuses unknown fields, wrong types and unknown kinds', async () => {
    const unknown = file('unknown.yaml', deployment(1).replace('replicas', 'replica'));
    expect((await cox('validate', '-f', unknown)).err).toContain('strict decoding error: unknown field "spec.replica"');
    const wrong = file('wrong.yaml', deployment('many'));
    expect((await cox('validate', '-f', wrong)).err).toContain(
      'cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
    const kind = file('kind.yaml', 'apiVersion: apps/v1\nkind: Boat\n');
    expect((await cox('validate', '-f', kind)).err).toContain('no kind "Boat" is registered for version "apps/v1"');
  });

  it('prints the objects with their defaults', async () => {
    const path = file('print.yaml', deployment(2));
    const yaml = await cox('validate', '-o', 'yaml', '-n', 'mine', '-f', path);
    expect(yaml.out).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\n/);
    expect(yaml.out).toContain('  namespace: mine\n');
    expect(yaml.out).toContain('  progressDeadlineSeconds: 600\n');
    const json = await cox('validate', '-o', 'json', '-f', path);
    expect(JSON.parse(json.out)).toMatchObject({ spec: { revisionHistoryLimit: 10 } });
  });

  it('reports invalid arguments', async () => {
    expect(await cox('validate')).toMatchObject({
      status: 1,
      err: `error: required flag(s) "filename" not set\nSee 'cox validate --help' for usage.\n`,
    });
    expect(await cox('validate', '-f', join(folder, 'none.yaml'))).toMatchObject({
      status: 1,
      err: `error: ${join(folder, 'none.yaml')}: no such file or directory\n`,
    });
    expect(await cox('validate', '-o', 'xml', '-f', 'x')).toMatchObject({
      status: 1,
      err: expect.stringContaining('allowed formats are: json,yaml'),
    });
  });
});

describe('cox validate with custom kinds', () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {oars: {type: integer, minimum: 1}, sails: {type: integer, default: 2}}
            x-kubernetes-validations: [{rule: 'self.oars != 13', message: 'bad luck'}]
`;
  const boat = (name: string, spec: string) =>
    `apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

  it('uses their definitions, in any order', async () => {
    const [crd, cr] = [file('crd.yaml', definition), file('boat.yaml', boat('a', '{oars: 2}'))];
    const out = {
      boat: 'boat.example.com/a is valid\n',
      crd: 'customresourcedefinition.apiextensions.k8s.io/boats.example.com is valid\n',
    };
    expect(await cox('validate', '-f', cr, '-f', crd)).toEqual({ status: 0, out: out.boat + out.crd, err: '' });
    expect(await cox('validate', '-f', `${crd},${cr}`)).toEqual({ status: 0, out: out.crd + out.boat, err: '' });
    const list = file(
      'list.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [parseYaml(boat('a', '{oars: 2}')).value, parseYaml(definition).value],
      }),
    );
    expect(await cox('validate', list)).toEqual({ status: 0, out: out.boat + out.crd, err: '' });
  });

  it('reports violations of schemas and rules, each with its file', async () => {
    const crd = file('crd.yaml', definition);
    const bad = file(
      'bad.yaml',
      [boat('zero', '{oars: 0}'), boat('luck', '{oars: 13}'), boat('more', '{oars: 1, keel: 1}')].join('---\n'),
    );
    expect(await cox('validate', '-f', bad, '-f', crd)).toMatchObject({
      status: 1,
      err: [
        `${bad}: Boat.example.com "zero" is invalid: spec.oars: Invalid value: 0: spec.oars in body should be greater than or equal to 1`,
        `${bad}: Boat.example.com "luck" is invalid: spec: Invalid value: bad luck`,
        `${bad}: Boat in version "v1" cannot be handled as a Boat: strict decoding error: unknown field "spec.keel"`,
        '',
      ].join('\n'),
    });
  });

  it('prints them with their defaults', async () => {
    const path = file('both.yaml', `${definition}---\n${boat('a', '{oars: 2}')}`);
    const { out } = await cox('validate', '-o', 'json', '-n', 'mine', '-f', path);
    const { items } = JSON.parse(out);
    expect(items[1]).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Boat',
      metadata: { name: 'a', namespace: 'mine', generation: 1 },
      spec: { oars: 2, sails: 2 },
    });
  });

  it('reports an invalid definition, and its kind as unknown', async () => {
    const crd = file('wrong-crd.yaml', definition.replace('boats.example.com', 'ships.example.com'));
    const { status, err } = await cox('validate', '-f', crd, '-f', file('boat.yaml', boat('a', '{oars: 2}')));
    expect(status).toBe(1);
    expect(err).toContain(
      `${crd}: CustomResourceDefinition.apiextensions.k8s.io "ships.example.com" is invalid: metadata.name: Invalid value`,
    );
    expect(err).toContain('no kind "Boat" is registered for version "example.com/v1"');
  });
});

describe('cox version', () => {
  it.each([['--version'], ['version', '--client'], ['version', '--client', '-o', 'yaml']])('%s %s', async (...args) => {
    const { status, out } = await cox(...args);
    expect(status).toBe(0);
    for (const version of ['v0.0.0', 'v1.36.4']) expect(out).toContain(version);
  });

  it('has the fields of kubectl version', async () => {
    const { out } = await cox('version', '--client', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      clientVersion: { gitVersion: 'v1.36.4', major: '1', minor: '36' },
      coxswainVersion: 'v0.0.0',
    });
    expect(await cox('version', '-o', 'xml')).toEqual({
      status: 1,
      out: '',
      err: "error: --output must be 'yaml' or 'json'\nSee 'cox version --help' for usage.\n",
    });
  });
});

describe('the command line of cox', () => {
  it('lists all commands, each with its usage', async () => {
    const { out } = await cox('--help');
    const names = [...out.matchAll(/^ {2}([a-z-]+) {3,}\S/gm)].map(([, name]) => name!);
    expect(names).toEqual(expect.arrayContaining(['up', 'clusters', 'apiserver', 'validate', 'completion', 'version']));
    for (const name of names) {
      const help = await cox(name, '--help');
      expect(help).toMatchObject({ status: 0, err: '' });
      expect(help.out).toContain(`cox ${name}`);
    }
  });

  it('suggests a command for a misspelt one', async () => {
    expect(await cox('stat')).toEqual({
      status: 1,
      out: '',
      err: 'error: unknown command "stat" for "cox"\n\nDid you mean this?\n\tstatus\n',
    });
  });

  it.each<[string[], string]>([
    [['explain', 'deploy'], 'deployments\n'],
    [['api-resources', '--api-group=a'], 'admissionregistration.k8s.io\n'],
    [['apiserver', '--secure'], '--secure-port\tPort to listen on'],
    [['controller-manager', '--kube-api-q'], '--kube-api-qps\t'],
    [['scheduler', '--write'], '--write-config-to\t'],
    [['up', '--audit-pol'], '--audit-policy-file\t'],
    [['up', '--cors'], '--cors-allowed-origins\t'],
  ])('completes %j', async (line, out) => {
    expect((await cox('__complete', ...line)).out).toContain(out);
  });
});

describe('cox generate types', () => {
  const crd = fileURLToPath(new URL('../../../examples/manifests/crontab-crd.yaml', import.meta.url));

  it('prints the types of a definition', async () => {
    const { status, out, err } = await cox('generate', 'types', crd);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('export interface CronTab');
    expect(out).toContain('cronSpec: string;');
  });

  it('writes a file for each definition', async () => {
    const directory = join(folder, 'types');
    const path = join(directory, 'crontabs.stable.example.com.ts');
    expect(await cox('generate', 'types', crd, '-o', directory)).toEqual({ status: 0, out: `${path}\n`, err: '' });
    expect(readFileSync(path, 'utf8')).toContain('export interface CronTab');
  });

  it('reports a file without a definition', async () => {
    const path = file('other.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n');
    expect(await cox('generate', 'types', path)).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^error: \/.*other\.yaml: .*CustomResourceDefinition/),
    });
  });
});

describe('cox explain', () => {
  it('prints a field as kubectl does', async () => {
    const { out } = await cox('explain', 'pods.spec.restartPolicy');
    expect(out).toMatch(
      /^KIND: {7}Pod\nVERSION: {4}v1\n\nFIELD: restartPolicy <string>\nENUM:\n {4}Always\n {4}Never\n {4}OnFailure\n\nDESCRIPTION:\n {4}Restart policy/,
    );
    expect(out.split('\n').every((line) => line.length <= 80 || !line.trim().includes(' '))).toBe(true);
  });

  it('accepts short names, groups and versions', async () => {
    expect((await cox('explain', 'hpa')).out).toContain('VERSION:    v2\n');
    expect((await cox('explain', 'hpa.spec', '--api-version', 'autoscaling/v1')).out).toContain(
      'targetCPUUtilizationPercentage',
    );
    expect((await cox('explain', 'deploy.spec.selector')).out).toContain('FIELD: selector <LabelSelector> -required-');
  });

  it('reports unknown resources and fields', async () => {
    expect(await cox('explain', 'boats')).toMatchObject({
      status: 1,
      err: 'error: the server doesn\'t have a resource type "boats"\n',
    });
    expect(await cox('explain', 'pod.spec.sails')).toMatchObject({
      status: 1,
      err: 'error: field "sails" does not exist\n',
    });
  });
});

describe('cox api-resources', () => {
  it('lists each resource once, in its preferred version', async () => {
    const { out } = await cox('api-resources');
    expect(out).toContain('horizontalpodautoscalers            hpa          autoscaling/v2 ');
    expect(out).not.toContain('autoscaling/v1 ');
    expect(out).not.toMatch(/alpha|v\dbeta/);
  });

  it('lists versions that are off with --all, and can filter them', async () => {
    expect((await cox('api-resources', '--all')).out).toContain('resource.k8s.io/v1beta1');
    const cluster = (await cox('api-resources', '--api-group', '', '--namespaced=false')).out;
    expect(
      cluster
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/\s+/)[0]),
    ).toEqual(['componentstatuses', 'namespaces', 'nodes', 'persistentvolumes']);
  });
});
