import {
  type DeleteOptions,
  type DeletionPropagation,
  type ErrorList,
  fields,
  forbidden,
  GroupKind,
  labels,
  newBadRequest,
  newInvalid,
  notSupported,
  Path,
  validateCreateOptions,
  validateDeleteOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { isTrue } from '../http/request-info.ts';

/** The query parameters of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  /** `Ignore`, `Warn` or `Strict`. Empty means Warn. */
  readonly fieldValidation: string;
  /** For server-side apply only. */
  readonly force?: boolean;
}

const optionsInvalid = (kind: string, errors: ErrorList): Error =>
  newInvalid(GroupKind.of('meta.k8s.io', kind), '', errors);

const noOptions: WriteOptions = { dryRun: [], fieldManager: '', fieldValidation: '' };

function readWriteOptions(query: URLSearchParams): WriteOptions {
  if (query.size === 0) return noOptions;
  const force = query.get('force');
  return {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
    ...(force !== null && { force: isTrue(force) }),
  };
}

export function createOptions(query: URLSearchParams): WriteOptions {
  const options = readWriteOptions(query);
  const errors = validateCreateOptions(options);
  if (errors.length > 0) throw optionsInvalid('CreateOptions', errors);
  return options;
}

export function updateOptions(query: URLSearchParams): WriteOptions {
  const options = readWriteOptions(query);
  const errors = validateUpdateOptions(options);
  if (errors.length > 0) throw optionsInvalid('UpdateOptions', errors);
  return options;
}

export function patchOptions(query: URLSearchParams, patchType: string): WriteOptions {
  const options = readWriteOptions(query);
  const errors = validatePatchOptions(options, patchType);
  if (errors.length > 0) throw optionsInvalid('PatchOptions', errors);
  return options;
}

export const isDryRun = ({ dryRun }: { readonly dryRun?: readonly string[] }): boolean =>
  dryRun !== undefined && dryRun.length > 0;

/** Throws BadRequest for the removed `export` parameter. */
export function assertNotExport(query: URLSearchParams): void {
  if (isTrue(query.get('export')))
    throw newBadRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** Reads DeleteOptions from the query. Throws BadRequest for an invalid grace period. */
export function readDeleteOptions(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  const policy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun');
  const ignore = query.get('ignoreStoreReadErrorWithClusterBreakingPotential');
  return {
    ...(grace !== null && { gracePeriodSeconds: parseInteger(grace) }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    // Validation checks the value.
    ...(policy !== null && { propagationPolicy: policy as DeletionPropagation }),
    ...(dryRun.length > 0 && { dryRun }),
    ...(ignore !== null && { ignoreStoreReadErrorWithClusterBreakingPotential: isTrue(ignore) }),
  };
}

/**
 * Returns the validated options. Throws Invalid. `ignoreStoreReadErrorWithClusterBreakingPotential` is dropped, because its
 * feature gate is off.
 */
export function checkedDeleteOptions(given: DeleteOptions): DeleteOptions {
  const { ignoreStoreReadErrorWithClusterBreakingPotential: _, ...options } = given;
  const errors = validateDeleteOptions(options);
  if (errors.length > 0) throw optionsInvalid('DeleteOptions', errors);
  return options;
}

/** The query parameters of list and watch. */
export interface ListOptions {
  readonly labelSelector: labels.Selector;
  readonly fieldSelector: fields.Selector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** Reads ListOptions from the query. Throws BadRequest for values that cannot be parsed, Invalid for invalid combinations. */
export function listOptions(query: URLSearchParams, forceWatch: boolean): ListOptions {
  const watch = forceWatch || isTrue(query.get('watch'));
  const initial = query.get('sendInitialEvents');
  const options: ListOptions = {
    labelSelector: parsed(query.get('labelSelector'), labels.parse, labels.Selector.everything),
    fieldSelector: parsed(query.get('fieldSelector'), fields.parse, fields.Selector.everything),
    watch,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: optionalInteger(query.get('timeoutSeconds')),
    limit: Math.max(0, optionalInteger(query.get('limit')) ?? 0),
    continue: query.get('continue') ?? '',
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  // A watch without a resource version starts with synthetic ADDED events for all objects.
  const fromNowhere = options.resourceVersion === '' || options.resourceVersion === '0';
  const complete =
    watch && fromNowhere && options.sendInitialEvents === undefined && options.resourceVersionMatch === ''
      ? { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
      : options;
  const errors = watch ? validateWatch(complete) : validateList(complete);
  if (errors.length > 0) throw optionsInvalid('ListOptions', errors);
  return complete;
}

function parsed<T>(text: string | null, parse: (text: string) => T, nothing: T): T {
  if (!text) return nothing;
  try {
    return parse(text);
  } catch (error) {
    throw newBadRequest(messageOf(error));
  }
}

const optionalInteger = (text: string | null): number | undefined => (text === null ? undefined : parseInteger(text));

function parseInteger(text: string): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  if (value !== undefined && Number.isSafeInteger(value)) return value;
  const problem = value === undefined ? 'invalid syntax' : 'value out of range';
  throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
}

const matchPath = Path.of('resourceVersionMatch');
const initialPath = Path.of('sendInitialEvents');

function validateList({ resourceVersion, resourceVersionMatch: match, ...options }: ListOptions): ErrorList {
  const errors: ErrorList = [];
  if (match !== '') {
    if (resourceVersion === '')
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '')
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(matchPath, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0')
      errors.push(forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbidden(initialPath, 'sendInitialEvents is forbidden for list'));
  return errors;
}

function validateWatch({ resourceVersionMatch: match, sendInitialEvents, ...options }: ListOptions): ErrorList {
  const errors: ErrorList = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(forbidden(matchPath, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match !== '') {
    if (sendInitialEvents === undefined)
      errors.push(
        forbidden(matchPath, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    if (match !== 'NotOlderThan') errors.push(notSupported(matchPath, match, ['NotOlderThan']));
    if (options.continue !== '')
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}
