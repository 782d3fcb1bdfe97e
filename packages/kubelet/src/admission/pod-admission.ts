import type { Container, Node, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { isStaticPod } from '../static-pods/read-static-pods.ts';
import { appArmorRejection } from './app-armor.ts';
import { isCriticalPod, podsToPreempt } from './preemption.ts';
import type { Rejection } from './rejection.ts';
import { rejectionForShortage, shortagesOf } from './shortage.ts';
import { SysctlAllowlist } from './sysctls.ts';

/** Whether the node admits a pod. */
export interface Admission {
  /** Undefined if the pod is admitted. */
  readonly rejection: Rejection | undefined;
  /** If not empty, the pod is admitted once these pods have been terminated, and `rejection` is the reason for that. */
  readonly victims: readonly Pod[];
}

const admitted: Admission = { rejection: undefined, victims: [] };

/** Decides which pods a node admits. The scheduler's view may be outdated, and pods can be bound without it. */
export class PodAdmission {
  readonly #settings: Pick<RuntimeSettings, 'allowedUnsafeSysctls' | 'appArmorProblem'>;
  readonly #sysctls: SysctlAllowlist;

  /** Throws if the allowed sysctls are invalid. */
  constructor(settings: Pick<RuntimeSettings, 'allowedUnsafeSysctls' | 'appArmorProblem'>) {
    this.#settings = settings;
    this.#sysctls = new SysctlAllowlist(settings.allowedUnsafeSysctls);
  }

  /** `others` are the pods that the node has already, with what is allocated to them. */
  admit(pod: Pod, node: Node, others: readonly Pod[]): Admission {
    const early = this.#sysctls.rejectionOf(pod) ?? osRejection(pod, node) ?? groupsRejection(pod, node);
    if (early) return { rejection: early, victims: [] };
    const general = generalAdmission(pod, node, others);
    if (general.rejection && general.victims.length === 0) return general;
    const late = appArmorRejection(pod, this.#settings.appArmorProblem) ?? featuresRejection(pod, node);
    return late ? { rejection: late, victims: [] } : general;
  }
}

const osOf = ({ metadata }: Node): string => metadata.labels?.['kubernetes.io/os'] ?? 'linux';

function osRejection({ metadata, spec }: Pod, node: Node): Rejection | undefined {
  const label = metadata.labels?.['kubernetes.io/os'];
  if (label !== undefined && label !== osOf(node)) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  if (spec?.os && spec.os.name !== osOf(node)) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  return undefined;
}

function groupsRejection({ spec }: Pod, { status }: Node): Rejection | undefined {
  const isStrict = spec?.securityContext?.supplementalGroupsPolicy === 'Strict';
  if (!isStrict || status?.features?.supplementalGroupsPolicy) return undefined;
  const message = 'SupplementalGroupsPolicy=Strict is not supported in this node';
  return { reason: 'SupplementalGroupsPolicyNotSupported', message };
}

/** Pods are preempted only for resources, and only if nothing else prevents the admission. */
function generalAdmission(pod: Pod, node: Node, others: readonly Pod[]): Admission {
  const shortages = shortagesOf(pod, node, others);
  const [shortage] = shortages;
  const other = affinityRejection(pod, node) ?? portRejection(pod, others) ?? taintRejection(pod, node);
  if (!shortage) return other ? { rejection: other, victims: [] } : admitted;
  const rejection = rejectionForShortage(shortage);
  if (!isCriticalPod(pod)) return { rejection, victims: [] };
  if (other) return { rejection: other, victims: [] };
  try {
    return { rejection, victims: podsToPreempt(pod, others, shortages) };
  } catch (error) {
    const why = `preemption: error finding a set of pods to preempt: ${messageOf(error)}`;
    const message = `Unexpected error while attempting to recover from admission failure: ${why}`;
    return { rejection: { reason: 'UnexpectedAdmissionError', message }, victims: [] };
  }
}

function affinityRejection(pod: Pod, node: Node): Rejection | undefined {
  if (!pod.spec || requiredNodeAffinity(pod.spec)(node)) return undefined;
  return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function portRejection(pod: Pod, others: readonly Pod[]): Rejection | undefined {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return undefined;
  const clashes = others.flatMap(hostPorts).some((taken) => wanted.some((port) => overlaps(port, taken)));
  return clashes ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports") : undefined;
}

function taintRejection(pod: Pod, node: Node): Rejection | undefined {
  if (isStaticPod(pod)) return undefined;
  const taint = untoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations, ['NoExecute']);
  return taint && predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

/** Features that pods require from their node, with the condition. */
const neededFeatures: readonly (readonly [feature: string, isNeeded: (pod: Pod) => boolean])[] = [
  [
    'RestartAllContainersOnContainerExits',
    ({ spec }) =>
      [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ restartPolicyRules }) =>
        restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
      ),
  ],
  ['UserNamespacesHostNetworkSupport', ({ spec }) => spec?.hostNetwork === true && spec.hostUsers === false],
];

function featuresRejection(pod: Pod, { status }: Node): Rejection | undefined {
  const declared = status?.declaredFeatures ?? [];
  const missing = neededFeatures.flatMap(([feature, isNeeded]) =>
    isNeeded(pod) && !declared.includes(feature) ? [feature] : [],
  );
  if (missing.length === 0) return undefined;
  const message = `Pod requires node features that are not available: ${missing.join(', ')}`;
  return { reason: 'PodFeatureUnsupported', message };
}

const predicate = (name: string, why: string): Rejection => ({
  reason: name,
  message: `Predicate ${name} failed: ${why}`,
});

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

function hostPorts({ spec }: Pod): HostPort[] {
  const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)].flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostIP, protocol = 'TCP', hostPort = 0 }) =>
      hostPort > 0 ? { ip: hostIP || '0.0.0.0', protocol, port: hostPort } : [],
    ),
  );
}

const overlaps = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
