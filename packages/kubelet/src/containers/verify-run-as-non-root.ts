import type { Container, Pod } from '@coxswain/api/core/v1';
import { podText } from '../pods/pod-events.ts';
import { effectiveSecurityContext, type ImageUser } from '../runtime/security-context.ts';

const largestUserId = 2 ** 31 - 1;

/** Throws if a container with `runAsNonRoot` would run as root, or if its user is unknown. */
export function verifyRunAsNonRoot(pod: Pod, container: Container, { uid, username }: ImageUser): void {
  const { runAsNonRoot, runAsUser } = effectiveSecurityContext(pod, container);
  if (!runAsNonRoot) return;
  const where = `(pod: "${podText(pod)}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (Number(runAsUser) === 0) throw new Error(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (uid === undefined && username) {
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${username}), cannot verify user is non-root ${where}`,
    );
  }
  if (uid === 0) throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  if (uid !== undefined && (uid < 0 || uid > largestUserId)) {
    throw new Error(
      `container has runAsNonRoot and image has an invalid user id (${uid}). (Must be 1-(${largestUserId})): must be between 0 and ${largestUserId}, inclusive ${where}`,
    );
  }
}
