import { type ErrorList, forbidden, invalid, notSupported, Path, required, tooLong } from '../field/index.ts';
import type { DeleteOptions } from '../meta/options.ts';
import { byteLength, isLongerThan } from './byte-length.ts';
import { consistsOf, printed } from './character-class.ts';

/** The options that creating, updating and patching have in common. */
interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: readonly string[];
  readonly fieldValidation?: string;
}

/** Decoded options. The policy may be any text. */
type UncheckedDeleteOptions = Omit<DeleteOptions, 'propagationPolicy'> & { readonly propagationPolicy?: string };

export const fieldManagerMaxLength = 128;

/** Empty means unset. Every character must be printable. The message counts positions in bytes. */
export function validateFieldManager(fieldManager: string | undefined, path: Path, errors: ErrorList = []): ErrorList {
  if (!fieldManager || isPlain(fieldManager)) return errors;
  if (isLongerThan(fieldManager, fieldManagerMaxLength)) errors.push(tooLong(path, fieldManagerMaxLength));
  let position = 0;
  for (const character of fieldManager) {
    // Differs from upstream: characters beyond the limit get no errors, because each error contains the whole value.
    if (position >= fieldManagerMaxLength) break;
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, fieldManager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}

const isPlain = (text: string): boolean => text.length <= fieldManagerMaxLength && consistsOf(text, printed);

export function validateDryRun(path: Path, dryRun: readonly string[] | undefined): ErrorList {
  return dryRun?.some((value) => value !== 'All') ? [notSupported(path, dryRun, ['All'])] : [];
}

const fieldValidationValues = ['', 'Ignore', 'Strict', 'Warn'];

export function validateFieldValidation(path: Path, fieldValidation: string | undefined): ErrorList {
  if (fieldValidationValues.includes(fieldValidation ?? '')) return [];
  return [notSupported(path, fieldValidation, fieldValidationValues)];
}

function validateWriteOptions(options: WriteOptions): ErrorList {
  return [
    ...validateFieldManager(options.fieldManager, Path.of('fieldManager')),
    ...validateDryRun(Path.of('dryRun'), options.dryRun),
    ...validateFieldValidation(Path.of('fieldValidation'), options.fieldValidation),
  ];
}

export const validateCreateOptions = (options: WriteOptions): ErrorList => validateWriteOptions(options);
export const validateUpdateOptions = (options: WriteOptions): ErrorList => validateWriteOptions(options);

const applyPatchTypes: ReadonlySet<string> = new Set(['application/apply-patch+yaml', 'application/apply-patch+cbor']);

/** Apply needs a field manager, and only apply can be forced. `patchType` is the content type of the request. */
export function validatePatchOptions(
  options: WriteOptions & { readonly force?: boolean },
  patchType: string,
): ErrorList {
  const errors: ErrorList = [];
  if (applyPatchTypes.has(patchType)) {
    if (!options.fieldManager) errors.push(required(Path.of('fieldManager'), 'is required for apply patch'));
  } else if (options.force !== undefined) {
    errors.push(forbidden(Path.of('force'), 'may not be specified for non-apply patch'));
  }
  return [...errors, ...validateWriteOptions(options)];
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan'];

export function validateDeleteOptions(options: UncheckedDeleteOptions): ErrorList {
  const { propagationPolicy } = options;
  const path = Path.of('propagationPolicy');
  const errors: ErrorList = [];
  if (propagationPolicy !== undefined) {
    if (options.orphanDependents !== undefined) {
      const detail = 'orphanDependents and deletionPropagation cannot be both set';
      errors.push(invalid(path, propagationPolicy, detail));
    }
    if (!propagationPolicies.includes(propagationPolicy)) {
      errors.push(notSupported(path, propagationPolicy, [...propagationPolicies, 'nil']));
    }
  }
  errors.push(...validateDryRun(Path.of('dryRun'), options.dryRun));
  errors.push(...validateIgnoreStoreReadError(options));
  return errors;
}

/** Deleting an object that cannot be read cannot be combined with other options. */
function validateIgnoreStoreReadError(options: UncheckedDeleteOptions): ErrorList {
  if (!options.ignoreStoreReadErrorWithClusterBreakingPotential) return [];
  const others = {
    dryRun: options.dryRun?.length ? true : undefined,
    propagationPolicy: options.propagationPolicy,
    orphanDependents: options.orphanDependents,
    gracePeriodSeconds: options.gracePeriodSeconds,
    preconditions: options.preconditions,
  };
  const path = Path.of('ignoreStoreReadErrorWithClusterBreakingPotential');
  return Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => invalid(path, true, `cannot be set together with .${name}`));
}

export function validateTableOptions({ includeObject }: { readonly includeObject?: string }): ErrorList {
  if (['Metadata', 'None', 'Object', ''].includes(includeObject ?? '')) return [];
  return [invalid(Path.of('includeObject'), includeObject, "must be 'Metadata', 'Object', 'None', or empty")];
}
