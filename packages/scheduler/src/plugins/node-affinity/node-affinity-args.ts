import type { Node, NodeAffinity } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { nodeSelectorTest, preferredNodeAffinity } from '@coxswain/component-helpers';
import { readArgsOfShape } from '../../framework/args-shape.ts';

/** What the administrator adds to every pod's own affinity. */
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

/** Throws an Error that names every term that makes no sense. */
export function readNodeAffinityArgs(args: unknown, path: Path = Path.of('')): NodeAffinityArgs {
  const { addedAffinity } = readArgsOfShape(args, shape);
  if (!addedAffinity) return {};
  // Keys and operators that are missing, or none that there are, are found below.
  const added = addedAffinity as NodeAffinity;
  compileAddedAffinity(added, path);
  return { addedAffinity: added };
}

export interface AddedAffinity {
  /** Whether pods may be on the node; undefined when nothing is said about it. */
  readonly isAllowed?: (node: Node) => boolean;
  /** How much pods should want to be there. */
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

/** All of the messages as one, in upstream's form. */
export const joined = (messages: readonly string[]): string =>
  messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
