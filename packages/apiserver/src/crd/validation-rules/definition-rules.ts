import { type DefaultCheck, type DefaultCheckOptions, isStructural, type RuleCheckOptions, type RuleChecks } from '@coxswain/api';
import type { CustomResourceDefinition, JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { type ErrorList, FieldError, type Path } from '@coxswain/apimachinery';
import { checkRules } from './check-rules.ts';
import { RuleNodes } from './rule-node.ts';
import { RuleRun } from './rule-run.ts';

/** Others get their turn after this time. */
const sliceMs = 5;

interface JudgedDefault {
  /** With paths that begin at the default. */
  readonly errors: ErrorList;
  readonly cost: number;
  readonly isOver: boolean;
}

/**
 * Judges the rules of definitions: compiles them, estimates what they cost, evaluates them on defaults. All of that
 * can take long, so `prepare` does it beforehand, in slices; what the checks need of it they find done.
 */
export class DefinitionRules implements RuleChecks {
  readonly #nodes = new RuleNodes();
  readonly #defaults = new WeakMap<JSONSchemaProps, JudgedDefault>();

  /** To be called before a definition is validated. Resolves when validation will not take long. */
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
    const judged = this.#defaults.get(schema) ?? this.#judgeNow(schema, isResource);
    const errors = judged.errors.map((error) => rebased(error, path));
    return { errors, budget: judged.isOver ? -1 : budget - judged.cost };
  }
}
