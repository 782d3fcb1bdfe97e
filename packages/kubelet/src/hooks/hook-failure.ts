import type { Container, LifecycleHandler, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { podText } from '../pods/pod-events.ts';
import { HookCommandError } from './hook-runner.ts';

/** What a container's status says of a hook that failed. */
export function hookFailure(
  { exec, httpGet, sleep }: LifecycleHandler,
  pod: Pod,
  container: Container,
  error: unknown,
): string {
  const failed = `for Container ${quote(container.name)} in Pod ${quote(podText(pod))} failed - error: ${messageOf(error)}`;
  if (exec) {
    const output = error instanceof HookCommandError ? error.output : '';
    return `Exec lifecycle hook ([${(exec.command ?? []).join(' ')}]) ${failed}, message: ${quote(output)}`;
  }
  if (httpGet) return `HTTP lifecycle hook (${httpGet.path ?? ''}) ${failed}`;
  if (sleep) return `Sleep lifecycle hook (${sleep.seconds ?? 0}) ${failed}`;
  return `Cannot run handler: ${messageOf(error)}`;
}
