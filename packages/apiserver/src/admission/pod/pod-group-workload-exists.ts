import type { PodGroup, Workload } from '@coxswain/api/scheduling/v1alpha2';
import { quote } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { findObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** A PodGroup from a workload's template must reference an existing workload and template. */
export const podGroupWorkloadExists = (
  context: Pick<AdmissionContext, 'listers' | 'client' | 'features'>,
): AdmissionPlugin => ({
  name: 'PodGroupWorkloadExists',
  operations: ['CREATE'],
  resources: context.features.enabled('GenericWorkload') ? ['podgroups.scheduling.k8s.io'] : [],
  async validate(attributes) {
    const reference = (attributes.object as PodGroup).spec.podGroupTemplateRef?.workload;
    if (!reference) return;
    const { workloadName, podGroupTemplateName } = reference;
    const { namespace } = attributes;
    const refuse = (why: string): never => {
      throw admissionForbidden(attributes, `PodGroup rejected: ${why}`);
    };
    const workload = await findObject<Workload>(context, 'scheduling.k8s.io', 'workloads', namespace, workloadName);
    if (!workload) return refuse(`Workload ${quote(workloadName)} not found`);
    if (workload.metadata.deletionTimestamp) refuse(`Workload ${quote(workloadName)} is being deleted`);
    if (!workload.spec.podGroupTemplates.some(({ name }) => name === podGroupTemplateName))
      refuse(`PodGroupTemplate ${quote(podGroupTemplateName)} not found in Workload ${quote(workloadName)}`);
  },
});
