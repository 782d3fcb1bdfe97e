import type { Pod } from '@coxswain/api/core/v1';
import {
  aggregate,
  invalid,
  isQualifiedName,
  isValidLabelValue,
  labels,
  newForbidden,
  Path,
} from '@coxswain/apimachinery';
import { clientsMistake } from '../../registry/clients-mistake.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { existingNamespace } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const clusterDefault = 'clusterDefaultNodeSelector';

/** The allowed node selectors by namespace, and the default selector as `clusterDefaultNodeSelector`. */
export type PodNodeSelectorConfiguration = ReadonlyMap<string, string>;

/** Adds the node selector of the namespace to pods, and rejects conflicting ones. */
export function podNodeSelector(
  context: Pick<AdmissionContext, 'listers' | 'client'>,
  configuration: PodNodeSelectorConfiguration = new Map(),
): AdmissionPlugin {
  const selectorOf = async (namespace: string): Promise<Record<string, string>> => {
    const { annotations = {} } = (await existingNamespace(context, namespace)).metadata;
    const own = Object.hasOwn(annotations, annotation) ? annotations[annotation] : configuration.get(clusterDefault);
    return parseNodeSelector(own ?? '');
  };

  const validate = async (attributes: AdmissionAttributes, selector?: Record<string, string>): Promise<void> => {
    const { object, namespace } = attributes;
    const { nodeSelector = {} } = (object as Pod).spec ?? {};
    if (labels.conflicts(selector ?? (await selectorOf(namespace)), nodeSelector))
      throw refusal(attributes, 'pod node label selector conflicts with its namespace node label selector');
    const allowed = parseNodeSelector(configuration.get(namespace) ?? '');
    const isAllowed = ([key, value]: [string, string]): boolean =>
      Object.hasOwn(allowed, key) && allowed[key] === value;
    if (Object.keys(allowed).length > 0 && !Object.entries(nodeSelector).every(isAllowed))
      throw refusal(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };

  return {
    name: 'PodNodeSelector',
    operations: ['CREATE'],
    resources: ['pods'],
    async admit(attributes) {
      const pod = attributes.object as Pod;
      if (!pod.spec) return;
      const selector = await selectorOf(attributes.namespace);
      const { nodeSelector = {} } = pod.spec;
      // The pod's values win, so that validation finds conflicts.
      const merged = labels.merge(selector, nodeSelector);
      if (Object.keys(merged).length > 0) pod.spec = { ...pod.spec, nodeSelector: merged };
      await validate(attributes, selector);
    },
    validate: (attributes) => validate(attributes),
  };
}

const refusal = ({ object, resource }: AdmissionAttributes, why: string): Error =>
  newForbidden(resource.groupResource, object?.metadata?.name ?? '', why);

/** Parses `a=b,c=d`. Throws an ApiError for anything else. */
function parseNodeSelector(text: string): Record<string, string> {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((requirement) => {
      const parts = requirement.split('=');
      if (parts.length !== 2) throw clientsMistake(`invalid selector: [${parts.join(' ')}]`);
      const [key = '', value = ''] = parts.map((part) => part.trim());
      const problems = isQualifiedName(key);
      if (problems.length > 0) throw clientsMistake(aggregate([invalid(undefined, key, problems.join('; '))]));
      const valueProblems = isValidLabelValue(value);
      if (valueProblems.length > 0)
        throw clientsMistake(aggregate([invalid(Path.of('').key(key), value, valueProblems.join('; '))]));
      return [key, value];
    }),
  );
}
