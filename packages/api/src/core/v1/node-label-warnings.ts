import { isValidLabelValue, type Path } from '@coxswain/apimachinery';
import type { NodeSelectorTerm } from '../../generated/core/v1.ts';

const deprecatedNodeLabels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Returns the deprecation notice of a node label; undefined for labels that are not deprecated. */
export const nodeLabelDeprecation = (label: string): string | undefined => deprecatedNodeLabels.get(label);

/** Returns warnings about a node selector term; with `checkValues`, as for preferences, also about invalid label values. */
export function nodeSelectorTermWarnings(
  term: NodeSelectorTerm,
  checkValues: boolean,
  path: Path,
  warnings: string[] = [],
): string[] {
  term.matchExpressions?.forEach(({ key, values }, i) => {
    const deprecation = nodeLabelDeprecation(key);
    if (deprecation) warnings.push(`${path.child('matchExpressions').index(i).child('key')}: ${key} is ${deprecation}`);
    if (checkValues)
      values?.forEach((value, j) => {
        for (const message of isValidLabelValue(value)) {
          const at = path.child('matchExpressions').index(i).child('values').index(j);
          warnings.push(`${at}: ${value} is invalid, ${message}`);
        }
      });
  });
  return warnings;
}
