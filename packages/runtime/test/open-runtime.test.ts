import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRuntime } from '@coxswain/cri';
import { describeRuntime } from '@coxswain/cri/contract';
import { busyboxFiles, busyboxImage, ociArchive } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuntime, type Runtime } from '../src/open-runtime.ts';
import { containerProblem } from '../src/scratch-runtime.test-data.ts';

const problem = await containerProblem();
if (problem) console.warn(`the whole runtime is not tested: ${problem}`);

async function* piecesOf(archive: Buffer): AsyncGenerator<Buffer> {
  yield archive;
}

describe.skipIf(problem)('the runtime with its images and its network', () => {
  let directory: string;
  let runtime: Runtime;
  let endpoint: string;
  let server: Awaited<ReturnType<Runtime['listen']>>;
  const open = () =>
    openRuntime({
      root: join(directory, 'root'),
      state: join(directory, 'state'),
      version: '0.0.0-test',
      network: {
        configurationDirectory: join(directory, 'net.d'),
        podCIDR: '10.213.17.0/24',
        clusterCIDR: '10.213.0.0/16',
        name: 'coxrttest',
        bridge: 'coxrttest0',
      },
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-rt-'));
    runtime = await open();
    const files = await busyboxFiles();
    await runtime.images.store.load(piecesOf(ociArchive({ name: busyboxImage, files, command: ['/bin/sh'] })));
    endpoint = `unix://${directory}/cri.sock`;
    server = await runtime.listen(endpoint);
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    await runtime?.network.removeEverything();
    await runtime?.close();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  it('has its directories for itself', async () => {
    await expect(open()).rejects.toThrow('another runtime uses');
  }, 20_000);

  const under = async (cri: ReturnType<Runtime['inProcess']>) => ({
    ...cri,
    image: busyboxImage,
    directory: await mkdtemp(join(directory, 'logs-')),
    async until(condition: () => Promise<boolean>) {
      for (let tries = 0; tries < 200; tries++) {
        if (await condition()) return;
        await delay(50);
      }
      throw new Error('the condition does not hold after ten seconds');
    },
  });
  const traits = { runs: true, hasEvents: true };
  describeRuntime('in this process', { describe, it }, traits, async () => await under(runtime.inProcess()));
  describeRuntime('on a socket', { describe, it }, traits, async () => await under(await connectRuntime(endpoint)));
});
