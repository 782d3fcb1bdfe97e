import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PreferredSchedulingTerm,
} from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { invalid, notSupported, Path } from '@coxswain/apimachinery/field';
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

const never: NodeTest = () => false;

/** Returns a predicate: whether the pod's `nodeSelector` and required node affinity allow a node. An invalid term matches no node. */
export function requiredNodeAffinity({ nodeSelector, affinity }: PodSpec): NodeTest {
  const labels = Selector.fromSet(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return ({ metadata }) => labels.matches(metadata.labels);
  const isAllowed = anyOf((required.nodeSelectorTerms ?? []).map((term) => readTerm(term, Path.of(''), [])));
  return (node) => labels.matches(node.metadata.labels) && isAllowed(node);
}

/**
 * Returns a predicate: whether the selector matches a node. Errors of invalid terms are added to `errors`, with their path below `path`.
 */
export function nodeSelectorTest({ nodeSelectorTerms }: NodeSelector, path: Path, errors: string[]): NodeTest {
  const terms = path.child('nodeSelectorTerms');
  return anyOf((nodeSelectorTerms ?? []).map((term, i) => readTerm(term, terms.index(i), errors)));
}

/**
 * Returns a function that scores a node: the sum of the weights of the terms that match it. Errors of invalid terms are added to `errors`,
 * with their path below `path`.
 */
export function preferredNodeAffinity(
  preferences: readonly PreferredSchedulingTerm[],
  path: Path,
  errors: string[],
): (node: Node) => number {
  // Terms of weight zero are not validated.
  const terms = preferences.flatMap(({ weight, preference }, i) =>
    weight === 0 ? [] : [{ weight, test: readTerm(preference, path.index(i), errors) }],
  );
  return (node) => {
    let sum = 0;
    for (const { weight, test } of terms) if (test(node)) sum += weight;
    return sum;
  };
}

function anyOf(tests: readonly NodeTest[]): NodeTest {
  return (node) => {
    for (const test of tests) if (test(node)) return true;
    return false;
  };
}

/** Returns a predicate for one term. Empty terms and invalid terms match no node. Problems are added to `errors`. */
function readTerm({ matchExpressions, matchFields }: NodeSelectorTerm, path: Path, errors: string[]): NodeTest {
  if (!matchExpressions?.length && !matchFields?.length) return never;
  const before = errors.length;
  const requirements = (matchExpressions ?? []).flatMap((expression, i) =>
    readExpression(expression, path.child('matchExpressions').index(i), errors),
  );
  const fields = (matchFields ?? []).map((field, i) => fieldTest(field, path.child('matchFields').index(i), errors));
  if (errors.length > before) return never;
  const labels = Selector.of(requirements);
  if (fields.length === 0) return ({ metadata }) => labels.matches(metadata.labels);
  return (node) => labels.matches(node.metadata.labels) && fields.every((test) => test(node));
}

function readExpression(
  { key, operator, values }: NodeSelectorRequirement,
  path: Path,
  errors: string[],
): readonly Requirement[] {
  try {
    if (Object.hasOwn(operators, operator)) return [Requirement.of(key, operators[operator], values, path)];
    errors.push(String(notSupported(path.child('operator'), operator, Object.keys(operators))));
  } catch (error) {
    errors.push(messageOf(error));
  }
  return [];
}

/** `metadata.name` is the only supported field. */
function fieldTest({ key, operator, values }: NodeSelectorRequirement, path: Path, errors: string[]): NodeTest {
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(String(notSupported(path.child('operator'), operator, ['In', 'NotIn'])));
  else if (values?.length !== 1)
    errors.push(String(invalid(path.child('values'), values ?? [], 'must have one element')));
  const [wanted] = values ?? [];
  return ({ metadata }) => ((key === 'metadata.name' ? metadata.name : '') === wanted) === (operator === 'In');
}
