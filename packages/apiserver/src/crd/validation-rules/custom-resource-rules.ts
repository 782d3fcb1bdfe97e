import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { ErrorList } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { Correlation } from './correlation.ts';
import { RuleNodes } from './rule-node.ts';
import { RuleRun } from './rule-run.ts';

/** Returns the errors of the rules of a schema. `old` is the object before an update. */
export type RuleValidator = (
  object: unknown,
  old: unknown,
  warn: ((warning: string) => void) | undefined,
) => ErrorList | Promise<ErrorList>;

/**
 * Creates the validator for a resource's schema. Rules are compiled with the first object. The result is a promise only
 * when the evaluation takes longer than a few milliseconds, measured by the event loop, to which it then yields.
 */
export function compileRuleValidator(schema: JSONSchemaProps, eventLoop: EventLoop): RuleValidator {
  const node = new RuleNodes().of(schema, true);
  if (!node) return () => [];
  return (object, old, warn) => {
    const run = new RuleRun({ ...(warn && { warn }), eventLoop });
    const correlation = old === undefined ? undefined : Correlation.ofRoot(schema, object, old);
    const pending = run.judge(node, { path: undefined, value: object, old, correlation });
    return pending ? pending.then(() => run.errors) : run.errors;
  };
}
