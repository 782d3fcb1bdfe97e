import { quote } from '../field/index.ts';
import { ownEntry, setOwnEntry } from '../json/own-entry.ts';
import type { LabelSelector, LabelSelectorOperator } from '../meta/label-selector.ts';
import { parseToRequirements } from './parse.ts';
import { type Operator, Requirement } from './requirement.ts';
import { Selector } from './selector.ts';
import { type Labels, merge } from './set.ts';

const operators: Record<LabelSelectorOperator, Operator> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * Returns the selector for the LabelSelector of an API object: an absent one selects nothing, an empty one selects everything. Throws an
 * Error with upstream's text when an operator, key or value is not valid.
 */
export function labelSelectorAsSelector(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return Selector.nothing;
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => Requirement.of(key, '=', [value]));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    const known = ownEntry(operators, operator);
    if (!known) throw new Error(`${quote(operator)} is not a valid label selector operator`);
    return Requirement.of(key, known, values?.length ? values : undefined);
  });
  return Selector.of([...labels, ...expressions]);
}

/**
 * Returns the labels that a selector requires. Throws an Error with upstream's text when the selector is not equivalent to a set of
 * labels.
 */
export function labelSelectorAsMap(selector: LabelSelector | undefined): Record<string, string> | undefined {
  if (selector === undefined) return undefined;
  const labels = merge(selector.matchLabels, undefined);
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (!Object.hasOwn(operators, operator)) throw new Error(`${quote(operator)} is not a valid selector operator`);
    if (operator !== 'In' || values.length !== 1) {
      const without = operator === 'In' ? ' without a single value' : '';
      throw new Error(`operator ${quote(operator)}${without} cannot be converted into the old label selector format`);
    }
    setOwnEntry(labels, key, values[0]!);
  }
  return labels;
}

/** Parses a selector's text to the form that API objects have. Throws an Error with upstream's text. */
export function parseToLabelSelector(text: string): Required<LabelSelector> {
  const selector: Required<LabelSelector> = { matchLabels: {}, matchExpressions: [] };
  for (const { key, operator, values } of parseSelectorText(text)) {
    if (operator === '=' || operator === '==') setOwnEntry(selector.matchLabels, key, values[0]!);
    else selector.matchExpressions.push({ key, operator: apiOperator(operator), values: [...values].sort() });
  }
  return selector;
}

function parseSelectorText(text: string): readonly Requirement[] {
  try {
    return parseToRequirements(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : cause;
    throw new Error(`couldn't parse the selector string "${text}": ${message}`, { cause });
  }
}

const apiOperators: ReadonlyMap<Operator, LabelSelectorOperator> = new Map([
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['exists', 'Exists'],
  ['!', 'DoesNotExist'],
]);

function apiOperator(operator: Operator): LabelSelectorOperator {
  const known = apiOperators.get(operator);
  if (known) return known;
  const ordered = operator === 'gt' || operator === 'lt';
  throw new Error(
    `${quote(operator)} ${ordered ? "isn't supported in label selectors" : 'is not a valid label selector operator'}`,
  );
}

export function setAsLabelSelector(labels: Labels | undefined): LabelSelector | undefined {
  return labels && { matchLabels: merge(labels, undefined) };
}

/** Formats a selector for display: `<none>` when it selects everything or nothing, `<error>` when it is not valid. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    return labelSelectorAsSelector(selector).toString() || '<none>';
  } catch {
    return '<error>';
  }
}
