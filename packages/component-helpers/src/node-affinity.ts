import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@coxswain/api/core/v1';
import { Requirement, Selector } from '@coxswain/apimachinery/labels';

type NodeTest = (node: Node) => boolean;

const operators: Readonly<Record<NodeSelectorRequirement['operator'], string>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

/** Tells of nodes whether pods may be there as their `nodeSelector` and required node affinity have it. */
export function requiredNodeAffinity({ nodeSelector, affinity }: PodSpec): NodeTest {
  const labels = Selector.fromSet(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms.map(termTest);
  return (node) => labels.matches(node.metadata.labels) && (!terms || terms.some((test) => test(node)));
}

/** An empty term is for no node, and neither is one that makes no sense. */
function termTest({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeTest {
  if (matchExpressions.length + matchFields.length === 0) return () => false;
  try {
    const labels = Selector.of(
      matchExpressions.map(({ key, operator, values }) => Requirement.of(key, operators[operator], values)),
    );
    const fields = matchFields.map(fieldTest);
    return (node) => labels.matches(node.metadata.labels) && fields.every((test) => test(node));
  } catch {
    return () => false;
  }
}

/** The name is the only field that there is to ask for. */
function fieldTest({ key, operator, values = [] }: NodeSelectorRequirement): NodeTest {
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return () => false;
  const [wanted] = values;
  return ({ metadata }) => ((key === 'metadata.name' ? metadata.name : '') === wanted) === (operator === 'In');
}
