import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  it('accepts what the API server would', async () => {
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

  it('refuses with upstream’s words, and goes on with the next object', async () => {
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

  it('says what is wrong with its own arguments', async () => {
    expect(await cox('validate')).toMatchObject({
      status: 1,
      err: expect.stringContaining("required option '-f, --filename"),
    });
    expect(await cox('validate', '-f', join(folder, 'none.yaml'))).toMatchObject({
      status: 1,
      err: expect.stringContaining('no such file'),
    });
    expect(await cox('validate', '-o', 'xml', '-f', 'x')).toMatchObject({
      status: 1,
      err: expect.stringContaining('allowed formats are: json,yaml'),
    });
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

  it('writes a file for each', async () => {
    const directory = join(folder, 'types');
    const path = join(directory, 'crontabs.stable.example.com.ts');
    expect(await cox('generate', 'types', crd, '-o', directory)).toEqual({ status: 0, out: `${path}\n`, err: '' });
    expect(readFileSync(path, 'utf8')).toContain('export interface CronTab');
  });

  it('says what is wrong with its files', async () => {
    const path = file('other.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n');
    expect(await cox('generate', 'types', path)).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/CustomResourceDefinition/),
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

  it('knows short names, groups and versions', async () => {
    expect((await cox('explain', 'hpa')).out).toContain('VERSION:    v2\n');
    expect((await cox('explain', 'hpa.spec', '--api-version', 'autoscaling/v1')).out).toContain(
      'targetCPUUtilizationPercentage',
    );
    expect((await cox('explain', 'deploy.spec.selector')).out).toContain('FIELD: selector <LabelSelector> -required-');
  });

  it('refuses what is not there', async () => {
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

  it('lists versions that are off, and part of them, when asked', async () => {
    expect((await cox('api-resources', '--all')).out).toContain('resource.k8s.io/v1beta1');
    const cluster = (await cox('api-resources', '--api-group', '', '--namespaced', 'false')).out;
    expect(
      cluster
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/\s+/)[0]),
    ).toEqual(['componentstatuses', 'namespaces', 'nodes', 'persistentvolumes']);
  });
});
