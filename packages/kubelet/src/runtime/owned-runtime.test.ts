import { FakeClock } from '@coxswain/client';
import { describeRuntime } from '@coxswain/cri/contract';
import { describe, expect, it } from 'vitest';
import { HollowRuntime } from '../hollow/hollow-runtime.ts';
import { ownedRuntime } from './owned-runtime.ts';

const image = 'registry.example/web:1';

describeRuntime('A runtime that is shared', { describe, it }, { runs: false, hasEvents: true }, async () => {
  const clock = new FakeClock();
  const runtime = new HollowRuntime({ clock });
  return {
    ...ownedRuntime(runtime.services, { owner: 'me' }),
    image,
    directory: '/nowhere',
    async until(condition) {
      for (let turns = 0; turns < 20; turns++) {
        if (await condition()) return;
        await clock.advance(100);
      }
      throw new Error('the condition does not hold after two seconds');
    },
    close: () => runtime.close(),
  };
});

it('shows each owner only its own containers, sandboxes, statistics and events', async () => {
  const runtime = new HollowRuntime({ clock: new FakeClock() });
  const [mine, yours] = ['me', 'you'].map((owner) => ownedRuntime(runtime.services, { owner }).runtime);
  const stop = new AbortController();
  const events = yours!.getContainerEvents({}, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = events.next();
  const run = async (service: typeof mine, uid: string): Promise<string> => {
    const config = { metadata: { name: 'p', namespace: 'n', uid, attempt: 0 } };
    const { podSandboxId } = await service!.runPodSandbox({ config });
    const container = { metadata: { name: 'c', attempt: 0 }, image: { image } };
    const { containerId } = await service!.createContainer({ podSandboxId, config: container, sandboxConfig: config });
    await service!.startContainer({ containerId });
    return containerId;
  };
  const [ofMe, ofYou] = [await run(mine, 'u1'), await run(yours, 'u2')];
  for (const [service, own, uid] of [
    [mine!, ofMe, 'u1'],
    [yours!, ofYou, 'u2'],
  ] as const) {
    expect((await service.listContainers({})).containers.map(({ id }) => id)).toEqual([own]);
    expect((await service.listPodSandbox({})).items.map(({ metadata }) => metadata?.uid)).toEqual([uid]);
    expect((await service.listContainerStats({})).stats.map(({ attributes }) => attributes?.id)).toEqual([own]);
  }
  expect((await first).value?.containerId).toBe(ofYou);
  stop.abort();
  runtime.close();
});
