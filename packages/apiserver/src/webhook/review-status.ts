import { isJsonObject } from '@coxswain/apimachinery';

/** Returns the status of a webhook's review. Throws an Error, which does not quote the response, when it is no such review. */
export function statusOf(answer: unknown, kind: string, apiVersion: string): Record<string, unknown> {
  if (!isJsonObject(answer) || answer.kind !== kind || answer.apiVersion !== apiVersion)
    throw new Error(`the webhook's answer is no ${kind} of ${apiVersion}`);
  const status = answer.status ?? {};
  if (!isJsonObject(status)) throw new Error(`the webhook's answer has a status that is no object`);
  return status;
}
