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

/** Others get their turn after this time. */
const sliceMs = 5;

interface DefaultToJudge {
  readonly schema: JSONSchemaProps;
  readonly node: RuleNode;
}

/**
 * Judges the rules of definitions: compiles them, estimates what they cost, evaluates them on defaults. All of that
 * can take long, so `prepare` does it beforehand, in slices; the checks find it done.
 */
export class DefinitionRules implements RuleChecks {
  readonly #eventLoop: EventLoop;
  readonly #nodes = new RuleNodes();
  /** Errors have paths that begin at the default. */
  readonly #defaults = new WeakMap<JSONSchemaProps, DefaultCheck>();

  constructor(eventLoop: EventLoop = systemEventLoop) {
    this.#eventLoop = eventLoop;
  }

  /** To be called with a definition before that definition is validated. */
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

  /** Those that are good but for what rules may have against them. */
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

/** A default must be good as what was there already, and as something new. */
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

/** An error about something in a default as one about something at the path. */
function rebased({ type, field, badValue, detail }: FieldError, path: Path): FieldError {
  const place = field === '<nil>' ? path : field.startsWith('[') ? `${path}${field}` : path.child(field);
  return new FieldError(type, place, badValue, detail);
}
