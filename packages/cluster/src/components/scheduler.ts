import { Scheduler, type SchedulerOptions } from '@coxswain/scheduler';
import type { Component } from '../component.ts';
import * as identities from '../identities.ts';

/** The scheduler's configuration with its profiles, and additional plug-ins. */
export type SchedulerSettings = Pick<SchedulerOptions, 'config' | 'plugins'>;

/** kube-scheduler. */
export const scheduler = (settings: SchedulerSettings = {}): Component => ({
  name: 'scheduler',
  userAgent: 'kube-scheduler',
  start({ clientAs, clock, random, eventLoop, logger, freezeCaches, signal }) {
    const rest = clientAs(identities.scheduler);
    const running = new Scheduler({ ...settings, rest, clock, random: random.number, eventLoop, logger, freezeCaches });
    return {
      ended: running.run(signal),
      get isIdle() {
        return running.isIdle;
      },
    };
  },
});
