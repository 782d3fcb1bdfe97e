import type { Container, LifecycleHandler, Pod } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { podText } from '../pods/pod-events.ts';

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
