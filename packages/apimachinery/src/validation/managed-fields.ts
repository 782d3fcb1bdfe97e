import { type ErrorList, invalid, type Path, tooLong } from '../field/index.ts';
import { isLongerThan } from './byte-length.ts';
import { validateFieldManager } from './options.ts';

/** A decoded entry. Its operation may be any text. */
interface UncheckedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsType?: string;
  readonly subresource?: string;
}

export const maxSubresourceNameLength = 256;

export function validateManagedFields(
  entries: readonly UncheckedEntry[] | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  entries?.forEach((entry, i) => {
    validateEntry(entry, path.index(i), errors);
  });
  return errors;
}

function validateEntry(entry: UncheckedEntry, path: Path, errors: ErrorList): void {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    errors.push(invalid(path.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
  }
  if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') {
    errors.push(invalid(path.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
  }
  validateFieldManager(entry.manager, path.child('manager'), errors);
  if (isLongerThan(entry.subresource ?? '', maxSubresourceNameLength)) {
    errors.push(tooLong(path.child('subresource'), maxSubresourceNameLength));
  }
}
