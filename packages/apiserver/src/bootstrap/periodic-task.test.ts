import { systemClock } from '@coxswain/apimachinery/clock';
import { recordLogs, silentLogger } from '@coxswain/apimachinery/log';
import { describe, expect, it } from 'vitest';
import { startPeriodicTask } from './periodic-task.ts';

describe('a periodic task', () => {
  it('is retried until it succeeds, then runs periodically, one run at a time, until it is stopped', async () => {
    const abort = new AbortController();
    const { logger, lines: reports } = recordLogs();
    let runs = 0;
    let running = 0;
    let isSettled = false;
    await new Promise<void>((resolve) => {
      const task = async (): Promise<void> => {
        expect(++running).toBe(1);
        await new Promise(setImmediate);
        running--;
        runs++;
        if (runs === 1 || runs === 3) throw new Error(`run ${runs}`);
        if (runs > 1 && runs < 5) return;
        abort.abort();
        resolve();
      };
      void startPeriodicTask(task, {
        failure: 'no luck',
        intervalMs: 1,
        clock: systemClock,
        signal: abort.signal,
        logger,
      }).then(() => {
        isSettled = true;
        expect(runs).toBe(2);
      });
    });
    await new Promise(setImmediate);
    expect([isSettled, reports]).toEqual([true, ['error "no luck" err="run 1"', 'error "no luck" err="run 3"']]);
    expect(runs).toBe(5);
  });

  it('does not run when the signal is already aborted', async () => {
    let runs = 0;
    const task = async (): Promise<void> => {
      runs++;
    };
    await startPeriodicTask(task, {
      failure: '',
      intervalMs: 1,
      clock: systemClock,
      signal: AbortSignal.abort(),
      logger: silentLogger,
    });
    expect(runs).toBe(0);
  });
});
