import type { Pod } from '@coxswain/api/core/v1';
import type { RuntimeClass } from '@coxswain/api/node/v1';
import { quote, semanticEqual } from '@coxswain/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { findObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { mergeTolerations } from './tolerations.ts';

/** Sets the overhead, node selector and tolerations of a pod's runtime class. */
export function runtimeClass(context: Pick<AdmissionContext, 'listers' | 'client'>): AdmissionPlugin {
  const classOf = async (attributes: AdmissionAttributes, { spec }: Pod): Promise<RuntimeClass | undefined> => {
    const name = spec?.runtimeClassName;
    if (name === undefined) return undefined;
    const found = await findObject<RuntimeClass>(context, 'node.k8s.io', 'runtimeclasses', '', name);
    if (!found) throw admissionForbidden(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`);
    return found;
  };
  return {
    name: 'RuntimeClass',
    operations: ['CREATE'],
    resources: ['pods'],
    async admit(attributes) {
      const pod = attributes.object as Pod;
      const { overhead, scheduling } = (await classOf(attributes, pod)) ?? {};
      if (overhead) setOverhead(attributes, pod, overhead);
      if (scheduling) setScheduling(attributes, pod, scheduling);
    },
    async validate(attributes) {
      const pod = attributes.object as Pod;
      const { overhead } = (await classOf(attributes, pod)) ?? {};
      const own = pod.spec?.overhead;
      if (overhead && !semanticEqual(overhead.podFixed ?? {}, own ?? {})) throw mismatch(attributes);
      if (!overhead && own)
        throw admissionForbidden(
          attributes,
          'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
        );
    },
  };
}

const mismatch = (attributes: AdmissionAttributes): Error =>
  admissionForbidden(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

function setOverhead(
  attributes: AdmissionAttributes,
  pod: Pod,
  { podFixed }: NonNullable<RuntimeClass['overhead']>,
): void {
  const { spec } = pod;
  if (!spec) return;
  const { overhead: own = {}, ...rest } = spec;
  if (Object.keys(own).length > 0 && !semanticEqual(podFixed, own)) throw mismatch(attributes);
  pod.spec = { ...rest, ...(podFixed && { overhead: { ...podFixed } }) };
}

function setScheduling(
  attributes: AdmissionAttributes,
  pod: Pod,
  { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass['scheduling']>,
): void {
  const { spec } = pod;
  if (!spec) return;
  const selector = new Map(Object.entries(spec.nodeSelector ?? {}));
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = selector.get(key);
    if (own !== undefined && own !== value)
      throw admissionForbidden(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    selector.set(key, value);
  }
  pod.spec = {
    ...spec,
    ...(selector.size > 0 && { nodeSelector: Object.fromEntries(selector) }),
    tolerations: mergeTolerations(spec.tolerations ?? [], tolerations),
  };
}
