import type { Container, Pod } from '@coxswain/api/core/v1';
import { restartsAfter } from '../pods/restart-rules.ts';
import { latestContainer, type RuntimePod } from '../runtime/runtime-pod.ts';

/** Returns whether the container should be started: it was never started, or it has exited and its restart policy restarts it. */
export function shouldBeStarted(container: Container, pod: Pod, runtimePod: RuntimePod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  const latest = latestContainer(runtimePod, container.name);
  if (!latest || latest.state === 'Created') return true;
  return latest.state === 'Exited' && restartsAfter(container, pod.spec!, latest.exitCode);
}
