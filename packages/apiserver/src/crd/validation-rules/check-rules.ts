import { internalRule, type RuleCheckOptions } from '@coxswain/api';
import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import { type ErrorList, forbidden, internalError, invalid, type Path } from '@coxswain/apimachinery';
import { UNBOUNDED } from '@coxswain/cel';
import { maxRequestBytes } from '../../cel-types/schema-type.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { RuleNodes } from './rule-node.ts';

/** Maximum estimated cost of a rule, for all its evaluations in one object. */
const maxRuleCost = 10_000_000;
/** Maximum estimated cost of all rules of a schema. */
const maxTotalCost = 100_000_000;
/** Number of the most expensive rules that are reported when the total is too high. */
const namedRules = 4;

const correlatedMaps: ReadonlySet<string | undefined> = new Set([undefined, 'atomic', 'granular']);

/** The position of a schema. */
interface Place {
  readonly path: Path;
  readonly isRoot: boolean;
  /** Maximum number of values of the schema in an object; undefined without bound. */
  readonly cardinality: number | undefined;
  /** The outermost list, or map of unknown type, whose values cannot be correlated with old ones. */
  readonly uncorrelated: Path | undefined;
  /** Whether a schema here or above has rules. */
  readonly isInScope: boolean;
  /** Whether a schema in scope, here or above, has no CEL type. Then no rule here or below has one. */
  readonly isUntyped: boolean;
}

/** Returns all errors of the rules in a resource's schema. Those of inner schemas come first. */
export function checkRules(
  schema: JSONSchemaProps,
  path: Path,
  nodes: RuleNodes,
  options: RuleCheckOptions,
): ErrorList {
  const check = new RuleCheck(nodes, options);
  check.visit(schema, {
    path,
    isRoot: true,
    cardinality: 1,
    uncorrelated: undefined,
    isInScope: false,
    isUntyped: false,
  });
  check.finish(path);
  return check.errors;
}

class RuleCheck {
  readonly errors: ErrorList = [];
  readonly #nodes: RuleNodes;
  readonly #options: RuleCheckOptions;
  #total = 0;
  #expensive: { readonly path: Path; readonly cost: number }[] = [];

  constructor(nodes: RuleNodes, options: RuleCheckOptions) {
    this.#nodes = nodes;
    this.#options = options;
  }

  visit(schema: JSONSchemaProps, given: Place): void {
    const rules = schema['x-kubernetes-validations'] ?? [];
    const isInScope = given.isInScope || rules.length > 0;
    const place: Place = {
      ...given,
      isInScope,
      isUntyped: given.isUntyped || (isInScope && !this.#type(schema, given)),
    };
    const { properties = {}, additionalProperties, items } = schema;
    const inside: Place = { ...place, isRoot: false, cardinality: times(place.cardinality, maxChildren(schema)) };
    if (typeof additionalProperties === 'object') {
      this.visit(additionalProperties, { ...inside, path: place.path.child('additionalProperties') });
    }
    const isCorrelated = correlatedMaps.has(schema['x-kubernetes-map-type']);
    const uncorrelated = place.uncorrelated ?? (isCorrelated ? undefined : place.path);
    for (const [name, property] of Object.entries(properties)) {
      this.visit(property, { ...inside, uncorrelated, path: place.path.child('properties').key(name) });
    }
    if (items && !Array.isArray(items)) {
      const isMap = schema['x-kubernetes-list-type'] === 'map';
      const within = place.uncorrelated ?? (isMap ? undefined : place.path);
      this.visit(items, { ...inside, uncorrelated: within, path: place.path.child('items') });
    }
    if (rules.length > 0 && !this.#options.unsound.has(schema)) this.#checkAll(schema, rules, place);
  }

  /** Checks the total cost. */
  finish(path: Path): void {
    if (this.#total <= maxTotalCost) return;
    for (const { path: rule } of this.#expensive) {
      const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      this.errors.push(forbidden(rule, detail));
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    this.errors.push(forbidden(path, tooExpensive(what, this.#total / maxTotalCost)));
  }

  #type(schema: JSONSchemaProps, { isRoot }: Place): ReturnType<RuleNodes['types']['of']> {
    return this.#nodes.types.of(schema, isRoot || schema['x-kubernetes-embedded-resource'] === true);
  }

  #checkAll(schema: JSONSchemaProps, rules: readonly ValidationRule[], place: Place): void {
    const path = place.path.child('x-kubernetes-validations');
    const type = this.#type(schema, place);
    if (!type || place.isUntyped) {
      const cause =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      this.errors.push(internalError(path, new Error(cause)));
      return;
    }
    // Each value takes at least a comma.
    const cardinality = place.cardinality ?? Math.floor(maxRequestBytes / (type.minBytes + 1));
    const compiled = this.#nodes.rulesOf(schema, place.isRoot || schema['x-kubernetes-embedded-resource'] === true);
    rules.forEach((source, i) => {
      const rule = compiled[i]?.compiled;
      this.#check(source, rule, times(rule?.rule.maxCost ?? 0, cardinality)!, path.index(i), place);
    });
  }

  #check(
    source: ValidationRule,
    compiled: CompiledRule | undefined,
    cost: number,
    path: Path,
    { uncorrelated }: Place,
  ): void {
    this.#observe('estimated rule cost', cost, path.child('rule'));
    if (compiled?.rule.error !== undefined) {
      this.errors.push(invalid(path.child('rule'), internalRule(source), compiled.rule.error));
    }
    const message = compiled?.messageExpression;
    const messagePath = path.child('messageExpression');
    if (message?.error !== undefined) this.errors.push(invalid(messagePath, internalRule(source), message.error));
    else if (message) this.#observe('estimated messageExpression cost', message.maxCost, messagePath);
    if (compiled?.usesOldSelf) {
      if (!uncorrelated) return;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      this.errors.push(invalid(path.child('rule'), source.rule, detail));
    } else if (source.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.errors.push(invalid(path.child('optionalOldSelf'), source.optionalOldSelf, detail));
    }
  }

  #observe(what: string, cost: number, path: Path): void {
    if (!this.#options.isUnchanged && cost > maxRuleCost) {
      this.errors.push(forbidden(path, tooExpensive(what, cost / maxRuleCost)));
    }
    this.#total = Math.min(UNBOUNDED, this.#total + cost);
    if (cost < maxTotalCost / 100) return;
    const all = [...this.#expensive, { path, cost }];
    this.#expensive = all.sort((a, b) => b.cost - a.cost).slice(0, namedRules);
  }
}

/** Saturating product; undefined (no bound) when a factor is. */
function times(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(UNBOUNDED, a * b);
}

/** Maximum number of values of inner schemas for each value of this one. */
function maxChildren({ type, additionalProperties, maxProperties, maxItems }: JSONSchemaProps): number | undefined {
  const limit = (given: number | undefined) => (given === undefined ? undefined : Math.max(0, Number(given)));
  if (type === 'array') return limit(maxItems);
  return type === 'object' && additionalProperties !== undefined ? limit(maxProperties) : 1;
}

function tooExpensive(what: string, factor: number): string {
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
