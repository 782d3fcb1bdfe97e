import type { CronJob } from '@coxswain/api/batch/v1';
import type { Pod, PodTemplate, PodTemplateSpec, ReplicationController } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { PodLike } from './checks/index.ts';

type TemplateOf = (object: KubernetesObject) => PodTemplateSpec | undefined;

const ofSpec: TemplateOf = (object) => (object as ReplicationController).spec?.template;

/** Where kinds that create pods have their template. */
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

/** Resources whose objects contain a pod template. */
export const resourcesWithTemplate: readonly string[] = Object.keys(templates);

/** The pod template of an object of such a resource, if any. */
export function podTemplateOf(resource: string, object: KubernetesObject): PodLike | undefined {
  const template = templates[resource]?.(object);
  return template && { metadata: template.metadata, spec: template.spec ?? { containers: [] } };
}

/** Returns the parts of a pod that checks need. */
export const podLike = ({ metadata, spec }: Pod): PodLike => ({ metadata, spec: spec ?? { containers: [] } });
