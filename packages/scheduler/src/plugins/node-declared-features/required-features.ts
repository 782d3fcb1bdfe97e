import type { Container, Pod, PodSpec } from '@coxswain/api/core/v1';

/** The features that nodes have to declare, each with a predicate for the pods that use it. */
const features: readonly (readonly [name: string, isUsedBy: (spec: PodSpec) => boolean])[] = [
  [
    'RestartAllContainersOnContainerExits',
    ({ containers, initContainers }) => containers.some(restartsAll) || (initContainers?.some(restartsAll) ?? false),
  ],
  ['UserNamespacesHostNetworkSupport', ({ hostNetwork, hostUsers }) => !!hostNetwork && hostUsers === false],
];

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;

/** The names of the features that a node has to declare for the pod, sorted. */
export const requiredFeatures = ({ spec }: Pod): readonly string[] =>
  spec ? features.flatMap(([name, isUsedBy]) => (isUsedBy(spec) ? [name] : [])) : [];
