import type { Job } from '@coxswain/api/batch/v1';
import type { PodGroup } from '@coxswain/api/scheduling/v1alpha2';
import { quote } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** The parallelism of a Job with a gang-scheduled PodGroup must not change. */
export function jobValidation({ listers, features }: Pick<AdmissionContext, 'listers' | 'features'>): AdmissionPlugin {
  const groupsOf = async ({ metadata, spec }: Job): Promise<PodGroup[]> => {
    const groups = listers.lister<PodGroup>('scheduling.k8s.io', 'podgroups');
    await groups.synced;
    const { namespace = '', uid } = metadata;
    const named = spec?.template.spec?.schedulingGroup?.podGroupName;
    if (named !== undefined) {
      const group = groups.get(namespace, named);
      return group ? [group] : [];
    }
    const isController = ({ metadata: { ownerReferences = [] } }: PodGroup): boolean =>
      ownerReferences.some((owner) => owner.controller && owner.uid === uid);
    return groups.list(namespace).filter(isController);
  };
  return {
    name: 'JobValidation',
    operations: ['UPDATE'],
    resources: features.enabled('GenericWorkload') ? ['jobs.batch'] : [],
    async validate(attributes) {
      const [job, old] = [attributes.object as Job, attributes.oldObject as Job];
      if (job.spec?.parallelism === old.spec?.parallelism) return;
      const gang = (await groupsOf(old)).find(({ spec }) => spec.schedulingPolicy.gang);
      if (gang)
        throw admissionForbidden(
          attributes,
          `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${quote(gang.metadata.name ?? '')}`,
        );
    },
  };
}
