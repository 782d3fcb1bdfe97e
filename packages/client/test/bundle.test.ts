import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

/*
 * Bundles programs that use a part of the library: the bundle must contain only that part, and nothing of Node for a
 * browser.
 */

async function bundled(program: string, platform: 'browser' | 'node'): Promise<{ bytes: number; code: string }> {
  const bundle = await rolldown({
    input: 'program',
    platform,
    external: /^node:|^ws$/,
    resolve: { conditionNames: ['coxswain-source', ...(platform === 'browser' ? ['browser'] : []), 'import'] },
    plugins: [
      {
        name: 'program',
        resolveId: (id: string) => (id === 'program' ? join(import.meta.dirname, 'program.ts') : undefined),
        load: (id: string) => (id.endsWith('program.ts') ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  // The first chunk is loaded initially; the others contain dynamic imports.
  const everything = output.flatMap((file) => (file.type === 'chunk' ? [file.code] : []));
  return { bytes: everything[0]!.length, code: everything.join('\n') };
}

const restClient = `
  import { RESTClient } from '@coxswain/client';
  const rest = RESTClient.forConfig({ server: 'https://example' });
  console.log(await rest.request({ method: 'GET', path: '/version' }));`;
const informer = `
  import { RESTClient, ResourceClient, SharedIndexInformer } from '@coxswain/client';
  const rest = RESTClient.forConfig({ server: 'https://example' });
  const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
  await new SharedIndexInformer(new ResourceClient(rest, pods, 'default')).run(new AbortController().signal);`;
const oneGroup = `
  import { coreV1, RESTClient } from '@coxswain/client';
  console.log(await coreV1(RESTClient.forConfig({ server: 'https://example' })).pods('default').list());`;
const everyGroup = `
  import { ClientSet, RESTClient } from '@coxswain/client';
  console.log(await new ClientSet(RESTClient.forConfig({ server: 'https://example' })).apps.v1.deployments().list());`;
const queue = `
  import { WorkQueue } from '@coxswain/client';
  new WorkQueue().add('x');`;
const inProcess = `
  import { InProcessTransport } from '@coxswain/client/transport';
  const server = async () => ({ status: 200, headers: {} });
  await new InProcessTransport(server).openWebSocket({ url: '/', headers: {}, protocols: [] });`;

describe('a bundle for a browser', () => {
  it.each(Object.entries({ restClient, informer, oneGroup, everyGroup, queue, inProcess }))(
    'of %s does not need Node',
    async (_, program) => {
      const { code } = await bundled(program, 'browser');
      expect(code).not.toMatch(/node:|\bBuffer\b|\bprocess\./);
    },
  );
});

describe('a bundle', () => {
  const kB = 1000;
  it.each<[name: string, program: string, most: number]>([
    ['a work queue', queue, 8 * kB],
    ['a REST client', restClient, 60 * kB],
    ['an informer', informer, 75 * kB],
    ['one group', oneGroup, 70 * kB],
    ['every group', everyGroup, 85 * kB],
  ])('of %s contains only what it needs', async (_, program, most) => {
    const { bytes } = await bundled(program, 'browser');
    expect(bytes).toBeLessThan(most);
  });

  it('of an informer for Node loads slow modules only when a connection needs them', async () => {
    const { code } = await bundled(informer, 'node');
    expect(code).toMatch(/from ?["`']node:net["`']/);
    expect(code).not.toMatch(/(from|import) ?["`']node:(crypto|http|http2|https|tls|zlib)["`']/);
  });

  it('of a REST client contains no informers, queues and leader election', async () => {
    const { code } = await bundled(restClient, 'browser');
    expect(code).not.toMatch(/reflector_|workqueue_|leader_election_|statefulsets/);
  });
});
