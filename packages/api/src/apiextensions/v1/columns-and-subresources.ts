import { duplicate, type ErrorList, invalid, type Path, required, tooMany } from '@coxswain/apimachinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../generated/apiextensions/v1.ts';
import { resolveFieldPath } from './field-path.ts';
import { maxSelectableFields } from './strictness.ts';
import { structuralProblem } from './structural.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates a column of `kubectl get`. */
export function validateColumn(column: CustomResourceColumnDefinition, path: Path): ErrorList {
  const errors: ErrorList = [];
  const { name, type, format, jsonPath } = column;
  if (!name) errors.push(required(path.child('name')));
  const typeDetail = `must be one of ${columnTypes.join(',')}`;
  if (!type) errors.push(required(path.child('type'), typeDetail));
  else if (!columnTypes.includes(type)) errors.push(invalid(path.child('type'), type, typeDetail));
  if (format && !columnFormats.includes(format)) {
    errors.push(invalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`));
  }
  if (!jsonPath) errors.push(required(path.child('JSONPath')));
  else errors.push(...validateSimplePath(jsonPath, path.child('JSONPath')));
  return errors;
}

function validateSimplePath(jsonPath: string, path: Path): ErrorList {
  return jsonPath.startsWith('.') ? [] : [invalid(path, jsonPath, 'must be a simple json path starting with .')];
}

/** Validates the JSON paths of the scale subresource. */
export function validateSubresources(subresources: CustomResourceSubresources | undefined, path: Path): ErrorList {
  const scale = subresources?.scale;
  if (!scale) return [];
  const under = (jsonPath: string, places: readonly string[], where: string, place: Path): ErrorList => {
    const errors = validateSimplePath(jsonPath, place);
    if (errors.length > 0 || places.some((prefix) => jsonPath.startsWith(`${prefix}.`))) return errors;
    return [invalid(place, jsonPath, `should be a json path under ${where}`)];
  };
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const specPath = path.child('scale.specReplicasPath');
  const statusPath = path.child('scale.statusReplicasPath');
  return [
    ...(specReplicasPath ? under(specReplicasPath, ['.spec'], '.spec', specPath) : [required(specPath)]),
    ...(statusReplicasPath ? under(statusReplicasPath, ['.status'], '.status', statusPath) : [required(statusPath)]),
    ...(labelSelectorPath
      ? under(labelSelectorPath, ['.spec', '.status'], 'either .spec or .status', path.child('scale.labelSelectorPath'))
      : []),
  ];
}

/** Validates the fields that field selectors may use. */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  tooManyAllowed: boolean,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  const seen = new Set<string>();
  if (!schema || structuralProblem(schema) !== undefined) return errors;
  fields.forEach(({ jsonPath }, i) => {
    const place = path.index(i).child('jsonPath');
    if (!jsonPath) {
      errors.push(required(place));
      return;
    }
    const target = resolveFieldPath(jsonPath, schema, { allowBrackets: false });
    if (typeof target === 'string') {
      errors.push(invalid(place, jsonPath, `is an invalid path: ${target}`));
      return;
    }
    if (target.fields[0] === 'metadata') {
      errors.push(invalid(place, jsonPath, 'must not point to fields in metadata'));
    }
    if (!['string', 'boolean', 'integer'].includes(target.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(place, jsonPath, detail));
    }
    const key = JSON.stringify(target.fields);
    if (seen.has(key)) errors.push(duplicate(place, jsonPath));
    seen.add(key);
  });
  if (seen.size > maxSelectableFields && !tooManyAllowed) errors.push(tooMany(path, seen.size, maxSelectableFields));
  return errors;
}
