import type { Container, Pod } from '@coxswain/api/core/v1';
import { podText } from '../pods/pod-events.ts';

/**
 * Throws what the container's status waits for when it is to run as root and must not.
 *
 * Differs from upstream: where the pod does not name a user it is the image's, which is taken to be another than root, since
 * nobody has looked into the image.
 */
export function verifyRunAsNonRoot(pod: Pod, { name, securityContext }: Container): void {
  const { runAsNonRoot, runAsUser } = { ...pod.spec?.securityContext, ...securityContext };
  if (!runAsNonRoot || runAsUser === undefined || Number(runAsUser) !== 0) return;
  throw new Error(`container's runAsUser breaks non-root policy (pod: "${podText(pod)}", container: ${name})`);
}
