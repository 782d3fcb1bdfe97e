import {
  type DefaultCheck,
  type DefaultCheckOptions,
  isStructural,
  type RuleCheckOptions,
  type RuleChecks,
  validateDefaults,
} from '@coxswain/api';
import type { CustomResourceDefinition, JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { type ErrorList, FieldError, Path } from '@coxswain/apimachinery';
import { type EventLoop, systemEventLoop, Turns } from '@coxswain/apimachinery/turns';
import { checkRules } from './check-rules.ts';
import { childrenOf, hasRules } from './has-rules.ts';
import { type RuleNode, RuleNodes, type RuleOfSchema } from './rule-node.ts';
import { RuleRun, runtimeCostBudget } from './rule-run.ts';

/** How long to work before yielding to the event loop. */
const sliceMs = 5;

interface DefaultToJudge {
  readonly schema: JSONSchemaProps;
  readonly node: RuleNode;
}

/**
 * Validates the rules of definitions: compiles them, estimates their costs, and evaluates them on defaults. As this can
 * take long, `prepare` does it in slices, and the validation methods only use the results.
 */
export class DefinitionRules implements RuleChecks {
  readonly #eventLoop: EventLoop;
  readonly #nodes = new RuleNodes();
  /** Results for defaults. The paths of errors are relative to the default. */
  readonly #defaults = new WeakMap<JSONSchemaProps, DefaultCheck>();

  constructor(eventLoop: EventLoop = systemEventLoop) {
    this.#eventLoop = eventLoop;
  }

  /** Must be called with a definition before it is validated. */
  async prepare({ spec }: CustomResourceDefinition): Promise<void> {
    for (const { schema } of spec.versions ?? []) {
      const root = schema?.openAPIV3Schema;
      if (root && isStructural(root)) await this.#prepareSchema(root);
    }
  }

  validateRules(schema: JSONSchemaProps, path: Path, options: RuleCheckOptions): ErrorList {
    return checkRules(schema, path, this.#nodes, options);
  }

  validateDefault(schema: JSONSchemaProps, path: Path, { isResource, budget }: DefaultCheckOptions): DefaultCheck {
    if (!this.#nodes.of(schema, isResource)) return { errors: [], budget };
    const judged = this.#defaults.get(schema);
    if (!judged) throw new Error('rules of a definition were not prepared before it was validated');
    return { errors: judged.errors.map((error) => rebased(error, path)), budget: judged.budget };
  }

  async #prepareSchema(root: JSONSchemaProps): Promise<void> {
    if (!hasRules(root)) return;
    const turns = new Turns(this.#eventLoop, sliceMs);
    for (const rule of this.#rulesIn(root, true)) {
      await rule.compile(this.#eventLoop);
      await turns.next();
    }
    let budget = runtimeCostBudget;
    for (const { schema, node } of this.#defaultsToJudge(root)) {
      if (budget < 0) return;
      const judged = await judgeDefault(node, schema.default, budget, this.#eventLoop);
      this.#defaults.set(schema, judged);
      budget = judged.budget;
    }
  }

  *#rulesIn(schema: JSONSchemaProps, isRoot: boolean): Generator<RuleOfSchema> {
    yield* this.#nodes.rulesOf(schema, isRoot || schema['x-kubernetes-embedded-resource'] === true);
    for (const child of childrenOf(schema)) yield* this.#rulesIn(child, false);
  }

  /** Finds the defaults that are valid except for rules. */
  #defaultsToJudge(root: JSONSchemaProps): DefaultToJudge[] {
    const found: DefaultToJudge[] = [];
    validateDefaults(root, Path.of(''), false, {
      validateRules: () => [],
      validateDefault: (schema, _, { isResource, budget }) => {
        const node = this.#nodes.of(schema, isResource);
        if (node) found.push({ schema, node });
        return { errors: [], budget };
      },
    });
    return found;
  }
}

/** Validates a default both as an unchanged value and as a new one. */
async function judgeDefault(
  node: RuleNode,
  value: unknown,
  budget: number,
  eventLoop: EventLoop,
): Promise<DefaultCheck> {
  const kept = new RuleRun({ budget, eventLoop });
  await kept.judge(node, { path: undefined, value, old: value });
  if (kept.errors.length > 0) return kept;
  const fresh = new RuleRun({ budget, eventLoop });
  await fresh.judge(node, { path: undefined, value, old: undefined });
  return { errors: fresh.errors, budget: Math.min(kept.budget, fresh.budget) };
}

/** Makes the path of an error in a default absolute. */
function rebased({ type, field, badValue, detail }: FieldError, path: Path): FieldError {
  const place = field === '<nil>' ? path : field.startsWith('[') ? `${path}${field}` : path.child(field);
  return new FieldError(type, place, badValue, detail);
}
