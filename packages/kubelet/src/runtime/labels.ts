import type { Container, Pod } from '@coxswain/api/core/v1';
import { containerHash } from './container-hash.ts';

/** Labels of sandboxes and containers, by which the kubelet finds those of a pod. The names are upstream's. */
export const podNameLabel = 'io.kubernetes.pod.name';
export const podNamespaceLabel = 'io.kubernetes.pod.namespace';
export const podUidLabel = 'io.kubernetes.pod.uid';
export const containerNameLabel = 'io.kubernetes.container.name';

/** Annotations of containers, from which a restarted kubelet reads how a container was created. The names are upstream's. */
export const containerHashAnnotation = 'io.kubernetes.container.hash';
export const restartCountAnnotation = 'io.kubernetes.container.restartCount';
export const terminationMessagePathAnnotation = 'io.kubernetes.container.terminationMessagePath';
export const terminationMessagePolicyAnnotation = 'io.kubernetes.container.terminationMessagePolicy';
const preStopHandlerAnnotation = 'io.kubernetes.container.preStopHandler';
const portsAnnotation = 'io.kubernetes.container.ports';
const deletionGracePeriodAnnotation = 'io.kubernetes.pod.deletionGracePeriod';
export const terminationGracePeriodAnnotation = 'io.kubernetes.pod.terminationGracePeriod';

type Strings = Readonly<Record<string, string>>;

const identityOf = ({ metadata: { name = '', namespace = '', uid = '' } }: Pod): Strings => ({
  [podNameLabel]: name,
  [podNamespaceLabel]: namespace,
  [podUidLabel]: uid,
});

export const sandboxLabels = (pod: Pod): Strings => ({ ...pod.metadata.labels, ...identityOf(pod) });

export const containerLabels = (pod: Pod, { name }: Container): Strings => ({
  ...identityOf(pod),
  [containerNameLabel]: name,
});

/** Returns the annotations of a container. `further` are those of the machine; the kubelet's own take precedence. */
export function containerAnnotations(
  pod: Pod,
  container: Container,
  restartCount: number,
  further: Strings = {},
): Strings {
  const { deletionGracePeriodSeconds } = pod.metadata;
  const { terminationGracePeriodSeconds } = pod.spec ?? {};
  const preStop = container.lifecycle?.preStop;
  return {
    ...further,
    [containerHashAnnotation]: containerHash(container),
    [restartCountAnnotation]: String(restartCount),
    [terminationMessagePathAnnotation]: container.terminationMessagePath ?? '',
    [terminationMessagePolicyAnnotation]: container.terminationMessagePolicy ?? '',
    ...(deletionGracePeriodSeconds !== undefined && {
      [deletionGracePeriodAnnotation]: String(deletionGracePeriodSeconds),
    }),
    ...(terminationGracePeriodSeconds !== undefined && {
      [terminationGracePeriodAnnotation]: String(terminationGracePeriodSeconds),
    }),
    ...(preStop && { [preStopHandlerAnnotation]: JSON.stringify(preStop) }),
    ...(container.ports?.length && { [portsAnnotation]: JSON.stringify(container.ports) }),
  };
}
