import {
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  type Path,
  repeated,
  required,
} from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { itemSchema, propertySchema } from '../schema/schema-visitor.ts';
import { internalItems } from './internal-form.ts';

const listTypes = ['atomic', 'set', 'map'];

/**
 * Validates the list type and the keys of lists of type map. `setErrors` are included only if the schema's type is
 * valid for a list type.
 */
export function validateListType(schema: JSONSchemaProps, path: Path, setErrors: ErrorList): ErrorList {
  const errors: ErrorList = [];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const listTypePath = path.child('x-kubernetes-list-type');
  if (listType !== undefined && schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    errors.push(schema.type ? invalid(path.child('type'), schema.type, detail) : required(path.child('type'), detail));
  } else errors.push(...setErrors);
  if (listType !== undefined && !listTypes.includes(listType)) {
    errors.push(notSupported(listTypePath, listType, listTypes));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(listTypePath, detail) : invalid(listTypePath, listType, detail));
  }
  return listType === 'map' ? [...errors, ...validateMap(schema, keys, path)] : errors;
}

function validateMap(schema: JSONSchemaProps, keys: readonly string[], path: Path): ErrorList {
  const errors: ErrorList = [];
  const keysPath = path.child('x-kubernetes-list-map-keys');
  const itemsPath = path.child('items');
  if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined) {
    errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  }
  if (Array.isArray(schema.items)) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    errors.push(invalid(itemsPath, internalItems(schema.items), detail));
  }
  const items = itemSchema(schema);
  if (!items) return errors;
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(itemsPath.child('type'), items.type ?? '', detail)];
  }
  const isRepeated = repeated(keys);
  keys.forEach((key, i) => {
    const property = propertySchema(items, key);
    if (!property) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(itemsPath.child('properties').key(key).child('type'), items.type, detail));
    }
    if (isRepeated[i]) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
  });
  return errors;
}

/** Items of a set must be atomic: they are compared as a whole. */
export function validateSetItems(schema: JSONSchemaProps, path: Path): ErrorList {
  const items = itemSchema(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || !items) return [];
  const listType = items['x-kubernetes-list-type'];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const complain = (field: string) => [invalid(path.child('items').child(field), listType, detail)];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return complain('x-kubernetes-list-type');
  // Upstream prints the list type here too, not the map type.
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') return complain('x-kubernetes-map-type');
  return [];
}

/** Items of sets and maps must not be nullable, and the keys of maps must be required or have a default. */
export function validateMapListKeys(schema: JSONSchemaProps, path: Path): ErrorList {
  const items = itemSchema(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (!items || (listType !== 'set' && listType !== 'map')) return [];
  const errors: ErrorList = [];
  const itemsPath = path.child('items');
  if (items.nullable) {
    errors.push(
      forbidden(itemsPath.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  if (listType === 'set') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = propertySchema(items, key);
    if (!property) continue;
    const propertyPath = itemsPath.child('properties').key(key);
    if (!items.required?.includes(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(propertyPath.child('default'), detail));
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbidden(propertyPath.child('nullable'), detail));
    }
  }
  return errors;
}
