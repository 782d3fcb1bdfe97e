import { isJsonObject } from '@coxswain/apimachinery';

/** The status of a review that was asked for. Throws an Error for anything else, and does not quote it. */
export function statusOf(answer: unknown, kind: string, apiVersion: string): Record<string, unknown> {
  if (!isJsonObject(answer) || answer.kind !== kind || answer.apiVersion !== apiVersion)
    throw new Error(`the webhook's answer is no ${kind} of ${apiVersion}`);
  const status = answer.status ?? {};
  if (!isJsonObject(status)) throw new Error(`the webhook's answer has a status that is no object`);
  return status;
}
