import { EntryMap } from '../values/collections.ts';
import { type CelType, DYN, objectType, STRING } from '../values/types.ts';
import { CelError, type CelValue } from '../values/values.ts';

const fieldTypes: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

const NAMELESS = objectType('');

/** `JSONPatch{op: 'add', path: '/metadata/labels', value: {}}`: what mutating policies make lists of. */
export const JSON_PATCH: CelType<JSONPatchValue> = objectType('JSONPatch', {
  // Upstream knows any field, but no type of those that are none.
  field: (name) => fieldTypes.get(name) ?? NAMELESS,
  construct: (fields) => new JSONPatchValue(fields),
});

export class JSONPatchValue extends EntryMap {
  /** Throws CelError for a field that a patch does not have, or that is no string where it must be one. */
  constructor(fields: ReadonlyMap<string, CelValue>) {
    super(fields);
    for (const [name, value] of fields) {
      const type = fieldTypes.get(name);
      if (!type) throw new CelError(`unexpected JSONPatchType field: ${name}`);
      if (type === STRING && typeof value !== 'string') {
        throw new CelError(`unexpected type ${typeof value} for JSONPatchType '${name}' field`);
      }
    }
  }

  override get objectType(): CelType {
    return JSON_PATCH;
  }

  /** A field that is a string; empty when it was not given. */
  text(name: 'op' | 'path' | 'from'): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : '';
  }

  /** Undefined when it was not given. */
  get value(): CelValue | undefined {
    return this.get('value');
  }
}
