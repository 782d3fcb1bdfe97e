import type { Container, LifecycleHandler, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { podText } from '../pods/pod-events.ts';
import { messageOf } from '../runtime/start-error.ts';

/** What a container's status says of a hook that failed. */
export function hookFailure(
  { exec, httpGet, sleep }: LifecycleHandler,
  pod: Pod,
  container: Container,
  error: unknown,
): string {
  const failed = `for Container ${quote(container.name)} in Pod ${quote(podText(pod))} failed - error: ${messageOf(error)}`;
  if (exec) return `Exec lifecycle hook ([${(exec.command ?? []).join(' ')}]) ${failed}, message: ""`;
  if (httpGet) return `HTTP lifecycle hook (${httpGet.path ?? ''}) ${failed}`;
  return `Sleep lifecycle hook (${sleep?.seconds ?? 0}) ${failed}`;
}
