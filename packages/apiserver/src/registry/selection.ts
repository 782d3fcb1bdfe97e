import type { fields, labels } from '@coxswain/apimachinery';
import type { StoredObject } from './stored-object.ts';

type Test = (object: StoredObject) => boolean;

/** The compiled label and field selectors of a request. */
export class Selection {
  /** Selects all objects. */
  static readonly everything = new Selection([], undefined);

  readonly #tests: readonly Test[];
  /** Set when the field selector requires this name. */
  readonly name: string | undefined;

  private constructor(tests: readonly Test[], name: string | undefined) {
    this.#tests = tests;
    this.name = name;
  }

  static of(label: labels.Selector, field: fields.Selector, fieldNames: readonly string[]): Selection {
    if (label.isEmpty() && field.isEmpty()) return Selection.everything;
    const tests: Test[] = field.requirements().map(({ field: name, operator, value }) => {
      const read = reader(name, fieldNames);
      const equal = operator === '=';
      return (object) => (read(object) === value) === equal;
    });
    if (!label.isEmpty()) tests.push((object) => label.matches(object.labels));
    return new Selection(tests, field.requiresExactMatch('metadata.name'));
  }

  get isEverything(): boolean {
    return this.#tests.length === 0;
  }

  matches(object: StoredObject): boolean {
    for (const test of this.#tests) if (!test(object)) return false;
    return true;
  }
}

function reader(name: string, fieldNames: readonly string[]): (object: StoredObject) => string {
  if (name === 'metadata.name') return (object) => object.name;
  if (name === 'metadata.namespace') return (object) => object.namespace;
  const index = fieldNames.indexOf(name);
  return index === -1 ? () => '' : (object) => object.fieldValues[index] ?? '';
}
