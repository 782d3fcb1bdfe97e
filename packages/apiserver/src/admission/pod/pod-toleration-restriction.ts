import { podQOS } from '@coxswain/api';
import type { Pod, Toleration } from '@coxswain/api/core/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import { readJson } from '@coxswain/apimachinery/codec/json';
import { messageOf } from '@coxswain/apimachinery/errors';
import { clientsMistake } from '../../registry/clients-mistake.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { existingNamespace } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { areAllowed, mergeTolerations, tolerationFrom } from './tolerations.ts';

const annotations = {
  default: 'scheduler.alpha.kubernetes.io/defaultTolerations',
  whitelist: 'scheduler.alpha.kubernetes.io/tolerationsWhitelist',
} as const;

/** Tolerations for namespaces without annotations. */
export interface PodTolerationRestrictionConfiguration {
  readonly default: readonly Toleration[];
  /** Empty: all tolerations are allowed. */
  readonly whitelist: readonly Toleration[];
}

const memoryPressure: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Adds the default tolerations of the namespace to pods, and rejects tolerations outside its whitelist. */
export function podTolerationRestriction(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  configuration: PodTolerationRestrictionConfiguration = { default: [], whitelist: [] },
): AdmissionPlugin {
  /** Undefined when the namespace does not have the annotation. */
  const ofNamespace = async (name: string, which: keyof typeof annotations): Promise<Toleration[] | undefined> => {
    const { annotations: own = {} } = (await existingNamespace(context, name)).metadata;
    const text = Object.hasOwn(own, annotations[which]) ? own[annotations[which]] : undefined;
    return text === undefined ? undefined : parseTolerations(text);
  };

  const validate = async ({ object, namespace }: AdmissionAttributes): Promise<void> => {
    const tolerations = (object as Pod).spec?.tolerations ?? [];
    if (tolerations.length === 0) return;
    const own = await ofNamespace(namespace, 'whitelist');
    if (areAllowed(tolerations, own ?? configuration.whitelist)) return;
    throw clientsMistake(
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? 'namespace' : 'cluster'} whitelist`,
    );
  };

  return {
    name: 'PodTolerationRestriction',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    async admit(attributes) {
      const { operation, namespace } = attributes;
      const pod = attributes.object as Pod;
      if (!pod.spec) return;
      const extra = operation === 'CREATE' ? ((await ofNamespace(namespace, 'default')) ?? configuration.default) : [];
      const all = podQOS(pod) === 'BestEffort' ? extra : [...extra, memoryPressure];
      if (all.length > 0) pod.spec = { ...pod.spec, tolerations: mergeTolerations(pod.spec.tolerations ?? [], all) };
      await validate(attributes);
    },
    validate,
  };
}

/** Parses JSON of an annotation. Throws an ApiError. */
function parseTolerations(text: string): Toleration[] {
  if (text === '') return [];
  try {
    const value: unknown = readJson(text);
    if (!Array.isArray(value) || !value.every(isJsonObject)) throw new Error('tolerations must be a list of objects');
    return value.map(tolerationFrom);
  } catch (cause) {
    throw clientsMistake(messageOf(cause), { cause });
  }
}
