import type { Pod } from '@coxswain/api/core/v1';
import { quote, semanticEqual } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { knownNode, nodeOfChangedPod } from '../pod/changed-pod.ts';

/** Features that an update of a pod requires from its node, with the condition. */
const neededFor: readonly (readonly [feature: string, needs: (pod: Pod, old: Pod) => boolean])[] = [
  ['InPlacePodLevelResourcesVerticalScaling', (pod, old) => !semanticEqual(pod.spec?.resources, old.spec?.resources)],
  [
    'InPlacePodVerticalScalingInitContainers',
    (pod, old) =>
      (old.spec?.initContainers ?? []).some(
        ({ restartPolicy, resources }, i) =>
          restartPolicy !== 'Always' && !semanticEqual(resources ?? {}, pod.spec?.initContainers?.[i]?.resources ?? {}),
      ),
  ],
];

/** Rejects updates of running pods that their node does not support. */
export const nodeDeclaredFeatureValidator = ({
  listers,
  features,
}: Pick<AdmissionContext, 'listers' | 'features'>): AdmissionPlugin => ({
  name: 'NodeDeclaredFeatureValidator',
  operations: ['UPDATE'],
  resources: features.enabled('NodeDeclaredFeatures') ? ['pods', 'pods/resize'] : [],
  async validate(attributes) {
    const [pod, old] = [attributes.object as Pod, attributes.oldObject as Pod];
    const nodeName = nodeOfChangedPod(attributes);
    if (nodeName === undefined) return;
    const needed = neededFor.filter(([, needs]) => needs(pod, old)).map(([feature]) => feature);
    if (needed.length === 0) return;
    const { status } = await knownNode(attributes, { listers }, nodeName);
    const missing = needed.filter((feature) => !status?.declaredFeatures?.includes(feature));
    if (missing.length > 0)
      throw admissionForbidden(
        attributes,
        `pod update requires features ${missing.join(', ')} which are not available on node ${quote(nodeName)}`,
      );
  },
});
