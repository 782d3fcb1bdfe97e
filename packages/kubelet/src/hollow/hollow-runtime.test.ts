import { FakeClock } from '@coxswain/client';
import { describeRuntime } from '@coxswain/cri/contract';
import { describe, it } from 'vitest';
import { HollowRuntime } from './hollow-runtime.ts';

describeRuntime('HollowRuntime', { describe, it }, { runs: false, hasEvents: true }, async () => {
  const clock = new FakeClock();
  const runtime = new HollowRuntime({ clock });
  return {
    ...runtime.services,
    image: 'registry.example/web:1',
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
