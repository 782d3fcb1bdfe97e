import { isDns1123Label, type KubernetesObject, Path } from '@coxswain/apimachinery';
import { dropDisabledTemplateFields, podTemplateWarnings } from '../../core/v1/pod/index.ts';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';

type Hooks<T extends KubernetesObject> = Required<
  Pick<Strategy<T>, 'prepareForCreate' | 'prepareForUpdate' | 'warningsOnCreate' | 'warningsOnUpdate'>
>;

const templatePath: Path = Path.of('spec', 'template');

/** Returns the hooks of a kind that creates pods from `spec.template`. A kind with further hooks calls these from its own. */
export function podTemplateHooks<T extends KubernetesObject & { spec: { template?: PodTemplateSpec } }>(): Hooks<T> {
  const warnings = ({ spec }: T, { features }: StrategyContext) =>
    podTemplateWarnings(templatePath, spec.template, features);
  return {
    prepareForCreate({ spec }, { features }) {
      dropDisabledTemplateFields(spec.template, undefined, features);
    },
    prepareForUpdate({ spec }, old, { features }) {
      dropDisabledTemplateFields(spec.template, old.spec.template, features);
    },
    warningsOnCreate: warnings,
    warningsOnUpdate: (object, old, context) =>
      object.metadata?.generation === old.metadata?.generation ? [] : warnings(object, context),
  };
}

/** Warns of names that are no DNS labels: they become parts of pod names. */
export function podNameWarnings({ metadata }: KubernetesObject): string[] {
  const messages = isDns1123Label(metadata?.name ?? '');
  if (messages.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`,
  ];
}
