import type { CronJob } from '@coxswain/api/batch/v1';
import type { Pod, PodTemplate, PodTemplateSpec, ReplicationController } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { PodLike } from './checks/index.ts';

type TemplateOf = (object: KubernetesObject) => PodTemplateSpec | undefined;

const ofSpec: TemplateOf = (object) => (object as ReplicationController).spec?.template;

/** Where kinds that make pods have what they make them from. */
const templates: Readonly<Record<string, TemplateOf>> = {
  replicationcontrollers: ofSpec,
  podtemplates: (object) => (object as PodTemplate).template,
  'replicasets.apps': ofSpec,
  'deployments.apps': ofSpec,
  'statefulsets.apps': ofSpec,
  'daemonsets.apps': ofSpec,
  'jobs.batch': ofSpec,
  'cronjobs.batch': (object) => (object as CronJob).spec?.jobTemplate?.spec?.template,
};

/** Resources whose objects have a template of pods. */
export const resourcesWithTemplate: readonly string[] = Object.keys(templates);

/** What an object of such a resource makes pods from; undefined when it has nothing. */
export function podTemplateOf(resource: string, object: KubernetesObject): PodLike | undefined {
  const template = templates[resource]?.(object);
  return template && { metadata: template.metadata, spec: template.spec ?? { containers: [] } };
}

/** A pod, to be judged. */
export const podLike = ({ metadata, spec }: Pod): PodLike => ({ metadata, spec: spec ?? { containers: [] } });
