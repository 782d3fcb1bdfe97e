import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, Package } from '@arethetypeswrong/core';
import type { ObjectMeta } from '@coxswain/apimachinery/meta';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, it } from 'vitest';

/* Checks the published packages with publint and arethetypeswrong. */
const packages = join(import.meta.dirname, '..', 'packages');

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Published {
  readonly manifest: Manifest;
  /** The contents by path in the package. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Returns the package as it would be published. */
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

  it('has no problems according to publint', async () => {
    const { files } = published;
    const { messages, pkg } = await publint({
      pkgDir: '/package',
      level: 'warning',
      pack: { files: [...files].map(([path, data]) => ({ name: `/package/${path}`, data })) },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('does not contain tests', () => {
    expect([...published.files.keys()].filter((path) => /\.test(-data)?\./.test(path))).toEqual([]);
  });

  it('has types that every module resolution finds', async () => {
    const { manifest, files } = published;
    const inModules = Object.fromEntries(
      [...files].map(([path, data]) => [`/node_modules/${manifest.name}/${path}`, new Uint8Array(data)]),
    );
    const result = await checkPackage(new Package(inModules, manifest.name, manifest.version));
    if (!result.types) throw new Error('the package has no types');
    // Only ES modules (no require) and `exports` (no path resolution): Node 20 and all bundlers support both.
    const problems = result.problems.filter(
      (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  });
});

/** Runs a program with the built packages instead of the sources. */
function run(program: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(packages, 'testkit'),
    encoding: 'utf8',
    timeout: 50_000,
    maxBuffer: 1 << 26,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  return { status, stdout, stderr };
}

it.each([
  ['apimachinery', 'bundle', ['yaml']],
  ['testkit', 'kept', ['@noble/ciphers', 'ws']],
  ['cli', 'bundle', ['@noble/ciphers', 'smol-toml', 'ws', 'yaml']],
])('%s contains the licenses of bundled packages', (name, folder, joined) => {
  const { files } = publish(name);
  const licenses = String(files.get(`dist/${folder}/THIRD-PARTY-LICENSES.txt`));
  expect([...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, joined]) => joined)).toEqual(joined);
  expect(licenses.match(/^Copyright/gim)?.length).toBeGreaterThanOrEqual(joined.length);
});

it('built packages work together: a program starts a cluster, and a pod runs in it', () => {
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

it('importing the built client loads neither the WebSocket library nor an HTTP server', () => {
  const program = `
    import { createRequire } from 'node:module';
    await import('@coxswain/client');
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => /node_modules.ws./.test(path));
    console.log(loaded.length, process.moduleLoadList.includes('NativeModule _http_server'));`;
  expect(run(program)).toEqual({ status: 0, stdout: '0 false\n', stderr: '' });
});

it('a built cluster uses the same classes that a test can import, although it is loaded from scripts', () => {
  const program = `
    import { ApiError } from '@coxswain/apimachinery';
    import { ClientSet, RESTClient } from '@coxswain/client';
    import { startCluster } from '@coxswain/testkit';
    const cluster = await startCluster({ nodes: 0, ready: false });
    const error = await cluster.clients.core.v1.pods('default').get('none').catch((error) => error);
    console.log(error instanceof ApiError, cluster.rest instanceof RESTClient, cluster.clients instanceof ClientSet);
    await cluster.stop();`;
  expect(run(program)).toEqual({ status: 0, stdout: 'true true true\n', stderr: '' });
});

it('a built cluster works in a separate V8 context, as jest and vitest create them', () => {
  const directory = mkdtempSync(join(packages, 'testkit', 'dist', 'in-context-'));
  try {
    writeFileSync(
      join(directory, 'cluster.test.js'),
      `import { startCluster } from '@coxswain/testkit';
      import { expect, it } from 'vitest';
      it('is of this context', async () => {
        const cluster = await startCluster({ nodes: 0, ready: false });
        expect((await cluster.clients.core.v1.namespaces().get('default')).metadata).toBeInstanceOf(Object);
        await cluster.stop();
        const refused = startCluster({ apiServer: { serviceClusterIpRange: ['none'] } });
        expect(await refused.catch((error) => error)).toBeInstanceOf(Error);
      });`,
    );
    const config = `export default { test: { include: ['**/*.test.js'], server: { deps: { external: [/dist/] } } } };`;
    writeFileSync(join(directory, 'vitest.config.js'), config);
    const vitest = join(packages, '..', 'node_modules', 'vitest', 'vitest.mjs');
    const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--pool=vmThreads'], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 50_000,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' },
    });
    expect(stdout).toContain('1 passed');
    expect(status).toBe(0);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('the initial objects of a built cluster equal those that a cluster creates, with its own times and UIDs', () => {
  const program = `
    import { startCluster } from '@coxswain/testkit';
    const texts = ({ store }) => store.entries.map(({ record, value }) => [record.key, new TextDecoder().decode(value)]);
    const stateOf = async (options) => {
      const cluster = await startCluster({ now: '2031-02-03T04:05:06Z', clock: 'frozen', ...options });
      const atStart = texts(cluster.snapshot());
      await cluster.settle();
      const settled = texts(cluster.snapshot());
      await cluster.stop();
      return { atStart, settled };
    };
    // With other options for the API server there are no initial objects.
    console.log(JSON.stringify([await stateOf(), await stateOf(), await stateOf({ apiServer: {} })]));`;
  const { status, stdout, stderr } = run(program);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [built, again, made] = JSON.parse(stdout) as [State, State, State];
  expect(objectsOf(built.settled)).toEqual(objectsOf(made.settled));
  const uids = [built, again, made].flatMap(({ settled }) => uidsOf(settled));
  expect(new Set(uids).size).toBe(uids.length);
  // Otherwise the garbage collector would delete objects with an owner.
  expect(ownersOf(built.atStart)).toHaveLength(2);
  expect(uidsOf(built.atStart)).toEqual(expect.arrayContaining(ownersOf(built.atStart)));
  // Nodes that are not initial objects register, which causes Events.
  const ofNode = ({ atStart }: State): string[] =>
    atStart.map(([key]) => key).filter((key) => /^\/registry\/(minions|events\/default)\/hollow-1/.test(key));
  expect(ofNode(built)).toEqual(['/registry/minions/hollow-1']);
  expect(ofNode(made).length).toBeGreaterThan(1);
});

/** All writes to a store, in order. */
type Texts = readonly (readonly [key: string, text: string])[];

/** The writes when the cluster is ready, and when it has no work left. */
interface State {
  readonly atStart: Texts;
  readonly settled: Texts;
}

/** Returns the newest text of each key, except for Events, and for leases of servers, which have random names. */
const newest = (texts: Texts): Map<string, string> =>
  new Map(texts.filter(([key]) => !/^\/registry\/(events|leases\/kube-system)\//.test(key)));

const metadataOf = (texts: Texts): ObjectMeta[] =>
  Array.from(newest(texts).values(), (text) => (JSON.parse(text) as { metadata: ObjectMeta }).metadata);

const uidsOf = (texts: Texts): string[] => metadataOf(texts).flatMap(({ uid }) => uid ?? []);

const ownersOf = (texts: Texts): string[] =>
  metadataOf(texts).flatMap(({ ownerReferences = [] }) => ownerReferences.map(({ uid }) => uid));

/** Returns the objects by key, without the parts specific to a cluster: times within its first minute, UIDs and certificates. */
function objectsOf(texts: Texts): Record<string, unknown> {
  const alike = (text: string): string =>
    text
      .replace(/2031-02-03T04:05:\d\d(\.\d+)?/g, 'now')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uid')
      .replace(/-----BEGIN.*?END CERTIFICATE-----/g, 'certificate');
  const objects = Array.from(newest(texts), ([key, text]) => {
    const object = JSON.parse(alike(text)) as { metadata: { managedFields?: unknown } };
    // A kubelet whose node exists only writes its status.
    if (key.startsWith('/registry/minions/')) delete object.metadata.managedFields;
    return [key, object];
  });
  return Object.fromEntries(objects);
}
