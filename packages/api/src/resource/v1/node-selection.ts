import { type ErrorList, invalid, nameIsDnsSubdomain, type Path } from '@coxswain/apimachinery';
import { validateNodeSelector } from '../../core/v1/node-selector.ts';
import type { Device, ResourceSliceSpec } from '../../generated/resource/v1.ts';
import { internalForm } from './internal-form.ts';

type NodeSelection = Pick<
  Device & ResourceSliceSpec,
  'nodeName' | 'nodeSelector' | 'allNodes' | 'perDeviceNodeSelection'
>;

/** Validates the fields that select nodes. Returns those that are set, as messages name them, and the errors. */
export function checkNodeSelection(
  selection: NodeSelection,
  { emptyName, oneTerm }: { readonly emptyName: string; readonly oneTerm?: boolean },
  path: Path,
): { readonly chosen: readonly string[]; readonly errors: ErrorList } {
  const errors: ErrorList = [];
  const chosen: string[] = [];
  const { nodeName, nodeSelector } = selection;
  const namePath = path.child('nodeName');
  if (nodeName) {
    chosen.push('`nodeName`');
    errors.push(...nameIsDnsSubdomain(nodeName, false).map((problem) => invalid(namePath, nodeName, problem)));
  } else if (nodeName === '') errors.push(invalid(namePath, nodeName, emptyName));
  if (nodeSelector) {
    chosen.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, false, path.child('nodeSelector')));
    const terms = nodeSelector.nodeSelectorTerms;
    if (oneTerm && terms?.length !== 1) {
      const value = terms?.map((term) => internalForm('core.v1.NodeSelectorTerm', term));
      const termsPath = path.child('nodeSelector', 'nodeSelectorTerms');
      errors.push(invalid(termsPath, value, 'must have exactly one node selector term'));
    }
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection'] as const) {
    const value = selection[field];
    if (value) chosen.push(`\`${field}\``);
    else if (value === false) errors.push(invalid(path.child(field), value, 'must be either unset or set to true'));
  }
  return { chosen, errors };
}
