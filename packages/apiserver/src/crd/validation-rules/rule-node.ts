import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { ValueSchema } from '@coxswain/cel';
import { type SchemaType, SchemaTypes } from '../../cel-types/schema-type.ts';
import { type CompiledRule, RuleScope } from './compiled-rule.ts';
import { ValueSchemas } from './value-schema.ts';

/** A rule of a schema, compiled on demand. */
export class RuleOfSchema {
  readonly #scope: () => RuleScope;
  readonly #source: ValidationRule;
  #pending: Promise<undefined> | undefined;
  #compiled: CompiledRule | undefined | 'not yet' = 'not yet';

  constructor(scope: () => RuleScope, source: ValidationRule) {
    this.#scope = scope;
    this.#source = source;
  }

  get isCompiled(): boolean {
    return this.#compiled !== 'not yet';
  }

  /** Undefined for an empty rule. Throws an Error when it is not compiled yet. */
  get compiled(): CompiledRule | undefined {
    if (this.#compiled === 'not yet') throw new Error('a rule is used before it is compiled');
    return this.#compiled;
  }

  compile(eventLoop: EventLoop): Promise<undefined> {
    this.#pending ??= this.#scope()
      .compile(this.#source, eventLoop)
      .then((compiled) => {
        this.#compiled = compiled;
        return undefined;
      });
    return this.#pending;
  }
}

/** A schema with rules, its own or in inner schemas. Only these are visited. */
export interface RuleNode {
  readonly schema: JSONSchemaProps;
  /** Its own rules. */
  readonly rules: readonly RuleOfSchema[];
  /** How values of the schema are converted to CEL values. */
  readonly values: ValueSchema;
  readonly properties: readonly (readonly [name: string, node: RuleNode])[];
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/**
 * Converts schemas to RuleNodes, and caches the results by schema, so that rules are compiled once. Schemas are weakly
 * referenced.
 */
export class RuleNodes {
  readonly types = new SchemaTypes();
  readonly #values = new ValueSchemas();
  readonly #plain = new WeakMap<JSONSchemaProps, RuleNode | 'none'>();
  readonly #resources = new WeakMap<JSONSchemaProps, RuleNode | 'none'>();
  readonly #rules = new WeakMap<JSONSchemaProps, RuleNode['rules']>();

  /** Returns undefined for a schema without rules. `isResource`: as in `SchemaTypes.of`. */
  of(schema: JSONSchemaProps, isResource = schema['x-kubernetes-embedded-resource'] === true): RuleNode | undefined {
    const known = isResource ? this.#resources : this.#plain;
    const before = known.get(schema);
    if (before) return before === 'none' ? undefined : before;
    const node = this.#make(schema, isResource);
    known.set(schema, node ?? 'none');
    return node;
  }

  /** The schema's own rules; none when expressions cannot see its values. */
  rulesOf(schema: JSONSchemaProps, isResource: boolean): RuleNode['rules'] {
    const known = this.#rules.get(schema);
    if (known) return known;
    const sources = schema['x-kubernetes-validations'] ?? [];
    const type = sources.length > 0 ? this.types.of(schema, isResource) : undefined;
    let scope: RuleScope | undefined;
    const scopeOf = (selfType: SchemaType) => (): RuleScope => {
      scope ??= new RuleScope(schema, selfType);
      return scope;
    };
    const rules = type ? sources.map((source) => new RuleOfSchema(scopeOf(type), source)) : [];
    this.#rules.set(schema, rules);
    return rules;
  }

  #make(schema: JSONSchemaProps, isResource: boolean): RuleNode | undefined {
    const { properties = {}, additionalProperties, items } = schema;
    const rules = this.rulesOf(schema, isResource);
    const visible = (child: JSONSchemaProps): RuleNode | undefined =>
      this.types.of(child) === undefined ? undefined : this.of(child);
    const children: [string, RuleNode][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const node = visible(property);
      if (node) children.push([name, node]);
    }
    const additional = typeof additionalProperties === 'object' ? visible(additionalProperties) : undefined;
    const item = items && !Array.isArray(items) ? visible(items) : undefined;
    if (rules.length === 0 && children.length === 0 && !additional && !item) return undefined;
    const values = this.#values;
    return {
      schema,
      rules,
      get values() {
        return values.of(schema, isResource);
      },
      properties: children,
      additional,
      items: item,
    };
  }
}
