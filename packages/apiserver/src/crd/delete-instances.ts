import { isNotFound } from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { Condition } from './conditions.ts';
import { terminating } from './terminating.ts';

/** How long to wait for finalizers before the deletion is repeated. */
const patienceMs = 60_000;
/** Number of concurrent deletions. */
const workers = 32;

export interface InstanceDeletion {
  readonly condition: Condition;
  /** Whether the deletion must be repeated. */
  readonly failed: boolean;
}

/** Deletes all objects and waits until they are gone. Returns the outcome; rejects only when the signal is aborted. */
export async function deleteInstances(
  registry: ResourceRegistry,
  clock: Clock,
  signal: AbortSignal,
): Promise<InstanceDeletion> {
  const failed = (reason: string, message: string): InstanceDeletion => ({
    condition: terminating('True', reason, message),
    failed: true,
  });
  try {
    await registry.ready();
  } catch (error) {
    return failed('InstanceDeletionFailed', `could not list instances: ${messageOf(error)}`);
  }
  const errors = await deleteAll(registry);
  if (errors.length > 0)
    return failed('InstanceDeletionFailed', `could not issue all deletes: ${[...new Set(errors)].join(', ')}`);
  if (!(await untilEmpty(registry, clock, signal))) {
    const message = 'could not confirm zero CustomResources remaining: context deadline exceeded';
    return failed('InstanceDeletionCheck', message);
  }
  return { condition: terminating('False', 'InstanceDeletionCompleted', 'removed all instances'), failed: false };
}

async function deleteAll(registry: ResourceRegistry): Promise<string[]> {
  const errors: string[] = [];
  const waiting = registry.cache.list(registry.keys.prefix).entries.values();
  const work = async (): Promise<void> => {
    for (const { value } of waiting) {
      const { namespace, name } = value;
      try {
        await registry.delete({ namespace, name, options: {}, dryRun: false });
      } catch (error) {
        if (!isNotFound(error)) errors.push(messageOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return errors;
}

/** Whether all objects were gone in time. */
function untilEmpty({ cache, keys }: ResourceRegistry, clock: Clock, signal: AbortSignal): Promise<boolean> {
  if (cache.count(keys.prefix) === 0) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const finish = (outcome: () => void): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      watch.stop();
      outcome();
    };
    const timer = clock.setTimeout(() => finish(() => resolve(false)), patienceMs, { background: true });
    const onAbort = (): void => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort);
    const watch = cache.watch(keys.prefix, cache.revision, {
      onEvents: () => {
        if (cache.count(keys.prefix) === 0) finish(() => resolve(true));
      },
      onEnd: () => finish(() => resolve(false)),
    });
  });
}
