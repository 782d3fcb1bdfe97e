import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Container } from '../model/index.ts';
import type { RuntimeContext } from './runtime-context.ts';

const waitMs = 10_000;

/** Lets a container's monitor open its log again by its name. Resolves when the new file exists. */
export async function reopenLog({ monitor, clock }: RuntimeContext, container: Container): Promise<void> {
  const { logPath } = container.description;
  if (!container.isRunning) throw new Error('container is not running');
  if (logPath === '') return;
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(dirname(logPath), (_, name) => {
      if (name === basename(logPath)) check();
    });
    const settle = (act: () => void): void => {
      timer.cancel();
      watcher.close();
      act();
    };
    const timer = clock.setTimeout(
      () => settle(() => reject(new Error(`the monitor did not open ${logPath}`))),
      waitMs,
    );
    const check = (): void => {
      stat(logPath).then(
        () => settle(resolve),
        () => {},
      );
    };
    watcher.on('error', (error) => settle(() => reject(error)));
    monitor.reopenLog(container.id).then(check, (error: unknown) => settle(() => reject(error)));
  });
}
