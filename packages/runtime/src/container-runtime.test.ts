import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRuntime, imageService, runtimeService } from '@coxswain/cri';
import { describeRuntime } from '@coxswain/cri/contract';
import { type GrpcServer, listen, serve } from '@coxswain/grpc';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { busyboxName, containerProblem, ScratchRuntime } from './scratch-runtime.test-data.ts';

const problem = await containerProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`containers are not tested: ${problem}`);

describe.skipIf(problem)('with runc and conmon', () => {
  let scratch: ScratchRuntime;
  let server: GrpcServer;
  let endpoint: string;
  beforeAll(async () => {
    scratch = await ScratchRuntime.start();
    endpoint = `unix://${scratch.directory}/cri.sock`;
    server = await listen(endpoint, [
      serve(runtimeService, scratch.handlers),
      serve(imageService, scratch.images.handlers),
    ]);
  });
  afterAll(async () => {
    await server?.close();
    await scratch?.close();
  });

  const under = async (cri: typeof scratch.cri) => ({
    ...cri,
    image: busyboxName,
    directory: await mkdtemp(join(scratch.directory, 'logs-')),
    async until(condition: () => Promise<boolean>) {
      for (let tries = 0; tries < 200; tries++) {
        if (await condition()) return;
        await delay(50);
      }
      throw new Error('the condition does not hold after ten seconds');
    },
  });
  const traits = { runs: true, hasEvents: true };
  describeRuntime('a runtime in this process', { describe, it }, traits, async () => await under(scratch.cri));
  describeRuntime(
    'a runtime on a socket',
    { describe, it },
    traits,
    async () => await under(await connectRuntime(endpoint)),
  );
});
