import {
  applyJsonPatch,
  type GroupVersionKind,
  isJsonObject,
  jsonEquals,
  type KubernetesObject,
  newInternalError,
  newServiceUnavailable,
  parseJson,
  quote,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AdmissionAttributes } from '../admission.ts';
import type { AdmissionResponse } from './admission-review.ts';
import { CallingWebhookError } from './webhook-caller.ts';

export interface Patched {
  /** With defaults. */
  readonly object: KubernetesObject;
  readonly changed: boolean;
  /** For the audit log, with sorted keys. */
  readonly patch: unknown;
}

/**
 * Applies the patch of a webhook; undefined without a patch. Throws InternalError when the patch cannot be applied or
 * the result is invalid, and a CallingWebhookError when the patch is invalid.
 */
export function applyWebhookPatch(
  { patch: bytes, patchType }: AdmissionResponse,
  name: string,
  { objects, oldObject }: AdmissionAttributes,
  kind: GroupVersionKind,
  object: KubernetesObject | undefined,
): Patched | undefined {
  if (bytes.length === 0) return undefined;
  const operations = readPatch(bytes, name);
  if (operations.length === 0) return undefined;
  if (!object)
    throw newInternalError(
      `admission webhook ${quote(name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== 'JSONPatch')
    throw new CallingWebhookError(
      name,
      `unsupported patch type ${quote(patchType)}`,
      newServiceUnavailable('unsupported patch type'),
    );
  try {
    const patched = applyJsonPatch(object, operations);
    const read = objects ? objects.read(patched, kind) : (patched as KubernetesObject);
    const changed = hasNewManagers(object, oldObject) || !jsonEquals(object, read);
    return { object: objects ? objects.withDefaults(read) : read, changed, patch: operations.map(sorted) };
  } catch (error) {
    throw newInternalError(error instanceof Error ? error : String(error));
  }
}

/**
 * Whether this request has changed managedFields. Upstream's timestamps then have nanoseconds, which a patch drops, so
 * that it treats any patch as a change.
 */
const hasNewManagers = ({ metadata }: KubernetesObject, old: KubernetesObject | undefined): boolean =>
  metadata?.managedFields !== undefined && !jsonEquals(metadata.managedFields, old?.metadata?.managedFields);

function readPatch(bytes: Buffer, name: string): readonly unknown[] {
  const undecodable = (problem: string, cause?: unknown): CallingWebhookError =>
    new CallingWebhookError(
      name,
      `received undecodable patch in webhook response: ${problem}`,
      newServiceUnavailable('error decoding patch in webhook response'),
      cause,
    );
  let value: unknown;
  try {
    value = parseJson(bytes).value;
  } catch (error) {
    throw undecodable(messageOf(error), error);
  }
  if (value === null) return [];
  try {
    // Throws the error of an invalid patch.
    if (!Array.isArray(value) || !value.every((one) => one === null || isJsonObject(one))) applyJsonPatch({}, value);
  } catch (error) {
    throw undecodable(messageOf(error), error);
  }
  return Array.isArray(value) ? value : [];
}

const sorted = (operation: unknown): unknown =>
  isJsonObject(operation)
    ? Object.fromEntries(Object.entries(operation).sort(([a], [b]) => (a < b ? -1 : 1)))
    : operation;
