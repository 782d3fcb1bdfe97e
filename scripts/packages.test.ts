import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, Package } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, it } from 'vitest';

/* What people install, judged by the tools that people judge packages with. */
const packages = join(import.meta.dirname, '..', 'packages');

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Published {
  readonly manifest: Manifest;
  /** Path inside the package → content. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** The package as it would be published. */
function publish(name: string): Published {
  const root = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, stdio: 'pipe' });
  const [packed] = JSON.parse(listed.toString()) as [{ files: { path: string }[] }];
  return { manifest, files: new Map(packed.files.map(({ path }) => [path, readFileSync(join(root, path))])) };
}

const published = readdirSync(packages).filter((name) => name !== 'cli');

describe.each(published)('%s as published', (name) => {
  let published: Published;
  beforeAll(() => {
    published = publish(name);
  });

  it('has nothing that publint finds wrong', async () => {
    const { files } = published;
    const { messages, pkg } = await publint({
      pkgDir: '/package',
      level: 'warning',
      pack: { files: [...files].map(([path, data]) => ({ name: `/package/${path}`, data })) },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('leaves its tests at home', () => {
    expect([...published.files.keys()].filter((path) => /\.test(-data)?\./.test(path))).toEqual([]);
  });

  it('has types that every way of resolving modules finds', async () => {
    const { manifest, files } = published;
    const inModules = Object.fromEntries(
      [...files].map(([path, data]) => [`/node_modules/${manifest.name}/${path}`, new Uint8Array(data)]),
    );
    const result = await checkPackage(new Package(inModules, manifest.name, manifest.version));
    if (!result.types) throw new Error('there are no types');
    // Only modules (no require) and `exports` (no guessing of paths): Node 20 and every bundler know both.
    const problems = result.problems.filter(
      (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  });
});

/** Runs a program that has the packages as they were built, and not our sources. */
function run(program: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(packages, 'testkit'),
    encoding: 'utf8',
    timeout: 50_000,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  return { status, stdout, stderr };
}

it('as built they work together: a program starts a cluster, and a pod runs in it', () => {
  const program = `
    import { startCluster } from '@coxswain/testkit';
    const cluster = await startCluster();
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    await cluster.apply([{ apiVersion: 'v1', kind: 'Pod', ...pod }]);
    await cluster.until(async () => (await cluster.clients.core.v1.pods('default').get('web')).status.phase === 'Running');
    await cluster.stop();
    console.log('ran');`;
  expect(run(program)).toEqual({ status: 0, stdout: 'ran\n', stderr: '' });
});

it('as built, what every cluster has from the start is what a cluster makes, at its time and with UIDs of its own', () => {
  const program = `
    import { startCluster } from '@coxswain/testkit';
    const now = '2031-02-03T04:05:06Z';
    const objectsOf = async (options) => {
      const cluster = await startCluster({ now, clock: 'frozen', nodes: 0, ...options });
      await cluster.settle();
      const { core, rbac, flowcontrol, scheduling, storage, networking } = cluster.clients;
      const lists = [core.v1.namespaces(), core.v1.serviceAccounts(), rbac.v1.clusterRoles(), rbac.v1.clusterRoleBindings(), rbac.v1.roles(),
        rbac.v1.roleBindings(), flowcontrol.v1.flowSchemas(), flowcontrol.v1.priorityLevelConfigurations(), scheduling.v1.priorityClasses(), storage.v1.storageClasses(),
        core.v1.services(), networking.v1.serviceCIDRs(), networking.v1.ipAddresses()];
      const objects = [];
      const uids = [];
      for (const list of lists) for (const { metadata: { uid, resourceVersion, ...metadata }, ...rest } of (await list.list()).items) {
        uids.push(uid);
        objects.push({ metadata, ...rest });
      }
      await cluster.stop();
      return { objects, uids };
    };
    const [built, again, made] = [await objectsOf(), await objectsOf(), await objectsOf({ apiServer: {} })];
    const uids = [...built.uids, ...again.uids, ...made.uids];
    console.log(JSON.stringify({ built: built.objects, made: made.objects, count: uids.length, uids: new Set(uids).size }));`;
  const { status, stdout, stderr } = run(program);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { built, made, count, uids } = JSON.parse(stdout) as Record<string, unknown>;
  expect(built).toEqual(made);
  expect(uids).toBe(count);
});
