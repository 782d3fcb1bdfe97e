import type { Pod } from '@coxswain/api/core/v1';
import type { PriorityClass } from '@coxswain/api/scheduling/v1';
import type { PodGroup } from '@coxswain/api/scheduling/v1alpha2';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** The fields that a priority class determines. */
interface Given {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: PriorityClass['preemptionPolicy'] | undefined;
}

const priorityOf = ({ value = 0 }: PriorityClass): number => value;

const withoutClass: Given = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

/** Sets the priority of pods from their class or the default class. At most one class may be the default. */
export function priority({ listers, features }: Pick<AdmissionContext, 'listers' | 'features'>): AdmissionPlugin {
  const classes = async () => {
    const lister = listers.lister<PriorityClass>('scheduling.k8s.io', 'priorityclasses');
    await lister.synced;
    return lister;
  };
  /** If there are several, the one with the lowest value. */
  const defaultClass = async (): Promise<PriorityClass | undefined> =>
    (await classes())
      .list()
      .filter(({ globalDefault }) => globalDefault)
      .reduce<PriorityClass | undefined>(
        (least, next) => (least && priorityOf(least) <= priorityOf(next) ? least : next),
        undefined,
      );

  const given = async (attributes: AdmissionAttributes, name: string | undefined): Promise<Given> => {
    const found = name ? (await classes()).get('', name) : await defaultClass();
    if (found)
      return { name: found.metadata.name ?? '', value: priorityOf(found), preemptionPolicy: found.preemptionPolicy };
    if (name) throw admissionForbidden(attributes, `no PriorityClass with name ${name} was found`);
    return withoutClass;
  };

  const admitPod = async (attributes: AdmissionAttributes, pod: Pod): Promise<void> => {
    const { spec } = pod;
    if (!spec) return;
    const { name, value, preemptionPolicy } = await given(attributes, spec.priorityClassName);
    if (spec.priority !== undefined && spec.priority !== value)
      throw admissionForbidden(
        attributes,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    if (preemptionPolicy && spec.preemptionPolicy && spec.preemptionPolicy !== preemptionPolicy)
      throw admissionForbidden(
        attributes,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    pod.spec = {
      ...spec,
      ...(name && { priorityClassName: name }),
      priority: value,
      ...(preemptionPolicy && { preemptionPolicy }),
    };
  };

  /** Keeps these fields when an update omits them, as clients that do not know them do. */
  const keepPod = (pod: Pod, old: Pod): void => {
    const { priority: value, preemptionPolicy } = old.spec ?? {};
    if (!pod.spec) return;
    const lost = {
      ...(pod.spec.priority === undefined && value !== undefined && { priority: value }),
      ...(pod.spec.preemptionPolicy === undefined && preemptionPolicy !== undefined && { preemptionPolicy }),
    };
    if (Object.keys(lost).length > 0) pod.spec = { ...pod.spec, ...lost };
  };

  const admitPodGroup = async (attributes: AdmissionAttributes, group: PodGroup): Promise<void> => {
    if (!features.enabled('WorkloadAwarePreemption')) return;
    const { name, value } = await given(attributes, group.spec?.priorityClassName);
    const own = group.spec?.priority;
    if (own !== undefined && own !== value)
      throw admissionForbidden(
        attributes,
        `priority set in the pod group (${own}) must match the priority computed (${value}) based on the priority class set in the spec`,
      );
    group.spec = { ...group.spec, priority: value, ...(name && { priorityClassName: name }) };
  };

  return {
    name: 'Priority',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'podgroups.scheduling.k8s.io', 'priorityclasses.scheduling.k8s.io'],
    async admit(attributes) {
      const { operation, object, oldObject, resource } = attributes;
      if (resource.resource === 'pods') {
        if (operation === 'CREATE') await admitPod(attributes, object as Pod);
        else keepPod(object as Pod, oldObject as Pod);
      } else if (resource.resource === 'podgroups' && operation === 'CREATE')
        await admitPodGroup(attributes, object as PodGroup);
    },
    async validate(attributes) {
      const { operation, object, resource } = attributes;
      if (resource.resource !== 'priorityclasses') return;
      const { metadata, globalDefault } = object as PriorityClass;
      const present = globalDefault ? await defaultClass() : undefined;
      if (!present || (operation === 'UPDATE' && present.metadata.name === metadata.name)) return;
      throw admissionForbidden(
        attributes,
        `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}
