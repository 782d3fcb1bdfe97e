import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeRuntime } from '../src/contract/index.ts';
import { connectRuntime } from '../src/services.ts';
import {
  busyboxImage,
  type Containerd,
  containerdHasEvents,
  containerdProblem,
  startContainerd,
} from '../src/testing/index.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of a real containerd. ${problem}`);
// Another containerd is tested by the variable CONTAINERD.
const hasEvents = !problem && (await containerdHasEvents());

describe.skipIf(problem)('with a real containerd', () => {
  let containerd: Containerd;
  let logs: string;
  beforeAll(async () => {
    logs = await mkdtemp(join(tmpdir(), 'cox-logs-'));
    const directory = await mkdtemp(join(tmpdir(), 'cox-containerd-'));
    containerd = await startContainerd({ directory, podCIDR: '10.213.1.0/24' });
  });
  afterAll(async () => {
    await containerd?.close();
    if (logs) await rm(logs, { recursive: true, force: true });
  });

  describeRuntime('containerd', { describe, it }, { runs: true, hasEvents }, async () => ({
    ...(await connectRuntime(containerd.endpoint)),
    image: busyboxImage,
    directory: await mkdtemp(join(logs, 'test-')),
    async until(condition) {
      for (let tries = 0; tries < 200; tries++) {
        if (await condition()) return;
        await delay(50);
      }
      throw new Error('the condition does not hold after ten seconds');
    },
  }));
});
