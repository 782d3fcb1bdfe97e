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

/** `JSONPatch{op: 'add', path: '/metadata/labels', value: {}}`: mutating admission policies return lists of them. */
export const JSON_PATCH: CelType<JSONPatchValue> = objectType('JSONPatch', {
  // Upstream accepts any field name here, without a type for unknown ones.
  field: (name) => fieldTypes.get(name) ?? NAMELESS,
  construct: (fields) => new JSONPatchValue(fields),
});

export class JSONPatchValue extends EntryMap {
  /** Throws CelError for an unknown field, and for a field that must be a string but is not. */
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

  /** Returns a string field; empty if it is not set. */
  text(name: 'op' | 'path' | 'from'): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : '';
  }

  /** Undefined if it is not set. */
  get value(): CelValue | undefined {
    return this.get('value');
  }
}
