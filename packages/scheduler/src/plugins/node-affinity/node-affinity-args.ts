import type { Node, NodeAffinity } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { nodeSelectorTest, preferredNodeAffinity } from '@coxswain/component-helpers';
import { readArgsOfShape } from '../../framework/args-shape.ts';

/** Affinity that the administrator adds to that of every pod. */
export interface NodeAffinityArgs {
  readonly addedAffinity?: NodeAffinity;
}

const requirement = { key: 'string', operator: 'string', values: 'strings' } as const;
const term = { matchExpressions: [requirement], matchFields: [requirement] } as const;
const shape = {
  addedAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'integer', preference: term }],
  },
} as const;

/** Throws an Error that names every invalid term. */
export function readNodeAffinityArgs(args: unknown, path: Path = Path.of('')): NodeAffinityArgs {
  const { addedAffinity } = readArgsOfShape(args, shape);
  if (!addedAffinity) return {};
  // Missing or unknown keys and operators are found by `compileAddedAffinity`.
  const added = addedAffinity as NodeAffinity;
  compileAddedAffinity(added, path);
  return { addedAffinity: added };
}

export interface AddedAffinity {
  /** Whether pods may run on the node; undefined without required terms. */
  readonly isAllowed?: (node: Node) => boolean;
  /** The sum of the weights of the preferred terms that match the node. */
  readonly preference?: (node: Node) => number;
}

export function compileAddedAffinity(
  {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  }: NodeAffinity,
  path: Path = Path.of(''),
): AddedAffinity {
  const errors: string[] = [];
  const at = path.child('addedAffinity');
  const isAllowed =
    required &&
    nodeSelectorTest(
      { nodeSelectorTerms: required.nodeSelectorTerms ?? [] },
      at.child('requiredDuringSchedulingIgnoredDuringExecution'),
      errors,
    );
  const preference = preferred?.length
    ? preferredNodeAffinity(preferred, at.child('preferredDuringSchedulingIgnoredDuringExecution'), errors)
    : undefined;
  if (errors.length > 0) throw new Error(joined(errors));
  return { ...(isAllowed && { isAllowed }), ...(preference && { preference }) };
}

/** Joins messages in upstream's form. */
export const joined = (messages: readonly string[]): string =>
  messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
